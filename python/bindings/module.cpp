// quasar._core: the library as Python sees it. Plain on purpose; the package above it has the manners.
#include <Eigen/Core>
#include <cblas.h>
#include <nanobind/nanobind.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/string.h>
#include <netcdf.h>

#include <chrono>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <quasar/errors.hpp>
#include <quasar/experiment.hpp>
#include <quasar/registry.hpp>

#include "compare.hpp"
#include "denoise.hpp"
#include "diagnostics.hpp"
#include "errors.hpp"
#include "front/figure_files.hpp"
#include "front/prediction_report.hpp"
#include "front/read_corpus.hpp"
#include "front/recommend.hpp"
#include "front/registry_json.hpp"
#include "front/run_settings.hpp"
#include "front/segment.hpp"
#include "front/topic_settings.hpp"
#include "gamma_process.hpp"
#include "interpreter_lock.hpp"
#include "job.hpp"
#include "manifold_problems.hpp"
#include "manifolds.hpp"
#include "messages.hpp"
#include "minimize.hpp"
#include "predict.hpp"
#include "recommend.hpp"
#include "run.hpp"
#include "segment.hpp"
#include "speech/denoise.hpp"
#include "target.hpp"
#include "topics.hpp"

namespace quasar::python {
namespace {

std::string registry() {
  nlohmann::ordered_json all;
  all["samplers"] = to_json(samplers());
  all["models"] = to_json(models());
  all["experiments"] = to_json(experiments());
  const auto keys = run_keys(Task::sample);
  all["run"] = to_json(std::span(keys));
  all["predict"] = to_json(prediction_params());
  all["recommend"] = to_json(recommend_params());
  all["segment"] = to_json(segment_params());
  all["train_speech"] = to_json(speech_training_params());
  all["denoise"] = to_json(denoise_params());
  all["topic_methods"] = to_json(topic_methods());
  all["topics"] = to_json(topic_fit_params());
  all["documents"] = to_json(corpus_params());
  return all.dump();
}

std::string reproduce(const std::string& name, std::uint64_t seed, bool quick, const std::string& data_dir,
                      const std::string& work_dir, const std::string& plot, bool overwrite) {
  const ExperimentEntry& entry = find_experiment(name);
  if (!data_dir.empty() && !std::filesystem::is_directory(data_dir)) throw DataError(data_dir + ": no such folder");
  const InterpreterUnlocked unlocked;
  std::optional<FigureFiles> files;
  if (!plot.empty()) files.emplace(plot, std::string(entry.name), overwrite);
  const auto began = std::chrono::steady_clock::now();
  const ExperimentResult result = entry.run({seed, quick, data_dir, work_dir});
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
  auto found = to_json(entry, result, seconds);
  found["figures"] = nlohmann::ordered_json::array();
  try {
    if (files) found["figures"] = files->write(result, quick);
  } catch (const DataError& error) {  // the numbers may have taken hours
    found["failure"] = error.what();
  }
  return found.dump();
}

std::map<std::string, std::string> build_info() {
  return {{"version", QUASAR_VERSION},
          {"compiler", QUASAR_COMPILER},
          {"build_type", QUASAR_BUILD_TYPE},
          {"eigen", std::to_string(EIGEN_WORLD_VERSION) + "." + std::to_string(EIGEN_MAJOR_VERSION) + "." +
                        std::to_string(EIGEN_MINOR_VERSION)},
          {"netcdf", nc_inq_libvers()},
          {"openblas", openblas_get_config()},
          {"nanobind", std::to_string(NB_VERSION_MAJOR) + "." + std::to_string(NB_VERSION_MINOR) + "." +
                           std::to_string(NB_VERSION_PATCH)}};
}

}  // namespace
}  // namespace quasar::python

NB_MODULE(_core, module) {
  using namespace quasar::python;
  nanobind::set_leak_warnings(false);  // objects of a module that is still in use at exit are no fault of the user
  add_errors(module);
  add_targets(module);
  add_run(module);
  add_compare(module);
  add_predict(module);
  add_recommend(module);
  add_segment(module);
  add_denoise(module);
  add_topics(module);
  add_job(module);
  add_diagnostics(module);
  add_gamma_process(module);
  add_manifolds(module);
  add_minimize(module);
  add_manifold_problems(module);
  add_messages(module);
  module.def("build_info", build_info);
  module.def("registry", registry);
  module.def("reproduce", reproduce, nanobind::arg("name"), nanobind::arg("seed"), nanobind::arg("quick"),
             nanobind::arg("data_dir"), nanobind::arg("work_dir"), nanobind::arg("plot"), nanobind::arg("overwrite"));
}
