// H = R (I + U (L - I) U') R: a diagonal R with a few directions U (orthonormal) stretched by eigenvalues L. A product,
// a solve or a draw costs O(rank dim).
#pragma once

#include <cassert>

#include <quasar/core.hpp>
#include <quasar/rng.hpp>

#include "metrics/small_dense.hpp"

namespace quasar {

class LowRank {
 public:
  explicit LowRank(Index dim = 0, Index max_rank = 0)
      : scale_(Vec::Ones(dim)),
        directions_(Mat::Zero(dim, max_rank)),
        eigenvalues_(Vec::Ones(max_rank)),
        along_(max_rank) {}

  Index max_rank() const { return eigenvalues_.size(); }
  Index rank() const { return rank_; }
  const Vec& scale() const { return scale_; }

  // Directions: orthonormal columns, as many as there are eigenvalues and no more than max_rank.
  void set(In scale, const Mat& directions, In eigenvalues) {
    assert(directions.cols() == eigenvalues.size() && eigenvalues.size() <= max_rank());
    scale_ = scale;
    rank_ = eigenvalues.size();
    directions_.leftCols(rank_) = directions;
    eigenvalues_.head(rank_) = eigenvalues;
  }

  void apply(In v, Out out) const {
    out = scale_.cwiseProduct(v);
    stretch(out, [](double eigenvalue) { return eigenvalue; });
    out.array() *= scale_.array();
  }
  void solve(In v, Out out) const {
    out = v.cwiseQuotient(scale_);
    stretch(out, [](double eigenvalue) { return 1 / eigenvalue; });
    out.array() /= scale_.array();
  }
  void draw(Stream& r, Out out) const {
    r.normals(out);
    stretch(out, [](double eigenvalue) { return std::sqrt(eigenvalue); });
    out.array() *= scale_.array();
  }
  Mat inverse_metric(Index dim) const { return small_dense(*this, dim); }

  static void fields(auto& self, auto&& visit) {
    visit("scale", self.scale_);
    visit("rank", self.rank_);
    visit("directions", self.directions_);
    visit("eigenvalues", self.eigenvalues_);
  }

 private:
  // out += U (f(L) - I) U' out
  template <class F>
  void stretch(Out out, F f) const {
    const auto directions = directions_.leftCols(rank_);
    auto along = along_.head(rank_);
    along.noalias() = directions.transpose() * out;
    for (Index i = 0; i < rank_; ++i) along[i] *= f(eigenvalues_[i]) - 1;
    out.noalias() += directions * along;
  }

  Vec scale_;
  Mat directions_;
  Vec eigenvalues_;
  std::int64_t rank_ = 0;
  mutable Vec along_;  // scratch: a metric belongs to one chain
};

}  // namespace quasar
