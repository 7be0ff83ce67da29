// Intercepts of groups, drawn from one law whose spread is learned.
#pragma once

#include <quasar/core.hpp>

namespace quasar {

// effect_gk = sd_k z_gk with z ~ N(0, 1) and sd_k ~ half-normal(0, prior_sd), for each group g and linear predictor k.
// Coordinates are log sd_k, then z_gk, one linear predictor after the other: without a centre of their own, groups with
// few rows do not make a funnel (Papaspiliopoulos, Roberts and Skold, Statistical Science 22, 2007).
class GroupEffects {
 public:
  GroupEffects(Index groups, Index outputs, double prior_sd)
      : groups_(groups), outputs_(groups > 0 ? outputs : 0), prior_sd_(prior_sd) {}

  Index dim() const { return outputs_ * (1 + groups_); }
  Index effects() const { return outputs_ * groups_; }

  double density(In x, Out grad) const;  // log prior without constants; writes the gradient
  void effects(In x, Out effect) const;
  void pull_back(In x, In effect, In grad_effect, Out grad) const;  // adds
  void values(In x, double unit, Out values) const;                 // sd_k and effects, times the unit of the response
  void coordinates(In values, double unit, Out x) const;            // its inverse

 private:
  Index groups_, outputs_;
  double prior_sd_;
};

}  // namespace quasar
