#include "manifolds/problems/karcher_mean.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <functional>
#include <utility>

#include <quasar/errors.hpp>
#include <quasar/runner.hpp>

#include "core/blas_threads.hpp"
#include "core/shared_work.hpp"
#include "manifolds/symmetric.hpp"
#include "manifolds/symmetric_log.hpp"

namespace quasar {
namespace {

// The terms of a sum are added in so many parts at most, and the parts one after another: who adds which part never
// changes the rounding.
constexpr Index parts_of_a_mean = 64;

}  // namespace

// log(L^-1 W_i L^-T) summed over some of the terms, its lower triangle, and the squared distances.
struct KarcherMean::Part {
  Mat logs;
  double squares = 0;
};

struct KarcherMean::Worker {  // one for each thread
  explicit Worker(Index n) : logarithm(n), seen(n, n) {}
  SymmetricLogarithm logarithm;
  Mat seen;

  void add_square(const CholeskyRoot& root, const Mat& matrix, Part& part) {
    seen = matrix;
    root.whiten_in_place(seen);
    part.squares += logarithm.squared_norm(seen);
  }
  void add(const CholeskyRoot& root, const Mat& matrix, Part& part) {
    add_square(root, matrix, part);
    part.logs.triangularView<Eigen::Lower>() += logarithm.matrix(seen);
  }
};

KarcherMean::KarcherMean(std::vector<Mat> matrices, Index threads, std::function<bool()> go_on)
    : matrices_(std::move(matrices)), go_on_(std::move(go_on)) {
  if (matrices_.empty()) throw DataError("the mean of no matrices");
  if (matrices_.front().size() == 0) throw DataError("the mean of matrices without rows");
  manifold_ = spd(matrices_.front().rows());
  for (std::size_t i = 0; i < matrices_.size(); ++i) {
    const std::string why = manifold_->fault(matrices_[i]);
    if (!why.empty()) throw DataError(fmt::format("matrix {} of {}: {}", i + 1, matrices_.size(), why));
  }
  const Index used = std::clamp<Index>(threads == 0 ? available_threads() : threads, 1, parts_of_a_mean);
  workers_.assign(static_cast<std::size_t>(used), Worker(matrices_.front().rows()));
}

KarcherMean::~KarcherMean() = default;

// add(worker, matrix, part) for all of count terms; the sums are in the first part.
template <class Term, class Add>
void KarcherMean::sum_over(Index count, const Term& term, const Add& add) {
  const SingleThreadedBlas pinned;
  const Index parts = std::min(count, parts_of_a_mean), n = manifold_->shape().rows;
  parts_.resize(static_cast<std::size_t>(parts));
  std::atomic<bool> stopped = false;
  share_work(parts_.size(), workers_.size(), [&](std::size_t thread, std::size_t p) {
    Part& part = parts_[p];
    part.logs.setZero(n, n);
    part.squares = 0;
    const auto begin = static_cast<Index>(p) * count / parts, end = static_cast<Index>(p + 1) * count / parts;
    for (Index i = begin; i < end && !stopped; ++i) {
      if (thread == 0 && go_on_ && !go_on_()) stopped = true;
      try {
        add(workers_[thread], matrix(term(i)), part);
      } catch (const DataError& error) {
        throw DataError(fmt::format("matrix {} of {}, seen from the point: {}", term(i) + 1, terms(), error.what()));
      }
    }
  });
  if (stopped) throw StoppedEarly();
  for (std::size_t p = 1; p < parts_.size(); ++p) {
    parts_.front().logs += parts_[p].logs;
    parts_.front().squares += parts_[p].squares;
  }
}

Mat KarcherMean::sum_of_logs() const { return parts_.front().logs.selfadjointView<Eigen::Lower>(); }

double KarcherMean::value(MatIn x) {
  const CholeskyRoot root(x);
  sum_over(terms(), std::identity(),
           [&](Worker& worker, const Mat& matrix, Part& part) { worker.add_square(root, matrix, part); });
  return parts_.front().squares / static_cast<double>(terms());
}

double KarcherMean::gradient(MatIn x, MatOut gradient) {
  const CholeskyRoot root(x);
  sum_over(terms(), std::identity(),
           [&](Worker& worker, const Mat& matrix, Part& part) { worker.add(root, matrix, part); });
  const auto count = static_cast<double>(terms());
  gradient = root.color(sum_of_logs() * (-2 / count));
  return parts_.front().squares / count;
}

void KarcherMean::mean_gradient(MatIn x, std::span<const Index> terms, MatOut gradient) {
  const CholeskyRoot root(x);
  sum_over(
      std::ssize(terms), [&](Index i) { return terms[static_cast<std::size_t>(i)]; },
      [&](Worker& worker, const Mat& matrix, Part& part) { worker.add(root, matrix, part); });
  gradient = root.color(sum_of_logs() * (-2 / static_cast<double>(terms.size())));
}

}  // namespace quasar
