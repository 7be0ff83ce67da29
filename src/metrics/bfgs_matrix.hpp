// H = a dense matrix that BFGS keeps updating, from the identity on.
#pragma once

#include "metrics/bfgs.hpp"

namespace quasar {

class BfgsMatrix {
 public:
  explicit BfgsMatrix(Index dim = 0) : h_(Mat::Identity(dim, dim)), scratch_(dim) {}
  const Mat& matrix() const { return h_; }
  void apply(In v, Out out) const { out.noalias() = h_ * v; }
  bool add_pair(In s, In y) { return bfgs_update(h_, s, y, scratch_); }
  static void fields(auto& self, auto&& visit) { visit("h", self.h_); }

 private:
  Mat h_;
  Vec scratch_;
};

}  // namespace quasar
