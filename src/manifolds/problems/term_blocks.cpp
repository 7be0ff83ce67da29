#include "manifolds/problems/term_blocks.hpp"

#include <algorithm>
#include <atomic>
#include <utility>
#include <vector>

#include "core/blas_threads.hpp"
#include "core/shared_work.hpp"

namespace quasar {
namespace {

constexpr Index block_numbers = Index{1} << 15;  // 256 KiB: a block stays in the cache for the second product

class TermsInMemory final : public TermBlocks {
 public:
  explicit TermsInMemory(Mat data) : data_(std::move(data)) {}
  Index dim() const override { return data_.rows(); }
  Index terms() const override { return data_.cols(); }
  Eigen::Map<const Mat> block(Index begin, Index count, Mat&) const override {
    return {data_.data() + begin * dim(), dim(), count};
  }

 private:
  Mat data_;
};

class TermsOfRows final : public TermBlocks {
 public:
  TermsOfRows(std::shared_ptr<const RowSource> rows, Vec mean, const Vec& scale)
      : rows_(std::move(rows)), mean_(std::move(mean)), inverse_scale_(scale.cwiseInverse()) {}
  Index dim() const override { return mean_.size(); }
  Index terms() const override { return rows_->rows(); }
  Eigen::Map<const Mat> block(Index begin, Index count, Mat& scratch) const override {
    if (scratch.rows() != dim() || scratch.cols() < count) scratch.resize(dim(), count);
    rows_->read(begin, count, scratch.data());
    for (Index i = 0; i < count; ++i) {
      scratch.col(i) = (scratch.col(i) - mean_).cwiseProduct(inverse_scale_);
    }
    return {scratch.data(), dim(), count};
  }

 private:
  std::shared_ptr<const RowSource> rows_;
  Vec mean_, inverse_scale_;
};

Index rows_of_block(const TermBlocks& terms) { return std::max<Index>(1, block_numbers / terms.dim()); }
Index blocks_of(const TermBlocks& terms) {
  const Index rows = rows_of_block(terms);
  return (terms.terms() + rows - 1) / rows;
}

}  // namespace

std::shared_ptr<const TermBlocks> terms_in_memory(Mat data) { return std::make_shared<TermsInMemory>(std::move(data)); }

std::shared_ptr<const TermBlocks> terms_of_rows(std::shared_ptr<const RowSource> rows, Vec mean, const Vec& scale) {
  return std::make_shared<TermsOfRows>(std::move(rows), std::move(mean), scale);
}

Index parts_of(const TermBlocks& terms, Index most) { return std::clamp<Index>(blocks_of(terms), 1, most); }

bool for_each_block(const TermBlocks& terms, Index parts, int threads,
                    const std::function<void(Index part, const Eigen::Map<const Mat>& block)>& work,
                    const GoOn& go_on) {
  const SingleThreadedBlas one_thread_each;
  const Index blocks = blocks_of(terms), rows = rows_of_block(terms);
  std::vector<Mat> scratch(static_cast<std::size_t>(std::max(1, threads)));
  std::atomic<bool> stopped = false;
  share_work(static_cast<std::size_t>(parts), scratch.size(), [&](std::size_t thread, std::size_t part) {
    const auto p = static_cast<Index>(part);
    for (Index b = p * blocks / parts; b < (p + 1) * blocks / parts && !stopped; ++b) {
      if (thread == 0 && go_on && !go_on()) stopped = true;
      const Index begin = b * rows, count = std::min(rows, terms.terms() - begin);
      work(p, terms.block(begin, count, scratch[thread]));
    }
  });
  return !stopped;
}

}  // namespace quasar
