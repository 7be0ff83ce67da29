// H = diag(variance): one scale per coordinate.
#pragma once

#include <quasar/core.hpp>
#include <quasar/rng.hpp>

namespace quasar {

class Diagonal {
 public:
  explicit Diagonal(Index dim = 0) : variance_(Vec::Ones(dim)), sd_(Vec::Ones(dim)) {}

  void set_variance(In variance) {
    variance_ = variance;
    sd_ = variance.cwiseSqrt();
  }
  const Vec& variance() const { return variance_; }

  void apply(In v, Out out) const { out = variance_.cwiseProduct(v); }
  void solve(In v, Out out) const { out = v.cwiseQuotient(variance_); }
  void draw(Stream& r, Out out) const {
    r.normals(out);
    out.array() *= sd_.array();
  }
  Mat inverse_metric(Index /*dim*/) const { return variance_; }
  static void fields(auto& self, auto&& visit) {
    visit("variance", self.variance_);
    visit("sd", self.sd_);
  }

 private:
  Vec variance_, sd_;
};

}  // namespace quasar
