#include "targets/stan_program.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <string_view>

#include <quasar/errors.hpp>

#include "targets/library_file.hpp"

namespace quasar {
namespace {

// Compiled without STAN_THREADS, all programs of a process share one tape for their derivatives: the loader merges this
// variable of a template across libraries, however they are loaded. With STAN_THREADS there is one for each thread,
// under the same name: a library of the one kind crashes beside one of the other, as a rule while it is being loaded.
struct StanPrograms {
  std::mutex without_threads;  // held by whoever runs a program that has no threads
  std::mutex kind;
  std::optional<bool> threaded;  // of the libraries in this process
};

StanPrograms& programs_here() {
  static StanPrograms state;
  return state;
}

void require_same_kind(bool threaded, const std::string& library) {
  if (programs_here().threaded.value_or(threaded) != threaded) {
    throw UsageError(
        fmt::format("{}: is compiled {} STAN_THREADS, and this process has loaded a model {} it: the two would use the "
                    "same memory in different ways. Compile both alike, or run them in different processes",
                    library, threaded ? "with" : "without", threaded ? "without" : "with"));
  }
}

// A library stays in the process even if it turns out to be of no use.
StanLibrary load_beside_others(const std::string& file) {
  const std::optional<bool> threaded = compiled_with_threads(file);
  const std::lock_guard lock(programs_here().kind);
  if (threaded) require_same_kind(*threaded, file);
  const LoadedLibrary loaded = load_library(file);
  if (threaded) programs_here().threaded = threaded;
  return StanLibrary(loaded);
}

// The text that a call may leave, given back whatever it returned.
class ErrorText {
 public:
  explicit ErrorText(const StanLibrary& library) : library_(library) {}
  ErrorText(const ErrorText&) = delete;
  ErrorText& operator=(const ErrorText&) = delete;
  ~ErrorText() { give_back(); }

  char** out() {  // for one more call
    give_back();
    return &text_;
  }

  std::string text() const {  // on one line
    std::string text = text_ == nullptr ? "" : text_;
    while (text.ends_with('\n')) text.pop_back();
    std::replace(text.begin(), text.end(), '\n', ' ');
    return text.empty() ? "it does not say why" : text;
  }

  StanProgram::Failure failure(bool failed) const { return failed ? std::optional(text()) : std::nullopt; }

 private:
  void give_back() {
    if (text_ != nullptr) library_.free_error_msg(text_);
    text_ = nullptr;
  }

  const StanLibrary& library_;
  char* text_ = nullptr;
};

bs_model* construct(const StanLibrary& library, const StanData& data, unsigned seed) {
  const auto refused = [&](std::string_view why) {
    if (data.text.empty()) return DataError(fmt::format("{}: cannot be used without data: {}", library.path, why));
    const std::string& source = data.file.empty() ? library.path : data.file;
    return DataError(fmt::format("{}: the model refuses the data: {}", source, why));
  };
  if (data.text.find('\0') != std::string::npos) throw refused("they are no text");
  ErrorText error(library);
  bs_model* const model = library.model_construct(data.text.c_str(), seed, error.out());
  if (model == nullptr) throw refused(error.text());
  return model;
}

bool says_threaded(const StanLibrary& library, const bs_model* model) {
  const char* const info = library.model_info == nullptr ? nullptr : library.model_info(model);
  return info != nullptr && std::string_view(info).find("STAN_THREADS=true") != std::string_view::npos;
}

}  // namespace

StanProgram::StanProgram(const std::string& library, const StanData& data, unsigned seed)
    : library_(load_beside_others(library)) {
  const std::lock_guard alone(programs_here().without_threads);  // before the program has said what it is
  model_.reset(construct(library_, data, seed));
  threaded_ = says_threaded(library_, model_.get());
  const std::lock_guard lock(programs_here().kind);
  require_same_kind(threaded_, library);
  programs_here().threaded = threaded_;
}

void StanProgram::Destruct::operator()(bs_model* model) const {
  const std::lock_guard alone(programs_here().without_threads);
  library->model_destruct(model);
}

std::unique_lock<std::mutex> StanProgram::lock() const {
  return threaded_ ? std::unique_lock<std::mutex>() : std::unique_lock(programs_here().without_threads);
}

const char* StanProgram::require_text(const char* text, const char* symbol) const {
  if (text == nullptr) throw DataError(fmt::format("{}: {} gives nothing", library_.path, symbol));
  return text;
}

Index StanProgram::require_count(int count, const char* symbol) const {
  if (count < 0) throw DataError(fmt::format("{}: {} gives {}", library_.path, symbol, count));
  return count;
}

std::string StanProgram::name() const {
  constexpr std::string_view suffix = "_model";
  const auto guard = lock();
  std::string name = require_text(library_.name(model_.get()), "bs_name");
  if (name.ends_with(suffix)) name.resize(name.size() - suffix.size());
  return name;
}

std::string StanProgram::value_names(StanParts parts) const {
  const auto guard = lock();
  return require_text(library_.param_names(model_.get(), parts.transformed, parts.generated), "bs_param_names");
}

Index StanProgram::values(StanParts parts) const {
  const auto guard = lock();
  return require_count(library_.param_num(model_.get(), parts.transformed, parts.generated), "bs_param_num");
}

Index StanProgram::dim() const {
  const auto guard = lock();
  return require_count(library_.param_unc_num(model_.get()), "bs_param_unc_num");
}

StanProgram::Failure StanProgram::log_density_gradient(const double* x, double& logp, double* grad) const {
  constexpr bool drop_constants = true, with_jacobian = true;
  const auto guard = lock();
  ErrorText error(library_);
  const int code =
      library_.log_density_gradient(model_.get(), drop_constants, with_jacobian, x, &logp, grad, error.out());
  return error.failure(code != 0);
}

StanProgram::Failure StanProgram::constrain(StanParts parts, const double* x, double* values, unsigned seed) const {
  const auto guard = lock();
  ErrorText error(library_);
  std::unique_ptr<bs_rng, void (*)(bs_rng*)> rng(nullptr, library_.rng_destruct);
  if (parts.generated) {
    rng.reset(library_.rng_construct(seed, error.out()));
    if (!rng) return error.text();
  }
  const int code =
      library_.param_constrain(model_.get(), parts.transformed, parts.generated, x, values, rng.get(), error.out());
  return error.failure(code != 0);
}

StanProgram::Failure StanProgram::unconstrain(const double* values, double* x) const {
  const auto guard = lock();
  ErrorText error(library_);
  return error.failure(library_.param_unconstrain(model_.get(), values, x, error.out()) != 0);
}

}  // namespace quasar
