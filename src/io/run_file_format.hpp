// What the writer and the reader of a run file agree on.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include <quasar/core.hpp>
#include <quasar/fields.hpp>
#include <quasar/run_data.hpp>

namespace quasar::run_format {

inline constexpr std::int64_t version = 2;  // rises when an older reader would misread the file
inline const std::string version_attribute = "quasar_format";
inline const std::string topics_attribute = "quasar_topics";  // of another kind of file: io/topic_file.hpp
inline const std::string speech_attribute = "quasar_speech";  // likewise: front/denoise/speech_file.hpp

inline const std::string posterior = "posterior", sample_stats = "sample_stats", warmup_prefix = "warmup_";
inline const std::string constant_data = "constant_data", divergences = "divergences", tuning = "tuning";
inline const std::string posterior_moments = "posterior_moments";
inline const std::string predictions = "predictions", held_out_trace = "held_out_trace";
inline const std::string log_likelihood = "log_likelihood";
inline const std::string check_attribute = "check";
inline const std::string tuned_step_size = "step_size", tuned_metric = "inverse_metric";
inline const std::string chain = "chain", draw = "draw", ensemble = "ensemble";
inline const std::string type_attribute = "dtype", boolean = "bool";  // xarray's mark of a truth value

// Who wrote a group and when: attributes that ArviZ keeps on every group.
inline std::map<std::string, std::string> origin(const RunInfo& info) {
  return {{"created_at", info.created_at},
          {"inference_library", "quasar"},
          {"inference_library_version", info.quasar_version},
          {"creation_library", "quasar"},
          {"creation_library_version", info.quasar_version},
          {"creation_library_language", "C++"}};
}

// The numbers of a draw that make one variable of a group. Statistics are scalars; variables are real or integer.
struct Column {
  Variable variable;
  StatSpec::Type type;
  Index begin;
};

inline std::vector<Column> columns_of(const Layout& layout) {
  std::vector<Column> columns;
  Index begin = 0;
  for (const Variable& variable : layout.variables) {
    columns.push_back({variable, variable.integer ? StatSpec::integer : StatSpec::real, begin});
    begin += variable.size();
  }
  return columns;
}

inline std::vector<Column> columns_of(const std::vector<StatSpec>& stats) {
  std::vector<Column> columns;
  for (const StatSpec& stat : stats) {
    columns.push_back({{.name = stat.name, .shape = {}, .dims = {}}, stat.type, std::ssize(columns)});
  }
  return columns;
}

}  // namespace quasar::run_format
