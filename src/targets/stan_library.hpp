// A shared library with a compiled Stan program, as BridgeStan makes it (Roualdes et al., Journal of Open Source
// Software 8(87), 2023): its C functions, found by name. Those that Quasar does not call are not looked for.
#pragma once

#include <cstddef>
#include <string>

#include "targets/loaded_library.hpp"

extern "C" {
struct bs_model;  // BridgeStan's own names: opaque
struct bs_rng;
}

namespace quasar {

struct StanLibrary {
  explicit StanLibrary(const LoadedLibrary& library);  // DataError: it is no BridgeStan library, or of another version

  std::string path;

  // Every call that can fail returns not 0 or null and may leave a text, which free_error_msg takes back.
  bs_model* (*model_construct)(const char* data, unsigned seed, char** error_msg);
  void (*model_destruct)(bs_model*);
  void (*free_error_msg)(char*);
  const char* (*name)(const bs_model*);
  const char* (*model_info)(const bs_model*);  // null: the library has none
  const char* (*param_names)(const bs_model*, bool transformed, bool generated);
  int (*param_num)(const bs_model*, bool transformed, bool generated);
  int (*param_unc_num)(const bs_model*);
  int (*param_constrain)(const bs_model*, bool transformed, bool generated, const double* unconstrained, double* values,
                         bs_rng*, char** error_msg);
  int (*param_unconstrain)(const bs_model*, const double* values, double* unconstrained, char** error_msg);
  int (*log_density_gradient)(const bs_model*, bool propto, bool jacobian, const double* unconstrained, double* value,
                              double* gradient, char** error_msg);
  bs_rng* (*rng_construct)(unsigned seed, char** error_msg);
  void (*rng_destruct)(bs_rng*);
};

}  // namespace quasar
