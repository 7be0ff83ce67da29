#include "manifolds/problems/leading_eigenvector.hpp"

#include <utility>

#include <quasar/errors.hpp>

namespace quasar {

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

void LeadingEigenvector::times(MatIn z, MatOut out) {
  scores_.noalias() = data_.transpose() * z.col(0);
  scores_ /= static_cast<double>(terms());
  out.col(0).noalias() = data_ * scores_;
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
  partials_.setZero();
  const double scale = -2 / static_cast<double>(terms.size());
  for (const Index i : terms) partials_.col(0) += (scale * data_.col(i).dot(z.col(0))) * data_.col(i);
  manifold_->gradient(z, partials_, gradient);
}

}  // namespace quasar
