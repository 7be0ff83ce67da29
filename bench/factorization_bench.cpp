// A step of sghmc on a factorization of ratings (rank 20 and biases, batches of 4000) against bare loops that gather
// the same rows, take the same dot products, scatter into the same slopes and draw as many normals, measured in turns
// in the same run. Ratings are made up: users alike, items by Zipf's law. The bar: 1.5.
//
//   eager, lazy      6040 users, 3706 items, 10^6 ratings: the size of MovieLens-1M
//   lazy, 10^6       10^6 users, 10^5 items, 2 10^7 ratings
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <vector>

#include <quasar/config.hpp>
#include <quasar/core.hpp>
#include <quasar/rng.hpp>

#include "core/gibbs.hpp"
#include "kernels/hmc/sghmc.hpp"
#include "kernels/lazy/lazy_sghmc.hpp"
#include "models/factorization/factorization.hpp"
#include "models/factorization/make_factorization.hpp"
#include "side_by_side.hpp"

namespace quasar {
namespace {

constexpr Index batch = 4000, batches = 50;
constexpr double bar = 1.5, momentum_decay = 0.05, learning_rate = 1e-7;

struct Size {
  Index users, items, ratings;
};

std::shared_ptr<const Ratings> made_up_ratings(const Size& size) {
  auto data = std::make_shared<Ratings>();
  data->by_user.begin.assign(static_cast<std::size_t>(size.users + 1), 0);  // only Gibbs steps look further
  data->by_item.begin.assign(static_cast<std::size_t>(size.items + 1), 0);
  data->all.resize(static_cast<std::size_t>(size.ratings));
  Stream numbers = Rng(1).stream("ratings");
  const double log_items = std::log(static_cast<double>(size.items));
  for (Rating& one : data->all) {
    const double popular = std::exp(numbers.uniform() * log_items) - 1;  // P(item) about 1/item
    one = {static_cast<std::int32_t>(numbers.index(size.users)),
           static_cast<std::int32_t>(std::min<double>(popular, static_cast<double>(size.items - 1))),
           numbers.uniform() - 0.5};
  }
  return data;
}

Factorization factorization_of(const std::shared_ptr<const Ratings>& data) {
  const Config config("bpmf", bpmf_params(), {{"rank", "20"}});
  const FactorizationSettings settings = factorization_settings(config);
  return {data, settings, make_row_prior(config, settings.width()), make_row_prior(config, settings.width())};
}

EstimatorSettings minibatches() {
  EstimatorSettings settings;
  settings.kind = EstimatorSettings::minibatch;
  settings.batch_size = batch;
  return settings;
}

StochasticParams settings() {
  StochasticParams params;
  params.step.size = std::sqrt(learning_rate);
  return params;
}

SghmcParams eager_settings(Index dim) {
  SghmcParams params;
  params.step = settings().step;
  params.friction = Friction(dim, Mat::Constant(1, 1, momentum_decay / params.step.size));
  return params;
}

// The memory traffic and the arithmetic that no such step can do without, on batches drawn beforehand.
class BareLoops {
 public:
  BareLoops(Factorization& target, std::shared_ptr<const Ratings> data)
      : data_(std::move(data)),
        users_(data_->by_user.rows()),
        width_(target.row_length()),
        x_(Vec::Constant(target.rows() * width_, 0.1)),
        p_(x_),
        slopes_(Vec::Zero(x_.size())),
        noise_(2 * x_.size()) {
    std::vector<std::int64_t> last(static_cast<std::size_t>(target.rows()), -2);
    for (Index b = 0; b < batches; ++b) {
      One& one = all_.emplace_back();
      one.ids.resize(batch);
      Rng(5).at(static_cast<std::uint64_t>(b)).stream("batch").sample_with_replacement(target.terms(), one.ids);
      target.rows_of(one.ids, one.touched);
      for (const Index row : one.touched) {
        one.normals += width_ * std::min<std::int64_t>(2, b - last[static_cast<std::size_t>(row)]);
        last[static_cast<std::size_t>(row)] = b;
      }
    }
  }

  void lazy_step() {
    const One& one = next();
    scatter(one.ids);
    Stream normals = Rng(6).at(turn_).stream("noise");
    const Index each = one.normals / std::ssize(one.touched);  // rows differ; their sum does not
    constexpr Index together = 32;
    for (Index begin = 0; begin < std::ssize(one.touched); begin += together) {
      const Index n = std::min(together, std::ssize(one.touched) - begin);
      normals.normals(noise_.head(n * each));
      for (Index i = 0; i < n; ++i) {
        move(one.touched[static_cast<std::size_t>(begin + i)] * width_, width_, noise_.data() + i * each);
      }
    }
  }

  void eager_step() {
    scatter(next().ids);
    Rng(6).at(turn_).stream("noise").normals(noise_.head(x_.size()));
    move(0, x_.size(), noise_.data());
  }

  Index touched() const { return std::ssize(all_.back().touched); }
  Index normals() const { return all_.back().normals; }

 private:
  struct One {
    std::vector<Index> ids, touched;
    Index normals = 0;
  };

  const One& next() { return all_[turn_++ % all_.size()]; }

  void scatter(const std::vector<Index>& ids) {
    const Index rank = width_ - 1;
    for (const Index id : ids) {
      const Rating& one = data_->all[static_cast<std::size_t>(id)];
      const Index u = one.user * width_, v = (users_ + one.item) * width_;
      const double error = one.value - x_.segment(u, rank).dot(x_.segment(v, rank)) - x_[u + rank] - x_[v + rank];
      slopes_.segment(u, rank) += error * x_.segment(v, rank);
      slopes_.segment(v, rank) += error * x_.segment(u, rank);
      slopes_[u + rank] += error;
      slopes_[v + rank] += error;
    }
  }

  void move(Index begin, Index size, const double* z) {
    auto x = x_.segment(begin, size), p = p_.segment(begin, size), slope = slopes_.segment(begin, size);
    p = 0.95 * p + 1e-6 * slope + 1e-3 * Eigen::Map<const Vec>(z, size);
    x = x + 1e-6 * p;
    slope.setZero();
  }

  std::shared_ptr<const Ratings> data_;
  Index users_, width_;
  Vec x_, p_, slopes_, noise_;
  std::vector<One> all_;
  std::uint64_t turn_ = 0;
};

template <class K>
class Steps {
 public:
  Steps(Factorization& target, const K& kernel) : kernel_(kernel), x_(target.dim()) {
    target.draw_start(x_, Rng(1));
    state_ = kernel_.init(x_, Rng(2));
  }
  void run(int count) {
    for (int i = 0; i < count; ++i) kernel_.step(x_, state_, Rng(3).at(t_++));
  }

 private:
  K kernel_;
  Vec x_;
  typename K::State state_;
  std::uint64_t t_ = 0;
};

LazySghmc lazy_kernel(Factorization& target) {
  const StochasticParams shared = settings();
  return {target, moving_block(target), minibatches(), {shared, momentum_decay / shared.step.size, 0}};
}

void compare_small() {
  const auto data = made_up_ratings({6040, 3706, 1'000'000});
  Factorization target = factorization_of(data);
  const Block block = moving_block(target);
  Steps<Sghmc> eager(target, Sghmc(target, block, minibatches(), eager_settings(block.size)));
  Steps<LazySghmc> lazy(target, lazy_kernel(target));
  BareLoops bare(target, data);
  fmt::print("{} of {} rows touched, {} of {} normals\n", bare.touched(), target.rows(), bare.normals(), block.size);
  constexpr int steps = 50;
  report(
      "eager, 50 steps", bar, [&] { eager.run(steps); },
      [&] {
        for (int i = 0; i < steps; ++i) bare.eager_step();
      },
      "bare loops");
  report(
      "lazy, 50 steps", bar, [&] { lazy.run(steps); },
      [&] {
        for (int i = 0; i < steps; ++i) bare.lazy_step();
      },
      "bare loops");
}

void compare_large() {
  const auto data = made_up_ratings({1'000'000, 100'000, 20'000'000});
  Factorization target = factorization_of(data);
  Steps<LazySghmc> lazy(target, lazy_kernel(target));
  BareLoops bare(target, data);
  lazy.run(300);  // until rows come with the gaps that they will have
  fmt::print("{} of {} rows touched, {} normals\n", bare.touched(), target.rows(), bare.normals());
  constexpr int steps = 50;
  report(
      "lazy, 10^6", bar, [&] { lazy.run(steps); },
      [&] {
        for (int i = 0; i < steps; ++i) bare.lazy_step();
      },
      "bare loops");
}

}  // namespace
}  // namespace quasar

int main() {
  quasar::compare_small();
  quasar::compare_large();
}
