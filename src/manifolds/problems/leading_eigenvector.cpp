#include "manifolds/problems/leading_eigenvector.hpp"

#include <cblas.h>

#include <algorithm>
#include <utility>

#include <quasar/errors.hpp>

#include "simd/block_products.hpp"

namespace quasar {
namespace {

constexpr Index numbers_of_block = Index{1} << 15;  // 256 KiB: its second product finds it in the cache

}  // namespace

LeadingEigenvector::LeadingEigenvector(Mat data)
    : data_(std::move(data)), scores_(data_.cols()), partials_(data_.rows(), 1), second_(data_.rows(), 1) {
  if (data_.cols() == 0) throw DataError("the leading eigenvector of no data");
  if (!data_.allFinite()) throw DataError("the leading eigenvector of data with entries that are not finite");
  manifold_ = sphere(data_.rows());
}

double LeadingEigenvector::value(MatIn z) {
  scores_.noalias() = data_.transpose() * z.col(0);
  return -scores_.squaredNorm() / static_cast<double>(terms());
}

// Block by block, so that the data is read from memory once.
void LeadingEigenvector::times(MatIn z, MatOut out) {
  const auto dim = static_cast<std::size_t>(data_.rows());
  const Index block = std::max<Index>(1, numbers_of_block / data_.rows());
  out.setZero();
  for (Index begin = 0; begin < terms(); begin += block) {
    const auto count = static_cast<std::size_t>(std::min(block, terms() - begin));
    simd::add_block_product({data_.data() + begin * data_.rows(), dim, count}, {z.data(), 1, dim}, scores_.data(),
                            out.data());
  }
  out /= static_cast<double>(terms());
}

double LeadingEigenvector::gradient(MatIn z, MatOut gradient) {
  times(z, partials_);
  const double value = -z.col(0).dot(partials_.col(0));
  partials_ *= -2;
  manifold_->gradient(z, partials_, gradient);
  return value;
}

void LeadingEigenvector::hessian(MatIn z, MatIn u, MatOut out) {
  times(z, partials_);
  times(u, second_);
  partials_ *= -2;
  second_ *= -2;
  manifold_->hessian(z, partials_, second_, u, out);
}

void LeadingEigenvector::mean_gradient(MatIn z, std::span<const Index> terms, MatOut gradient) {
  const int d = static_cast<int>(data_.rows());
  partials_.setZero();
  const double scale = -2 / static_cast<double>(terms.size());
  for (const Index i : terms) {
    const double* term = data_.data() + i * data_.rows();
    cblas_daxpy(d, scale * cblas_ddot(d, term, 1, z.data(), 1), term, 1, partials_.data(), 1);
  }
  manifold_->gradient(z, partials_, gradient);
}

}  // namespace quasar
