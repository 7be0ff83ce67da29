// Targets with a metric, each at a point to look at.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <quasar/core.hpp>

#include "integrators/softabs_geometry.hpp"
#include "support/regression.hpp"
#include "support/targets.hpp"
#include "targets/banana.hpp"
#include "targets/gamma.hpp"

namespace quasar::test {

struct Curved {
  std::string name;
  std::unique_ptr<Target> target;
  std::shared_ptr<Geometry> around;  // of a target that has no metric itself
  Vec x, p;
  double rounding = 0;  // of the derivatives, where they are second differences of gradients: eps / step^2

  Geometry& geometry() const { return around ? *around : *target->geometry(); }
};

inline std::unique_ptr<Target> gamma(const Settings& settings = {}) {
  return make_gamma(Config("gamma", gamma_params, settings), nullptr);
}

inline std::unique_ptr<NormalModel> curved_normal(bool natural, bool observed) {
  const Table data{"memory", {"x"}, Vec{{1.3, -0.4, 0.9, 2.2, 0.1, 1.7, 0.6, -0.8, 1.1, 0.3}}, {}};
  return std::make_unique<NormalModel>(
      Observations(data, 0), PrecisionPrior{2, 0.7},
      natural ? NormalModel::Coordinates::natural : NormalModel::Coordinates::unconstrained,
      observed ? NormalGeometry::Fisher::observed : NormalGeometry::Fisher::expected);
}

inline Curved positive_parameters() {  // G = diag(1/theta)
  return {"gamma, natural", gamma({{"coordinates", "natural"}}), nullptr, Vec{{1.7, 2.3}}, Vec{{0.6, -0.5}}};
}

inline std::vector<Curved> curved_targets() {
  std::vector<Curved> all;
  const auto add = [&](std::string name, std::unique_ptr<Target> target, Vec x, Vec p) {
    all.push_back({std::move(name), std::move(target), nullptr, std::move(x), std::move(p)});
  };
  const auto add_softabs = [&](std::string name, std::unique_ptr<Target> target, double hardness, Vec x, Vec p) {
    auto around = std::make_shared<SoftAbsGeometry>(*target, hardness);
    const double rounding = target->hessian() == nullptr ? 0x1p-26 : 0;
    all.push_back({std::move(name), std::move(target), std::move(around), std::move(x), std::move(p), rounding});
  };
  all.push_back(positive_parameters());
  add("gamma, unconstrained", gamma(), Vec{{0.5, 0.8}}, Vec{{1.0, -1.3}});
  for (const bool observed : {false, true}) {
    const std::string name = observed ? "normal, observed, " : "normal, expected, ";
    add(name + "natural", curved_normal(true, observed), Vec{{0.9, 1.2}}, Vec{{2.0, -1.5}});
    add(name + "unconstrained", curved_normal(false, observed), Vec{{0.9, 0.2}}, Vec{{2.0, -1.5}});
  }
  add("logistic", logistic(make_table(40, 2, true), {{"prior_sd", "2"}, {"intercept_prior_sd", "2"}}),
      Vec{{0.3, 1.1, -0.4}}, Vec{{1.5, -1.0, 0.7}});
  add_softabs("softabs, skewed", std::make_unique<SkewedTarget>(), 2, Vec{{-0.4, 0.7, 0.2}}, Vec{{0.9, -1.1, 0.6}});
  add_softabs("softabs, banana", std::make_unique<Banana>(1.0, 0.7), 3, Vec{{0.8, 1.5}}, Vec{{0.5, -0.8}});
  return all;
}

}  // namespace quasar::test
