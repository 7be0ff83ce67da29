// The model network: its density and gradient, its Gibbs steps, what it refuses, what it predicts.
#include "models/network/network.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include <quasar/check_gradient.hpp>
#include <quasar/errors.hpp>
#include <quasar/layout.hpp>
#include <quasar/registry.hpp>

#include "core/blas_threads.hpp"
#include "core/gibbs.hpp"
#include "models/network/network_predictor.hpp"
#include "support/allocations.hpp"
#include "support/error_message.hpp"
#include "support/networks.hpp"
#include "support/resuming.hpp"

namespace quasar {
namespace {

using test::made_up_network;
using test::made_up_rows;

Vec some_point(Index dim, std::uint64_t seed = 3) {
  Vec x(dim);
  Rng(seed).stream("point").normals(x);
  return 0.7 * x;
}

double input(const NetworkData<double>& data, Index row, Index column) {  // of dense rows
  return data.inputs.range(row, 1).dense[column];
}

// Numbers of an independent implementation, at one row x = (1, 2, -1) of class 1.
TEST(Network, MicroOracle) {
  auto data = std::make_shared<NetworkData<double>>();
  data->inputs = InputRows<double>(Eigen::RowVector3d{1, 2, -1});
  data->response = Vec::Constant(1, 1);
  data->classes = {"0", "1"};
  data->input_names = {"a", "b", "c"};
  const NetworkShape shape{{3, 2, 2}};
  Network<double> network(data, shape, {});
  Vec x = Vec::Zero(network.dim()), grad = x;
  x.head(14) << .1, -.2, .3, .4, -.5, .2, .05, -.1, 1, -1, .5, .25, .1, -.1;
  const Eval at = network.add_range(x, 0, 1, 1.0, grad, Want::both);
  EXPECT_NEAR(at.logp, -2.037830139594, 1e-12);
  EXPECT_NEAR(grad[6], -.3010946023, 1e-10);
  EXPECT_NEAR(grad[7], -.0531506663, 1e-10);

  Mat probabilities(1, 2);
  Vec density(1);
  NetworkPredictor<double> predictor(data, shape);
  predictor.take({x.data(), static_cast<std::size_t>(x.size())}, Rng(1));
  predictor.predict(0, probabilities);
  predictor.log_density(0, density);
  EXPECT_NEAR(probabilities(0, 0), .8696888386, 1e-10);
  EXPECT_NEAR(probabilities(0, 1), .1303111614, 1e-10);
  EXPECT_NEAR(density[0], at.logp, 1e-14);
}

// The precisions are coordinates like any other: without Gibbs steps the density is right as well.
TEST(Network, GradientsBelongToTheDensity) {
  for (const std::vector<Index>& hidden : {std::vector<Index>{}, {4}, {4, 3}}) {
    for (const Activation activation : {Activation::sigmoid, Activation::tanh, Activation::relu}) {
      for (const Output output : {Output::softmax, Output::gaussian}) {
        NetworkShape shape{{3}, activation, output};
        shape.widths.insert(shape.widths.end(), hidden.begin(), hidden.end());
        shape.widths.push_back(output == Output::softmax ? 3 : 1);
        auto network = made_up_network<double>(shape, 7, {1.5, 0.7});
        const GradientCheck check = check_gradient(network, some_point(network.dim()));
        EXPECT_TRUE(check.ok) << hidden.size() << " " << static_cast<int>(activation) << " " << static_cast<int>(output)
                              << ": " << check.message;
      }
    }
  }
}

// log prior + log likelihood as the formulas say, up to a constant: differences between two points.
TEST(Network, DensityOfNoHiddenLayerByHand) {
  const NetworkShape shape{{2, 1}, Activation::sigmoid, Output::gaussian};
  const auto data = made_up_rows<double>(shape, 5);
  Network<double> network(data, shape, {2, 3}, {4, 5});
  const auto by_hand = [&](const Vec& x) {
    const double lambda_w = std::exp(x[3]), lambda_b = std::exp(x[4]), tau = std::exp(x[5]);
    double logp = 0;
    for (const double precision : {lambda_w, lambda_b}) logp += 2 * std::log(precision) - 3 * precision;
    logp += 4 * std::log(tau) - 5 * tau;
    logp += std::log(lambda_w) - lambda_w * x.head(2).squaredNorm() / 2;
    logp += 0.5 * std::log(lambda_b) - lambda_b * x[2] * x[2] / 2;
    for (Index i = 0; i < 5; ++i) {
      const double mean = input(*data, i, 0) * x[0] + input(*data, i, 1) * x[1] + x[2];
      logp += 0.5 * std::log(tau) - tau * std::pow(data->response[i] - mean, 2) / 2;
    }
    return logp;
  };
  Vec grad(6);
  const Vec a = some_point(6, 1), b = some_point(6, 2);
  EXPECT_NEAR(network.logp_grad(a, grad).logp - network.logp_grad(b, grad).logp, by_hand(a) - by_hand(b), 1e-12);
}

// Weights a million times as large as their prior has them: no step of a chain that is right gets there.
TEST(Network, PrecisionsThatNoPriorAllowsEndTheRun) {
  auto network = made_up_network<double>({{2, 3}}, 4, {1, 2});
  Vec x = Vec::Zero(network.dim()), drawn(2);
  x.head(6).setConstant(1e3);
  EXPECT_NO_THROW(network.draw_conditional(0, x, drawn, Rng(1)));
  x.head(6).setConstant(1e6);
  const std::string message = test::error_message<Diverged>([&] { network.draw_conditional(0, x, drawn, Rng(1)); });
  EXPECT_NE(message.find("weights_1"), std::string::npos) << message;
  EXPECT_NE(message.find("smaller step_size"), std::string::npos) << message;
}

// A shape below 1 has much of its mass near 0: what is improbable lies further out.
TEST(Network, FlatPriorsAllowSmallPrecisions) {
  auto network = made_up_network<double>({{2, 3}}, 4, {0.1, 0.1});
  Vec x = Vec::Zero(network.dim()), drawn(2);
  x.head(9).setConstant(1e6);
  EXPECT_NO_THROW(network.draw_conditional(0, x, drawn, Rng(1)));
}

// More rows than a block, so that blocks have to be put together; relative to the size of the whole.
TEST(Network, TermsAddUpToTheSum) {
  const NetworkShape shape{{3, 5, 4}};
  constexpr Index rows = 2 * network_block + 100;
  auto network = made_up_network<double>(shape, rows);
  const Vec x = some_point(network.dim());
  Vec whole = Vec::Zero(x.size()), parts = whole, picked = whole;
  const double logp = network.add_range(x, 0, rows, 2.5, whole, Want::both).logp;
  double sum = network.add_range(x, 0, 40, 2.5, parts, Want::both).logp;
  sum += network.add_range(x, 40, rows, 2.5, parts, Want::both).logp;
  std::vector<Index> ids(rows);
  std::iota(ids.rbegin(), ids.rend(), 0);
  const double of_ids = network.add_terms(x, ids, 2.5, picked, Want::both).logp;
  EXPECT_NEAR(sum, logp, 1e-12 * std::abs(logp));
  EXPECT_NEAR(of_ids, logp, 1e-12 * std::abs(logp));
  EXPECT_LT((parts - whole).norm(), 1e-12 * whole.norm());
  EXPECT_LT((picked - whole).norm(), 1e-12 * whole.norm());
}

// Inputs of which nine in ten are zero, as they are and as the few that are not: the same but for rounding. Layers of
// one vector, of many, and of some that are not full.
template <class Real>
void expect_sparse_equals_dense(double rounding) {
  for (const Index units : {3, 16, 50, 100, 130}) {
    const NetworkShape shape{{40, units, 3}, Activation::tanh};
    const auto dense = made_up_rows<Real>(shape, 700);
    typename InputRows<Real>::Dense few(700, 40), filled(700, 40);
    for (Index i = 0; i < 700; ++i) {
      for (Index j = 0; j < 40; ++j) few(i, j) = (i + j) % 10 == 0 ? dense->inputs.range(i, 1).dense[j] : Real(0);
    }
    const auto network = [&](InputRows<Real> inputs) {
      auto data = std::make_shared<NetworkData<Real>>(*dense);
      data->inputs = std::move(inputs);
      return Network<Real>(data, shape, {});
    };
    filled = (few.array() == Real(0)).select(std::numeric_limits<Real>::denorm_min(), few);  // not zero, and nothing
    auto sparse = network(InputRows<Real>(few)), full = network(InputRows<Real>(filled));
    ASSERT_TRUE(InputRows<Real>(few).sparse() && !InputRows<Real>(filled).sparse());
    const Vec x = some_point(sparse.dim());
    Vec grad = Vec::Zero(x.size()), expected = grad;
    std::vector<Index> ids(650);
    std::iota(ids.begin(), ids.end(), 30);
    for (int twice = 0; twice < 2; ++twice) {
      const double logp = full.add_terms(x, ids, 2, expected, Want::both).logp;
      EXPECT_NEAR(sparse.add_terms(x, ids, 2, grad, Want::both).logp, logp, rounding * std::abs(logp));
      EXPECT_LT((grad - expected).norm(), rounding * expected.norm()) << units;
    }
    full.add_range(x, 10, 700, 1, expected, Want::both);
    sparse.add_range(x, 10, 700, 1, grad, Want::both);
    EXPECT_LT((grad - expected).norm(), rounding * expected.norm()) << units;
  }
}

TEST(Network, SparseInputsAreInputs) {
  expect_sparse_equals_dense<double>(100 * std::pow(2.0, -53));
  expect_sparse_equals_dense<float>(100 * std::pow(2.0, -24));
}

// Sums of about a hundred products of numbers around 1, rounded to 2^-24 each.
TEST(Network, FloatIsNearDouble) {
  for (const Output output : {Output::softmax, Output::gaussian}) {
    const NetworkShape shape{{20, 30, output == Output::softmax ? 3 : 1}, Activation::tanh, output};
    auto in_double = made_up_network<double>(shape, 100);
    auto in_float = made_up_network<float>(shape, 100);
    const Vec x = some_point(in_double.dim());
    Vec grad(x.size()), rounded(x.size());
    const double logp = in_double.logp_grad(x, grad).logp;
    const double scale = 100 * std::pow(2.0, -24);
    EXPECT_NEAR(in_float.logp_grad(x, rounded).logp, logp, scale * std::abs(logp));
    EXPECT_LT((rounded - grad).norm(), scale * grad.norm());
    EXPECT_NE(rounded, grad);
  }
}

TEST(Network, StepsAllocateNothing) {
  const SingleThreadedBlas as_in_chains;  // its threads would take memory for their jobs
  for (const Output output : {Output::softmax, Output::gaussian}) {
    const NetworkShape shape{{30, 20, output == Output::softmax ? 3 : 1}, Activation::relu, output};
    auto network = made_up_network<float>(shape, 1000);
    Vec x = some_point(network.dim()), grad(x.size()), drawn(4), tau(1);
    std::vector<Index> ids(600);
    std::iota(ids.begin(), ids.end(), 100);
    const auto work = [&] {
      network.prior(x, grad, Want::gradient);
      network.add_terms(x, ids, 2, grad, Want::gradient);
      network.add_range(x, 0, 1000, 1, grad, Want::both);
      network.draw_conditional(0, x, drawn, Rng(1));
      if (output == Output::gaussian) network.draw_conditional(1, x, tau, Rng(1));
    };
    work();  // BLAS takes its own buffers once
    const long before = test::allocation_count;
    work();
    EXPECT_EQ(test::allocation_count, before);
  }
}

TEST(Network, LayoutNamesWhatIsRecorded) {
  const auto classes = made_up_network<float>({{2, 3, 2}}, 4);
  EXPECT_EQ(
      element_names(classes.layout()),
      (std::vector<std::string>{"weights_1[x0,1]",  "weights_1[x0,2]",      "weights_1[x0,3]",   "weights_1[x1,1]",
                                "weights_1[x1,2]",  "weights_1[x1,3]",      "bias_1[1]",         "bias_1[2]",
                                "bias_1[3]",        "weights_2[1,c0]",      "weights_2[1,c1]",   "weights_2[2,c0]",
                                "weights_2[2,c1]",  "weights_2[3,c0]",      "weights_2[3,c1]",   "bias_2[c0]",
                                "bias_2[c1]",       "precision[weights_1]", "precision[bias_1]", "precision[weights_2]",
                                "precision[bias_2]"}));
  const auto number = made_up_network<float>({{2, 1}, Activation::relu, Output::gaussian}, 4);
  EXPECT_EQ(element_names(number.layout()),
            (std::vector<std::string>{"weights_1[x0]", "weights_1[x1]", "bias_1", "precision[weights_1]",
                                      "precision[bias_1]", "sigma"}));
  EXPECT_NO_THROW(check_layout(classes.layout()));
  EXPECT_NO_THROW(check_layout(number.layout()));
}

TEST(Network, ValuesGoThereAndBack) {
  const NetworkShape shape{{2, 3, 1}, Activation::tanh, Output::gaussian};
  auto data = made_up_rows<double>(shape, 4);
  data->scale = {5, 2};
  Network<double> network(data, shape, {});
  const Vec x = some_point(network.dim());
  Vec values(network.layout().size()), back(x.size());
  network.constrain(x, values, Rng(1));
  EXPECT_DOUBLE_EQ(values[13], std::exp(x[13]));
  EXPECT_DOUBLE_EQ(values[17], 2 * std::exp(-x[17] / 2));
  network.unconstrain(values, back);
  EXPECT_LT((back - x).norm(), 1e-14);
  values[17] = 0;
  EXPECT_THROW(network.unconstrain(values, back), UsageError);
}

TEST(Network, StartsNearNothing) {
  auto network = made_up_network<double>({{100, 50, 3}}, 4, {2, 8});
  Vec x(network.dim());
  network.draw_start(x, Rng(2));
  Vec normals(network.dim() - 4);
  Rng(2).stream("start").normals(normals);
  EXPECT_EQ(x.head(normals.size()), 0.01 * normals);
  EXPECT_EQ(x.tail(4), Vec::Constant(4, std::log(0.25)));
}

TEST(Network, ResumesBitForBit) {
  const auto network = made_up_network<float>({{3, 4, 2}}, 50);
  const SamplerEntry& sampler = find_sampler("sghmc");
  const Config config(sampler.name, sampler.params,
                      {{"learning_rate", "0.001"}, {"batch_size", "10"}, {"batch_order", "shuffled"}});
  ChainSpec spec;
  spec.schedule = {20, 30, 1};
  test::expect_resumes_bit_for_bit([&] { return sampler.make(network.fork(), config, spec); }, 50, {3, 20, 33});
}

TEST(Network, PredictsANumberOnTheScaleOfTheData) {
  const NetworkShape shape{{2, 1}, Activation::sigmoid, Output::gaussian};
  auto data = made_up_rows<double>(shape, network_block + 5);
  data->scale = {10, 4};
  NetworkPredictor<double> predictor(data, shape);
  const std::vector<double> draw{0.5, -1, 0.25, 1, 1, 3};
  predictor.take(draw, Rng(1));
  Mat out(predictor.rows(), 2);
  Vec density(predictor.rows()), once(predictor.rows()), again(7);
  predictor.predict(0, out);
  predictor.log_density(0, density);
  predictor.replicate(0, once);
  predictor.replicate(network_block - 2, again);
  const Index i = network_block + 3;
  const double mean = 10 + 4 * (0.5 * input(*data, i, 0) - input(*data, i, 1) + 0.25);
  const double y = 10 + 4 * data->response[i];
  EXPECT_NEAR(out(i, 0), mean, 1e-12);
  EXPECT_EQ(out(i, 1), 3);
  EXPECT_DOUBLE_EQ(predictor.observed()[static_cast<std::size_t>(i)], y);
  EXPECT_NEAR(density[i], -std::pow((y - mean) / 3, 2) / 2 - std::log(3) - std::log(2 * M_PI) / 2, 1e-12);
  EXPECT_EQ(again, once.tail(7));  // by their rows, wherever they begin
  EXPECT_THROW(predictor.take(std::vector<double>(5), Rng(1)), std::invalid_argument);
}

TEST(Network, PredictsWithoutAResponse) {
  const NetworkShape shape{{2, 3}};
  auto data = made_up_rows<float>(shape, 4);
  data->response.setConstant(std::numeric_limits<double>::quiet_NaN());
  NetworkPredictor<float> predictor(data, shape);
  EXPECT_TRUE(predictor.observed().empty());
  const std::vector<double> draw{1, 0, -1, 0, 2, 0, 0.5, 0, 0, 1, 1};
  predictor.take(draw, Rng(1));
  Mat out(4, 3);
  predictor.predict(0, out);
  EXPECT_LT((out.rowwise().sum() - Vec::Ones(4)).norm(), 1e-6);
}

TEST(Network, HiddenLayersAreReadWithCare) {
  EXPECT_EQ(parse_widths(""), std::vector<Index>{});
  EXPECT_EQ(parse_widths("100"), std::vector<Index>{100});
  EXPECT_EQ(parse_widths("1e2,50"), (std::vector<Index>{100, 50}));
  for (const char* wrong : {"0", "-3", "a", "10,", ",10", "10,,10", "1.5", "1e7", " "}) {
    EXPECT_NE(test::error_message<UsageError>([&] { parse_widths(wrong); }).find(wrong), std::string::npos);
  }
}

}  // namespace
}  // namespace quasar
