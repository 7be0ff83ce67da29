// H = a full covariance matrix, with its Cholesky factor.
#pragma once

#include <Eigen/Cholesky>

#include <quasar/core.hpp>
#include <quasar/rng.hpp>

namespace quasar {

class Dense {
 public:
  explicit Dense(Index dim = 0) : covariance_(Mat::Identity(dim, dim)), upper_(Mat::Identity(dim, dim)) {}

  bool set_covariance(const Mat& covariance) {  // false and unchanged: not positive definite
    const Eigen::LLT<Mat> factor(covariance);
    if (factor.info() != Eigen::Success) return false;
    covariance_ = covariance;
    upper_ = factor.matrixU();
    return true;
  }
  const Mat& covariance() const { return covariance_; }

  void apply(In v, Out out) const { out.noalias() = covariance_ * v; }
  void solve(In v, Out out) const {  // H = U'U
    out = v;
    upper_.transpose().triangularView<Eigen::Lower>().solveInPlace(out);
    upper_.triangularView<Eigen::Upper>().solveInPlace(out);
  }
  // U'z in place: entry i needs z_0..z_i only, so going down from the last overwrites nothing still needed.
  void draw(Stream& r, Out out) const {
    r.normals(out);
    for (Index i = out.size() - 1; i >= 0; --i) out[i] = upper_.col(i).head(i + 1).dot(out.head(i + 1));
  }
  Mat inverse_metric(Index /*dim*/) const { return covariance_; }
  static void fields(auto& self, auto&& visit) {
    visit("covariance", self.covariance_);
    visit("upper", self.upper_);
  }

 private:
  Mat covariance_, upper_;
};

}  // namespace quasar
