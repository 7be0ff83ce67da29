// The model ihmm: series from tables, what it records, the same draws as sweeps called by hand, cuts, refusals.
#include "models/sequences/ihmm.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <set>
#include <string>
#include <vector>

#include <quasar/errors.hpp>
#include <quasar/registry.hpp>

#include "models/sequences/beam_emissions.hpp"
#include "models/sequences/beam_summary.hpp"
#include "support/error_message.hpp"
#include "support/resuming.hpp"

namespace quasar {
namespace {

constexpr double missing = std::numeric_limits<double>::quiet_NaN();

// Two sequences of two columns with different units; some values are missing.
Table table() {
  Table table{.source = "memory", .names = {"id", "heat", "load"}, .values = Mat(40, 3), .lines = {}};
  Stream noise = Rng(2).stream("noise");
  for (Index t = 0; t < 40; ++t) {
    const double level = t / 8 % 2 == 0 ? 0 : 1;
    table.values.row(t) << (t < 25 ? 1 : 2), 300 + 50 * level + 5 * noise.normal(), level + 0.1 * noise.normal();
  }
  table.values(3, 1) = table.values(30, 2) = missing;
  return table;
}

std::unique_ptr<Target> ihmm(Settings settings, const Table& data = table()) {
  settings.insert({"sequence", "id"});
  settings.insert({"record", "both"});
  return make_ihmm(Config("ihmm", ihmm_params(), settings), &data);
}

std::unique_ptr<Chain> chain(const Settings& settings, std::int64_t draws, const char* sampler = "ihmm-beam",
                             const Vec& initial = {}) {
  const SamplerEntry& entry = find_sampler(sampler);
  ChainSpec spec;
  spec.schedule = {.warmup = 2, .draws = draws};
  spec.initial = initial;
  return entry.make(ihmm(settings), Config(entry.name, entry.params, {}), spec);
}

TEST(Ihmm, ResumesBitForBit) {
  test::expect_resumes_bit_for_bit([] { return chain({}, 30); }, 32, {1, 17});
}

TEST(Ihmm, DrawsAreThoseOfSweepsCalledByHand) {
  const auto target = ihmm({});
  auto& model = dynamic_cast<Ihmm&>(*target);
  Vec x(model.dim());
  model.draw_start(x, Rng(3));
  BeamState state = model.state_at(x);
  Table data = table();
  NamedSequences series = make_series(data, {.columns = "", .sequence = "id"});
  Mat& values = series.data.values;
  for (Index i = 0; i < 2; ++i) {
    double n = 0, sum = 0, squares = 0;
    for (const double v : values.row(i)) n += !std::isnan(v), sum += std::isnan(v) ? 0 : v;
    for (const double v : values.row(i)) squares += std::isnan(v) ? 0 : (v - sum / n) * (v - sum / n);
    values.row(i) = (values.row(i).array() - sum / n) / std::sqrt(squares / (n - 1));
  }
  BeamOptions options = default_beam_options(series.data, Emission::normal);
  options.mean = 0;
  options.precision_prior = {1, 0.01};
  options.most_states = 200;
  for (std::uint64_t i = 0; i < 5; ++i) {
    model.sweep(x, {}, Rng(4).at(i));
    beam_sweep(series.data, options, Rng(4).at(i), state);
  }
  drop_unused(state);
  const BeamState swept = model.state_at(x);
  EXPECT_EQ(swept.states, state.states);
  EXPECT_NEAR(swept.alpha, state.alpha, 1e-9);
  EXPECT_NEAR(swept.variance, state.variance, 1e-9);
  EXPECT_TRUE(swept.centres.isApprox(state.centres, 1e-9));
}

TEST(Ihmm, RecordsWhatDoesNotDependOnNames) {
  const auto target = ihmm({});
  const Layout layout = target->layout();
  std::vector<std::string> names;
  for (const Variable& variable : layout.variables) names.push_back(variable.name);
  EXPECT_EQ(names, (std::vector<std::string>{"alpha", "gamma", "sigma", "states", "log_joint", "level", "z"}));
  EXPECT_EQ(layout.coords.at("column"), (std::vector<std::string>{"heat", "load"}));
  Vec x(target->dim()), values(layout.size());
  target->draw_start(x, Rng(1));
  auto& model = dynamic_cast<Ihmm&>(*target);
  for (std::uint64_t i = 0; i < 30; ++i) model.sweep(x, {}, Rng(1).at(i));
  target->constrain(x, values, Rng(1));
  const BeamState state = model.state_at(x);
  EXPECT_EQ(values[4], static_cast<double>(state.count()));
  const auto levels = values.segment(6, 80).reshaped(2, 40);
  EXPECT_NEAR(levels(0, 0), 300, 20);  // in the units of the data
  EXPECT_NEAR(values[2] / values[3], 50 / 1.0, 15);
  int seen = -1;
  for (const double z : values.tail(40)) {
    EXPECT_LE(z, seen + 1);  // in the order of appearance
    seen = std::max(seen, static_cast<int>(z));
  }
  EXPECT_EQ(seen + 1, state.count());
}

TEST(Ihmm, StartsFromStatesOrFromLevels) {
  const auto target = ihmm({});
  auto& model = dynamic_cast<Ihmm&>(*target);
  Vec x(model.dim()), values(model.layout().size()), again(model.dim());
  model.draw_start(x, Rng(1));
  for (std::uint64_t i = 0; i < 10; ++i) model.sweep(x, {}, Rng(1).at(i));
  model.constrain(x, values, Rng(1));
  const BeamState state = model.state_at(x);
  for (const bool by_levels : {false, true}) {
    if (by_levels) values.tail(40).setConstant(missing);
    model.unconstrain(values, again);
    EXPECT_EQ(model.state_at(again).states, state.states);
    EXPECT_NEAR(model.state_at(again).variance, state.variance, 1e-12);
    EXPECT_EQ(model.state_at(again).alpha, state.alpha);
  }
  values.setConstant(missing);
  EXPECT_EQ(test::error_message<UsageError>([&] { model.unconstrain(values, again); }),
            "ihmm: a start needs level or z, the states of the points: record them with model.record");
}

TEST(Ihmm, MoreStatesThanThereIsRoomForAreAnError) {
  EXPECT_NE(test::error_message<RunError>([&] {
              test::Collect seen;
              chain({{"most_states", "2"}, {"gamma_shape", "300"}}, 50)->run_to(52, seen, {});
            }).find("needs more than 2 states at once"),
            std::string::npos);
}

TEST(Ihmm, WithoutObservationsCentresAndVarianceAreThoseOfThePrior) {
  const Sequences data{Mat::Constant(1, 30, missing)};
  const BeamOptions options{
      .mean = 7, .centre_variance = 1e-20, .learn_variance = true, .precision_prior = {1e12, 4e12}};
  BeamState state = initial_beam_state(data, options, 3, 1, Rng(1));
  for (std::uint64_t i = 0; i < 20; ++i) beam_sweep(data, options, Rng(1).at(i), state);
  EXPECT_TRUE(state.centres.isConstant(7, 1e-6));
  EXPECT_NEAR(state.variance, 4, 1e-4);
}

// Far from both centres one state is e^-5000 times as likely as the other, and slices may leave no other way.
TEST(Ihmm, OutliersDoNotUnderflow) {
  Sequences data{Mat(1, 40)};
  for (Index t = 0; t < 40; ++t) data.values(0, t) = t % 10 == 9 ? 1e4 : static_cast<double>(t % 2);
  const BeamOptions options{.centre_variance = 1e7, .learn_concentrations = false};
  BeamState state = initial_beam_state(data, options, 5, 1e-2, Rng(1));
  for (std::uint64_t i = 0; i < 300; ++i) beam_sweep(data, options, Rng(5).at(i), state);
  const BeamRun run = run_beam(data, {.centre_variance = 1e7, .variance = 1e-2},
                               initial_beam_state(data, options, 20, 1e-2, Rng(1)), {50, 50, 1}, Rng(1));
  EXPECT_NEAR(run.level_mean(0, 9), 1e4, 1);
  EXPECT_NEAR(run.change_probability[9], 1, 1e-12);
  EXPECT_NEAR(run.states_probability.sum(), 1, 1e-12);
  EXPECT_EQ(run.change_probability[0], 0);
}

BeamRun run_without_data(const BeamOptions& options, int threads) {
  const Sequences data{Mat::Constant(1, 6, missing), {0, 3}};
  return run_beam(data, options, beam_state_at(data, options, {0, 0, 1, 1, 0, 2}, 1),
                  {.warmup = 20, .sweeps = 1000, .chains = 4, .threads = threads, .ahead = 2}, Rng(5));
}

// What the prior says of a value, when nothing was seen: of normal ones mean 7 and variance 1 + 4, of counts those of
// a negative binomial law, 3 / 0.5 and 3 / 0.5 + 3 / 0.5^2. Fewer than one in a thousand seeds would fail.
TEST(BeamRun, ForecastsAreThoseOfAllDraws) {
  const BeamRun numbers = run_without_data({.mean = 7, .centre_variance = 4}, 1);
  const BeamRun counts = run_without_data({.emission = Emission::poisson, .rate_prior = {3, 0.5}}, 1);
  for (const std::size_t sequence : {0U, 1U}) {
    for (const Index step : {0, 1}) {
      EXPECT_NEAR(numbers.forecasts.at(sequence).mean(0, step), 7, 0.25);
      EXPECT_NEAR(numbers.forecasts.at(sequence).sd(0, step), std::sqrt(5.0), 0.2);
      EXPECT_NEAR(counts.forecasts.at(sequence).mean(0, step), 6, 0.4);
      EXPECT_NEAR(counts.forecasts.at(sequence).sd(0, step), std::sqrt(18.0), 0.4);
    }
  }
}

TEST(BeamRun, ThreadsDoNotMatter) {
  const BeamRun one = run_without_data({}, 1), three = run_without_data({}, 3);
  EXPECT_EQ(one.log_density, three.log_density);
  EXPECT_EQ(one.states, three.states);
  EXPECT_EQ(one.forecasts[1].sd, three.forecasts[1].sd);
  EXPECT_EQ(one.best.states, three.best.states);
  EXPECT_EQ(one.best_log_density, one.log_density.maxCoeff());
}

TEST(Ihmm, CountsAndCategories) {
  Table data{.source = "memory", .names = {"n"}, .values = Mat(6, 1), .lines = {}};
  data.values << 0, 3, 3, missing, 5, 0;
  const NamedSequences categories =
      make_series(data, {.columns = "", .sequence = "", .emission = Emission::categorical});
  EXPECT_EQ(categories.names, (std::vector<std::string>{"0", "3", "5"}));
  EXPECT_EQ(categories.data.values.col(4), Eigen::Vector3d(0, 0, 1));
  EXPECT_TRUE(categories.data.values.col(3).array().isNaN().all());
  EXPECT_EQ(make_series(data, {.columns = "n", .sequence = "", .emission = Emission::poisson}).data.values(0, 4), 5);
  data.values(1, 0) = 1.5;
  EXPECT_THROW(make_series(data, {.columns = "n", .sequence = "", .emission = Emission::poisson}), DataError);
  EXPECT_THROW(make_series(data, {.columns = "n", .sequence = "", .emission = Emission::categorical}), DataError);
}

TEST(Ihmm, DoesNotTakeTheTimeForAPartOfTheSeries) {
  Table data = table();
  data.names[0] = "time";
  for (Index t = 0; t < 40; ++t) data.values(t, 0) = 0.1 * static_cast<double>(t);
  EXPECT_EQ(
      test::error_message<UsageError>([&] { make_series(data, {}); }),
      "memory: column 1 ('time'): rises in equal steps, as the time does; say with model.columns which columns are "
      "the series");
  EXPECT_EQ(make_series(data, {.columns = "time"}).data.dim(), 1);
}

TEST(Ihmm, SequencesMustNotComeBack) {
  Table data = table();
  EXPECT_EQ(make_series(data, {.columns = "load", .sequence = "id"}).data.starts, (std::vector<Index>{0, 25}));
  data.values(39, 0) = 1;
  EXPECT_EQ(test::error_message<DataError>([&] { make_series(data, {.columns = "load", .sequence = "id"}); }),
            "memory, row 40: column 1 ('id'): the sequence goes on after another one: its rows must follow each other");
  EXPECT_THROW(make_series(data, {.columns = "id", .sequence = "id"}), UsageError);
}

TEST(Ihmm, GradientSamplersAreToldWhatToUse) {
  for (const char* sampler : {"nuts", "rwm", "sgld"}) {
    EXPECT_EQ(test::error_message<UsageError>([&] { chain({}, 5, sampler); }),
              "the model ihmm has no gradients: its states are discrete. Use --sampler ihmm-beam");
  }
  EXPECT_THROW(chain({}, 5, "als"), UsageError);
  test::Collect beam, gibbs;
  chain({}, 5)->run_to(7, beam, {});
  chain({}, 5, "gibbs")->run_to(7, gibbs, {});
  EXPECT_EQ(beam.values, gibbs.values);
}

}  // namespace
}  // namespace quasar
