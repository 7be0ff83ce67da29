// Networks drawn from their prior with data drawn from them: what the sampler then does is known.
//
// Geweke's test with independent restarts: weights, precisions and data drawn from the joint law are an exact draw from
// the posterior of these weights, and a right chain that starts there stays in it. So after a few iterations every
// precision is still Gamma(a, b), and every weight sqrt(b/a) times Student's t with 2a degrees of freedom.
//
// Simulation-based calibration (Talts et al. 2018): the rank of the truth among draws of a whole run is uniform. It is
// asked of what the data can tell: predictions, noise and precisions. Weights themselves change places and signs with
// others without any change of the density, and a short run visits one arrangement only.
#include <boost/math/distributions/gamma.hpp>
#include <boost/math/distributions/students_t.hpp>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include <quasar/registry.hpp>
#include <quasar/sample.hpp>

#include "models/network/network_predictor.hpp"
#include "support/networks.hpp"
#include "support/statistics.hpp"

namespace quasar {
namespace {

constexpr int assertions = 21;  // of this file
constexpr GammaPrior prior{3, 2}, noise_prior{4, 3};

double alpha() { return test::per_assertion(test::family_alpha, assertions); }

const NetworkShape to_number{{2, 2, 1}, Activation::tanh, Output::gaussian};
const NetworkShape to_classes{{2, 2, 3}, Activation::sigmoid, Output::softmax};

// x from the prior of the model.
Vec draw_prior(const NetworkShape& shape, const Rng& rng) {
  const std::vector<Block> groups = shape.groups();
  const Index parameters = shape.parameters(), precisions = std::ssize(groups) + (shape.output == Output::gaussian);
  Vec x(parameters + precisions);
  rng.stream("weights").normals(x.head(parameters));
  Stream gamma = rng.stream("precisions");
  for (Index i = 0; i < precisions; ++i) {
    const bool of_group = i < std::ssize(groups);
    const GammaPrior& its = of_group ? prior : noise_prior;
    const double precision = gamma.gamma(its.shape) / its.rate;
    x[parameters + i] = std::log(precision);
    if (of_group) {
      const Block group = groups[static_cast<std::size_t>(i)];
      x.segment(group.begin, group.size) /= std::sqrt(precision);
    }
  }
  return x;
}

// The network with responses that it has drawn itself: the predictor's replicates at x.
Network<double> with_drawn_responses(const NetworkShape& shape, Index rows, const Vec& x, const Rng& rng) {
  const auto inputs = test::made_up_rows<double>(shape, rows);
  Network<double> network(inputs, shape, prior, noise_prior);
  Vec values(x.size());
  network.constrain(x, values, rng);
  NetworkPredictor<double> simulator(inputs, shape);
  simulator.take({values.data(), static_cast<std::size_t>(values.size())}, rng);
  auto data = std::make_shared<NetworkData<double>>(*inputs);
  simulator.replicate(0, data->response);
  return {data, shape, prior, noise_prior};
}

struct LastDraw final : Sink {
  Vec values;
  void on_draw(const Draw& draw) override {
    values = Eigen::Map<const Vec>(draw.values.data(), std::ssize(draw.values));
  }
};

Mat after_a_few_iterations(const NetworkShape& shape, int replicates) {
  constexpr Index rows = 8;
  constexpr std::int64_t iterations = 4;
  const SamplerEntry& hmc = find_sampler("hmc");
  const Config config(hmc.name, hmc.params, {{"step_size", "0.2"}, {"leapfrog_steps", "4"}, {"metric", "identity"}});
  Mat all(draw_prior(shape, Rng(1)).size(), replicates);
  for (int i = 0; i < replicates; ++i) {
    const Rng rng(21, static_cast<std::uint64_t>(i));
    ChainSpec spec;
    spec.schedule = {0, iterations, 1};
    spec.chain = i;
    spec.initial = draw_prior(shape, rng);
    const auto network = with_drawn_responses(shape, rows, spec.initial, rng);
    LastDraw last;
    hmc.make(network.fork(), config, spec)->run_to(iterations, last, {});
    all.col(i) = last.values;
  }
  return all;
}

template <class Cdf>
void expect_law(Vec sample, const std::string& what, Cdf cdf) {
  std::sort(sample.begin(), sample.end());
  const double p = test::ks_p_value({sample.data(), static_cast<std::size_t>(sample.size())}, cdf);
  EXPECT_GT(p, alpha()) << what;
}

void expect_joint_law(const NetworkShape& shape) {
  const Mat draws = after_a_few_iterations(shape, 20000);
  const boost::math::gamma_distribution<double> gamma(prior.shape, 1 / prior.rate);
  const boost::math::gamma_distribution<double> noise(noise_prior.shape, 1 / noise_prior.rate);
  const boost::math::students_t_distribution<double> student(2 * prior.shape);
  const Index parameters = shape.parameters();
  for (const Block group : shape.groups()) {  // its first weight
    expect_law(draws.row(group.begin), "weight",
               [&](double w) { return boost::math::cdf(student, w / std::sqrt(prior.rate / prior.shape)); });
  }
  for (Index i = parameters; i < draws.rows(); ++i) {
    expect_law(draws.row(i), "precision", [&](double value) {
      const bool sigma = shape.output == Output::gaussian && i + 1 == draws.rows();
      return sigma ? 1 - boost::math::cdf(noise, 1 / (value * value)) : boost::math::cdf(gamma, value);
    });
  }
}

TEST(Network, GewekeForNumbers) { expect_joint_law(to_number); }   // 9 assertions
TEST(Network, GewekeForClasses) { expect_joint_law(to_classes); }  // 8

// Of each draw: the prediction for a new row, sigma, and a precision of each layer.
struct Statistics final : Sink {
  Statistics(const NetworkShape& shape)
      : predictor(test::made_up_rows<double>(shape, 1), shape), parameters(shape.parameters()) {}

  void on_draw(const Draw& draw) override { rows.push_back(of(draw.values)); }

  Vec of(std::span<const double> values) {
    Mat predicted(1, 2);
    predictor.take(values, Rng(1));
    predictor.predict(0, predicted);
    const auto at = static_cast<std::size_t>(parameters);
    return Vec{{predicted(0, 0), values.back(), values[at], values[at + 2]}};
  }

  NetworkPredictor<double> predictor;
  Index parameters;
  std::vector<Vec> rows;
};

TEST(Network, CalibratedBySimulation) {
  constexpr int simulations = 600, ranks = 20, quantities = 4;
  constexpr Index rows = 5;
  constexpr std::int64_t thin = 15;
  const SamplerEntry& nuts = find_sampler("nuts");
  const Config config(nuts.name, nuts.params, {{"max_depth", "6"}});
  Mat counts = Mat::Zero(ranks, quantities);
  for (int i = 0; i < simulations; ++i) {
    const Rng rng(31, static_cast<std::uint64_t>(i));
    const Vec truth = draw_prior(to_number, rng);
    auto network = with_drawn_responses(to_number, rows, truth, rng);
    ChainSpec spec;
    spec.schedule = {150, (ranks - 1) * thin, thin};
    spec.chain = i;
    Statistics draws(to_number);
    nuts.make(network.fork(), config, spec)->run_to(spec.schedule.total(), draws, {});
    Vec values(truth.size());
    network.constrain(truth, values, rng);
    const Vec known = draws.of({values.data(), static_cast<std::size_t>(values.size())});
    for (Index q = 0; q < quantities; ++q) {
      const auto below =
          std::count_if(draws.rows.begin(), draws.rows.end(), [&](const Vec& d) { return d[q] < known[q]; });
      ++counts(below, q);
    }
  }
  const std::vector<double> expected(ranks, static_cast<double>(simulations) / ranks);
  for (Index q = 0; q < quantities; ++q) {
    const double p = test::goodness_of_fit_p_value({counts.col(q).data(), ranks}, expected);
    EXPECT_GT(p, alpha()) << q << ": " << counts.col(q).transpose();
  }
}

}  // namespace
}  // namespace quasar
