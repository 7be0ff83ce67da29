// quasar/experiment.hpp -- a published experiment: how it is run, and our numbers beside the printed ones.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <quasar/config.hpp>
#include <quasar/figure.hpp>

namespace quasar {

struct ExperimentRow {
  std::string method, quantity;
  double value;
  std::optional<double> mcse, printed;  // printed: the paper's number, where it prints one
};

struct ExperimentOptions {
  std::uint64_t seed = 1;
  bool quick = false;
  std::string data_dir;
  std::string work_dir;  // finished parts of a long experiment are kept there; empty: nowhere
  std::function<void(std::string_view)> on_method = [](std::string_view) {};  // told what is run next
};

struct ExperimentResult {
  Settings settings;
  std::vector<ExperimentRow> rows;
  std::vector<Figure> figures = {};  // those of the paper, made of the same runs
};

struct ExperimentEntry {
  std::string_view name, paper, doc;
  ExperimentResult (*run)(const ExperimentOptions&);
};

}  // namespace quasar
