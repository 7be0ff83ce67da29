#include "manifolds/problems/leading_subspace.hpp"

#include <cblas.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "simd/block_products.hpp"

namespace quasar {
namespace {

constexpr Index most_parts = 16;
constexpr std::size_t gathered_terms = 32;  // of a minibatch, side by side, so that x is read once for all of them
constexpr Index most_numbers_of_parts = Index{1} << 24;  // 128 MiB

int size_for_blas(Index n) { return static_cast<int>(n); }

void add_block(const Eigen::Map<const Mat>& block, MatIn x, Vec& scores, Mat& sum) {
  if (scores.size() < block.cols() * x.cols()) scores.resize(block.cols() * x.cols());
  const auto size = [](Index n) { return static_cast<std::size_t>(n); };
  simd::add_block_product({block.data(), size(block.rows()), size(block.cols())},
                          {x.data(), size(x.cols()), size(x.outerStride())}, scores.data(), sum.data());
}

}  // namespace

bool times_data(const TermBlocks& data, MatIn x, int threads, MatOut out, const GoOn& go_on) {
  const Index parts = parts_of(data, most_parts);
  std::vector<Mat> sums(static_cast<std::size_t>(parts), Mat::Zero(x.rows(), x.cols()));
  std::vector<Vec> scores(sums.size());
  const auto add = [&](Index part, const Eigen::Map<const Mat>& block) {
    const auto p = static_cast<std::size_t>(part);
    add_block(block, x, scores[p], sums[p]);
  };
  if (!for_each_block(data, parts, threads, add, go_on)) return false;
  for (std::size_t p = 1; p < sums.size(); ++p) sums[0] += sums[p];
  out = sums[0] / static_cast<double>(data.terms());
  return true;
}

Mat second_moments(const TermBlocks& data, int threads, const GoOn& go_on) {
  const Index d = data.dim();
  const Index parts = parts_of(data, std::clamp<Index>(most_numbers_of_parts / (d * d), 1, most_parts));
  std::vector<Mat> sums(static_cast<std::size_t>(parts), Mat::Zero(d, d));
  const auto add = [&](Index part, const Eigen::Map<const Mat>& block) {
    cblas_dsyrk(CblasColMajor, CblasLower, CblasNoTrans, size_for_blas(d), size_for_blas(block.cols()), 1, block.data(),
                size_for_blas(d), 1, sums[static_cast<std::size_t>(part)].data(), size_for_blas(d));
  };
  if (!for_each_block(data, parts, threads, add, go_on)) return {};
  for (std::size_t p = 1; p < sums.size(); ++p) sums[0] += sums[p];
  return Mat(sums[0].selfadjointView<Eigen::Lower>()) / static_cast<double>(data.terms());
}

LeadingSubspace::LeadingSubspace(std::shared_ptr<const TermBlocks> data, Index components, int threads)
    : data_(std::move(data)),
      manifold_(grassmann(data_->dim(), components)),
      threads_(threads),
      partials_(data_->dim(), components),
      second_(data_->dim(), components),
      both_(data_->dim(), 2 * components),
      gathered_(data_->dim(), static_cast<Index>(gathered_terms)) {}

double LeadingSubspace::value(MatIn x) {
  times_data(*data_, x, threads_, partials_);
  return -x.cwiseProduct(partials_).sum();
}

double LeadingSubspace::gradient(MatIn x, MatOut gradient) {
  const double cost = value(x);
  partials_ *= -2;
  manifold_->gradient(x, partials_, gradient);
  return cost;
}

// A (x, u) in one pass.
void LeadingSubspace::hessian(MatIn x, MatIn u, MatOut out) {
  both_ << x, u;
  const Mat arguments = both_;
  times_data(*data_, arguments, threads_, both_);
  partials_ = -2 * both_.leftCols(x.cols());
  second_ = -2 * both_.rightCols(x.cols());
  manifold_->hessian(x, partials_, second_, u, out);
}

void LeadingSubspace::mean_gradient(MatIn x, std::span<const Index> terms, MatOut gradient) {
  partials_.setZero();
  for (std::size_t begin = 0; begin < terms.size(); begin += gathered_terms) {
    const auto some = terms.subspan(begin, std::min(gathered_terms, terms.size() - begin));
    for (std::size_t k = 0; k < some.size(); ++k) {
      gathered_.col(static_cast<Index>(k)) = data_->block(some[k], 1, row_).col(0);
    }
    add_block({gathered_.data(), gathered_.rows(), std::ssize(some)}, x, scores_, partials_);
  }
  partials_ *= -2 / static_cast<double>(terms.size());
  manifold_->gradient(x, partials_, gradient);
}

}  // namespace quasar
