// Table 4.3 and Figure 4.4 of Roychowdhury (2017): topics of 20 Newsgroups by Gibbs sampling, by a Nose-Hoover
// thermostat and by Riemannian Nose-Poincare dynamics on minibatches.
//
// The paper moves E, T and the hyperparameters by three chains with steps of their own, 1e-4 (SGR-NPHMC) and 1e-6
// (SG-NHT), and says nothing of their scale; here one chain moves them all, with the steps that are chosen for topics.
#include "experiments/experiments.hpp"
#include "experiments/newsgroups.hpp"

namespace quasar {

ExperimentResult run_nphmc_topics(const ExperimentOptions& options) {
  const std::string held = "batch=per_trajectory leapfrog_steps=10";
  NewsMethod printed_words =
      news_by_gradients("SGR-NPHMC canonical, phi by RHMC", "gamma-gp", "sgr-nphmc-canonical", held, {});
  printed_words.settings["phi"] = "rhmc";
  NewsMethod forgetful =
      news_by_gradients("SGR-NPHMC canonical, topics not kept", "gamma-gp", "sgr-nphmc-canonical", held, {});
  forgetful.settings["keep_topics"] = "false";
  return compare_on_newsgroups(
      {.methods = {gamma_nb_by_gibbs(763), nb_lda_by_gibbs(788), gamma_gp_by_gibbs(),
                   news_by_gradients("SG-NHT", "gamma-gp", "sgnht", held, 758),
                   news_by_gradients("SGR-NPHMC", "gamma-nb", "sgr-nphmc", held, 752),
                   news_by_gradients("SGR-NPHMC", "gamma-gp", "sgr-nphmc", held, 723),
                   news_by_gradients("SGR-NPHMC canonical", "gamma-nb", "sgr-nphmc-canonical", held, {}),
                   news_by_gradients("SGR-NPHMC canonical", "gamma-gp", "sgr-nphmc-canonical", held, {}),
                   std::move(forgetful), std::move(printed_words)},
       .topics = options.quick ? 20 : 200,
       .schedule = options.quick ? NewsSchedule{40, 40, 20, 20} : NewsSchedule{2000, 1000, 100, 600},
       .figure = "figure-4.4",
       .caption =
           "Roychowdhury (2017), Figure 4.4 and Table 4.3: perplexity of later postings of 20 Newsgroups by single "
           "draws, over iterations and over the time of the processor. The paper's curves have no printed numbers, "
           "and those of its table are of another preprocessing."},
      options);
}

}  // namespace quasar
