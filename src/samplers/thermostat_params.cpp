#include "samplers/thermostat_params.hpp"

#include <Eigen/Eigenvalues>
#include <fmt/core.h>

#include <cmath>

#include <quasar/errors.hpp>

#include "samplers/chosen.hpp"
#include "samplers/numbers.hpp"

namespace quasar {

double temperature_of(const Target& target, const Config& config) {
  const double temperature = config.real("temperature");
  if (temperature != 1 && !target.conditionals().empty()) {
    throw UsageError(
        fmt::format("temperature={}: this model has Gibbs steps, which draw from the posterior itself and not from a "
                    "power of it; leave it at 1",
                    temperature));
  }
  return temperature;
}

StochasticTrajectoryParams::Batch batch_from(const Config& config) {
  using Params = StochasticTrajectoryParams;
  return chosen<Params::Batch>(config, "batch",
                               {{"per_gradient", Params::per_gradient},
                                {"per_half_kick", Params::per_half_kick},
                                {"per_trajectory", Params::per_trajectory}});
}

MassMatrix mass_from(const Config& config, Index dim) {
  Mat given = any_matrix(config, "mass", dim);
  if (given.size() == 1) given = Mat::Constant(dim, 1, given(0, 0));
  MassMatrix mass(dim, given.cols() == 1);
  if (!mass.set(given)) throw UsageError("mass must be positive");
  return mass;
}

double thermostat_step(const LocalScale& local, const MassMatrix& mass) {
  const double lightest =
      mass.diagonal()
          ? mass.matrix().minCoeff()
          : Eigen::SelfAdjointEigenSolver<Mat>(mass.matrix(), Eigen::EigenvaluesOnly).eigenvalues().minCoeff();
  return local.momentum_step() * std::sqrt(lightest) / 3;
}

}  // namespace quasar
