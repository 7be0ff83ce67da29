#include "manifolds/composite.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace quasar {
namespace {

// Where a part has its own number of rows its columns follow each other in the one column of the whole.
Index stride_of(const CompositePart& part, Index whole_rows, Index whole_stride) {
  return part.manifold->shape().rows == whole_rows ? whole_stride : part.manifold->shape().rows;
}

using Strided = Eigen::OuterStride<>;

Eigen::Map<const Mat, 0, Strided> piece(const CompositePart& part, MatIn whole) {
  const auto [rows, cols] = part.manifold->shape();
  return {whole.data() + part.col * whole.outerStride() + part.row, rows, cols,
          Strided(stride_of(part, whole.rows(), whole.outerStride()))};
}

Eigen::Map<Mat, 0, Strided> piece_of_result(const CompositePart& part, MatOut& whole) {
  const auto [rows, cols] = part.manifold->shape();
  return {whole.data() + part.col * whole.outerStride() + part.row, rows, cols,
          Strided(stride_of(part, whole.rows(), whole.outerStride()))};
}

Manifold::Has what_all_have(const std::vector<CompositePart>& parts) {
  Manifold::Has all{.exact_retract = true};
  for (const auto& part : parts) {
    const Manifold::Has one = part.manifold->has();
    all = {all.log && one.log, all.parallel && one.parallel, all.isometric && one.isometric,
           all.exact_retract && one.exact_retract};
  }
  return all;
}

}  // namespace

Composite::Composite(std::string name, Shape shape, std::vector<CompositePart> parts)
    : name_(std::move(name)), shape_(shape), parts_(std::move(parts)), has_(what_all_have(parts_)) {}

Index Composite::dim() const {
  Index sum = 0;
  for (const auto& part : parts_) sum += part.manifold->dim();
  return sum;
}

double Composite::inner(MatIn x, MatIn u, MatIn v) const {
  double sum = 0;
  for (const auto& p : parts_) sum += p.manifold->inner(piece(p, x), piece(p, u), piece(p, v));
  return sum;
}

double Composite::distance(MatIn x, MatIn y) const {
  double sum = 0;
  for (const auto& p : parts_) {
    const double one = p.manifold->distance(piece(p, x), piece(p, y));
    sum += one * one;
  }
  return std::sqrt(sum);
}

void Composite::project(MatIn x, MatIn ambient, MatOut out) const {
  for (const auto& p : parts_) p.manifold->project(piece(p, x), piece(p, ambient), piece_of_result(p, out));
}

double Composite::project_norm(MatIn x) const {
  double largest = 0;
  for (const auto& p : parts_) largest = std::max(largest, p.manifold->project_norm(piece(p, x)));
  return largest;
}

void Composite::gradient(MatIn x, MatIn partials, MatOut out) const {
  for (const auto& p : parts_) p.manifold->gradient(piece(p, x), piece(p, partials), piece_of_result(p, out));
}

void Composite::hessian(MatIn x, MatIn partials, MatIn second, MatIn u, MatOut out) const {
  for (const auto& p : parts_) {
    p.manifold->hessian(piece(p, x), piece(p, partials), piece(p, second), piece(p, u), piece_of_result(p, out));
  }
}

void Composite::exp(MatIn x, MatIn u, MatOut out) const {
  for (const auto& p : parts_) p.manifold->exp(piece(p, x), piece(p, u), piece_of_result(p, out));
}

void Composite::log(MatIn x, MatIn y, MatOut out) const {
  for (const auto& p : parts_) p.manifold->log(piece(p, x), piece(p, y), piece_of_result(p, out));
}

void Composite::retract(MatIn x, MatIn u, MatOut out) const {
  for (const auto& p : parts_) p.manifold->retract(piece(p, x), piece(p, u), piece_of_result(p, out));
}

void Composite::parallel_transport(MatIn x, MatIn y, MatIn u, MatOut out) const {
  for (const auto& p : parts_) {
    p.manifold->parallel_transport(piece(p, x), piece(p, y), piece(p, u), piece_of_result(p, out));
  }
}

void Composite::transport(MatIn x, MatIn y, MatIn u, MatOut out) const {
  for (const auto& p : parts_) {
    p.manifold->transport(piece(p, x), piece(p, y), piece(p, u), piece_of_result(p, out));
  }
}

void Composite::random_point(Stream& stream, MatOut out) const {
  for (const auto& p : parts_) p.manifold->random_point(stream, piece_of_result(p, out));
}

void Composite::random_tangent(MatIn x, Stream& stream, MatOut out) const {
  for (const auto& p : parts_) p.manifold->random_tangent(piece(p, x), stream, piece_of_result(p, out));
}

std::string Composite::violated(MatIn x) const {
  for (std::size_t k = 0; k < parts_.size(); ++k) {
    const std::string why = parts_[k].manifold->fault(piece(parts_[k], x));
    if (!why.empty()) return fmt::format("in part {}, {}: {}", k + 1, parts_[k].manifold->name(), why);
  }
  return {};
}

ManifoldPtr repeated(std::string name, const ManifoldPtr& base, Index copies) {
  const auto [rows, cols] = base->shape();
  std::vector<CompositePart> parts;
  for (Index k = 0; k < copies; ++k) parts.push_back({base, 0, k * cols});
  return std::make_shared<Composite>(std::move(name), Manifold::Shape{rows, cols * copies}, std::move(parts));
}

}  // namespace quasar
