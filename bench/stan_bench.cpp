// Time of an evaluation of a Stan program beyond its library's own:  stan_bench NAME_model.so [data.json]
//
// The same point is evaluated by the library's function, called directly, and by the target; both in turns in one run.
// The bar: 0.3 us.
#include <fmt/core.h>

#include <algorithm>
#include <cstdint>

#include <quasar/core.hpp>
#include <quasar/errors.hpp>

#include "side_by_side.hpp"
#include "targets/stan_library.hpp"
#include "targets/stan_model.hpp"

namespace quasar {
namespace {

constexpr std::int64_t calls = 200'000;
constexpr double bar = 0.3e-6;

void run(const std::string& file, const std::string& data) {
  StanModel target(file, {.data = data});
  const StanLibrary library(load_library(file));
  bs_model* const model = library.model_construct(data.c_str(), 1, nullptr);
  const Vec x = Vec::Constant(target.dim(), 0.1);
  Vec grad(target.dim());
  double sum = 0, best_target = 1e300, best_direct = 1e300;
  const auto by_target = [&] {
    for (std::int64_t i = 0; i < calls; ++i) sum += target.logp_grad(x, grad).logp;
  };
  const auto directly = [&] {
    for (std::int64_t i = 0; i < calls; ++i) {
      double logp = 0;
      library.log_density_gradient(model, true, true, x.data(), &logp, grad.data(), nullptr);
      sum += logp;
    }
  };
  for (int round = 0; round < 15; ++round) {
    best_target = std::min(best_target, seconds(by_target));
    best_direct = std::min(best_direct, seconds(directly));
  }
  library.model_destruct(model);
  const double each = 1e9 / static_cast<double>(calls);
  fmt::print(
      "{}: {:.1f} ns   library alone {:.1f} ns   ratio {:.3f}   beyond it {:.1f} ns   bar {:.0f} ns   ({:.6g})\n",
      target.name(), each * best_target, each * best_direct, best_target / best_direct,
      each * (best_target - best_direct), 1e9 * bar, sum);
}

}  // namespace
}  // namespace quasar

int main(int count, char** arguments) {
  if (count < 2) {
    fmt::print(stderr, "stan_bench NAME_model.so [data.json]\n");
    return 2;
  }
  try {
    quasar::run(arguments[1], count > 2 ? arguments[2] : "");
  } catch (const std::exception& error) {
    fmt::print(stderr, "stan_bench: {}\n", error.what());
    return 1;
  }
}
