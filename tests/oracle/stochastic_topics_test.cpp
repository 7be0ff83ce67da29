// Topics by stochastic gradients against Gibbs sampling of the same posterior: weights, hyperparameters, and how well
// words of new documents are told. And the laws of the steps that move the topics' words given counts.
// 89 statistical assertions: false-positive rate 1e-3 together. Steps are small, so that their bias is below the error,
// but where the bias itself is tested.
#include "samplers/stochastic_topics.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include <quasar/diagnostics.hpp>

#include "kernels/topics/expanded_topics.hpp"
#include "models/topics/gamma_gp.hpp"
#include "models/topics/gamma_nb.hpp"
#include "models/topics/held_out.hpp"
#include "support/statistics.hpp"

namespace quasar {
namespace {

const double threshold = test::z_threshold(test::per_assertion(test::family_alpha, 89));

Corpus draw_documents(Index documents, const Rng& rng) {
  constexpr Index words = 12, topics = 3;
  Corpus corpus;
  corpus.vocabulary = words;
  Mat phi(words, topics);
  for (Index k = 0; k < topics; ++k) {
    Vec topic(words);
    Rng(3).child("topic", static_cast<std::uint64_t>(k)).stream("words").dirichlet(Vec::Constant(words, 0.3), topic);
    phi.col(k) = topic;
  }
  for (Index n = 0; n < documents; ++n) {
    Stream draws = rng.child("document", static_cast<std::uint64_t>(n)).stream("words");
    std::vector<std::uint32_t> count(words), used, counts;
    for (Index k = 0; k < topics; ++k) {
      const double shape = std::pow(0.5, static_cast<double>(k));
      for (std::int64_t i = draws.poisson(12 * draws.gamma(shape)); i > 0; --i) {
        ++count[static_cast<std::size_t>(draws.categorical(phi.col(k)))];
      }
    }
    for (std::uint32_t v = 0; v < words; ++v) {
      if (count[v] == 0) continue;
      used.push_back(v);
      counts.push_back(count[v]);
    }
    corpus.add({used, counts});
  }
  return corpus;
}

struct Fit {
  std::span<const ParamSpec> (*params)();
  MakeTopicMethod make;
  Settings settings;
  Index steps;
};

struct Posterior {
  std::vector<std::string> names;
  std::vector<Mat> draws;  // of each name: a column for each chain
};

// Weights in order, since topics have none.
std::vector<NamedNumber> numbers_of(const TopicMethod& method, const TokenSplit& split, Index draw) {
  std::vector<NamedNumber> numbers = method.scalars();
  for (NamedNumber& number : numbers) number.value = std::log(number.value);
  const TopicDraw topics = method.draw();
  Vec r = topics.weights;
  std::sort(r.begin(), r.end());
  for (Index k = 0; k < r.size(); ++k) numbers.push_back({"r_" + std::to_string(k), r[k]});
  numbers.push_back({"shares", r.squaredNorm() / (r.sum() * r.sum())});
  HeldOutPredictions predictions(split);
  predictions.add(topics, {.discarded = 2, .kept = 3}, Rng(4).at(static_cast<std::uint64_t>(draw)));
  numbers.push_back({"held out", predictions.score().per_token()});
  return numbers;
}

Posterior sample(const Fit& fit) {
  constexpr Index chains = 4, kept = 250;
  const auto documents = std::make_shared<DocumentsInMemory>(draw_documents(30, Rng(1)));
  const TokenSplit split = split_tokens(draw_documents(8, Rng(2)), 0.3, Rng(5));
  Posterior posterior;
  for (Index chain = 0; chain < chains; ++chain) {
    const auto method =
        fit.make(documents, Config("topics", fit.params(), fit.settings), {static_cast<std::uint64_t>(chain) + 1, 1});
    for (Index i = 0; i < fit.steps / 10; ++i) method->step();
    for (Index draw = 0; draw < kept; ++draw) {
      for (Index i = 0; i < fit.steps / kept; ++i) method->step();
      const auto numbers = numbers_of(*method, split, draw);
      if (posterior.names.empty()) posterior.draws.assign(numbers.size(), Mat(kept, chains));
      posterior.names.resize(numbers.size());
      for (std::size_t i = 0; i < numbers.size(); ++i) {
        posterior.names[i] = numbers[i].name;
        posterior.draws[i](draw, chain) = numbers[i].value;
      }
    }
  }
  return posterior;
}

void expect_agreement(const Posterior& posterior, const Posterior& exact, const std::string& what,
                      const std::string& left_out = "") {
  ASSERT_EQ(posterior.names, exact.names);
  for (std::size_t i = 0; i < posterior.names.size(); ++i) {
    if (posterior.names[i] == left_out) continue;
    const double error = std::hypot(mcse_mean(posterior.draws[i]), mcse_mean(exact.draws[i]));
    EXPECT_LT(std::abs(mean(posterior.draws[i]) - mean(exact.draws[i])), threshold * error)
        << what << ", " << posterior.names[i] << ": " << mean(posterior.draws[i]) << " by stochastic gradients, "
        << mean(exact.draws[i]) << " by Gibbs, +- " << error;
  }
}

Settings with(Settings settings, const Settings& more) {
  settings.insert(more.begin(), more.end());
  return settings;
}

const Settings prior{{"topics", "3"}, {"word_prior", "0.5"}, {"a0", "2"}, {"b0", "2"}};
const Settings process = with(prior, {{"rounds", "4"},
                                      {"alpha_shape", "4"},
                                      {"alpha_rate", "4"},
                                      {"gamma_shape", "4"},
                                      {"gamma_rate", "4"},
                                      {"c_shape", "4"},
                                      {"c_rate", "4"}});
const Settings nb = with(prior, {{"e0", "4"}, {"f0", "2"}});
constexpr Index sweeps = 5000, steps = 10000;

Fit stochastic(Settings settings, const Settings& more) {
  return {stochastic_topics_params, make_stochastic_topics, with(std::move(settings), more), steps};
}

TEST(StochasticTopics, GammaProcessAgreesWithGibbs) {
  const Posterior exact = sample({gamma_gp_params, make_gamma_gp, process, sweeps});
  expect_agreement(sample(stochastic(process, {{"sampler", "sghmc"},
                                               {"sampler_settings", "step_size=0.15 friction=1"},
                                               {"batch_size", "15"},
                                               {"phi_step", "0.01"},
                                               {"phi_decay", "0"},
                                               {"local_sweeps", "2"}})),
                   exact, "sghmc on half of the documents, expanded mean");
  expect_agreement(sample(stochastic(process, {{"sampler", "sgr-nphmc-canonical"},
                                               {"sampler_settings", "step_size=0.3 friction=0.5"},
                                               {"batch_size", "30"},
                                               {"phi", "gibbs"},
                                               {"local_sweeps", "1"}})),
                   exact, "sgr-nphmc-canonical on all documents, gibbs");
  expect_agreement(sample(stochastic(process, {{"sampler", "sgrld"},
                                               {"sampler_settings", "step_size=0.05"},
                                               {"batch_size", "15"},
                                               {"phi_step", "0.01"},
                                               {"phi_decay", "0"},
                                               {"local_sweeps", "2"}})),
                   exact, "sgrld on half of the documents, expanded mean");
}

TEST(StochasticTopics, OtherSamplersAgreeWithGibbs) {
  const Posterior exact = sample({gamma_gp_params, make_gamma_gp, process, sweeps});
  expect_agreement(sample(stochastic(process, {{"sampler", "sg-nphmc-canonical"},
                                               {"sampler_settings", "step_size=0.15 friction=1"},
                                               {"batch_size", "15"},
                                               {"phi", "gibbs"},
                                               {"local_sweeps", "2"}})),
                   exact, "sg-nphmc-canonical on half of the documents, gibbs");
  expect_agreement(sample(stochastic(process, {{"sampler", "sgnht-em"},
                                               {"sampler_settings", "step_size=0.1 friction=1 mass_shape=diagonal"},
                                               {"batch_size", "30"},
                                               {"phi", "gibbs"},
                                               {"local_sweeps", "1"}})),
                   exact, "sgnht-em on all documents, gibbs");
}

// As documents are read that are not in memory: their tokens' topics start from nothing at every look. Words that are
// held out cannot be compared: a draw then has phi itself, where otherwise it has its mean given all tokens' topics.
TEST(StochasticTopics, StreamedDocumentsAgreeWithGibbsAfterManySweeps) {
  const Posterior exact = sample({gamma_gp_params, make_gamma_gp, process, sweeps});
  expect_agreement(sample(stochastic(process, {{"sampler", "sghmc"},
                                               {"sampler_settings", "step_size=0.15 friction=1"},
                                               {"batch_size", "15"},
                                               {"keep_topics", "false"},
                                               {"phi_step", "0.01"},
                                               {"phi_decay", "0"},
                                               {"local_sweeps", "20"}})),
                   exact, "sghmc on half of the documents, streamed", "held out");
}

TEST(StochasticTopics, GammaNbAgreesWithGibbs) {
  const Posterior exact = sample({gamma_nb_params, make_gamma_nb, nb, sweeps});
  expect_agreement(sample(stochastic(nb, {{"model", "gamma-nb"},
                                          {"sampler", "sgnht"},
                                          {"sampler_settings", "step_size=0.15 friction=1"},
                                          {"batch_size", "15"},
                                          {"phi", "gibbs"},
                                          {"local_sweeps", "2"}})),
                   exact, "sgnht on half of the documents, gibbs");
  expect_agreement(sample(stochastic(nb, {{"model", "gamma-nb"},
                                          {"sampler", "sgrld"},
                                          {"sampler_settings", "step_size=0.1"},
                                          {"batch_size", "30"},
                                          {"phi_step", "0.01"},
                                          {"phi_decay", "0"},
                                          {"local_sweeps", "1"}})),
                   exact, "sgrld on all documents, expanded mean");
}

// Given counts that stand for all documents, phi ~ Dirichlet(eta + w x): its means and squares.
template <class Move>
void expect_dirichlet(double eta, Index steps_a_draw, const Move& move, const std::string& what) {
  constexpr Index words = 4, chains = 4, kept = 2000;
  const double w = 1.5;
  WordTopicCounts counts(1, words);
  counts << 4, 0, 9, 1;
  const Vec shapes = (eta + w * counts.row(0).transpose().cast<double>().array()).matrix();
  const double total = shapes.sum();
  std::vector<Mat> phi(words, Mat(kept, chains));
  for (Index chain = 0; chain < chains; ++chain) {
    const Rng rng = Rng(6).child("chain", static_cast<std::uint64_t>(chain));
    ExpandedTopics topics(1, words, eta, 1);
    topics.draw_start(rng);
    for (Index i = 0; i < 50 + kept; ++i) {
      for (Index step = 0; step < steps_a_draw; ++step) {
        move(topics, ExpandedTopics::Data{counts, w}, rng.at(static_cast<std::uint64_t>(i * steps_a_draw + step)));
      }
      if (i < 50) continue;
      for (Index v = 0; v < words; ++v) {
        phi[static_cast<std::size_t>(v)](i - 50, chain) = topics.values()(0, v) / topics.values().sum();
      }
    }
  }
  for (Index v = 0; v < words; ++v) {
    const Mat& of_word = phi[static_cast<std::size_t>(v)];
    const double m = shapes[v] / total, square = m * (shapes[v] + 1) / (total + 1);
    EXPECT_LT(std::abs(mean(of_word) - m), threshold * mcse_mean(of_word)) << what << ", word " << v;
    EXPECT_LT(std::abs(mean(of_word.cwiseAbs2()) - square), threshold * mcse_mean(of_word.cwiseAbs2()))
        << what << ", word " << v;
  }
}

struct Bias {  // of the mean of independent draws
  double value, error;
  double z() const { return std::abs(value) / error; }
};

Bias bias_of(const Vec& draws, double exact) {
  const auto n = static_cast<double>(draws.size());
  const double variance = (draws.array() - draws.mean()).square().sum() / (n - 1);
  return {draws.mean() - exact, std::sqrt(variance / n)};
}

// Without data a topic of one word has g' = (g + (e/2) eta + N(0, e g)) / (1 + e/2), far from the mirror where eta is
// large. So steps of size e have the mean eta and the variance eta/(1 + e/4); the prior's is eta. Topics are
// replicates.
TEST(ExpandedTopics, LangevinStepsHaveTheirOwnLaw) {
  constexpr Index topics = 100000, moves = 200;
  constexpr double eta = 50, step_size = 0.2;
  const WordTopicCounts none = WordTopicCounts::Zero(topics, 1);
  ExpandedTopics replicates(topics, 1, eta, 1);
  replicates.draw_start(Rng(7));
  for (Index i = 0; i < moves; ++i) {
    replicates.langevin(step_size, {none, 1.0}, Rng(7).at(static_cast<std::uint64_t>(i)));
  }
  const Vec off = replicates.values().col(0).array() - eta;
  EXPECT_LT(bias_of(off, 0).z(), threshold);
  EXPECT_LT(bias_of(off.cwiseAbs2(), eta / (1 + step_size / 4)).z(), threshold);
  EXPECT_GT(bias_of(off.cwiseAbs2(), eta).z(), threshold);  // the prior's law can be told from it
}

// Of E sum_v phi_v^2, phi ~ Dirichlet(eta + w x), after a time that forgets the start; topics are replicates. With eta
// < 1 the mirror at 0 has a part in the bias, which falls more slowly.
Bias langevin_bias(double step_size) {
  constexpr Index topics = 400000, words = 4;
  constexpr double eta = 2, w = 1.5, time = 12;
  const Eigen::RowVector<std::uint32_t, words> of_topic(4, 0, 9, 1);
  const WordTopicCounts counts = of_topic.replicate<topics, 1>();
  ExpandedTopics replicates(topics, words, eta, 1);
  replicates.draw_start(Rng(8));
  for (Index i = 0; i < std::lround(time / step_size); ++i) {
    replicates.langevin(step_size, {counts, w}, Rng(8).at(static_cast<std::uint64_t>(i)));
  }
  const Mat& g = replicates.values();
  const Vec shapes = eta + w * of_topic.transpose().cast<double>().array();
  const double total = shapes.sum();
  return bias_of(g.rowwise().squaredNorm().cwiseQuotient(g.rowwise().sum().cwiseAbs2()),
                 (shapes.squaredNorm() + total) / (total * (total + 1)));
}

TEST(ExpandedTopics, TheBiasOfLangevinStepsFallsAsTheirSize) {
  const Bias coarse = langevin_bias(0.2), fine = langevin_bias(0.1);
  ASSERT_GT(fine.z(), threshold);  // it can be seen
  const double error = std::hypot(coarse.error, 2 * fine.error);
  EXPECT_LT(std::abs(coarse.value - 2 * fine.value), threshold * error)
      << "bias " << coarse.value << " and with half of the step " << fine.value << ", +- " << fine.error;
}

TEST(ExpandedTopics, LeapfrogStepsDrawDirichletWords) {
  const auto leapfrog = [](double step_size, Index steps_a_move) {
    return [=](ExpandedTopics& topics, const auto& data, const Rng& rng) {
      topics.hamiltonian(step_size, steps_a_move, data, rng);
    };
  };
  expect_dirichlet(1.5, 1, leapfrog(0.05, 20), "leapfrog");
  expect_dirichlet(0.6, 1, leapfrog(0.01, 90), "leapfrog near 0");  // with longer steps numbers are caught there
}

}  // namespace
}  // namespace quasar
