#include "models/factorization/scalar_prior.hpp"

#include <cmath>

#include "models/factorization/log_precisions.hpp"

namespace quasar {

ScalarPrior::ScalarPrior(Index rank, bool biases, GammaPrior prior)
    : width_(rank + (biases ? 1 : 0)), groups_{{0, rank}}, prior_(prior) {
  if (biases) groups_.push_back({rank, 1});
}

RowLaw ScalarPrior::law(In h) const {
  RowLaw law{Vec::Zero(width_), Mat(width_, 1)};
  for (Index g = 0; g < size(); ++g) {
    const Block group = groups_[static_cast<std::size_t>(g)];
    law.precision.middleRows(group.begin, group.size).setConstant(std::exp(h[g]));
  }
  return law;
}

double ScalarPrior::evaluate(const ConstRows& rows, In h, Eigen::Ref<Mat> row_slopes, Out h_slopes) {
  double logp = 0;
  for (Index g = 0; g < size(); ++g) {
    const Block group = groups_[static_cast<std::size_t>(g)];
    const auto those = rows.middleRows(group.begin, group.size);
    const PrecisionTerm term(h[g], prior_, static_cast<double>(those.size()), those.squaredNorm());
    row_slopes.middleRows(group.begin, group.size) = -std::exp(h[g]) * those;
    h_slopes[g] = term.slope;
    logp += term.logp;
  }
  return logp;
}

void ScalarPrior::draw(const ConstRows& rows, In, Out out, Stream& stream) {
  for (Index g = 0; g < size(); ++g) {
    const Block group = groups_[static_cast<std::size_t>(g)];
    const auto those = rows.middleRows(group.begin, group.size);
    out[g] = draw_log_precision(prior_, static_cast<double>(those.size()), those.squaredNorm(), stream);
    expect_believable(out[g], prior_);
  }
}

std::vector<Variable> ScalarPrior::variables(const std::string& side) const {
  std::vector<Variable> variables{{side + "_precision", {}, {}}};
  if (size() > 1) variables.push_back({side + "_bias_precision", {}, {}});
  return variables;
}

void ScalarPrior::unconstrain(In values, Out h) const { h = logs_of_precisions(values); }

double FixedPrior::evaluate(const ConstRows& rows, In, Eigen::Ref<Mat> row_slopes, Out) {
  row_slopes = -(rows.array().colwise() * precisions_.array()).matrix();
  return rows.cwiseProduct(row_slopes).sum() / 2;
}

}  // namespace quasar
