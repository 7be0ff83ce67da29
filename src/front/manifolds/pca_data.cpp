#include "front/manifolds/pca_data.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <mutex>
#include <utility>
#include <vector>

#include <quasar/errors.hpp>

#include "core/shared_work.hpp"

namespace quasar {
namespace {

constexpr Index block_of_observations = Index{1} << 15;  // numbers
constexpr Index most_shares = 16;                        // of the data, summed one by one and then together

// All observations, block by block; threads share the work, and results that are kept by share do not depend on them.
class Observations {
 public:
  Observations(PcaData& data, int threads)
      : data_(&data),
        rows_(data.stored ? data.stored->rows() : data.columns.cols()),
        dim_(data.stored ? std::ssize(data.names) : data.columns.rows()),
        block_(std::max<Index>(1, block_of_observations / std::max<Index>(1, dim_))),
        shares_(std::clamp<Index>((rows_ + block_ - 1) / block_, 1, most_shares)),
        scratch_(static_cast<std::size_t>(std::max(1, threads))) {}
  Index rows() const { return rows_; }
  Index dim() const { return dim_; }
  Index shares() const { return shares_; }
  Vec first() const {
    if (!data_->stored) return data_->columns.col(0);
    Vec row(dim_);
    data_->stored->read(0, 1, row.data());
    return row;
  }

  template <class Visit>
  void visit(const Visit& visit) {  // visit(share, first row, block); blocks of data in memory may be changed
    const Index blocks = (rows_ + block_ - 1) / block_;
    share_work(static_cast<std::size_t>(shares_), scratch_.size(), [&](std::size_t thread, std::size_t share) {
      const auto s = static_cast<Index>(share);
      for (Index b = s * blocks / shares_; b < (s + 1) * blocks / shares_; ++b) {
        const Index begin = b * block_, count = std::min(block_, rows_ - begin);
        visit(s, begin, Eigen::Map<Mat>(numbers(begin, count, scratch_[thread]), dim_, count));
      }
    });
  }

 private:
  double* numbers(Index begin, Index count, Mat& scratch) {
    if (!data_->stored) return data_->columns.data() + begin * dim_;
    if (scratch.size() == 0) scratch.resize(dim_, block_);
    data_->stored->read(begin, count, scratch.data());
    return scratch.data();
  }
  PcaData* data_;
  Index rows_, dim_, block_, shares_;
  std::vector<Mat> scratch_;
};

std::string variable_name(const PcaData& data, Index i) {
  return data.names.empty() ? fmt::format("column {}", i + 1)
                            : fmt::format("column {} ('{}')", i + 1, data.names[static_cast<std::size_t>(i)]);
}

// DataError with the first entry that is not finite, if there is one.
void find_fault(const PcaData& data, Observations& all) {
  std::mutex mutex;
  Index first_row = all.rows();
  std::string fault;
  all.visit([&](Index, Index begin, const auto& block) {
    for (Index j = 0; j < block.cols(); ++j) {
      if (block.col(j).allFinite()) continue;
      const std::lock_guard lock(mutex);
      if (begin + j >= first_row) return;
      first_row = begin + j;
      Index i = 0;
      while (std::isfinite(block(i, j))) ++i;
      fault = fmt::format("row {}, {}: {} is not a finite number", first_row + 1, variable_name(data, i), block(i, j));
      return;
    }
  });
  if (!fault.empty()) throw DataError(fault);
}

Vec sum_of_columns(const Mat& parts) { return parts.rowwise().sum(); }

// x - first is 0, without rounding, where a column is constant: its mean is x itself.
Vec means_of(const PcaData& data, Observations& all) {
  const Vec first = all.first();
  Mat sums = Mat::Zero(all.dim(), all.shares());
  all.visit([&](Index share, Index, const auto& block) {
    for (Index j = 0; j < block.cols(); ++j) sums.col(share) += block.col(j) - first;
  });
  if (!sums.allFinite()) find_fault(data, all);
  return first + sum_of_columns(sums) / static_cast<double>(all.rows());
}

void require_scale(const PcaData& data, const Vec& scale, bool center) {
  for (Index i = 0; i < scale.size(); ++i) {
    if (scale[i] > 0) continue;
    throw DataError(fmt::format("{} is {} and cannot be scaled; leave it out, or use scale=false",
                                variable_name(data, i), center ? "constant" : "0"));
  }
}

// Of the largest size in each column, or in all: their squares are numbers of full precision, or 0.
void require_squares(const Vec& square, const Vec& largest, bool of_each_column) {
  if (!square.allFinite()) throw DataError("the squares of the data overflow: divide the columns by their size first");
  const double least = std::sqrt(std::numeric_limits<double>::min() / std::numeric_limits<double>::epsilon());
  const auto underflows = [least](double size) { return size > 0 && size < least; };
  const bool some = std::any_of(largest.begin(), largest.end(), underflows);
  if (of_each_column ? some : underflows(largest.maxCoeff())) {
    throw DataError("the squares of the data underflow: multiply the columns by a large number first");
  }
}

}  // namespace

PcaData pca_data(Table table) {
  for (Index i = 0; i < table.columns(); ++i) {
    if (table.has_labels(i)) {
      throw DataError(fmt::format("{}: column {} ('{}') holds labels; principal components are of numbers",
                                  table.source, i + 1, table.names[static_cast<std::size_t>(i)]));
    }
  }
  return {std::move(table.names), table.stored ? Mat() : Mat(table.values.transpose()), table.stored};
}

PreparedPca prepare(PcaData data, bool center, bool scale, int threads) {
  Observations all(data, threads);
  const Index rows = all.rows(), dim = all.dim();
  if (rows == 0 || dim == 0) throw DataError("principal components of no data");
  if (center && rows < 2) throw DataError("principal components need at least 2 rows, or center=false");
  PreparedPca prepared{nullptr, Vec::Zero(dim), Vec::Ones(dim)};
  const Vec mean = means_of(data, all);
  if (center) prepared.mean = mean;
  const auto count = static_cast<double>(rows);
  Mat squares = Mat::Zero(dim, all.shares()), largest = squares;
  all.visit([&](Index share, Index, auto block) {
    for (Index j = 0; j < block.cols(); ++j) {
      block.col(j) -= prepared.mean;
      squares.col(share) += block.col(j).cwiseAbs2();
      largest.col(share) = largest.col(share).cwiseMax(block.col(j).cwiseAbs());
    }
  });
  const Vec square = sum_of_columns(squares);
  require_squares(square, largest.rowwise().maxCoeff(), scale);
  if (scale) {
    prepared.scale = (square / (center ? count - 1 : count)).cwiseSqrt();
    require_scale(data, prepared.scale, center);
  }
  prepared.total = square.cwiseQuotient(prepared.scale.cwiseAbs2()).sum() / count;
  if (data.stored) {
    prepared.terms = terms_of_rows(data.stored, prepared.mean, prepared.scale);
    return prepared;
  }
  if (scale) {
    const Vec inverse = prepared.scale.cwiseInverse();
    all.visit([&](Index, Index, auto block) { block.array().colwise() *= inverse.array(); });
  }
  prepared.terms = terms_in_memory(std::move(data.columns));
  return prepared;
}

Mat all_terms(const TermBlocks& terms) {
  Mat scratch;
  return terms.block(0, terms.terms(), scratch);
}

}  // namespace quasar
