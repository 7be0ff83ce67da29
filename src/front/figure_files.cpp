#include "front/figure_files.hpp"

#include <fmt/format.h>

#include <quasar/errors.hpp>

#include "io/atomic_file.hpp"
#include "io/text_output.hpp"
#include "plot/svg.hpp"

namespace fs = std::filesystem;

namespace quasar {

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

std::vector<std::string> FigureFiles::write(const std::vector<Figure>& figures) const {
  std::vector<std::string> written;
  for (const Figure& figure : figures) {
    const fs::path file = folder_ / fmt::format("{}-{}.svg", experiment_, figure.name);
    TextOutput out(file);
    out.write(svg(figure));
    out.finish();
    out.commit(overwrite_ ? IfExists::replace : IfExists::fail);
    written.push_back(file.string());
  }
  return written;
}

}  // namespace quasar
