// Table 6.4 and Figure 6.1 of Roychowdhury (2017): topics of 20 Newsgroups by samplers on minibatches, with and without
// a mass learned by Monte Carlo EM.
//
// The paper learns the masses of T and of the hyperparameters, in chains of their own; here one chain moves all and
// learns all masses, each by itself: 100 momenta cannot tell a dense mass of 203 numbers, nor of its 100. Its noise
// terms, 1e-2 and 1e-1, belong to scales that it does not print.
#include "experiments/experiments.hpp"
#include "experiments/newsgroups.hpp"

namespace quasar {

ExperimentResult run_mcem_topics(const ExperimentOptions& options) {
  const std::string held = "batch=per_trajectory leapfrog_steps=10";
  const std::string learning = held + " mass_shape=diagonal em_growth=0";
  const std::string em = learning + " em_samples=100", nose_poincare_em = learning + " em_samples=50";
  const auto method = [](const char* name, const char* sampler, const std::string& settings,
                         std::optional<double> perplexity = {}, std::optional<double> seconds = {}) {
    return news_by_gradients(name, "gamma-gp", sampler, settings, perplexity, seconds);
  };
  return compare_on_newsgroups(
      {.methods = {method("SGHMC", "sghmc", held, 759, 0.047), method("SGHMC-EM", "sghmc-em", em, 738, 0.047),
                   method("SGNHT", "sgnht", held, 757, 0.045), method("SGNHT-EM", "sgnht-em", em, 719, 0.045),
                   method("SGR-NPHMC", "sgr-nphmc", held, 723, 0.410), method("SG-NPHMC", "sg-nphmc", held, 714, 0.049),
                   method("SG-NPHMC-EM", "sg-nphmc-em", nose_poincare_em, 712, 0.049),
                   method("SG-NPHMC canonical", "sg-nphmc-canonical", held), gamma_gp_by_gibbs()},
       .topics = options.quick ? 20 : 100,
       .schedule = options.quick ? NewsSchedule{40, 40, 20, 20} : NewsSchedule{1500, 1500, 100, 600},
       .figure = "figure-6.1",
       .caption =
           "Roychowdhury (2017), Figure 6.1 and Table 6.4: perplexity of later postings of 20 Newsgroups by single "
           "draws, over iterations and over the time of the processor. The paper's curves have no printed numbers, "
           "and those of its table are of another preprocessing."},
      options);
}

}  // namespace quasar
