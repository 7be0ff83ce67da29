#include "front/denoise/speech_file.hpp"

#include <fmt/format.h>

#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include <quasar/errors.hpp>

#include "io/netcdf_file.hpp"
#include "io/run_file_format.hpp"
#include "io/seal.hpp"

namespace quasar {
namespace {

using Axes = std::vector<std::string>;
using SpeechRows = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

constexpr std::int64_t speech_version = 1;  // rises when an older reader would misread the file
constexpr std::int64_t most_samples_of_frame = 1 << 24;
constexpr double mean_rounding = 1e-6;  // of a column, which is 1
const std::string bin = "bin", component = "component", recording = "file";

// Far beyond what recordings lead to, and within what cleaning can compute with.
constexpr Interval alphas{0.1, 2}, shapes{0.01, 1e3}, scales{1e-30, 1e30}, levels{1e-110, 1e110};

bool lies_in(const Interval& range, double x) { return x >= range.lo && x <= range.hi; }

// What cannot be, in words; empty: all is well.
std::string fault_of(const SpeechModel& model) {
  const auto& [rate, frame, hop] = model.plane;
  if (rate < 1 || rate > highest_rate) return "its sample rate is out of range";
  if (frame < 2 || frame % 2 != 0 || frame > most_samples_of_frame || hop < 1 || 2 * hop > frame)
    return "its frames are out of range";
  const Mat& columns = model.dictionary;
  if (columns.rows() != model.plane.bins()) {
    return fmt::format("its dictionary has {} bins, and frames of {} samples have {}", columns.rows(), frame,
                       model.plane.bins());
  }
  if (columns.cols() < 1) return "its dictionary has no components";
  if (!columns.allFinite() || columns.minCoeff() < 0) return "a number of its dictionary is negative or none";
  if (((columns.colwise().mean().array() - 1).abs() > mean_rounding).any()) {
    return "a component of its dictionary has not the mean 1";
  }
  if (!lies_in(alphas, model.alpha)) return "its alpha is not between 0.1 and 2";
  if (!lies_in(shapes, model.activations.shape) || !lies_in(scales, model.activations.scale)) {
    return "the law of its activations is out of range";
  }
  if (!lies_in(levels, model.level)) return "its level is out of range";
  if (!(model.seconds_of_speech >= 0 && std::isfinite(model.seconds_of_speech)) || model.rounds < 0) {
    return "an attribute is out of range";
  }
  return {};
}

void write_speech_attributes(const NcGroup& root, const SpeechModel& model) {
  root.put(run_format::speech_attribute, speech_version);
  root.put("sample_rate", static_cast<std::int64_t>(model.plane.sample_rate));
  root.put("frame", static_cast<std::int64_t>(model.plane.frame));
  root.put("hop", static_cast<std::int64_t>(model.plane.hop));
  root.put("alpha", model.alpha);
  root.put("activation_shape", model.activations.shape);
  root.put("activation_scale", model.activations.scale);
  root.put("level", model.level);
  root.put("seconds_of_speech", model.seconds_of_speech);
  root.put("rounds", model.rounds);
  root.put("seed", model.seed);
  root.put("quasar_version", std::string(QUASAR_VERSION));
  if (!model.work.empty()) root.put("work", model.work);
}

template <class Number>
Number attribute_of(const NcGroup& root, const std::string& name) {
  if (!root.has_attribute(name)) root.fail(fmt::format("is damaged: the attribute '{}' is missing", name));
  Number number{};
  root.get(name, number);
  return number;
}

// What lies beyond the range of a whole number of frames is out of range all the more.
Index index_attribute(const NcGroup& root, const std::string& name) {
  return static_cast<Index>(attribute_of<std::int64_t>(root, name));
}

std::vector<double> speech_numbers(const NcGroup& root, const std::string& name, const Axes& axes) {
  const NcVariable found = find_variable(root, name);
  if (found.type == NC_STRING || found.type == NC_CHAR || found.dims != axes) {
    root.fail(fmt::format("the variable '{}' is not of the shape that speech has", name));
  }
  return root.get_numbers(found, found.whole());
}

Mat read_dictionary(const NcGroup& root) {
  const std::vector<double> numbers = speech_numbers(root, "dictionary", {bin, component});
  const NcVariable found = find_variable(root, "dictionary");
  return Eigen::Map<const SpeechRows>(numbers.data(), found.shape[0], found.shape[1]);
}

std::vector<std::string> read_recordings(const NcGroup& root) {
  for (const NcVariable& variable : root.variables()) {
    if (variable.name == recording) return root.get_labels(variable);
  }
  return {};
}

void require_speech_format(const NcGroup& root) {
  if (root.has_attribute(run_format::version_attribute)) root.fail("is a run of quasar sample, not a file of speech");
  if (root.has_attribute(run_format::topics_attribute)) root.fail("holds topics, not speech");
  if (!root.has_attribute(run_format::speech_attribute)) root.fail("is a netCDF file, but has no speech of Quasar");
  std::int64_t found = 0;
  root.get(run_format::speech_attribute, found);
  if (found > speech_version) {
    root.fail(fmt::format("was written by a newer Quasar (format {}, known {})", found, speech_version));
  }
}

int rate_in(const NcGroup& root) {
  const auto rate = attribute_of<std::int64_t>(root, "sample_rate");
  return std::in_range<int>(rate) ? static_cast<int>(rate) : 0;
}

}  // namespace

void write_speech(AtomicFile file, const SpeechModel& model, IfExists if_exists) {
  if (const std::string fault = fault_of(model); !fault.empty()) {
    throw RunError(fmt::format("{}: what was learned is not written: {}", file.path().string(), fault));
  }
  const auto lock = one_at_a_time();
  NcFile netcdf = NcFile::create(file.temporary(), file.path().string());
  const NcGroup root = netcdf.root();
  write_speech_attributes(root, model);
  const int bins = root.add_dimension(bin, model.dictionary.rows());
  const int components = root.add_dimension(component, model.dictionary.cols());
  const NcVariable dictionary = root.add_variable("dictionary", NC_DOUBLE, {bins, components});
  if (!model.files.empty()) {
    const int files = root.add_dimension(recording, std::ssize(model.files));
    root.put_labels(root.add_variable(recording, NC_STRING, {files}), model.files);
  }
  const SpeechRows rows = model.dictionary;
  root.put_numbers(dictionary, dictionary.whole(), rows.data());
  netcdf.sync_and_close();
  seal_file(file.temporary());
  file.commit(if_exists);
}

SpeechModel read_speech(const std::filesystem::path& path) {
  const auto lock = one_at_a_time();
  check_seal(path, "a file of speech");
  const auto file_size = static_cast<double>(std::filesystem::file_size(path));
  const NcFile file = NcFile::open(path);
  const NcGroup root = file.root();
  require_speech_format(root);
  plausible(root, file_size);
  SpeechModel model;
  model.plane = {rate_in(root), index_attribute(root, "frame"), index_attribute(root, "hop")};
  model.alpha = attribute_of<double>(root, "alpha");
  model.dictionary = read_dictionary(root);
  model.activations = {attribute_of<double>(root, "activation_shape"), attribute_of<double>(root, "activation_scale")};
  model.level = attribute_of<double>(root, "level");
  model.files = read_recordings(root);
  model.seconds_of_speech = attribute_of<double>(root, "seconds_of_speech");
  model.rounds = attribute_of<std::int64_t>(root, "rounds");
  model.seed = attribute_of<std::uint64_t>(root, "seed");
  model.work = root.get_text("work");
  if (const std::string fault = fault_of(model); !fault.empty()) root.fail("is damaged: " + fault);
  return model;
}

}  // namespace quasar
