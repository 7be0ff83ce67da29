// Blocked samplers, step by step against dense references, and against the kernels that know nothing of blocks; ranks
// that do not change a bit; states that move between numbers of ranks; messages as counted on paper.
//
// One assertion is statistical, the frequencies of parts: false-positive rate family_alpha.
#include <fmt/core.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include <quasar/errors.hpp>
#include <quasar/registry.hpp>

#include "kernels/blocked/blocked_chain.hpp"
#include "kernels/blocked/dhamcmc.hpp"
#include "kernels/blocked/dpsgld.hpp"
#include "kernels/blocked/dsghmc.hpp"
#include "kernels/blocked/dsgld.hpp"
#include "kernels/hmc/sghmc.hpp"
#include "kernels/langevin/hamcmc.hpp"
#include "kernels/langevin/psgld.hpp"
#include "kernels/langevin/sgld.hpp"
#include "support/allocations.hpp"
#include "support/resuming.hpp"
#include "support/statistics.hpp"
#include "support/thread_exchange.hpp"
#include "support/toy_blocks.hpp"

namespace quasar {
namespace {

using test::Collect;
using test::ToyBlocks;

std::size_t at(Index i) { return static_cast<std::size_t>(i); }

BlockedFactorizationSettings settings_of(Index blocks) {
  BlockedFactorizationSettings settings;
  settings.rank = 3;
  settings.blocks = blocks;
  settings.noise_sd = 0.8;
  settings.user_sd = 1.3;
  settings.item_sd = 0.7;
  return settings;
}

ToyBlocks toy(Index blocks) { return {9, 11, settings_of(blocks)}; }

template <class Method>
std::unique_ptr<Chain> chain_of(const ToyBlocks& target, typename Method::Params params, const ChainSpec& spec) {
  OneProcess alone;
  Exchange& exchange = spec.exchange != nullptr ? *spec.exchange : alone;
  return std::make_unique<BlockedChain<Method>>(target.fork(), target.settings(), target.load_blocks(exchange),
                                                Method(params), spec);
}

ChainSpec spec_of(const Schedule& schedule, Exchange* exchange = nullptr) {
  ChainSpec spec;
  spec.schedule = schedule;
  spec.seed = 5;
  spec.chain = 2;
  spec.save_warmup = true;
  spec.exchange = exchange;
  return spec;
}

template <class Params>
Params with_step(double size, double temperature = 1) {
  Params params;
  params.step.size = size;
  params.temperature = temperature;
  params.row_curvature = 10;
  return params;
}

template <class Method>
struct Saved {  // what save() wrote, array by array in the order of places
  std::int64_t iteration = 0, unreported = 0;
  Method method;
  std::vector<Vec> arrays;

  Saved(const Chain& chain, const typename Method::Params& params, Index numbers) : method(params) {
    Writer out;
    chain.save(out);
    Reader in(out.bytes());
    in("iteration", iteration);
    in("unreported_evals", unreported);
    in("params", method.params());
    in("method", method);
    for (Index array = 0; array < method.arrays(); ++array) {
      arrays.emplace_back(numbers);
      in(fmt::format("array {}", array), arrays.back());
    }
    EXPECT_TRUE(in.at_end());
  }
};

// ---- a dense reference: the matrix as a list of ratings, everything in the order of places ----

struct Dense {
  explicit Dense(const ToyBlocks& of) : target(of), users(of.users()), items(of.items()) {
    const Index blocks = target.settings().blocks;
    sizes.assign(at(blocks), 0);
    for (const auto& one : target.ratings()) ++sizes[at(part_of(one))];
  }

  Index block_of(Index place, Index rows) const {
    Index block = 0;
    while ((block + 1) * rows / target.settings().blocks <= place) ++block;
    return block;
  }
  Index part_of(const ToyBlocks::Rating& one) const {
    const Index blocks = target.settings().blocks;
    const Index b = block_of(ToyBlocks::place_of(one.user, users), users);
    const Index c = block_of(ToyBlocks::place_of(one.item, items), items);
    return (c - b + blocks) % blocks;
  }
  Rng step(std::int64_t t) const { return Rng(5, 2).child("step").at(static_cast<std::uint64_t>(t)); }
  Index part(std::int64_t t) const {
    Stream stream = step(t).stream("part");
    Index rating = stream.index(std::ssize(target.ratings())), p = 0;
    while (rating >= sizes[at(p)]) rating -= sizes[at(p++)];
    return p;
  }
  Vec likelihood(const Vec& x, Index p) const {
    const BlockedFactorizationSettings& s = target.settings();
    const double weight = static_cast<double>(target.ratings().size()) / static_cast<double>(sizes[at(p)]);
    Vec g = Vec::Zero(x.size());
    for (const auto& one : target.ratings()) {
      if (part_of(one) != p) continue;
      const Index i = ToyBlocks::place_of(one.user, users) * s.rank;
      const Index j = (users + ToyBlocks::place_of(one.item, items)) * s.rank;
      const double e = one.value - x.segment(i, s.rank).dot(x.segment(j, s.rank));
      g.segment(i, s.rank) += weight * e / (s.noise_sd * s.noise_sd) * x.segment(j, s.rank);
      g.segment(j, s.rank) += weight * e / (s.noise_sd * s.noise_sd) * x.segment(i, s.rank);
    }
    return g;
  }
  Vec gradient(const Vec& x, Index p) const {
    const BlockedFactorizationSettings& s = target.settings();
    Vec g = likelihood(x, p);
    g.head(users * s.rank) -= x.head(users * s.rank) / (s.user_sd * s.user_sd);
    g.tail(items * s.rank) -= x.tail(items * s.rank) / (s.item_sd * s.item_sd);
    return g;
  }
  Vec normals(const Rng& names, std::string_view role) const {
    const Index rank = target.settings().rank, blocks = target.settings().blocks;
    Vec z((users + items) * rank);
    Index from = 0;
    for (const char* side : {"users", "items"}) {
      const Index rows = std::string_view(side) == "users" ? users : items;
      for (Index block = 0; block < blocks; ++block) {
        const Index n = ((block + 1) * rows / blocks - block * rows / blocks) * rank;
        names.child(side, static_cast<std::uint64_t>(block)).stream(role).normals(z.segment(from, n));
        from += n;
      }
    }
    return z;
  }

  const ToyBlocks& target;
  Index users, items;
  std::vector<Index> sizes;  // ratings of each part
};

void expect_near(const Vec& found, const Vec& expected) {
  ASSERT_LT((found - expected).norm(), 1e-12 * expected.norm());
}

// Runs a chain and calls check(before, after, t) for each step of one member.
template <class Method>
void for_each_step(const ToyBlocks& target, const typename Method::Params& params, std::int64_t steps,
                   const std::function<void(const Saved<Method>&, const Saved<Method>&, std::int64_t)>& check) {
  const auto chain = chain_of<Method>(target, params, spec_of({steps, 0, 1}));
  Collect sink;
  for (std::int64_t t = 0; t < steps; ++t) {
    const Saved<Method> before(*chain, params, target.dim());
    chain->run_to(t + 1, sink, {});
    check(before, Saved<Method>(*chain, params, target.dim()), t);
    if (testing::Test::HasFatalFailure()) return;
  }
}

TEST(Blocked, DsgldIsTheFormula) {
  for (const Index blocks : {1, 3, 4}) {
    const ToyBlocks target = toy(blocks);
    const Dense dense(target);
    for_each_step<Dsgld>(target, with_step<BlockedParams>(0.01), 12,
                         [&](const auto& before, const auto& after, std::int64_t t) {
                           const Vec& x = before.arrays[0];
                           const Vec z = dense.normals(dense.step(t), "noise");
                           const Vec expected = x + 0.01 * dense.gradient(x, dense.part(t)) + std::sqrt(0.02) * z;
                           expect_near(after.arrays[0], expected);
                         });
  }
}

TEST(Blocked, DpsgldIsTheFormula) {
  for (const Index blocks : {1, 3, 4}) {
    for (const bool first : {false, true}) {
      const ToyBlocks target = toy(blocks);
      const Dense dense(target);
      auto params = with_step<DpsgldParams>(0.01);
      params.averaging = 0.9;
      params.regularization = 0.5;
      params.update_first = first;
      const auto terms = static_cast<double>(target.terms());
      for_each_step<Dpsgld>(target, params, 12, [&](const auto& before, const auto& after, std::int64_t t) {
        const Vec &x = before.arrays[0], &v = before.arrays[1];
        const Vec mean = dense.likelihood(x, dense.part(t)) / terms;
        if (t == 0) expect_near(v, mean.cwiseAbs2());
        const Vec v_new = 0.9 * v + 0.1 * mean.cwiseAbs2();
        const Vec h = (0.5 + (first ? v_new : v).array().sqrt()).inverse();
        const Vec z = dense.normals(dense.step(t), "noise");
        expect_near(after.arrays[1], v_new);
        expect_near(after.arrays[0], x + 0.01 * h.cwiseProduct(dense.gradient(x, dense.part(t))) +
                                         (0.02 * h).cwiseSqrt().cwiseProduct(z));
      });
    }
  }
}

TEST(Blocked, DsghmcIsTheFormula) {
  for (const Index blocks : {1, 3, 4}) {
    const ToyBlocks target = toy(blocks);
    const Dense dense(target);
    auto params = with_step<DsghmcParams>(0.05);
    params.friction = 2;
    params.noise_variance = 8;
    for_each_step<Dsghmc>(target, params, 12, [&](const auto& before, const auto& after, std::int64_t t) {
      const Vec x = before.arrays[0] + 0.05 * before.arrays[1];
      const Vec z = dense.normals(dense.step(t), "noise");
      const double spread = std::sqrt(2 * 0.05 * (2 - 0.025 * 8));
      if (t == 0) expect_near(before.arrays[1], dense.normals(Rng(5, 2).child("init"), "momentum"));
      expect_near(after.arrays[0], x);
      expect_near(after.arrays[1],
                  (1 - 0.05 * 2) * before.arrays[1] + 0.05 * dense.gradient(x, dense.part(t)) + spread * z);
    });
  }
}

// ---- dhamcmc against BFGS matrices written out ----

struct Pair {
  Vec s, y;
  bool usable;
};

struct DenseBfgs {  // of the usable pairs, oldest first
  Mat h;
  Vec draw;
  DenseBfgs(double gamma, const std::vector<Pair>& pairs, const Vec& z, const Vec& zeta)
      : h(gamma * Mat::Identity(z.size(), z.size())), draw(std::sqrt(gamma) * z) {
    Index used = 0;
    for (const Pair& pair : pairs) {
      if (!pair.usable) continue;
      const double rho = 1 / pair.s.dot(pair.y);
      const Mat v = Mat::Identity(z.size(), z.size()) - rho * pair.y * pair.s.transpose();
      h = (v.transpose() * h * v + rho * pair.s * pair.s.transpose()).eval();
      draw += -rho * pair.s * pair.y.dot(draw) + std::sqrt(rho) * zeta[used++] * pair.s;
    }
  }
};

struct HamcmcReference {
  const Dense& dense;
  DhamcmcParams params;
  std::vector<Vec> positions;
  std::vector<Pair> pairs;  // of the last M - 1 steps, oldest first
  double newest_scale = 1, first_scale = 0;
  std::int64_t refused = 0, accepted = 0;

  Pair judged(const Vec& s, const Vec& y) {
    const bool good = s.dot(y) > params.min_curvature * s.squaredNorm() && s.dot(y) > 1e-10 * s.norm() * y.norm();
    if (good) newest_scale = s.dot(y) / y.squaredNorm();
    ++(good ? accepted : refused);
    return {s, y, good};
  }

  bool any_usable() const {
    return std::any_of(pairs.begin(), pairs.end(), [](const Pair& pair) { return pair.usable; });
  }
  double scale() const {
    if (params.initial_scale > 0) return params.initial_scale;
    return any_usable() ? newest_scale : first_scale;
  }

  void step(std::int64_t t) {
    Vec& x = positions[at(t % params.memory)];
    const Index p = dense.part(t);
    const Vec g = dense.gradient(x, p);
    const double e = params.step.size, gamma = scale();
    Vec zeta(params.memory);
    dense.step(t).stream("pair noise").normals(zeta);
    const DenseBfgs bfgs(gamma, pairs, dense.normals(dense.step(t), "noise"), zeta);
    const Vec move = e * bfgs.h * g + std::sqrt(2 * e) * bfgs.draw;
    const Vec s = params.pairs == DhamcmcParams::printed
                      ? move
                      : Vec(std::sqrt(2 * e * gamma) * dense.normals(dense.step(t), "pair"));
    const Vec y = g - dense.gradient(x + s, p) + params.shift * s;
    x += move;
    if (params.frozen) return;
    pairs.erase(pairs.begin());
    pairs.push_back(judged(s, y));
  }
};

// The pairs that the start has left, which are held against differences of gradients that nearly agree.
void take_start(const Saved<Dhamcmc>& first, HamcmcReference& reference) {
  const Dense& dense = reference.dense;
  const Index memory = reference.params.memory, p = dense.part(0);
  for (Index k = 0; k < memory; ++k) reference.positions.push_back(first.arrays[at(k)]);
  for (Index k = 0; k < memory - 1; ++k) {
    const Vec &s = first.arrays[at(memory + k)], &y = first.arrays[at(2 * memory - 1 + k)],
              &x = first.arrays[at(k + 1)];
    const Rng names = Rng(5, 2).child("init").child("pair", static_cast<std::uint64_t>(k + 1));
    expect_near(s, 1e-4 * dense.normals(names, "pair"));
    const Vec expected = dense.gradient(x, p) - dense.gradient(x + s, p) + reference.params.shift * s;
    ASSERT_LT((y - expected).norm(), 1e-9 * y.norm());
    reference.pairs.push_back(reference.judged(s, y));
    if (k == 0 || !reference.any_usable()) reference.first_scale = s.norm() / y.norm();
  }
}

// Compares, and goes on from what the chain has: rounding does not add up.
void compare(const Saved<Dhamcmc>& now, std::int64_t pairs_left, HamcmcReference& reference) {
  const Index memory = reference.params.memory;
  for (Index k = 0; k < memory; ++k) {
    expect_near(now.arrays[at(k)], reference.positions[at(k)]);
    reference.positions[at(k)] = now.arrays[at(k)];
  }
  for (Index k = 0; k < memory - 1; ++k) {
    const Index slot = (pairs_left + k) % (memory - 1);
    const Vec &s = now.arrays[at(memory + slot)], &y = now.arrays[at(2 * memory - 1 + slot)];
    Pair& pair = reference.pairs[at(k)];
    expect_near(s, pair.s);
    ASSERT_LT((y - pair.y).norm(), 1e-10 * y.norm());  // a difference
    pair.s = s;
    pair.y = y;
  }
}

// Pairs are learned in two thirds of the iterations and frozen then.
void expect_dense_bfgs(Index blocks, const DhamcmcParams& params) {
  const ToyBlocks target = toy(blocks);
  const Dense dense(target);
  const std::int64_t iterations = 90 / params.memory, warmup = 60 / params.memory;
  const auto chain = chain_of<Dhamcmc>(target, params, spec_of({warmup, iterations, 1}));
  HamcmcReference reference{dense, params, {}, {}};
  take_start(Saved<Dhamcmc>(*chain, params, target.dim()), reference);
  Collect sink;
  for (std::int64_t iteration = 0; iteration < iterations; ++iteration) {
    reference.params.frozen = iteration >= warmup;
    chain->run_to(iteration + 1, sink, {});
    for (Index member = 0; member < params.memory; ++member) reference.step(iteration * params.memory + member);
    compare(Saved<Dhamcmc>(*chain, params, target.dim()), std::min(iteration + 1, warmup) * params.memory, reference);
    ASSERT_FALSE(testing::Test::HasFatalFailure()) << "iteration " << iteration;
  }
  EXPECT_GT(reference.accepted, 3) << reference.refused;
  EXPECT_GT(reference.refused, 3) << reference.accepted;
}

TEST(Blocked, DhamcmcIsTheDenseBfgs) {
  for (const Index blocks : {1, 3, 4}) {
    for (const std::int64_t memory : {2, 3, 5}) {
      for (const auto kind : {DhamcmcParams::random, DhamcmcParams::printed}) {
        for (const double gamma : {0.0, 0.05}) {
          auto params = with_step<DhamcmcParams>(gamma > 0 ? 0.1 : 0.05);
          params.memory = memory;
          params.pairs = kind;
          params.initial_scale = gamma;
          params.shift = 0.3;
          params.min_curvature = 3;
          expect_dense_bfgs(blocks, params);
        }
      }
    }
  }
}

// ---- one block, no noise: the kernels that know nothing of blocks ----

Vec by_label(const ToyBlocks& target, const Vec& by_place) {
  const Index rank = target.settings().rank;
  Vec x(by_place.size());
  for (Index row = 0; row < target.users(); ++row) {
    x.segment(row * rank, rank) = by_place.segment(ToyBlocks::place_of(row, target.users()) * rank, rank);
  }
  for (Index row = 0; row < target.items(); ++row) {
    x.segment((target.users() + row) * rank, rank) =
        by_place.segment((target.users() + ToyBlocks::place_of(row, target.items())) * rank, rank);
  }
  return x;
}

constexpr std::int64_t path = 20, path_warmup = 8;

template <class Kernel, class Method>
void expect_same_path(const typename Kernel::Params& kernel_params, const typename Method::Params& params,
                      const std::function<void(typename Kernel::State&, const Saved<Method>&)>& align = {}) {
  ToyBlocks target = toy(1);
  const auto chain = chain_of<Method>(target, params, spec_of({path_warmup, path - path_warmup, 1}));
  const Saved<Method> first(*chain, params, target.dim());
  Kernel kernel(target, {0, target.dim()}, {}, kernel_params);
  Vec x = by_label(target, first.arrays[0]);
  auto state = kernel.init(x, Rng(1));
  if (align) align(state, first);
  Collect sink;
  const Index members = chain->members();
  for (std::int64_t t = 0; t < path; ++t) {
    if constexpr (requires { params.freeze; }) kernel.params().frozen = params.freeze && t >= path_warmup;
    sink.values.clear();
    chain->run_to(t + 1, sink, {});
    for (Index member = 0; member < members; ++member) {
      kernel.step(x, state, Rng(3).at(static_cast<std::uint64_t>(t)));
      const Eigen::Map<const Vec> found(sink.values.data() + member * target.dim(), target.dim());
      ASSERT_LT((found - x).norm(), 1e-12 * x.norm()) << t;
    }
  }
}

TEST(Blocked, OneBlockWithoutNoiseIsTheKernelOfOneProcess) {
  StochasticParams sgld;
  sgld.step.size = 0.01;
  sgld.temperature = 0;
  expect_same_path<Sgld, Dsgld>(sgld, with_step<BlockedParams>(0.01, 0));
  for (const bool first : {false, true}) {
    PsgldParams psgld;
    static_cast<StochasticParams&>(psgld) = sgld;
    psgld.update_first = first;
    psgld.regularization = 0.5;
    auto params = with_step<DpsgldParams>(0.01, 0);
    params.update_first = first;
    params.regularization = 0.5;
    expect_same_path<Psgld, Dpsgld>(psgld, params);
  }
  SghmcParams sghmc;
  sghmc.step.size = 0.05;
  sghmc.temperature = 0;
  sghmc.friction = Friction(toy(1).dim(), Mat::Constant(1, 1, 2));
  auto params = with_step<DsghmcParams>(0.05, 0);
  params.friction = 2;
  expect_same_path<Sghmc, Dsghmc>(sghmc, params);
}

// The pairs of the start are random: the kernel is given those of the chain.
void expect_path_of_hamcmc(bool freeze, double gamma, double shift) {
  for (const std::int64_t memory : {2, 3, 4}) {
    HamcmcParams hamcmc;
    hamcmc.step.size = 0.05;
    hamcmc.temperature = 0;
    hamcmc.memory = memory;
    hamcmc.pairs = HamcmcParams::printed;
    hamcmc.initial_scale = gamma;
    hamcmc.shift = shift;
    hamcmc.min_curvature = 1;
    auto params = with_step<DhamcmcParams>(0.05, 0);
    params.memory = memory;
    params.pairs = DhamcmcParams::printed;
    params.freeze = freeze;
    params.initial_scale = gamma;
    params.shift = shift;
    params.min_curvature = 1;
    expect_same_path<Hamcmc, Dhamcmc>(hamcmc, params, [&](HamcmcState& state, const Saved<Dhamcmc>& first) {
      const ToyBlocks target = toy(1);
      state.h = Lbfgs(target.dim(), memory - 1);
      for (Index k = 0; k < memory; ++k) state.positions.col(k) = by_label(target, first.arrays[at(k)]);
      for (Index k = 0; k < memory - 1; ++k) {
        ASSERT_TRUE(state.h.add_pair(by_label(target, first.arrays[at(memory + k)]),
                                     by_label(target, first.arrays[at(2 * memory - 1 + k)])));
      }
      state.history = (std::int64_t{1} << (memory - 1)) - 1;
    });
  }
}

TEST(Blocked, OneBlockWithoutNoiseIsHamcmc) {
  expect_path_of_hamcmc(false, 0, 30);
  expect_path_of_hamcmc(false, 0.02, 0);  // with pairs that are refused
  expect_path_of_hamcmc(true, 0.02, 0);
  expect_path_of_hamcmc(true, 0, 30);
}

// ---- ranks ----

struct Case {
  std::string sampler;
  Settings settings;
};

const std::vector<Case> cases{{"dsgld", {{"step_size", "0.01"}}},
                              {"dsgld", {}},
                              {"dpsgld", {{"step_size", "0.01"}, {"regularization", "0.5"}}},
                              {"dsghmc", {{"step_size", "0.02"}, {"friction", "3"}}},
                              {"dhamcmc", {{"step_size", "0.05"}, {"freeze", "false"}}},
                              {"dhamcmc", {{"memory", "2"}, {"pairs", "printed"}}},
                              {"dhamcmc", {{"memory", "4"}, {"initial_scale", "0.01"}, {"shift", "2"}}}};

std::unique_ptr<Chain> made(const Case& one, const ToyBlocks& target, const ChainSpec& spec) {
  const SamplerEntry& sampler = find_sampler(one.sampler);
  return sampler.make(target.fork(), Config(sampler.name, sampler.params, one.settings), spec);
}

struct Outcome {
  std::vector<double> values, stats;
  std::string state;
  bool operator==(const Outcome&) const = default;
};

// From an earlier state, if one is given, to an iteration.
Outcome outcome(const Case& one, int ranks, std::int64_t until, const std::string& from = {}) {
  const ToyBlocks target = toy(4);
  Outcome found;
  test::run_ranks(ranks, [&](Exchange& exchange) {
    const auto chain = made(one, target, spec_of({7, 8, 2}, &exchange));
    if (!from.empty()) {
      Reader in(from);
      chain->load(in);
      EXPECT_TRUE(in.at_end());
    }
    Collect sink;
    chain->run_to(until, sink, {});
    Writer out;
    chain->save(out);
    if (exchange.rank() != 0) {
      EXPECT_TRUE(sink.values.empty());
      return;
    }
    found = {std::move(sink.values), std::move(sink.stats), out.bytes()};
  });
  return found;
}

TEST(Blocked, RanksDoNotChangeABit) {
  for (const Case& one : cases) {
    const Outcome alone = outcome(one, 1, 15);
    EXPECT_FALSE(alone.values.empty());
    for (const int ranks : {2, 3, 4}) {
      const Outcome together = outcome(one, ranks, 15);
      EXPECT_EQ(together.values, alone.values) << one.sampler << " on " << ranks;
      EXPECT_EQ(together.stats, alone.stats) << one.sampler << " on " << ranks;
      EXPECT_EQ(together.state, alone.state) << one.sampler << " on " << ranks;
    }
  }
}

TEST(Blocked, AStateGoesOnWithAnyNumberOfRanks) {
  for (const Case& one : cases) {
    const Outcome whole = outcome(one, 1, 15);
    for (const std::int64_t cut : {0, 6, 7, 11}) {
      const Outcome first = outcome(one, 2, cut);
      for (const int ranks : {1, 4}) {
        const Outcome rest = outcome(one, ranks, 15, first.state);
        std::vector<double> values = first.values, stats = first.stats;
        values.insert(values.end(), rest.values.begin(), rest.values.end());
        stats.insert(stats.end(), rest.stats.begin(), rest.stats.end());
        EXPECT_EQ(values, whole.values) << one.sampler << " cut at " << cut << ", then on " << ranks;
        EXPECT_EQ(stats, whole.stats) << one.sampler << " cut at " << cut << ", then on " << ranks;
        EXPECT_EQ(rest.state, whole.state) << one.sampler << " cut at " << cut << ", then on " << ranks;
      }
    }
  }
}

// ---- messages ----

struct Counting final : Exchange {
  explicit Counting(Exchange& counted) : inner(counted) {}
  int rank() const override { return inner.rank(); }
  int size() const override { return inner.size(); }
  void send(std::span<const double> from, int to, int tag) override {
    sent.push_back(from.size());
    inner.send(from, to, tag);
  }
  void receive(std::span<double> into, int from, int tag) override { inner.receive(into, from, tag); }
  void wait() override { inner.wait(); }
  void sum(std::span<double> values) override {
    sums.push_back(values.size());
    inner.sum(values);
  }
  void broadcast(std::span<std::byte> bytes) override { inner.broadcast(bytes); }

  Exchange& inner;
  std::vector<std::size_t> sent, sums;
};

// As many arrays of K numbers an item as the method carries, and nothing where the part stays; sums for dhamcmc, 6 m
// numbers a block while it learns and 3 m when frozen. The first step is checked, and draw 5 recorded: a sum of a
// number for each block, and of the draw what rank 0 does not have, block after block.
TEST(Blocked, SendsWhatTheTableSays) {
  struct Expected {
    Case one;
    Index arrays, members;
    bool sums;
  };
  const ToyBlocks target = toy(4);
  const Dense dense(target);
  for (const Expected& expected :
       {Expected{cases[0], 1, 1, false}, Expected{cases[2], 2, 1, false}, Expected{cases[3], 2, 1, false},
        Expected{cases[5], 2 + 2, 2, true}, Expected{cases[6], 4 + 2 * 3, 4, true}}) {
    test::run_ranks(4, [&](Exchange& exchange) {
      Counting counting(exchange);
      ChainSpec spec = spec_of({5, 1000, 1000}, &counting);
      spec.save_warmup = false;
      const auto chain = made(expected.one, target, spec);
      Collect sink;
      std::int64_t stayed = 0;
      for (std::int64_t t = 0; t < 40; ++t) {
        counting.sent.clear();
        counting.sums.clear();
        chain->run_to(t + 1, sink, {});
        std::vector<std::size_t> sent, sums;
        for (Index member = 0; member < expected.members; ++member) {
          const std::int64_t step = t * expected.members + member;
          const Index now = dense.part(step), next = dense.part(step + 1), c = (exchange.rank() + now) % 4;
          const Index rows = (c + 1) * 11 / 4 - c * 11 / 4;
          if (next == now) {
            ++stayed;
          } else {
            sent.push_back(at(expected.arrays * rows * 3));
          }
          const bool undecided = step > 0 && step <= 5 * expected.members;  // a pair of the last step
          if (expected.sums) sums.push_back(at((undecided ? 6 : 3) * (expected.members - 1) * 4));
          if (t == 5 || step == 0) sums.push_back(4);
          if (t != 5 || exchange.rank() == 0) continue;
          const Index b = exchange.rank(), with = (b + next) % 4;
          const std::size_t users = at(((b + 1) * 9 / 4 - b * 9 / 4) * 3),
                            items = at(((with + 1) * 11 / 4 - with * 11 / 4) * 3);
          sent.push_back(b <= with ? users : items);
          sent.push_back(b <= with ? items : users);
        }
        EXPECT_EQ(counting.sent, sent) << expected.one.sampler << " " << t;
        EXPECT_EQ(counting.sums, sums) << expected.one.sampler << " " << t;
      }
      EXPECT_GT(stayed, 0);
    });
  }
}

TEST(Blocked, TwoRanksKeepWhatStaysBetweenTheirBlocks) {
  const ToyBlocks target = toy(4);
  const Dense dense(target);
  test::run_ranks(2, [&](Exchange& exchange) {
    Counting counting(exchange);
    ChainSpec spec = spec_of({1000, 0, 1}, &counting);
    spec.save_warmup = false;
    const auto chain = made(cases[0], target, spec);
    Collect sink;
    for (std::int64_t t = 0; t < 40; ++t) {
      counting.sent.clear();
      chain->run_to(t + 1, sink, {});
      std::size_t leave = 0;
      for (const Index b : {2 * exchange.rank(), 2 * exchange.rank() + 1}) {
        const Index next = (b + dense.part(t) - dense.part(t + 1) + 8) % 4;
        if (next / 2 != exchange.rank()) ++leave;
      }
      EXPECT_EQ(counting.sent.size(), leave) << t;
    }
  });
}

// ---- the rest ----

TEST(Blocked, PartsComeAsOftenAsTheyAreLarge) {
  std::vector<ToyBlocks::Rating> ratings;
  for (Index i = 0; i < 6; ++i) {
    for (Index j = 0; j <= i; ++j) ratings.push_back({i, j, 1});
  }
  const ToyBlocks target(6, 6, settings_of(3), ratings);
  OneProcess alone;
  const auto blocks = target.load_blocks(alone);
  const Parts parts(*blocks);
  constexpr int draws = 20000;
  std::vector<double> counts(3), expected;
  for (int t = 0; t < draws; ++t) ++counts[at(parts.at(Rng(9).at(static_cast<std::uint64_t>(t))))];
  double total = 0;
  for (const Index size : Dense(target).sizes) {
    expected.push_back(draws * static_cast<double>(size) / static_cast<double>(ratings.size()));
    EXPECT_DOUBLE_EQ(parts.share(std::ssize(expected) - 1) * draws, expected.back());
    total += parts.share(std::ssize(expected) - 1);
  }
  EXPECT_NEAR(total, 1, 1e-15);
  EXPECT_GT(test::goodness_of_fit_p_value(counts, expected), test::family_alpha);
}

TEST(Blocked, StartsWhereItIsTold) {
  const ToyBlocks target = toy(4);
  ChainSpec spec = spec_of({1, 0, 1});
  spec.initial = Vec::LinSpaced(target.dim(), -1, 1);
  auto params = with_step<BlockedParams>(1e-300, 0);
  Collect sink;
  chain_of<Dsgld>(target, params, spec)->run_to(1, sink, {});
  EXPECT_EQ(sink.values, std::vector<double>(spec.initial.begin(), spec.initial.end()));
  spec.initial = Vec::Zero(4);
  EXPECT_THROW(chain_of<Dsgld>(target, params, spec), UsageError);
}

TEST(Blocked, StepsDoNotAllocate) {
  const ToyBlocks target = toy(4);
  for (const Case& one : cases) {
    const auto chain = made(one, target, spec_of({20, 100, 1}));
    struct Silent final : Sink {
      void on_draw(const Draw&) override {}
    } silent;
    chain->run_to(5, silent, {});
    const long before = test::allocation_count;
    chain->run_to(60, silent, {});
    EXPECT_EQ(test::allocation_count - before, 0) << one.sampler;
  }
}

TEST(Blocked, CountsGradientsPartsAndPasses) {
  const ToyBlocks target = toy(4);
  const Dense dense(target);
  const auto chain = made(cases[4], target, spec_of({1, 9, 1}));
  struct Check final : Sink {
    const Dense* dense = nullptr;
    std::int64_t t = 0;
    void on_draw(const Draw& draw) override {
      EXPECT_EQ(draw.member, t % 3);
      EXPECT_EQ(draw.stats[5], static_cast<double>(dense->part(t)));
      EXPECT_GT(draw.stats[2], 0);
    }
    void on_step(std::int64_t iteration, const StepInfo& info) override {
      const double share =
          static_cast<double>(dense->sizes[at(dense->part(t))]) / static_cast<double>(dense->target.ratings().size());
      EXPECT_EQ(iteration, t / 3);
      EXPECT_EQ(info.grad_evals, t == 0 ? 2 + 4 : 2);
      EXPECT_DOUBLE_EQ(info.data_passes, share * static_cast<double>(info.grad_evals));
      ++t;
    }
  } check;
  check.dense = &dense;
  chain->run_to(10, check, {});
  EXPECT_EQ(check.t, 30);
  const std::vector<StatSpec> stats = chain->stats();
  EXPECT_EQ(stats[2].name, "gradient_norm");
  EXPECT_EQ(stats[5].name, "part");
}

// On every rank, at the same iteration and with the same words, whether anything is recorded or not.
TEST(Blocked, ChainsThatRunAwayAreStopped) {
  const ToyBlocks target = toy(4);
  for (const char* sampler : {"dsgld", "dpsgld", "dsghmc", "dhamcmc"}) {
    for (const bool recorded : {true, false}) {
      std::vector<std::string> said(4);
      std::vector<std::int64_t> stopped(4);
      test::run_ranks(4, [&](Exchange& exchange) {
        ChainSpec spec = spec_of({1000, 0, 1}, &exchange);
        spec.save_warmup = recorded;
        const auto chain = made({sampler, {{"step_size", "1"}}}, target, spec);
        Collect sink;
        try {
          chain->run_to(1000, sink, {});
        } catch (const Diverged& error) {
          said[at(exchange.rank())] = error.what();
        }
        stopped[at(exchange.rank())] = chain->iteration();
      });
      EXPECT_NE(said[0].find("the chain has diverged"), std::string::npos) << sampler;
      EXPECT_EQ(said, std::vector<std::string>(4, said[0])) << sampler;
      EXPECT_EQ(stopped, std::vector<std::int64_t>(4, stopped[0])) << sampler;
    }
  }
}

// The second has fewer ratings than factors, all the same.
TEST(Blocked, StepsChosenByTheSharpestRowAreStable) {
  BlockedFactorizationSettings wide = settings_of(4);
  wide.rank = 30;
  wide.noise_sd = wide.user_sd = wide.item_sd = 1;
  std::vector<ToyBlocks::Rating> same = toy(4).ratings();
  for (auto& one : same) one.value = 0;
  for (const ToyBlocks& target : {toy(4), ToyBlocks(9, 11, wide, same)}) {
    for (const char* sampler : {"dsgld", "dpsgld", "dsghmc", "dhamcmc"}) {
      const auto chain = made({sampler, {}}, target, spec_of({500, 500, 1}));
      const std::vector<StatSpec> stats = chain->stats();
      Collect sink;
      chain->run_to(1000, sink, {});
      EXPECT_EQ(stats[6].name, "step_curvature");
      for (std::size_t i = 6; i < sink.stats.size(); i += stats.size()) {
        ASSERT_GT(sink.stats[i], 0);
        ASSERT_LT(sink.stats[i], 2) << sampler;  // of which above the chain may be unstable
      }
      EXPECT_GT(chain->tuning().step_size, 0);
    }
  }
}

struct Plain final : Target {
  std::unique_ptr<Target> fork() const override { return std::make_unique<Plain>(*this); }
  Index dim() const override { return 1; }
  Eval logp_grad(In x, Out grad) override {
    grad = -x;
    return {-x.squaredNorm() / 2};
  }
};

TEST(Blocked, SaysWhatIsWrong) {
  for (const char* sampler : {"dsgld", "dpsgld", "dsghmc", "dhamcmc"}) {
    const SamplerEntry& entry = find_sampler(sampler);
    EXPECT_TRUE(entry.blocked);
    EXPECT_THROW(entry.make(std::make_unique<Plain>(), Config(entry.name, entry.params, {}), spec_of({1, 1, 1})),
                 UsageError);
  }
  const ToyBlocks target = toy(2);
  const auto refused = [&](const Settings& settings) {
    EXPECT_THROW(made({"dsghmc", settings}, target, spec_of({1, 1, 1})), UsageError);
  };
  refused({{"friction", "1"}, {"momentum_decay", "0.1"}});
  refused({{"step_size", "0.1"}, {"learning_rate", "0.1"}});
  refused({{"step_size", "0.1"}, {"friction", "11"}});
  refused({{"step_size", "0.1"}, {"friction", "1"}, {"noise_variance", "21"}});
  refused({{"schedule", "power"}});
}

}  // namespace
}  // namespace quasar
