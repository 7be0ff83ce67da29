#include "kernels/langevin/psgld.hpp"

namespace quasar {

Psgld::State Psgld::init(const Vec& x, const Rng& rng) const {
  State s;
  start(x, s, rng);
  s.mean = s.h = s.slope = s.probe = Vec::Zero(x.size());
  s.step_size = params_.step.at(1);
  gradient_and_mean(x, s);
  s.v = s.mean.array().square();  // v = 0 would give steps of size e/lambda
  return s;
}

Psgld::Info Psgld::step(Vec& x, State& s, const Rng& rng) const {
  next_step_size(s);
  gradient_and_mean(x, s);
  if (params_.update_first) update_average(s);
  own(s.h) = (params_.regularization + own(s.v).array().sqrt()).inverse();
  own(s.grad).array() *= own(s.h).array();
  if (params_.correction != Params::none) add_correction(x, s);
  if (!params_.update_first) update_average(s);

  Stream noise = rng.stream("noise");
  noise.normals(own(s.slope));
  own(s.slope).array() *= (2 * s.step_size * params_.temperature * own(s.h).array()).sqrt();
  own(x) += s.step_size * own(s.grad) + own(s.slope);
  into_support(x);
  return report<Info>(s);
}

void Psgld::gradient_and_mean(const Vec& x, State& s) const {
  estimator_.draw_batch(s.estimate, x);
  s.mean.setZero();
  const bool likelihood_ok = estimator_.add_likelihood(s.estimate, x, s.mean).ok;
  const bool prior_ok = estimator_.prior(s.estimate, x, s.grad).ok;
  s.grad += s.mean;
  s.mean /= estimator_.terms();
  check(s, {0, likelihood_ok && prior_ok}, s.grad);
}

void Psgld::update_average(State& s) const {
  own(s.v).array() = params_.averaging * own(s.v).array() + (1 - params_.averaging) * own(s.mean).array().square();
}

// G_i = -H_i^2 m_i (dm_i/dx_i) / sqrt(v_i), times 1 - a for ema. The diagonal dm_i/dx_i costs one more gradient on the
// same batch (Hutchinson): for random signs u, u_i (change of m_i along u) has that mean, exactly that value in 1-D.
void Psgld::add_correction(const Vec& x, State& s) const {
  constexpr double relative = 1e-6;
  Stream signs = s.estimate.names.at(static_cast<std::uint64_t>(s.t)).stream("signs");
  s.probe = x;
  for (double& one : own(s.probe)) {
    const double size = relative * std::max(1.0, std::abs(one));
    one += signs.uniform() < 0.5 ? size : -size;
  }
  mirror_into(target_->support(), block_, s.probe);
  s.slope.setZero();
  if (!estimator_.add_likelihood(s.estimate, s.probe, s.slope).ok) throw_diverged(s.step_size, s.gradient_norm);
  own(s.slope) = (own(s.slope) / estimator_.terms() - own(s.mean)).array() / (own(s.probe) - own(x)).array();
  const double share = params_.correction == Params::ema ? 1 - params_.averaging : 1;
  for (Index i = block_.begin; i < block_.begin + block_.size; ++i) {
    if (s.v[i] > 0) s.grad[i] -= share * s.h[i] * s.h[i] * s.mean[i] * s.slope[i] / std::sqrt(s.v[i]);
  }
}

}  // namespace quasar
