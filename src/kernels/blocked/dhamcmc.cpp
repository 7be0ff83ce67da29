#include "kernels/blocked/dhamcmc.hpp"

#include <algorithm>
#include <cmath>

#include "core/timed.hpp"
#include "kernels/langevin/euler.hpp"

namespace quasar {

namespace {

constexpr double first_length = 1e-4;  // of a pair's coordinates before any scale is known

}  // namespace

Dhamcmc::Dhamcmc(const Params& params) : params_(params), h_(slots()) {}

// Every member but the first leaves a pair before the first step, all on its part.
std::int64_t Dhamcmc::start(BlockedWork& work, const Rng& names) {
  allocate(work);
  const Share own = work.held().share();
  for (int member = 1; member < members(); ++member) {
    const Rng name = names.child("pair", static_cast<std::uint64_t>(member));
    sums_.clear(3 * slots());
    for (Index b = own.begin; b < own.end; ++b) {
      take_gradient(work, b, member);
      for (const Piece& piece : {work.held().users(b), work.held().items(b)}) draw_pair(piece, name, first_length);
      leave_pair(work, b, member);
    }
    replace_oldest();
    for (Index b = own.begin; b < own.end; ++b) {
      for (const Piece& piece : {work.held().users(b), work.held().items(b)})
        add_products_of_newest(piece, sums_.of(b));
    }
    const auto sums = sums_.total(work.exchange()).head(3 * slots());
    decide_on_newest(sums);
    if (member > 1 && h_.pairs() > 0) continue;
    const double rough = std::sqrt(sums[slots() + newest()] / sums[2 * slots() + newest()]);
    first_scale_ = std::isfinite(rough) && rough > 0 ? rough : 1;  // |s| / |y|, whatever the sign of the curvature
    h_.set_scale(scale());
  }
  return 2 * (members() - 1);
}

void Dhamcmc::allocate(const BlockedWork& work) {
  const HeldBlocks& held = work.held();
  const Share own = held.share();
  first_block_ = own.begin;
  for (Index b = own.begin; b < own.end; ++b) {
    users_.push_back({Vec(held.users(b).numbers), Vec(held.users(b).numbers)});
    items_.push_back({Vec(held.largest(false)), Vec(held.largest(false))});
  }
  user_point_.resize(held.largest(true));
  item_point_.resize(held.largest(false));
  sums_ = BlockSums(held.blocks(), 6 * slots());
  order_.reserve(static_cast<std::size_t>(slots()));
  for (Vec* numbers : {&sg_, &yg_, &yz_, &zeta_, &a_, &b_, &c_}) numbers->resize(slots());
}

Eigen::Map<Vec> Dhamcmc::of(const Piece& piece, Index b, Vec Scratch::*which) {
  auto& side = piece.of_users ? users_ : items_;
  return {(side[static_cast<std::size_t>(b - first_block_)].*which).data(), piece.numbers};
}

Dhamcmc::Info Dhamcmc::step(BlockedWork& work, int member, const BlockedStep& step) {
  const Share own = work.held().share();
  sums_.clear((undecided_ ? 6 : 3) * slots());
  for (Index b = own.begin; b < own.end; ++b) {
    take_gradient(work, b, member);
    draw_noise(work, b, step);
    const Timed timed(work.exchange().times.gradient);
    for (const Piece& piece : {work.held().users(b), work.held().items(b)}) add_products(piece, b, sums_.of(b));
  }
  find_coefficients(sums_.total(work.exchange()), step);
  Info info;
  info.pairs = h_.pairs();
  info.refused_pairs = refused_;
  info.grad_evals = params_.frozen ? 1 : 2;
  for (Index b = own.begin; b < own.end; ++b) move_and_learn(work, b, member, step);
  if (!params_.frozen) replace_oldest();
  return info;
}

void Dhamcmc::take_gradient(BlockedWork& work, Index b, int member) {
  const Piece w = work.held().users(b), h = work.held().items(b);
  auto gw = gradient_of(w, b), gh = gradient_of(h, b);
  work.gradient(b, w.array(member), h.array(member), gw, gh);
  work.keep_norm(b, gw.squaredNorm() + gh.squaredNorm());
}

void Dhamcmc::draw_noise(BlockedWork& work, Index b, const BlockedStep& step) {
  const Timed timed(work.exchange().times.noise);
  for (const Piece& piece : {work.held().users(b), work.held().items(b)}) {
    piece.name(step.names).stream("noise").normals(move_of(piece, b));
  }
}

// S'g, Y'g, Y'z slot by slot, then those of the newest pair.
void Dhamcmc::add_products(const Piece& piece, Index b, Out sums) {
  const auto g = gradient_of(piece, b), z = move_of(piece, b);
  for (Index slot = 0; slot < slots(); ++slot) {
    sums[slot] += s(piece, slot).dot(g);
    sums[slots() + slot] += y(piece, slot).dot(g);
    sums[2 * slots() + slot] += y(piece, slot).dot(z);
  }
  if (undecided_) add_products_of_newest(piece, sums.tail(3 * slots()));
}

// S'y, Y's, Y'y slot by slot; s'y of the pair itself would be there twice, and the second time s's is.
void Dhamcmc::add_products_of_newest(const Piece& piece, Out sums) const {
  const auto new_s = s(piece, newest()), new_y = y(piece, newest());
  for (Index slot = 0; slot < slots(); ++slot) {
    const auto other = slot == newest() ? s(piece, slot) : y(piece, slot);
    sums[slot] += s(piece, slot).dot(new_y);
    sums[slots() + slot] += other.dot(new_s);
    sums[2 * slots() + slot] += y(piece, slot).dot(new_y);
  }
}

void Dhamcmc::order_usable() {
  order_.clear();
  for (Index i = 0; i < slots(); ++i) {
    const Index slot = (next_ + i) % slots();
    if (is_usable(slot)) order_.push_back(slot);
  }
}

// Where gamma is that of the newest pair it stays so when the pairs are frozen: along s H has gamma y'y / (s'y)^2
// beside the 1/(s'y) that belongs there, which the gamma of another pair may make as large as it likes.
void Dhamcmc::decide_on_newest(In sums) {
  const Index m = slots(), last = newest();
  const PairProducts products{sums[last], sums[m + last], sums[2 * m + last]};
  undecided_ = false;
  const bool aligned = products.sy * products.sy >= params_.min_alignment * products.ss * products.yy;
  if (aligned && usable(products, params_.min_curvature)) {
    add_newest(sums, products);
  } else {
    ++refused_;
  }
  h_.set_scale(scale());
}

// H^-1 is never asked for, so that of S's the diagonal will do.
void Dhamcmc::add_newest(In sums, const PairProducts& products) {
  const Index m = slots();
  order_usable();
  const Index older = h_.pairs();
  auto s_y = a_.head(older + 1), y_s = b_.head(older + 1), y_y = c_.head(older + 1), s_s = zeta_.head(older + 1);
  for (Index i = 0; i < older; ++i) {
    const Index slot = order_[static_cast<std::size_t>(i)];
    s_y[i] = sums[slot];
    y_s[i] = sums[m + slot];
    y_y[i] = sums[2 * m + slot];
    s_s[i] = 0;
  }
  s_y[older] = y_s[older] = products.sy;
  y_y[older] = products.yy;
  s_s[older] = products.ss;
  h_.add(s_y, y_s, y_y, s_s);
  usable_ |= std::int64_t{1} << newest();
  newest_scale_ = products.sy / products.yy;
}

double Dhamcmc::scale() const {
  if (params_.initial_scale > 0) return params_.initial_scale;
  return h_.pairs() > 0 ? newest_scale_ : first_scale_;
}

void Dhamcmc::find_coefficients(In sums, const BlockedStep& step) {
  if (undecided_) decide_on_newest(sums.tail(3 * slots()));
  order_usable();
  const Index m = h_.pairs();
  for (Index i = 0; i < m; ++i) {
    const Index slot = order_[static_cast<std::size_t>(i)];
    sg_[i] = sums[slot];
    yg_[i] = sums[slots() + slot];
    yz_[i] = sums[2 * slots() + slot];
  }
  step.names.stream("pair noise").normals(zeta_.head(m));
  h_.product(sg_.head(m), yg_.head(m), a_.head(m), b_.head(m));
  h_.draw(yz_.head(m), zeta_.head(m), c_.head(m));
}

// e H g + sqrt(2 e T) N(0, H), where H g = gamma (g - Y a) + S b and the draw is sqrt(gamma) z + S c.
void Dhamcmc::make_move(const Piece& piece, Index b, const BlockedStep& step) {
  constexpr Index at_once = 4096;
  const double spread = langevin_spread(step.size, params_.temperature), gamma = h_.scale();
  for (Index begin = 0; begin < piece.numbers; begin += at_once) {
    const Index n = std::min(at_once, piece.numbers - begin);
    auto move = move_of(piece, b).segment(begin, n);
    move = step.size * gamma * gradient_of(piece, b).segment(begin, n) + spread * std::sqrt(gamma) * move;
    for (std::size_t i = 0; i < order_.size(); ++i) {
      const auto pair = static_cast<Index>(i);
      move += (step.size * b_[pair] + spread * c_[pair]) * s(piece, order_[i]).segment(begin, n) -
              step.size * gamma * a_[pair] * y(piece, order_[i]).segment(begin, n);
    }
  }
}

// The pair takes the place of the oldest, which the move has just made use of for the last time.
void Dhamcmc::move_and_learn(BlockedWork& work, Index b, int member, const BlockedStep& step) {
  const Piece w = work.held().users(b), h = work.held().items(b);
  const bool random = params_.pairs == Params::random;
  for (const Piece& piece : {h, w}) {
    const Timed timed(work.exchange().times.noise);
    make_move(piece, b, step);
    if (params_.frozen) continue;
    if (random) {
      draw_pair(piece, step.names, std::sqrt(2 * step.size * scale()));
    } else {
      s(piece, next_) = move_of(piece, b);
    }
  }
  if (!params_.frozen) leave_pair(work, b, member);
  h.array(member) += move_of(h, b);
  work.held().send(b);
  w.array(member) += move_of(w, b);
  work.exchange().progress();
}

void Dhamcmc::draw_pair(const Piece& piece, const Rng& names, double length) const {
  auto drawn = s(piece, next_);
  piece.name(names).stream("pair").normals(drawn);
  drawn *= length;
}

// y = change of grad U along s, on the part of the gradient at hand.
void Dhamcmc::leave_pair(BlockedWork& work, Index b, int member) {
  const Piece w = work.held().users(b), h = work.held().items(b);
  auto there_w = user_point_.head(w.numbers), there_h = item_point_.head(h.numbers);
  there_w = w.array(member) + s(w, next_);
  there_h = h.array(member) + s(h, next_);
  work.gradient(b, there_w, there_h, work.scratch(w), work.scratch(h));
  for (const Piece& piece : {w, h}) {
    y(piece, next_) = gradient_of(piece, b) - work.scratch(piece) + params_.shift * s(piece, next_);
  }
}

// The pairs of the last M - 1 steps are in h, fewer where one was refused: never that of the member that moves next.
void Dhamcmc::replace_oldest() {
  if (is_usable(next_)) {
    h_.drop_oldest();
    usable_ &= ~(std::int64_t{1} << next_);
  }
  undecided_ = true;
  next_ = (next_ + 1) % slots();
}

}  // namespace quasar
