// What diagnose() finds: each problem planted alone in a run that is otherwise well.
#include "diagnostics/problems.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include <quasar/rng.hpp>

namespace quasar::diagnostics {
namespace {

constexpr Index kDraws = 400, kChains = 4;

// Two parameters, "a" and "b", and the statistics of a sampler with trajectories.
struct PlantedRun {
  Mat a = normals("a"), b = normals("b");
  RunFacts facts;

  PlantedRun() {
    facts.chains = kChains;
    facts.draws = kDraws;
    facts.made = kDraws * kChains;
    facts.warmup = 1000;
    facts.iterations = kDraws;
    facts.sampler = "nuts";
    facts.settings = {{"step_size", "0.0"}, {"target_accept", "0.8"}, {"max_depth", "10"}, {"metric", "welford"}};
    facts.law = SamplerLaw{};
    facts.acceptance = Mat::Constant(kDraws, kChains, 0.85);
    facts.energy = normals("energy");
    facts.diverging = facts.reached_max_depth = facts.solver_failed = Mat::Zero(kDraws, kChains);
  }

  static Mat normals(const char* name) {
    Vec z(kDraws * kChains);
    Rng(11).stream(name).normals(z);
    return z.reshaped(kDraws, kChains);
  }

  Diagnosis diagnose() {
    facts.names = {"a", "b"};
    facts.draws_of = [this](Index i) { return i == 0 ? a : b; };
    facts.for_each_parameter = [this](const auto& use) {
      use(0, a);
      use(1, b);
    };
    facts.summaries = {summarize(a), summarize(b)};
    return diagnostics::diagnose(facts);
  }
};

std::vector<std::string> kinds(const Diagnosis& diagnosis) {
  std::vector<std::string> found;
  for (const Problem& problem : diagnosis.problems) found.push_back(problem.kind);
  return found;
}

const Problem& the(const std::string& kind, const Diagnosis& diagnosis) {
  for (const Problem& problem : diagnosis.problems) {
    if (problem.kind == kind) return problem;
  }
  ADD_FAILURE() << "no problem of kind " << kind;
  static const Problem none;
  return none;
}

bool says(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

using Kinds = std::vector<std::string>;

TEST(Problems, NoneInAGoodRun) {
  const Diagnosis diagnosis = PlantedRun().diagnose();
  EXPECT_EQ(kinds(diagnosis), Kinds());
  EXPECT_EQ(diagnosis.checked, Kinds({"run complete", "warm-up", "law of the sampler", "finite draws",
                                      "every parameter moved", "acceptance", "divergences", "implicit solves", "R-hat",
                                      "E-BFMI", "bulk ESS", "tail ESS", "tree depth", "number of chains and draws"}));
}

TEST(Problems, WhatCannotBeSeenIsNotChecked) {
  PlantedRun run;
  run.facts.law.reset();
  run.facts.acceptance = run.facts.energy = run.facts.diverging = run.facts.reached_max_depth =
      run.facts.solver_failed = Mat();
  EXPECT_EQ(run.diagnose().checked, Kinds({"run complete", "warm-up", "finite draws", "every parameter moved", "R-hat",
                                           "bulk ESS", "tail ESS", "number of chains and draws"}));
}

TEST(Problems, StoppedEarly) {
  PlantedRun run;
  run.facts.stopped_early = true;
  ASSERT_EQ(kinds(run.diagnose()), Kinds{"stopped_early"});
  EXPECT_TRUE(says(run.diagnose().problems[0].advice, "--resume"));
}

TEST(Problems, WarmUpTooShortToLearn) {
  PlantedRun run;
  run.facts.warmup = 19;
  ASSERT_EQ(kinds(run.diagnose()), Kinds{"short_warmup"});
  run.facts.settings["step_size"] = "0.1";
  EXPECT_EQ(kinds(run.diagnose()), Kinds()) << "nothing to learn";
}

TEST(Problems, ASettingThatMakesTheSamplerBiased) {
  PlantedRun run;
  run.facts.sampler = "qnhmc";
  run.facts.law = SamplerLaw{Law::biased, "", "adapt=printed", {"adapt=warmup", "adapt=ensemble"}};
  const Diagnosis diagnosis = run.diagnose();
  ASSERT_EQ(kinds(diagnosis), Kinds{"biased"});
  EXPECT_EQ(diagnosis.problems[0].what,
            "qnhmc with adapt=printed is biased: its draws do not follow the posterior however long it runs");
  EXPECT_EQ(diagnosis.problems[0].advice, "--set adapt=warmup or --set adapt=ensemble");
}

TEST(Problems, ABiasThatVanishesWithTheStepSize) {
  PlantedRun run;
  run.facts.sampler = "hmc";
  run.facts.settings["step_size"] = "0.5";
  run.facts.law = SamplerLaw{Law::consistent, "", "metropolis=false", {"metropolis=true"}};
  const Diagnosis diagnosis = run.diagnose();
  ASSERT_EQ(kinds(diagnosis), Kinds{"step_size_bias"});
  EXPECT_TRUE(says(diagnosis.problems[0].what, "hmc with metropolis=false is not exact")) << diagnosis.problems[0].what;
  EXPECT_EQ(diagnosis.problems[0].advice, "--set metropolis=true or --set step_size=0.25");
}

TEST(Problems, ASamplerThatIsBiasedWhateverIsSet) {
  PlantedRun run;
  run.facts.sampler = "rough";
  run.facts.law = SamplerLaw{Law::biased};
  const Problem problem = the("biased", run.diagnose());
  EXPECT_TRUE(says(problem.what, "rough is biased:")) << problem.what;
  EXPECT_EQ(problem.advice, "--sampler nuts, which is exact");
}

TEST(Problems, ImplicitStepsWithoutASolution) {
  PlantedRun run;
  run.facts.settings["solver"] = "fixed_point";
  run.facts.solver_failed.col(2).head(16).setOnes();
  EXPECT_EQ(kinds(run.diagnose()), Kinds()) << "one in a hundred is no problem";
  run.facts.solver_failed(16, 2) = 1;
  const Diagnosis diagnosis = run.diagnose();
  ASSERT_EQ(kinds(diagnosis), Kinds{"failed_solves"});
  EXPECT_TRUE(says(diagnosis.problems[0].what, "1.06 % of the trajectories")) << diagnosis.problems[0].what;
  const auto advice = [&run] { return the("failed_solves", run.diagnose()).advice; };
  EXPECT_EQ(advice(), "--set target_accept=0.95, --set solver=newton or another parameterisation of the model");
  run.facts.settings["solver"] = "newton";
  EXPECT_EQ(advice(), "--set target_accept=0.95 or another parameterisation of the model");
  run.facts.settings["solver"] = "auto";
  run.facts.settings["geometry"] = "softabs";
  EXPECT_TRUE(says(advice(), "--set solver=newton")) << advice();
}

TEST(Problems, StepsTooLongForTheSharpestRow) {
  PlantedRun run;
  run.facts.sampler = "dsgld";
  run.facts.settings = {{"step_size", "1e-4"}};
  run.facts.step_curvature = Mat::Constant(kDraws, kChains, 2);
  EXPECT_EQ(kinds(run.diagnose()), Kinds());
  run.facts.step_curvature(3, 1) = 2.5;
  const Problem problem = the("unstable_steps", run.diagnose());
  EXPECT_TRUE(says(problem.what, "may be 2.5 for the row with most ratings")) << problem.what;
  EXPECT_EQ(problem.advice, "--set step_size=5e-05");
}

TEST(Problems, StepsThatCouldNotBeMade) {
  PlantedRun run;
  run.facts.sampler = "sgr-nphmc";
  run.facts.settings = {{"step_size", "0.1"}};
  run.facts.steps_too_long = Mat::Zero(kDraws, kChains);
  run.facts.steps_too_long.col(1).head(16).setConstant(10);
  EXPECT_EQ(kinds(run.diagnose()), Kinds()) << "one draw in a hundred is no problem";
  run.facts.steps_too_long(16, 1) = 1;
  const Problem problem = the("steps_too_long", run.diagnose());
  EXPECT_TRUE(says(problem.what, "in 1.06 % of the draws a step could not be made")) << problem.what;
  EXPECT_EQ(problem.advice, "--set step_size=0.05 or another parameterisation of the model");
}

TEST(Problems, DrawsThatAreNotFinite) {
  PlantedRun run;
  run.b(3, 1) = std::numeric_limits<double>::quiet_NaN();
  const Diagnosis diagnosis = run.diagnose();
  ASSERT_EQ(kinds(diagnosis), Kinds{"not_finite"});
  ASSERT_EQ(diagnosis.problems[0].parameters.size(), 1);
  EXPECT_EQ(diagnosis.problems[0].parameters[0].name, "b");
}

TEST(Problems, AParameterThatNeverMoved) {
  PlantedRun run;
  run.a.setConstant(0.1);
  const Diagnosis diagnosis = run.diagnose();
  ASSERT_EQ(kinds(diagnosis), Kinds{"never_moved"});
  EXPECT_EQ(list_parameters(diagnosis.problems[0], 3), "value: a 0.1");
}

TEST(Problems, OneChainThatRejectsEverything) {
  PlantedRun run;
  run.facts.acceptance.col(2).setConstant(0.01);
  const Diagnosis diagnosis = run.diagnose();
  ASSERT_EQ(kinds(diagnosis), Kinds{"low_acceptance"});
  EXPECT_TRUE(says(diagnosis.problems[0].what, "acceptance is 0.01 in chain 3:"));
}

TEST(Problems, StepsTooSmallMatterOnlyWithoutTrajectories) {
  PlantedRun run;
  run.facts.acceptance.setConstant(0.995);
  EXPECT_EQ(kinds(run.diagnose()), Kinds());
  run.facts.energy = Mat();
  run.facts.settings["step_size"] = "0.001";
  ASSERT_EQ(kinds(run.diagnose()), Kinds{"high_acceptance"});
  EXPECT_TRUE(says(run.diagnose().problems[0].advice, "--set step_size=0"));
}

TEST(Problems, DivergencesAreCountedByChain) {
  PlantedRun run;
  for (const Index i : {5, 90, 301}) run.facts.diverging(i, 1) = 1;
  run.facts.divergences = 3;
  const Problem problem = the("divergences", run.diagnose());
  EXPECT_TRUE(says(problem.what, "3 divergent transitions after warm-up (0.188 %; by chain 0, 3, 0, 0)"))
      << problem.what;
  EXPECT_TRUE(problem.parameters.empty()) << "three draws show no place";
}

// Of 400 chains nobody reads 400 numbers.
TEST(Problems, ManyChainsAreNotAllListed) {
  RunFacts facts;
  facts.chains = 400;
  facts.draws = 4;
  facts.made = 1600;
  facts.acceptance = Mat::Constant(4, 400, 0.01);
  facts.acceptance.col(0).setConstant(0.9);
  facts.diverging = Mat::Zero(4, 400);
  facts.diverging.col(6).head(1).setOnes();
  facts.diverging.col(399).setOnes();
  facts.divergences = 5;
  facts.for_each_parameter = [](const auto&) {};
  EXPECT_TRUE(says(the("low_acceptance", diagnose(facts)).what, "in chains 2, 3, 4, 5, 6, 7, 8, 9 and 391 more:"));
  const auto divergences = [&facts] { return the("divergences", diagnose(facts)).what; };
  EXPECT_TRUE(says(divergences(), "5 divergent transitions after warm-up (0.312 %; in chains 400 and 7):"))
      << divergences();
  facts.diverging.setZero();
  facts.diverging(0, 1) = 1;
  facts.divergences = 1;
  EXPECT_TRUE(says(divergences(), "1 divergent transition after warm-up (0.0625 %; in chain 2):")) << divergences();
}

TEST(Problems, DivergencesThatWereNotKeptAreCountedInAll) {
  PlantedRun run;
  run.facts.thin = 2;
  run.facts.divergences = 32;
  EXPECT_TRUE(says(the("divergences", run.diagnose()).what, "32 divergent transitions after warm-up (1 %):"));
}

TEST(Problems, DivergencesAreAShareOfAllStepsHoweverFewDrawsAreStored) {
  PlantedRun run;
  run.facts.stored_every = 10;
  run.facts.made = 10 * kDraws * kChains;
  run.facts.divergences = 160;
  EXPECT_TRUE(says(the("divergences", run.diagnose()).what, "160 divergent transitions after warm-up (1 %):"));
}

TEST(Problems, RareDivergencesStandBehindChainsThatPlainlyDisagree) {
  PlantedRun run;
  run.facts.divergences = 1;
  run.facts.diverging(7, 2) = 1;
  run.b.col(1).array() += 0.45;  // R-hat between 1.01 and 1.05
  EXPECT_EQ(kinds(run.diagnose()), (Kinds{"divergences", "rhat"}));
  run.b.col(1).array() += 1;
  EXPECT_EQ(kinds(run.diagnose()), (Kinds{"rhat", "divergences", "bulk_ess", "tail_ess"}));
  for (Index i = 1; i < kDraws; ++i) run.facts.energy.row(i) = run.facts.energy.row(i - 1) + 0.1 * run.a.row(i);
  EXPECT_EQ(kinds(run.diagnose()), (Kinds{"rhat", "low_ebfmi", "divergences", "bulk_ess", "tail_ess"}));
  run.facts.divergences = 2;  // of 1600 draws
  EXPECT_EQ(kinds(run.diagnose()), (Kinds{"divergences", "rhat", "low_ebfmi", "bulk_ess", "tail_ess"}));
}

TEST(Problems, EnergiesThatDoNotFollowEachOtherAreNotJudged) {
  PlantedRun run;
  for (Index i = 1; i < kDraws; ++i) run.facts.energy.row(i) = run.facts.energy.row(i - 1) + 0.1 * run.a.row(i);
  const auto checked = [&run] {
    const Kinds all = run.diagnose().checked;
    return std::find(all.begin(), all.end(), "E-BFMI") != all.end();
  };
  EXPECT_EQ(kinds(run.diagnose()), Kinds{"low_ebfmi"});
  EXPECT_TRUE(checked());
  run.facts.stored_every = 2;
  EXPECT_EQ(kinds(run.diagnose()), Kinds());
  EXPECT_FALSE(checked());
  run.facts.stored_every = 1;
  run.facts.thin = 2;
  EXPECT_FALSE(checked());
}

TEST(Problems, WhatHasNoMomentsYetIsNotCalledInfinite) {
  PlantedRun run;
  run.a.setConstant(std::numeric_limits<double>::quiet_NaN());
  EXPECT_EQ(kinds(run.diagnose()).front(), "not_finite");
  run.facts.made = 0;
  run.facts.keep = Keep::moments;
  EXPECT_EQ(kinds(run.diagnose()), Kinds());
}

TEST(Problems, DivergencesNameTheParameterAndTheEnd) {
  for (const double sign : {-1.0, 1.0}) {
    PlantedRun run;
    run.facts.diverging = (sign * run.b.array() > 1.6).cast<double>();
    run.facts.divergences = static_cast<std::int64_t>(run.facts.diverging.sum());
    const Problem problem = the("divergences", run.diagnose());
    ASSERT_EQ(problem.parameters.size(), 1);
    EXPECT_EQ(problem.parameters[0].name, "b");
    EXPECT_NEAR(problem.parameters[0].value, sign < 0 ? 0.03 : 0.97, 0.01);
    EXPECT_TRUE(says(problem.what, sign < 0 ? "b is low" : "b is high"));
  }
}

TEST(Problems, AStuckChainIsOneDivergentPlace) {
  PlantedRun run;
  run.a.col(0).head(100).setConstant(-3);
  run.facts.diverging.col(0).head(100).setOnes();
  run.facts.divergences = 100;
  EXPECT_TRUE(the("divergences", run.diagnose()).parameters.empty());
}

TEST(Problems, AdviceOnDivergencesFollowsTheSettings) {
  PlantedRun run;
  run.facts.divergences = 1;
  const auto advice = [&run] { return the("divergences", run.diagnose()).advice; };
  EXPECT_EQ(advice(), "--set target_accept=0.95 or another parameterisation of the model");
  run.facts.settings["target_accept"] = "0.95";
  EXPECT_EQ(advice(), "--set target_accept=0.99 or another parameterisation of the model");
  run.facts.settings["target_accept"] = "0.99";
  EXPECT_EQ(advice(), "another parameterisation of the model");
  run.facts.settings["step_size"] = "0.5";
  run.facts.settings["model.parameterization"] = "centered";
  EXPECT_EQ(advice(), "--set model.parameterization=noncentered or --set step_size=0.25");
  run.facts.acceptance.setConstant(0.01);  // half a step would be rejected, too
  EXPECT_EQ(advice(), "--set model.parameterization=noncentered or --set step_size=0 (warm-up finds it)");
  run.facts.settings.clear();
  EXPECT_EQ(advice(), "another parameterisation of the model");
}

TEST(Problems, RhatSaysHowTheChainsDiffer) {
  const auto said = [](const auto& plant) {
    PlantedRun run;
    plant(run.b);
    return the("rhat", run.diagnose()).what;
  };
  const Vec ramp = Vec::LinSpaced(kDraws, 0, 3);
  EXPECT_TRUE(says(said([](Mat& x) { x.col(1).array() += 2; }), "chain 2 stands apart in location"));
  EXPECT_TRUE(says(said([](Mat& x) { x.col(3) *= 8; }), "chain 4 stands apart in spread"));
  EXPECT_TRUE(says(said([](Mat& x) { x.col(2).head(kDraws / 2).array() += 3; }), "chain 3 drifts in location"));
  EXPECT_TRUE(says(said([&](Mat& x) { x.colwise() += ramp; }), "the chains drift in location"));
  EXPECT_TRUE(says(said([](Mat& x) { x.leftCols(2).array() += 2; }), "the chains disagree in location"));
}

TEST(Problems, RhatListsTheWorstFirst) {
  PlantedRun run;
  run.a.col(1).array() += 1;
  run.b.col(1).array() += 3;
  const Problem problem = the("rhat", run.diagnose());
  ASSERT_EQ(problem.parameters.size(), 2);
  EXPECT_EQ(problem.parameters[0].name, "b");
  EXPECT_GT(problem.parameters[0].value, problem.parameters[1].value);
  EXPECT_TRUE(says(list_parameters(problem, 1), " and 1 more"));
}

TEST(Problems, LowEnergyFractionNamesTheChain) {
  PlantedRun run;
  double value = 0;
  for (double& energy : run.facts.energy.col(3)) energy = value += energy;  // a random walk
  const Diagnosis diagnosis = run.diagnose();
  ASSERT_EQ(kinds(diagnosis), Kinds{"low_ebfmi"});
  EXPECT_TRUE(says(diagnosis.problems[0].what, "in chain 4:"));
}

TEST(Problems, FewEffectiveDrawsSayHowManyToMake) {
  PlantedRun run;
  run.facts.iterations = 3 * kDraws;  // what was asked for counts, not what was kept
  for (Index i = 0; i < kDraws; ++i) run.a.row(i) = run.a.row(i - i % 5);  // each value five times
  const Problem problem = the("bulk_ess", run.diagnose());
  ASSERT_EQ(problem.parameters.size(), 1);
  const double ess = problem.parameters[0].value;
  EXPECT_EQ(problem.parameters[0].name, "a");
  EXPECT_EQ(ess, ess_bulk(run.a));
  EXPECT_TRUE(says(problem.what, "bulk ESS below 400 (100 per chain) in 1 parameter"));
  const double needed = std::ceil(3 * kDraws * 400 / ess / 100) * 100;  // two digits
  EXPECT_TRUE(says(problem.advice, "--draws " + std::to_string(static_cast<int>(needed)))) << problem.advice;
}

// Resuming refuses another number of draws than the run was started with.
TEST(Problems, AnUnfinishedRunNeedsItsOtherDraws) {
  PlantedRun run;
  run.facts.stopped_early = true;
  run.facts.iterations = 1000 * kDraws;
  for (Index i = 0; i < kDraws; ++i) run.a.row(i) = run.a.row(i - i % 40);
  run.b.leftCols(2).array() += 2;
  const Diagnosis diagnosis = run.diagnose();
  EXPECT_EQ(the("bulk_ess", diagnosis).advice, "--resume");
  EXPECT_EQ(the("tail_ess", diagnosis).advice, "--resume");
  for (const Problem& problem : diagnosis.problems) EXPECT_FALSE(says(problem.advice, "--draws")) << problem.advice;
}

TEST(Problems, LargestDepth) {
  PlantedRun run;
  run.facts.reached_max_depth.col(0).head(16).setOnes();
  const Diagnosis diagnosis = run.diagnose();
  ASSERT_EQ(kinds(diagnosis), Kinds{"max_depth"});
  EXPECT_TRUE(says(diagnosis.problems[0].what, "16 trajectories (1 %)"));
  EXPECT_EQ(diagnosis.problems[0].advice, "--set metric=lbfgs or --set max_depth=12");
}

TEST(Problems, AnotherMetricOnlyWhereItIsKnownToHelp) {
  PlantedRun run;
  run.facts.reached_max_depth(0, 0) = 1;
  const auto advice = [&run] { return the("max_depth", run.diagnose()).advice; };
  for (const char* diagonal : {"identity", "welford", "fisher_diag"}) {
    run.facts.settings["metric"] = diagonal;
    EXPECT_EQ(advice(), "--set metric=lbfgs or --set max_depth=12") << diagonal;
  }
  for (const char* more : {"welford_dense", "fisher_lowrank", "lbfgs"}) {
    run.facts.settings["metric"] = more;
    EXPECT_EQ(advice(), "--set max_depth=12") << more;
  }
  run.facts.settings["metric"] = "fisher_diag";
  run.facts.divergences = 1;
  EXPECT_EQ(advice(), "--set max_depth=12");
}

TEST(Problems, OneChainAndHardlyAnyDraws) {
  PlantedRun run;
  run.a = run.a.topLeftCorner(3, 1).eval();
  run.b = run.b.topLeftCorner(3, 1).eval();
  run.facts.chains = 1;
  run.facts.draws = 3;
  run.facts.made = 3;
  run.facts.acceptance = run.facts.energy = run.facts.diverging = run.facts.reached_max_depth =
      run.facts.solver_failed = Mat();
  const Diagnosis diagnosis = run.diagnose();
  EXPECT_EQ(kinds(diagnosis), Kinds({"single_chain", "few_draws"}));
  EXPECT_EQ(diagnosis.problems[1].advice, "--draws 1000");
  run.facts.thin = 100;
  EXPECT_EQ(the("few_draws", run.diagnose()).advice, "--draws 100000");
  EXPECT_EQ(diagnosis.checked, Kinds({"run complete", "warm-up", "law of the sampler", "finite draws",
                                      "every parameter moved", "number of chains and draws"}));
}

TEST(Problems, OneEnsembleIsLikeOneChain) {
  PlantedRun run;
  run.facts.members = 2;
  EXPECT_EQ(kinds(run.diagnose()), Kinds()) << "two ensembles";
  run.facts.members = kChains;
  ASSERT_EQ(kinds(run.diagnose()), Kinds{"single_chain"});
  EXPECT_TRUE(says(run.diagnose().problems[0].what, "one ensemble: its members are not independent"));
}

TEST(Problems, StoppedInWarmUp) {
  PlantedRun run;
  run.a = run.b = Mat(0, kChains);
  run.facts.draws = 0;
  run.facts.made = 0;
  run.facts.stopped_early = true;
  run.facts.acceptance = run.facts.energy = run.facts.diverging = run.facts.reached_max_depth =
      run.facts.solver_failed = Mat(0, kChains);
  const Diagnosis diagnosis = run.diagnose();
  ASSERT_EQ(kinds(diagnosis), Kinds({"stopped_early", "few_draws"}));
  EXPECT_TRUE(says(diagnosis.problems[0].advice, "--resume"));
  EXPECT_EQ(diagnosis.problems[1].advice, "--resume");
  EXPECT_EQ(diagnosis.checked, Kinds({"run complete", "warm-up", "law of the sampler", "number of chains and draws"}));
}

}  // namespace
}  // namespace quasar::diagnostics
