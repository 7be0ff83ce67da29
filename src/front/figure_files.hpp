// The figures of an experiment as files: EXPERIMENT-figure-3.svg.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include <quasar/experiment.hpp>

namespace quasar {

class FigureFiles {
 public:
  // Before the experiment runs: makes the folder where it is missing. DataError: it cannot be written to. UsageError:
  // figures of the experiment are there and must not be replaced
  FigureFiles(std::filesystem::path folder, std::string experiment, bool overwrite);

  // The files' names. A quick run is named so in the picture, with what it is made of: the paper's numbers in it are of
  // a long one. DataError
  std::vector<std::string> write(const ExperimentResult& result, bool quick) const;

 private:
  void check_writable() const;
  void refuse_existing() const;
  std::filesystem::path folder_;
  std::string experiment_;
  bool overwrite_;
};

}  // namespace quasar
