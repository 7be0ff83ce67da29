// Figure 5.2 of Roychowdhury (2017): the leading eigenvector by rSVRG, rSV-LBFGS and VR-PCA, for four gaps between the
// first two eigenvalues. The paper prints eta1 = 0.001, eta2 = 0.1, M = 10, option 2, and R = 5 for the gap 0.005, 10
// for the others.
#include <Eigen/Cholesky>
#include <cblas.h>
#include <fmt/core.h>

#include <cmath>
#include <memory>

#include "experiments/experiments.hpp"
#include "experiments/rlbfgs_methods.hpp"
#include "manifolds/problems/leading_eigenvector.hpp"
#include "solvers/manifold/vr_pca.hpp"

namespace quasar {
namespace {

using PairsOf = ManifoldSvLbfgs;

constexpr Index eigen_batch = 100;

struct EigenSize {
  Index d, terms;
};

// Eigenvalues 1, 1 - g, 1 - 1.1 g, ..., 1 - 1.4 g, then |N(0, 1)| / d of A = D D' / N (Shamir, ICML 2015). D = U S L^-1
// G' with G normal and G'G = LL': G L^-T is orthonormal, to rounding, since G has a condition near 1.
struct GappedData {
  Mat data, vectors;
  Vec values;

  GappedData(const EigenSize& size, double gap, const Rng& rng) : vectors(size.d, size.d), values(size.d) {
    Stream stream = rng.stream("spectrum");
    stream.normals(values);
    values = values.cwiseAbs() / static_cast<double>(size.d);
    values.head(6) << 1, 1 - gap, 1 - 1.1 * gap, 1 - 1.2 * gap, 1 - 1.3 * gap, 1 - 1.4 * gap;
    stiefel(size.d, size.d)->random_point(stream, vectors);
    Mat normals(size.d, size.terms), gram(size.d, size.d);
    for (Index i = 0; i < size.terms; ++i) stream.normals(normals.col(i));
    const int d = static_cast<int>(size.d), terms = static_cast<int>(size.terms);
    cblas_dsyrk(CblasColMajor, CblasLower, CblasNoTrans, d, terms, 1, normals.data(), d, 0, gram.data(), d);
    const Eigen::LLT<Mat> root(gram);
    const Mat scaled = vectors * (static_cast<double>(size.terms) * values).cwiseSqrt().asDiagonal();
    const Mat left = root.matrixL().solve<Eigen::OnTheRight>(scaled);
    data.resize(size.d, size.terms);
    cblas_dgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, d, terms, d, 1, left.data(), d, normals.data(), d, 0,
                data.data(), d);
  }
};

RaceProblem eigen_race(const EigenSize& size, double gap, double max_passes, const Rng& rng) {
  GappedData drawn(size, gap, rng.child("data", static_cast<std::uint64_t>(size.d)));
  const auto problem = std::make_shared<LeadingEigenvector>(std::move(drawn.data));
  Stream stream = rng.stream("start");
  const Mat start = problem->manifold().random_point(stream);
  // 1 - z'Az as a sum that does not cancel.
  const auto error = [problem, vectors = std::move(drawn.vectors), values = std::move(drawn.values)](MatIn z) {
    const Vec parts = vectors.transpose() * z.col(0);
    return ((1 - values.array()) * parts.array().square()).sum();
  };
  return {problem.get(), start, error, max_passes};
}

RaceMethod race_vr_pca(const Rng& rng) {
  RaceMethod method{"VR-PCA", {}};
  for (const double times : {1.0, 2.0, 4.0}) {
    method.settings.push_back({fmt::format("{} of its own step", times), [=](RaceProblem& p) {
                                 auto& problem = dynamic_cast<LeadingEigenvector&>(*p.sum);
                                 const double own = VrPca(problem, {}, rng).step_size();
                                 SolverCurve curve = race(
                                     p, [&](ManifoldSum&) { return VrPca(problem, {.step_size = times * own}, rng); },
                                     [](const auto&) { return 0; });
                                 curve.evaluations = curve.passes.back() * static_cast<double>(problem.terms());
                                 return curve;
                               }});
  }
  return method;
}

std::vector<RaceMethod> eigen_methods(double gap, const EigenSize& size, const Rng& rng) {
  const double steps[] = {0.01, 0.02, 0.05, 0.1}, longer[] = {0.02, 0.05, 0.1, 0.2};
  const Index one_pass[] = {0}, batches = size.terms / eigen_batch,
              shorter[] = {batches / 10, batches / 4, batches / 2};
  const PairsOf::Params printed{.first_step = 0.001,
                                .step_size = 0.1,
                                .memory = 10,
                                .pair_every = gap < 0.01 ? 5 : 10,
                                .pairs = PairsOf::last_gradient,
                                .least_curvature = 0.2 * gap,
                                .batches = {eigen_batch}};
  PairsOf::Params as_printed = printed, snapshots = printed;
  as_printed.as_printed = true;
  snapshots.pairs = PairsOf::snapshots, snapshots.step_size = 1;
  snapshots.batches.inner_steps = 1;
  std::vector<PairsOf::Params> displacements;
  for (const double step : {0.01, 0.03, 0.1}) {
    displacements.push_back(printed);
    displacements.back().pairs = PairsOf::displacement;
    displacements.back().first_step = 0.05, displacements.back().step_size = step;
  }
  std::vector<PairsOf::Params> one_by_one, together;
  for (const Index loops : {1, 2}) {
    for (const Index inner : {batches / 4, batches / 2}) {
      for (const double step : {0.05, 0.1, 0.2}) {
        one_by_one.push_back(snapshots);
        one_by_one.back().gradient_loops = loops, one_by_one.back().gradient_steps = inner;
        one_by_one.back().first_step = step;
        together.push_back(one_by_one.back());
        together.back().update = PairsOf::together, together.back().longest_step = 0.5;
      }
    }
  }
  return {race_svrg("rSVRG", steps, one_pass, eigen_batch, rng),
          race_svrg("rSVRG, inner steps chosen", longer, shorter, eigen_batch, rng),
          race_vr_pca(rng),
          race_sv_lbfgs("rSV-LBFGS as printed", {as_printed}, rng),
          race_sv_lbfgs("rSV-LBFGS, printed settings", {printed}, rng),
          race_sv_lbfgs("rSV-LBFGS, displacements", displacements, rng),
          race_sv_lbfgs("rSV-LBFGS, snapshots one by one", one_by_one, rng),
          race_sv_lbfgs("rSV-LBFGS, snapshots together", together, rng),
          race_lbfgs(10)};
}

}  // namespace

ExperimentResult run_rlbfgs_eigen(const ExperimentOptions& options) {
  const Rng rng = Rng(options.seed).child("rlbfgs-eigen");
  const EigenSize size = options.quick ? EigenSize{100, 20000} : EigenSize{1000, 100000};
  const EigenSize small{options.quick ? 50 : 100, size.terms};
  const double passes = options.quick ? 40 : 80;
  std::vector<RacePart> parts;
  for (const double gap : {0.005, 0.05, 0.01, 0.1}) {
    if (options.quick && gap < 0.05) continue;
    parts.push_back({fmt::format("gap {}", gap), eigen_methods(gap, size, rng.child("batches")),
                     [=] { return eigen_race(small, gap, passes, rng); },
                     [=] { return eigen_race(size, gap, passes, rng); }});
  }
  ExperimentResult result = run_races(
      parts,
      {"figure-5.2",
       "Roychowdhury (2017), Figure 5.2: 1 - z'Az over passes and over time. The paper draws rSVRG, VR-PCA and "
       "rSV-LBFGS over passes and prints no numbers of the curves; the other methods are ours.",
       2,
       {}},
      options);
  result.settings["data"] = fmt::format("{} vectors of dimension {}, batches of {}; settings were chosen with {}",
                                        size.terms, size.d, eigen_batch, small.d);
  return result;
}

}  // namespace quasar
