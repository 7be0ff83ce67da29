// The worst parameters against each other: ridges, funnels, and where trajectories diverged.
#pragma once

#include <nlohmann/json.hpp>

#include <vector>

#include "report/parameter_draws.hpp"

namespace quasar::report {

// Some draws of all chains, evenly spaced, and of those that diverged as many as can be shown.
class Pairs {
 public:
  // order: the worst parameter first. diverging: draws x chains, empty: not known
  Pairs(const PictureSize& size, const std::vector<Index>& order, const Mat& diverging);
  void add(Index parameter, const ParameterDraws& draws);
  nlohmann::ordered_json json() const;  // null: fewer than two parameters move

 private:
  std::vector<Index> wanted_;              // parameters
  std::vector<Index> chosen_;              // draws: rows of a matrix draws x chains, column after column
  std::vector<int> divergent_;             // of each of them
  std::vector<std::vector<double>> kept_;  // of each parameter; empty: it does not move
};

}  // namespace quasar::report
