#include "models/factorization/factorization.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <string>

#include <quasar/errors.hpp>

#include "core/blas_threads.hpp"
#include "core/place.hpp"
#include "models/factorization/log_precisions.hpp"
#include "models/factorization/row_conditional.hpp"
#include "models/factorization/row_threads.hpp"
#include "models/gamma_precision.hpp"
#include "simd/row_pairs.hpp"
#include "targets/checked.hpp"

namespace quasar {

namespace {

GammaPrior noise_prior(const FactorizationSettings& settings) { return {settings.shape, settings.rate}; }

RowRatings ratings_of(const RatingsOfRows& all, Index row) {
  const std::size_t begin = at(all.begin[at(row)]), count = at(all.begin[at(row + 1)]) - begin;
  return {std::span(all.other).subspan(begin, count), std::span(all.value).subspan(begin, count)};
}

void fetch(const double* row, Index size) {  // soon it will be read
  constexpr Index line = 8;                  // doubles in a line of the cache
  for (Index k = 0; k < size; k += line) __builtin_prefetch(row + k);
}

}  // namespace

Factorization::Factorization(std::shared_ptr<const Ratings> ratings, const FactorizationSettings& settings,
                             std::unique_ptr<RowPrior> users, std::unique_ptr<RowPrior> items)
    : ratings_(std::move(ratings)),
      settings_(settings),
      users_(std::move(users)),
      items_(std::move(items)),
      recorded_(!settings_.fixed, *users_, *items_,
                {ratings_->by_user.rows(), ratings_->by_item.rows(), settings_.rank, settings_.biases}),
      seen_(at(rows()), 0) {
  if (settings_.fixed) return;
  const Index of_users = users_->size(), of_items = items_->size();
  conditionals_ = {{{factors(), of_users}, settings_.gibbs_every},
                   {{factors() + of_users, of_items}, settings_.gibbs_every},
                   {{log_tau(), 1}, settings_.gibbs_every}};
}

Factorization::Factorization(const Factorization& other)
    : RowSparseSum(other),
      RowSweep(other),
      ratings_(other.ratings_),
      settings_(other.settings_),
      users_(other.users_->clone()),
      items_(other.items_->clone()),
      recorded_(other.recorded_),
      conditionals_(other.conditionals_),
      seen_(other.seen_),
      calls_(other.calls_) {}

Index Factorization::rows() const { return ratings_->by_user.rows() + ratings_->by_item.rows(); }

Index Factorization::dim() const { return factors() + users_->size() + items_->size() + (settings_.fixed ? 0 : 1); }

Factorization::Side Factorization::users() const {
  return {users_.get(),        &ratings_->by_user,    0, ratings_->by_user.rows(), factors(), recorded_.user_prior,
          recorded_.user_bias, recorded_.user_factors};
}

Factorization::Side Factorization::items() const {
  return {items_.get(),
          &ratings_->by_item,
          ratings_->by_user.rows(),
          ratings_->by_item.rows(),
          factors() + users_->size(),
          recorded_.item_prior,
          recorded_.item_bias,
          recorded_.item_factors};
}

double Factorization::tau(In x) const { return settings_.fixed ? settings_.noise_precision : std::exp(x[log_tau()]); }

Factorization::Rows Factorization::rows_at(In x, const Side& side) const {
  return {x.data() + side.first_row * row_length(), row_length(), side.rows};
}

Layout Factorization::layout() const {
  const Index rank = settings_.rank;
  Layout layout;
  layout.coords["user"] = ratings_->users;
  layout.coords["item"] = ratings_->items;
  layout.variables = recorded_variables(!settings_.fixed, *users_, *items_,
                                        {ratings_->by_user.rows(), ratings_->by_item.rows(), rank, settings_.biases});
  std::vector<std::string> columns;
  for (Index k = 0; k < rank; ++k) columns.push_back(fmt::format("{}", k + 1));
  if (settings_.biases) columns.emplace_back("bias");
  for (const Variable& variable : layout.variables) {
    for (const std::string& dim : variable.dims) {
      if (dim.starts_with("factor_or_bias")) layout.coords[dim] = columns;
    }
  }
  return layout;
}

void Factorization::constrain(In x, Out values, const Rng&) {
  for (const Side& one : {users(), items()}) {
    const Rows rows = rows_at(x, one);
    Eigen::Map<Mat>(values.data() + one.factors, settings_.rank, one.rows) = rows.topRows(settings_.rank);
    if (settings_.biases) values.segment(one.biases, one.rows) = rows.row(settings_.rank).transpose();
    one.prior->constrain(x.segment(one.hyper, one.prior->size()),
                         values.segment(one.recorded, recorded_size(*one.prior)));
  }
  if (!settings_.fixed) values[recorded_.sigma] = ratings_->scale * std::exp(-x[log_tau()] / 2);
}

void Factorization::unconstrain(In values, Out x) const {
  for (const Side& one : {users(), items()}) {
    Eigen::Map<Mat> rows(x.data() + one.first_row * row_length(), row_length(), one.rows);
    rows.topRows(settings_.rank) = Eigen::Map<const Mat>(values.data() + one.factors, settings_.rank, one.rows);
    if (settings_.biases) rows.row(settings_.rank) = values.segment(one.biases, one.rows).transpose();
    one.prior->unconstrain(values.segment(one.recorded, recorded_size(*one.prior)),
                           x.segment(one.hyper, one.prior->size()));
  }
  if (settings_.fixed) return;
  const double sigma = values[recorded_.sigma];
  if (!(sigma > 0)) throw UsageError("bpmf: sigma must be positive");
  x[log_tau()] = -2 * std::log(sigma / ratings_->scale);
}

void Factorization::draw_start(Out x, const Rng& rng) const {
  rng.stream("start").normals(x.head(factors()));
  x.head(factors()) *= settings_.start_sd;
  for (const Side& one : {users(), items()}) one.prior->start(x.segment(one.hyper, one.prior->size()));
  if (!settings_.fixed) x[log_tau()] = log_mean(noise_prior(settings_));
}

void Factorization::draw_conditional(Index i, In x, Out out, const Rng& rng) {
  Stream stream = rng.stream("hyperparameters");
  if (i < kinds()) {
    const Side one = side(i);
    one.prior->draw(rows_at(x, one), x.segment(one.hyper, one.prior->size()), out, stream);
    return;
  }
  out[0] = draw_log_precision(noise_prior(settings_), static_cast<double>(terms()), all_squares(x), stream);
  if (!std::isfinite(out[0])) throw_run_away("their errors are not finite");
}

Eval Factorization::prior(In x, Out grad, Want) {
  double logp = 0;
  for (const Side& one : {users(), items()}) {
    Eigen::Map<Mat> slopes(grad.data() + one.first_row * row_length(), row_length(), one.rows);
    const Index size = one.prior->size();
    logp += one.prior->evaluate(rows_at(x, one), x.segment(one.hyper, size), slopes, grad.segment(one.hyper, size));
  }
  if (!settings_.fixed) {
    const PrecisionTerm term(x[log_tau()], noise_prior(settings_));
    grad[log_tau()] = term.slope;
    logp += term.logp;
  }
  return checked(logp);
}

Eval Factorization::add_terms(In x, std::span<const Index> ids, double weight, Out grad, Want) {
  return add_ratings(
      x, std::ssize(ids), [&](Index i) { return ids[at(i)]; }, weight, grad);
}

Eval Factorization::add_range(In x, Index begin, Index end, double weight, Out grad, Want) {
  return add_ratings(
      x, end - begin, [&](Index i) { return begin + i; }, weight, grad);
}

// Rows are anywhere in memory: those of a few ratings are asked for together before they are read.
template <class Id>
Eval Factorization::add_ratings(In x, Index count, Id id, double weight, Out grad) const {
  constexpr Index together = 16;
  std::array<simd::RowPair, together> pairs;
  const Index width = row_length(), first_item = ratings_->by_user.rows();
  const simd::RowShape shape{at(settings_.rank), settings_.biases};
  const double tau_now = tau(x);
  double squares = 0;
  for (Index begin = 0; begin < count; begin += together) {
    const Index size = std::min(together, count - begin);
    for (Index i = 0; i < size; ++i) {
      const Rating& one = ratings_->all[at(id(begin + i))];
      const Index user = one.user * width, item = (first_item + one.item) * width;
      for (const Index row : {user, item}) fetch(x.data() + row, width), fetch(grad.data() + row, width);
      pairs[at(i)] = {at(user), at(item), one.value};
    }
    for (Index i = begin + size; i < std::min(begin + size + together, count); ++i) {
      __builtin_prefetch(&ratings_->all[at(id(i))]);
    }
    squares += simd::add_pair_slopes(pairs.data(), at(size), shape, x.data(), weight * tau_now, grad.data());
  }
  const PrecisionTerm term(std::log(tau_now), {0, 0}, static_cast<double>(count), squares);
  if (!settings_.fixed) grad[log_tau()] += weight * term.slope;
  return checked(weight * term.logp);
}

double Factorization::all_squares(In x) const {
  const Rows users_now = rows_at(x, users()), items_now = rows_at(x, items());
  const RatingsOfRows& all = ratings_->by_user;
  const Index rank = settings_.rank;
  double squares = 0;
  for (Index user = 0; user < all.rows(); ++user) {
    const RowRatings ratings = ratings_of(all, user);
    const double bias = settings_.biases ? users_now(rank, user) : 0;
    for (std::size_t k = 0; k < ratings.other.size(); ++k) {
      const Index item = ratings.other[k];
      double error = ratings.value[k] - bias - users_now.col(user).head(rank).dot(items_now.col(item).head(rank));
      if (settings_.biases) error -= items_now(rank, item);
      squares += error * error;
    }
  }
  return squares;
}

Index Factorization::kind_of(Index row) const { return row < ratings_->by_user.rows() ? 0 : 1; }

void Factorization::rows_of(std::span<const Index> ids, std::vector<Index>& rows) {
  if (++calls_ == 0) std::ranges::fill(seen_, calls_++);  // after 2^32 calls
  rows.clear();
  const auto touch = [&](Index row) {
    if (seen_[at(row)] == calls_) return;
    seen_[at(row)] = calls_;
    rows.push_back(row);
  };
  for (const Index id : ids) {
    touch(ratings_->all[at(id)].user);
    touch(ratings_->by_user.rows() + ratings_->all[at(id)].item);
  }
}

bool Factorization::row_prior(In x, Index kind, Out mean, Out precision) {
  const Side one = side(kind);
  const RowLaw law = one.prior->law(x.segment(one.hyper, one.prior->size()));
  if (!law.diagonal()) return false;
  mean = law.mean;
  precision = law.precision;
  return true;
}

void Factorization::sweep(Vec& x, const SweepSettings& settings, const Rng& rng) {
  const SingleThreadedBlas single;
  for (const Index kind : {0, 1}) {
    const Side one = side(kind);
    auto rows = x.segment(one.first_row * row_length(), one.rows * row_length());
    // The old values of a row do not matter to its draw: its normals wait in its place.
    if (settings.temperature > 0) rng.stream(kind == 0 ? "users" : "items").normals(rows);
    sweep_side(x, one, side(1 - kind), settings);
  }
}

// The law and the scratch of each thread are made anew: a sweep is a pass over the ratings.
void Factorization::sweep_side(Vec& x, const Side& one, const Side& other, const SweepSettings& settings) const {
  const RowLaw law = one.prior->law(x.segment(one.hyper, one.prior->size()));
  const double tau_now = tau(x);
  const Rows others = rows_at(x, other);
  const Index width = row_length();
  in_row_threads(one.ratings->begin, width, settings.threads, [&](Index begin, Index end) {
    RowConditional conditional(settings_.rank, settings_.biases);
    for (Index row = begin; row < end; ++row) {
      auto drawn = x.segment((one.first_row + row) * width, width);
      conditional.draw(law, tau_now, others, ratings_of(*one.ratings, row), settings.temperature, drawn, drawn);
    }
  });
}

}  // namespace quasar
