#include "experiments/topic_curves.hpp"

#include <algorithm>
#include <memory>
#include <stdexcept>

#include "experiments/thread_stopwatch.hpp"
#include "models/topics/gamma_nb.hpp"
#include "models/topics/sgp.hpp"
#include "models/topics/vbp.hpp"
#include "models/topics/vgp.hpp"
#include "models/topics/vibp.hpp"
#include "models/topics/vngp.hpp"

namespace quasar {
namespace {

std::unique_ptr<TopicMethod> made(const TopicCandidate& candidate, const Corpus& corpus, const Settings& settings,
                                  std::uint64_t seed) {
  return candidate.make(std::make_shared<DocumentsInMemory>(corpus),
                        Config(candidate.name, candidate.params(), settings), {.seed = seed, .threads = 1});
}

Mat shares_of_all(const TopicMethod& method, Index documents) {
  Mat shares(method.topics(), documents);
  for (Index n = 0; n < documents; ++n) method.shares(n, shares.col(n));
  return shares;
}

}  // namespace

TopicCandidate topic_candidate(const std::string& name) {
  static const TopicCandidate all[] = {
      {"VGP", vgp_params, make_vgp, false}, {"VnGP", vngp_params, make_vngp, false},
      {"VBP", vbp_params, make_vbp, false}, {"VIBP", vibp_params, make_vibp, false},
      {"SGP", sgp_params, make_sgp, true},  {"SNBP", gamma_nb_params, make_gamma_nb, true},
  };
  const auto found = std::ranges::find(all, name, &TopicCandidate::name);
  if (found == std::end(all)) throw std::logic_error("no way to fit topics is called " + name);
  return *found;
}

TopicCurve topic_curve(const TopicCandidate& candidate, const TokenSplit& split, const Settings& settings,
                       const TopicSchedule& schedule, std::uint64_t seed) {
  const auto method = made(candidate, split.seen, settings, seed);
  TopicCurve curve;
  HeldOutPredictions average(split);
  double seconds = 0;
  Index step = 0;
  while (step < schedule.steps && !method->converged()) {
    const ThreadStopwatch watch;
    method->step();
    seconds += watch.seconds();
    if (++step % schedule.every != 0 && !method->converged()) continue;
    const Eigen::MatrixXf phi = method->draw().phi;
    const Mat shares = shares_of_all(*method, split.seen.documents());
    HeldOutPredictions now(split);
    now.add(phi, shares);
    curve.steps.push_back(static_cast<double>(step));
    curve.seconds.push_back(seconds);
    curve.per_word.push_back(now.score().per_token());
    curve.of_average = curve.per_word.back();
    if (candidate.draws && step > schedule.steps - schedule.averaged * schedule.every) {
      average.add(phi, shares);
      curve.of_average = average.score().per_token();
    }
  }
  curve.seconds_per_step = seconds / static_cast<double>(std::max<Index>(step, 1));
  curve.topics = static_cast<double>(count_in_use(method->prevalence()));
  return curve;
}

double seconds_of_a_step(const TopicCandidate& candidate, const Corpus& corpus, const Settings& settings, Index steps) {
  const auto method = made(candidate, corpus, settings, 1);
  method->step();  // the first finds its room
  const ThreadStopwatch watch;
  for (Index i = 0; i < steps; ++i) method->step();
  return watch.seconds() / static_cast<double>(steps);
}

void add_topic_rows(const std::string& method, const TopicCurve& curve, const PrintedTopics& printed,
                    ExperimentResult& result) {
  const auto add = [&](const std::string& quantity, double value, std::optional<double> print) {
    result.rows.push_back({method, quantity, value, std::nullopt, print});
  };
  add("log likelihood per word", curve.of_average, printed.per_word);
  add("iterations", curve.steps.back(), std::nullopt);
  add("CPU seconds an iteration", curve.seconds_per_step, printed.seconds);
  add("topics in use", curve.topics, printed.topics);
}

}  // namespace quasar
