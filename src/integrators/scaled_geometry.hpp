// k G for a metric G: a step of size e on it is a step of size e/sqrt(k) on G.
#pragma once

#include <memory>
#include <utility>

#include <quasar/core.hpp>

namespace quasar {

class ScaledGeometry final : public Geometry {
 public:
  ScaledGeometry(std::shared_ptr<Geometry> inner, double scale) : inner_(std::move(inner)), scale_(scale) {}

  bool diagonal() const override { return inner_->diagonal(); }
  bool metric(In x, Mat& g) override {
    const bool positive = inner_->metric(x, g);
    g *= scale_;
    return positive;
  }
  void directional(In x, In u, Mat& out) override {
    inner_->directional(x, u, out);
    out *= scale_;
  }
  void contract(In x, const Mat& a, Out out) override {
    inner_->contract(x, a, out);
    out *= scale_;
  }
  void divergence(In x, Out out) override {
    inner_->divergence(x, out);
    out /= scale_;
  }
  std::int64_t grad_evals() const override { return inner_->grad_evals(); }

 private:
  std::shared_ptr<Geometry> inner_;
  double scale_;
};

}  // namespace quasar
