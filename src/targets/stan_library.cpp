#include "targets/stan_library.hpp"

#include <dlfcn.h>
#include <fmt/core.h>

#include <quasar/errors.hpp>

#include "targets/stan_messages.hpp"

namespace quasar {
namespace {

constexpr int spoken_version = 2;  // the major one; before it bs_param_constrain took other arguments

extern "C" void pass_on_print(const char* text, std::size_t size) { pass_on_message({text, size}); }

class Symbols {
 public:
  explicit Symbols(const LoadedLibrary& library) : library_(library) {}

  // Null: the library has none.
  template <class Pointer>
  void find(const char* symbol, Pointer& pointer) const {
    pointer = reinterpret_cast<Pointer>(dlsym(library_.handle, symbol));
  }

  template <class Pointer>
  void require(const char* symbol, Pointer& pointer) const {
    find(symbol, pointer);
    if (pointer == nullptr) {
      throw DataError(fmt::format("{}: is no BridgeStan library: it has no {}", library_.file, symbol));
    }
  }

 private:
  const LoadedLibrary& library_;
};

void check_version(const Symbols& symbols, const std::string& file) {
  const int* version = nullptr;
  symbols.find("bs_major_version", version);
  if (version != nullptr && *version == spoken_version) return;
  throw DataError(fmt::format("{}: was made by BridgeStan {}; version {} is needed: compile the model again", file,
                              version == nullptr ? "1 or older" : std::to_string(*version), spoken_version));
}

void install_print(const Symbols& symbols, const StanLibrary& library) {
  int (*set_print_callback)(void (*)(const char*, std::size_t), char**) = nullptr;
  symbols.find("bs_set_print_callback", set_print_callback);
  if (set_print_callback == nullptr) return;  // it prints by itself
  char* error = nullptr;
  set_print_callback(pass_on_print, &error);
  if (error != nullptr) library.free_error_msg(error);
}

}  // namespace

StanLibrary::StanLibrary(const LoadedLibrary& library) : path(library.file) {
  const Symbols symbols(library);
  symbols.require("bs_model_construct", model_construct);
  check_version(symbols, path);
  symbols.require("bs_model_destruct", model_destruct);
  symbols.require("bs_free_error_msg", free_error_msg);
  symbols.require("bs_name", name);
  symbols.find("bs_model_info", model_info);
  symbols.require("bs_param_names", param_names);
  symbols.require("bs_param_num", param_num);
  symbols.require("bs_param_unc_num", param_unc_num);
  symbols.require("bs_param_constrain", param_constrain);
  symbols.require("bs_param_unconstrain", param_unconstrain);
  symbols.require("bs_log_density_gradient", log_density_gradient);
  symbols.require("bs_rng_construct", rng_construct);
  symbols.require("bs_rng_destruct", rng_destruct);
  install_print(symbols, *this);
}

}  // namespace quasar
