#include "metrics/lbfgs.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace quasar {
namespace {

// A piece of the result stays in the second cache while every pair passes by once. Much shorter pieces make a product
// half as fast: the processor fetches ahead along long runs only.
constexpr Index rows_at_once = 8192;

template <class Work>
void for_row_blocks(Index rows, Work work) {
  for (Index begin = 0; begin < rows; begin += rows_at_once) work(begin, std::min(rows_at_once, rows - begin));
}

// The columns of the ring lie in the order of their slots; the algebra wants the oldest pair first.
template <class... V>
void to_oldest_first(Index oldest, V&... by_slot) {
  (std::rotate(by_slot.data(), by_slot.data() + oldest, by_slot.data() + by_slot.size()), ...);
}
template <class... V>
void to_slots(Index oldest, V&... oldest_first) {
  (to_oldest_first(oldest_first.size() - oldest, oldest_first), ...);
}

void expect_positive(const auto& h0) {
  if (!(h0.array() > 0).all() || !h0.allFinite()) {
    throw std::invalid_argument("L-BFGS: the initial diagonal must be positive and finite");
  }
}

}  // namespace

Lbfgs::Lbfgs(Index dim, Index memory)
    : s_(Mat::Zero(dim, memory)),
      y_(Mat::Zero(dim, memory)),
      shape_(Vec::Ones(dim)),
      coefficients_(memory),
      vector_(dim),
      scratch_(memory) {}

void Lbfgs::set_initial(In h0) {
  expect_positive(h0);
  shape_ = h0;
  coefficients_.set_scale(1);
  renew_products();
}

void Lbfgs::set_initial_scale(double scale) {
  expect_positive(Eigen::Array<double, 1, 1>(scale));
  const bool was_uniform = (shape_.array() == 1).all();
  shape_.setOnes();
  coefficients_.set_scale(scale);
  if (!was_uniform) renew_products();
}

void Lbfgs::renew_products() {
  const Index filled = pairs();
  coefficients_.clear();
  for (Index pair = 0; pair < filled; ++pair) add_products(pair, filled);
}

bool Lbfgs::add_pair(In s, In y, double min_curvature) {
  const PairProducts products{s.dot(y), s.squaredNorm(), y.squaredNorm()};
  if (!usable(products, min_curvature)) {
    ++dropped_;
    return false;
  }
  newest_scale_ = products.sy / products.yy;
  if (memory() > 0) keep(s, y);
  return true;
}

// M. J. D. Powell, A fast algorithm for nonlinearly constrained optimization calculations, 1978.
bool Lbfgs::add_damped_pair(In s, In y, double min_curvature) {
  vector_ = s.cwiseQuotient(shape_) / coefficients_.scale();  // B0 s
  const double curvature = s.dot(y), initial = s.dot(vector_);
  if (!(curvature < 0.2 * initial)) return add_pair(s, y, min_curvature);
  const double weight = 0.8 * initial / (initial - curvature);
  vector_ = weight * y + (1 - weight) * vector_;
  return add_pair(s, vector_, min_curvature);
}

// Fewer pairs than the memory holds lie in the first columns, oldest first.
void Lbfgs::drop_oldest() {
  const Index filled = pairs(), behind_oldest = (oldest_ + 1) % filled;
  for (Mat* columns : {&s_, &y_}) {
    std::rotate(columns->data(), columns->data() + behind_oldest * dim(), columns->data() + filled * dim());
  }
  oldest_ = 0;
  coefficients_.drop_oldest();
}

void Lbfgs::keep(In s, In y) {
  if (pairs() == memory()) {
    coefficients_.drop_oldest();
    oldest_ = slot(1);
  }
  const Index newest = pairs();
  s_.col(slot(newest)) = s;
  y_.col(slot(newest)) = y;
  add_products(newest, newest + 1);
}

// Tells the coefficients the dot products of a pair with itself and all that are older; `filled` slots are in use.
void Lbfgs::add_products(Index pair, Index filled) {
  const auto s = s_.leftCols(filled), y = y_.leftCols(filled);
  const auto new_s = s_.col(slot(pair)), new_y = y_.col(slot(pair));
  auto s_y = scratch_.a.head(filled), y_s = scratch_.b.head(filled);
  auto y_y = scratch_.y.head(filled), s_s = scratch_.s.head(filled);
  for (auto* products : {&s_y, &y_s, &y_y, &s_s}) products->setZero();
  for_row_blocks(dim(), [&](Index at, Index n) {
    const auto s_rows = s.middleRows(at, n), y_rows = y.middleRows(at, n);
    const auto shape = shape_.segment(at, n);
    auto scaled = vector_.segment(at, n);
    s_y.noalias() += s_rows.transpose() * new_y.segment(at, n);
    y_s.noalias() += y_rows.transpose() * new_s.segment(at, n);
    scaled = new_y.segment(at, n).cwiseProduct(shape);
    y_y.noalias() += y_rows.transpose() * scaled;
    scaled = new_s.segment(at, n).cwiseQuotient(shape);
    s_s.noalias() += s_rows.transpose() * scaled;
  });
  to_oldest_first(oldest_, s_y, y_s, y_y, s_s);
  coefficients_.add(s_y.head(pair + 1), y_s.head(pair + 1), y_y.head(pair + 1), s_s.head(pair + 1));
}

void Lbfgs::clear() {
  coefficients_.clear();
  oldest_ = 0;
  newest_scale_ = 1;
}

// A product and a solve are mirror images: out = T(v - B a) + A b, where T is H0 = scale diag(shape) for a product and
// its inverse for a solve, and the coefficients a, b come from the products A'v and B'T v (without the scale).
template <class Rescale, class Coefficients>
void Lbfgs::sweep(const Mat& plain, const Mat& rescaled, In v, Out out, Rescale rescale,
                  Coefficients coefficients) const {
  const auto with_plain = kept(plain), with_rescaled = kept(rescaled);
  auto plain_v = scratch_.s.head(pairs()), rescaled_v = scratch_.y.head(pairs());
  auto a = scratch_.a.head(pairs()), b = scratch_.b.head(pairs());
  plain_v.setZero();
  rescaled_v.setZero();
  for_row_blocks(dim(), [&](Index at, Index n) {
    auto part = out.segment(at, n);
    part = v.segment(at, n);
    plain_v.noalias() += with_plain.middleRows(at, n).transpose() * part;
    rescale(part, shape_.segment(at, n), 1.0);
    rescaled_v.noalias() += with_rescaled.middleRows(at, n).transpose() * part;
  });
  to_oldest_first(oldest_, plain_v, rescaled_v);
  coefficients(plain_v, rescaled_v, a, b);
  to_slots(oldest_, a, b);
  for_row_blocks(dim(), [&](Index at, Index n) {
    auto part = out.segment(at, n);
    part = v.segment(at, n);
    part.noalias() -= with_rescaled.middleRows(at, n) * a;
    rescale(part, shape_.segment(at, n), coefficients_.scale());
    part.noalias() += with_plain.middleRows(at, n) * b;
  });
}

void Lbfgs::apply(In v, Out out) const {
  sweep(
      s_, y_, v, out, [](auto& part, const auto& shape, double scale) { part.array() *= scale * shape.array(); },
      [&](In sv, In yv, Out a, Out b) { coefficients_.product(sv, yv, a, b); });
}

void Lbfgs::solve(In v, Out out) const {
  sweep(
      y_, s_, v, out, [](auto& part, const auto& shape, double scale) { part.array() /= scale * shape.array(); },
      [&](In yv, In sv, Out a, Out b) { coefficients_.solve(sv, yv, a, b); });
}

void Lbfgs::draw(Stream& r, Out out) const {
  const auto s = kept(s_), y = kept(y_);
  auto yz = scratch_.y.head(pairs()), zeta = scratch_.a.head(pairs()), c = scratch_.b.head(pairs());
  r.normals(out);
  r.normals(zeta);
  yz.setZero();
  for_row_blocks(dim(), [&](Index at, Index n) {
    auto part = out.segment(at, n);
    part.array() *= shape_.segment(at, n).array().sqrt();
    yz.noalias() += y.middleRows(at, n).transpose() * part;
  });
  to_oldest_first(oldest_, yz);
  coefficients_.draw(yz, zeta, c);
  to_slots(oldest_, c);
  const double root_scale = std::sqrt(coefficients_.scale());
  for_row_blocks(dim(), [&](Index at, Index n) {
    auto part = out.segment(at, n);
    part *= root_scale;
    part.noalias() += s.middleRows(at, n) * c;
  });
}

void Lbfgs::draw_inverse(Stream& r, Out out) const {
  const auto s = kept(s_), y = kept(y_);
  auto sz = scratch_.s.head(pairs()), zeta = scratch_.y.head(pairs());
  auto a = scratch_.a.head(pairs()), b = scratch_.b.head(pairs());
  r.normals(out);
  r.normals(zeta);
  sz.setZero();
  for_row_blocks(dim(), [&](Index at, Index n) {
    auto part = out.segment(at, n);
    part.array() /= shape_.segment(at, n).array().sqrt();
    sz.noalias() += s.middleRows(at, n).transpose() * part;
  });
  to_oldest_first(oldest_, sz);
  coefficients_.draw_inverse(sz, zeta, a, b);
  to_slots(oldest_, a, b);
  const double scale = coefficients_.scale();
  for_row_blocks(dim(), [&](Index at, Index n) {  // B0 (H0^1/2 z - S a) + Y b
    auto part = out.segment(at, n);
    const auto shape = shape_.segment(at, n).array();
    part.array() *= std::sqrt(scale) * shape;
    part.noalias() -= s.middleRows(at, n) * a;
    part.array() /= scale * shape;
    part.noalias() += y.middleRows(at, n) * b;
  });
}

}  // namespace quasar
