#include "front/manifolds/pca.hpp"

#include <Eigen/Eigenvalues>
#include <Eigen/QR>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include <quasar/errors.hpp>
#include <quasar/runner.hpp>

#include "core/blas_threads.hpp"
#include "core/timed.hpp"
#include "front/manifolds/pca_data.hpp"
#include "manifolds/problems/leading_eigenvector.hpp"
#include "manifolds/problems/leading_subspace.hpp"
#include "manifolds/symmetric_solver.hpp"
#include "solvers/manifold/block_krylov.hpp"
#include "solvers/manifold/vr_pca.hpp"

namespace quasar {
namespace {

constexpr Choice pca_solvers[] = {
    {"auto"},     {"exact"}, {"krylov"}, {"lbfgs"}, {"trust_region"}, {"conjugate_gradient"}, {"steepest_descent"},
    {"sv_lbfgs"}, {"svrg"},  {"sgd"},    {"vr_pca"}};

// Flops of the covariance by one pass and its full eigenproblem, against those of about ten passes with a block.
bool is_exact_cheaper(double rows, double dim, double block) {
  return rows * dim * dim + 20 * dim * dim * dim <= 10 * 4 * rows * dim * block;
}

class PcaTask {
 public:
  PcaTask(PreparedPca& data, const Config& config, int threads, const Watch& watch)
      : data_(data),
        settings_(manifold_settings(config)),
        watch_(watch),
        components_(config.integer("components")),
        oversampling_(config.integer("oversampling")),
        threads_(threads) {
    const Index dim = data.terms->dim();
    if (components_ > dim) {
      throw UsageError(fmt::format("components = {}: the data has {} columns", components_, dim));
    }
    if (settings_.solver == "auto") {
      const double block = static_cast<double>(std::min(dim, components_ + oversampling_));
      const bool exact = is_exact_cheaper(static_cast<double>(data.terms->terms()), static_cast<double>(dim), block);
      settings_.solver = exact ? "exact" : "krylov";
    }
  }

  LeadingEigenpairs find() {
    if (data_.total == 0) return of_constant_data();
    if (settings_.solver == "exact") return exact();
    if (settings_.solver == "krylov") return krylov();
    if (components_ == data_.terms->dim()) {
      throw UsageError(fmt::format("components = {}: {} needs fewer than there are columns; exact and krylov do not",
                                   components_, settings_.solver));
    }
    return on_manifold();
  }
  const std::string& solver() const { return settings_.solver; }

 private:
  bool times(MatIn x, MatOut out) const { return times_data(*data_.terms, x, threads_, out, go_on_within(watch_)); }

  LeadingEigenpairs of_constant_data() const {
    const Index dim = data_.terms->dim();
    return {Vec::Zero(components_),
            Mat::Identity(dim, components_),
            {.value = 0, .gradient_norm = 0},
            ManifoldStop::converged};
  }

  LeadingEigenpairs exact() const {
    const Mat moments = second_moments(*data_.terms, threads_, go_on_within(watch_));
    if (moments.size() == 0) return {{}, {}, {}, ManifoldStop::interrupted};
    SymmetricSolver solver(moments.rows());
    solver.solve(moments);
    const Mat vectors = solver.vectors().rightCols(components_).rowwise().reverse();
    LeadingEigenpairs found = rayleigh_ritz(vectors, moments * vectors, components_);
    found.progress.gradient_norm = relative_residual(found, settings_.tolerance);
    found.progress.steps = 1;
    found.progress.passes = 1;
    return found;
  }

  LeadingEigenpairs krylov() const {
    Stream stream = Rng(settings_.seed).stream("start");
    const BlockKrylov settings{.components = components_,
                               .oversampling = oversampling_,
                               .tolerance = settings_.tolerance,
                               .max_iterations = settings_.max_iterations,
                               .max_passes = settings_.max_passes,
                               .go_on = watch_.before_step};
    return block_krylov([this](MatIn x, MatOut out) { return times(x, out); }, data_.terms->dim(), settings, stream);
  }

  // A few steps of subspace iteration lead to a basis with curvature around it, and to an estimate of lambda_1.
  LeadingEigenpairs warm_start() const {
    constexpr int power_steps = 3;
    const Index dim = data_.terms->dim();
    Stream stream = Rng(settings_.seed).stream("start");
    Mat x = grassmann(dim, components_)->random_point(stream), product = x;
    for (int k = 0; k < power_steps; ++k) {
      if (!times(x, product)) return {{}, {}, {}, ManifoldStop::interrupted};
      if (k + 1 == power_steps || product.norm() == 0) break;
      x = Eigen::HouseholderQR<Mat>(product).householderQ() * Mat::Identity(dim, components_);
    }
    LeadingEigenpairs start = rayleigh_ritz(x, product, components_);
    start.progress.passes = power_steps;
    return start;
  }

  // A minibatch of b has curvature up to about 2 (lambda_1 + r / b), r the mean of |d_i|^2. Of the sizes and steps of a
  // grid these were within a third of the fewest passes; curvature learnt from minibatches needs larger ones.
  void choose_steps(double largest) {
    const bool learns = settings_.solver == "sv_lbfgs";
    const Index terms = data_.terms->terms(), share = terms / (learns ? 20 : 100);
    if (settings_.batch_size == 0) settings_.batch_size = std::min(terms, std::max<Index>(100, share));
    const double step = 0.25 / (largest + data_.total / static_cast<double>(settings_.batch_size));
    if (settings_.first_step == 0) settings_.first_step = step;
    if (settings_.step_size == 0) settings_.step_size = learns ? 0.3 : step;
  }

  LeadingEigenpairs on_manifold() {
    LeadingEigenpairs start = warm_start();
    if (start.vectors.size() == 0) return start;
    const double tolerance = settings_.tolerance;  // that of the solver is of the gradient 2 (A X - X (X'AX))
    settings_.tolerance = 2 * residual_bound(start.values[components_ - 1], start.values[0], tolerance);
    SolvedPoint found = settings_.solver == "vr_pca" ? by_vr_pca(start.vectors) : by_solver(start);
    Mat product = found.x;
    times_data(*data_.terms, found.x, threads_, product);
    LeadingEigenpairs sorted = rayleigh_ritz(found.x, product, components_);
    found.progress.value = sorted.progress.value;
    found.progress.gradient_norm = relative_residual(sorted, tolerance);
    found.progress.passes += start.progress.passes + 1;
    sorted.progress = found.progress;
    sorted.stop = found.stop;
    const bool close = sorted.progress.gradient_norm <= tolerance;
    if (close) sorted.stop = ManifoldStop::converged;
    if (!close && sorted.stop == ManifoldStop::converged) sorted.stop = ManifoldStop::iteration_limit;
    return sorted;
  }

  SolvedPoint by_solver(const LeadingEigenpairs& start) {
    if (is_stochastic(settings_.solver)) choose_steps(start.values[0]);
    LeadingSubspace problem(data_.terms, components_, threads_);
    return solve(problem, start.vectors, settings_, watch_);
  }

  SolvedPoint by_vr_pca(const Mat& start) const {
    LeadingEigenvector problem(all_terms(*data_.terms));
    const VrPca::Params params{.step_size = settings_.step_size, .inner_steps = settings_.inner_steps};
    const VrPca solver(problem, params, Rng(settings_.seed).child("batches"));
    const ManifoldOptimum found = minimize(solver, start, stop_rules(settings_, watch_));
    SolvedPoint solved;
    solved.solver = settings_.solver;
    solved.stop = found.stop;
    solved.progress = found.progress;
    solved.x = found.x;
    ManifoldSettings used = settings_;
    used.step_size = solver.step_size();
    require_a_point(solved, used);
    return solved;
  }

  PreparedPca& data_;
  ManifoldSettings settings_;
  const Watch& watch_;
  Index components_, oversampling_;
  int threads_;
};

// The sign of an eigenvector is free; here its largest entry is positive, as in scikit-learn.
void choose_signs(Mat& components) {
  for (Index k = 0; k < components.cols(); ++k) {
    Index at = 0;
    components.col(k).cwiseAbs().maxCoeff(&at);
    if (components(at, k) < 0) components.col(k) *= -1;
  }
}

}  // namespace

std::span<const ParamSpec> pca_params() {
  static const std::vector<ParamSpec> params = with_seed_and_threads(manifold_params(
      pca_solvers, "stop when |A x - lambda x| is so small for every component, in units of its lambda",
      {{.name = "components",
        .doc = "how many components",
        .type = ParamSpec::integer,
        .init = "2",
        .min = 1,
        .max = 1e9},
       {.name = "center", .doc = "subtract the means of the columns", .type = ParamSpec::boolean, .init = "true"},
       {.name = "scale",
        .doc = "divide the columns by their standard deviations",
        .type = ParamSpec::boolean,
        .init = "false"},
       {.name = "oversampling",
        .doc = "krylov: columns of a block beyond the components",
        .type = ParamSpec::integer,
        .init = "10",
        .min = 0,
        .max = 1e6}}));
  return params;
}

Config pca_config(const Settings& given) {
  Config config = manifold_config("pca", pca_params(), given);
  if (config.text("solver") == "vr_pca" && config.integer("components") > 1) {
    throw UsageError(
        fmt::format("components = {}: solver vr_pca finds one; svrg finds several", config.integer("components")));
  }
  return config;
}

SolvedPca pca(PcaData data, const Settings& given, const Watch& watch) {
  const Config config = pca_config(given);
  const bool center = config.flag("center");
  SolvedPca solved;
  {
    const Timed timed(solved.seconds);
    const SingleThreadedBlas pinned;
    const auto asked = static_cast<int>(config.integer("threads"));
    const int threads = asked > 0 ? asked : available_threads();
    PreparedPca prepared = prepare(std::move(data), center, config.flag("scale"), threads);
    PcaTask task(prepared, config, threads, watch);
    LeadingEigenpairs found = task.find();
    const auto rows = static_cast<double>(prepared.terms->terms());
    const double unbiased = center ? rows / (rows - 1) : 1;
    static_cast<Solved&>(solved) = {task.solver(), found.stop, found.progress, solved.seconds};
    solved.components = std::move(found.vectors);
    choose_signs(solved.components);
    solved.variances = unbiased * found.values.cwiseMax(0);
    solved.total = unbiased * prepared.total;
    solved.rank = found.values.size() == 0 ? 0 : (found.values.array() > 1e-12 * found.values[0]).count();
    solved.rows = prepared.terms->terms();
    solved.mean = std::move(prepared.mean);
    solved.scale = std::move(prepared.scale);
  }
  return solved;
}

}  // namespace quasar
