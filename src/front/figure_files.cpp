#include "front/figure_files.hpp"

#include <fmt/format.h>

#include <array>

#include <quasar/errors.hpp>

#include "io/atomic_file.hpp"
#include "io/text_output.hpp"
#include "plot/svg.hpp"

namespace fs = std::filesystem;

namespace quasar {
namespace {

// Of the settings of all experiments those that say how long a run was.
constexpr std::array lengths{
    "chains", "data_sets", "draws",  "folds", "gradients of a sampler", "gradients per method", "iterations", "passes",
    "rounds", "steps",     "sweeps", "warmup"};

std::string quick_note(const Settings& settings) {
  std::string note = "quick run";
  for (const char* name : lengths) {
    const auto found = settings.find(name);
    if (found != settings.end()) note += fmt::format("; {}: {}", name, found->second);
  }
  return note;
}

}  // namespace

FigureFiles::FigureFiles(fs::path folder, std::string experiment, bool overwrite)
    : folder_(std::move(folder)), experiment_(std::move(experiment)), overwrite_(overwrite) {
  std::error_code problem;
  fs::create_directories(folder_, problem);
  if (problem) throw DataError(folder_.string() + ": " + problem.message());
  check_writable();
  if (!overwrite_) refuse_existing();
}

void FigureFiles::check_writable() const { const AtomicFile removed_at_once(folder_ / (experiment_ + "-figure.svg")); }

// Which figures there will be is not known before the run: any of the experiment counts.
void FigureFiles::refuse_existing() const {
  for (const fs::directory_entry& entry : fs::directory_iterator(folder_)) {
    const std::string name = entry.path().filename().string();
    for (const char* kind : {"figure", "table"}) {
      if (name.starts_with(fmt::format("{}-{}-", experiment_, kind)) && name.ends_with(".svg")) {
        throw UsageError(
            fmt::format("{} exists; --overwrite replaces it, --plot names another folder", entry.path().string()));
      }
    }
  }
}

std::vector<std::string> FigureFiles::write(const ExperimentResult& result, bool quick) const {
  const std::string note = quick ? quick_note(result.settings) : "";
  std::vector<std::string> written;
  for (Figure figure : result.figures) {
    if (quick) figure.caption += fmt::format(" A {}.", note);
    const fs::path file = folder_ / fmt::format("{}-{}.svg", experiment_, figure.name);
    TextOutput out(file);
    out.write(svg(figure, {.note = note}));
    out.finish();
    out.commit(overwrite_ ? IfExists::replace : IfExists::fail);
    written.push_back(file.string());
  }
  return written;
}

}  // namespace quasar
