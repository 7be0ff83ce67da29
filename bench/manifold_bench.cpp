// Solvers on manifolds against the bare products that they contain, in turns in one run, on one thread.
//
// Karcher mean: a gradient against LAPACK's symmetric eigenproblems, one for each term, which a gradient by
// eigenvectors has to solve; 100 matrices of 100 x 100. Principal components: a pass of each solver, that is as much
// work as it counts as one, against the products of matrices with all of the data in it: A z takes two, a gradient of
// minibatches two for each of its terms; vr_pca against these one by one in its own random order. The bar: 1.5.
//
//   manifold_bench [terms dim]        default: 20000 1000
#include <cblas.h>

#include <cstdlib>
#include <numeric>
#include <vector>

#include <quasar/rng.hpp>

#include "core/blas_threads.hpp"
#include "manifolds/problems/karcher_mean.hpp"
#include "manifolds/problems/leading_eigenvector.hpp"
#include "manifolds/problems/leading_subspace.hpp"
#include "manifolds/symmetric_solver.hpp"
#include "side_by_side.hpp"
#include "solvers/manifold/block_krylov.hpp"
#include "solvers/manifold/sv_lbfgs.hpp"
#include "solvers/manifold/svrg.hpp"
#include "solvers/manifold/vr_pca.hpp"

namespace quasar {
namespace {

constexpr double bar = 1.5;
constexpr Index components = 10, block = 20, batch_size = 100;

void karcher_gradient(Index n, Index count) {
  Stream stream = Rng(1).stream("matrices");
  const ManifoldPtr manifold = spd(n);
  std::vector<Mat> matrices;
  for (Index i = 0; i < count; ++i) matrices.push_back(manifold->random_point(stream));
  const Mat x = manifold->random_point(stream);
  Mat gradient = x;
  SymmetricSolver solver(n);
  for (const Index threads : {1, 2}) {
    KarcherMean problem(matrices, threads);
    report(
        fmt::format("mean, {} thread{}", threads, threads > 1 ? "s" : "").c_str(), 1,
        [&] { problem.gradient(x, gradient); },
        [&] {
          for (const Mat& matrix : matrices) solver.solve(matrix);
        },
        "eigenproblems");
  }
}

struct Data {
  Mat columns;
  Vec z, scores, out;
  Mat x, block_scores, block_out;

  Data(Index dim, Index terms)
      : columns(dim, terms), z(dim), scores(terms), out(dim), x(dim, block), block_scores(terms, block) {
    Stream stream = Rng(2).stream("data");
    for (Index j = 0; j < terms; ++j) stream.normals(columns.col(j));
    for (Index j = 0; j < block; ++j) stream.normals(x.col(j));
    block_out = x;
    z = x.col(0).normalized();
  }
  int rows() const { return static_cast<int>(columns.rows()); }
  int terms() const { return static_cast<int>(columns.cols()); }
  void bare_vector_pass() {  // D (D'z)
    cblas_dgemv(CblasColMajor, CblasTrans, rows(), terms(), 1, columns.data(), rows(), z.data(), 1, 0, scores.data(),
                1);
    cblas_dgemv(CblasColMajor, CblasNoTrans, rows(), terms(), 1, columns.data(), rows(), scores.data(), 1, 0,
                out.data(), 1);
  }
  void bare_random_terms(Stream stream) {  // one by one, in an order that no memory likes
    for (int k = 0; k < terms(); ++k) {
      const double* term = columns.data() + stream.index(terms()) * rows();
      cblas_daxpy(rows(), 1e-9 * cblas_ddot(rows(), term, 1, z.data(), 1), term, 1, out.data(), 1);
    }
  }
  void bare_block_pass(Index width) {
    const int k = static_cast<int>(width);
    cblas_dgemm(CblasColMajor, CblasTrans, CblasNoTrans, terms(), k, rows(), 1, columns.data(), rows(), x.data(),
                rows(), 0, block_scores.data(), terms());
    cblas_dgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, rows(), k, terms(), 1, columns.data(), rows(),
                block_scores.data(), terms(), 0, block_out.data(), rows());
  }
};

// One outer loop, without the snapshot: as many minibatches as go into the data.
template <class Solver>
void inner_steps(const Solver& solver, const typename Solver::State& start, Index steps) {
  typename Solver::State state = start;
  for (Index k = 0; k < steps; ++k) solver.inner_step(state);
}

void leading_eigenvector(Data& data) {
  const auto products = [&](int times) {
    return [&data, times] {
      for (int k = 0; k < times; ++k) data.bare_vector_pass();
    };
  };
  LeadingEigenvector problem(data.columns);
  const Mat z = data.z;
  Mat gradient = z;
  report(
      "eigenvector, all", bar, [&] { problem.gradient(z, gradient); }, products(1), "gemv");
  const BatchParams batches{.batch_size = batch_size};
  const Index steps = problem.terms() / batch_size;
  ManifoldSvrg svrg(problem, {.step_size = 1e-3, .batches = batches}, Rng(3));
  auto at = svrg.init(z);
  svrg.take_snapshot(at);
  report(
      "svrg", bar, [&] { inner_steps(svrg, at, steps); }, products(2), "gemv");  // gradients at x and at the snapshot
  ManifoldSvLbfgs quasi_newton(problem, {.first_step = 1e-3, .step_size = 1e-3, .batches = batches}, Rng(3));
  auto with_pairs = quasi_newton.init(z);
  quasi_newton.take_snapshot(with_pairs);
  report(
      "sv_lbfgs", bar, [&] { inner_steps(quasi_newton, with_pairs, steps); }, products(3), "gemv");
  const VrPca vr_pca(problem, {}, Rng(3));
  auto by_terms = VrPca(problem, {}, Rng(3)).init(z);
  vr_pca.take_snapshot(by_terms);
  report(
      "vr_pca", bar, [&] { vr_pca.inner_steps(by_terms, Rng(3).stream("terms")); },
      [&] { data.bare_random_terms(Rng(3).stream("terms")); }, "dot, axpy");
}

void leading_subspace(Data& data) {
  const auto terms = terms_in_memory(data.columns);
  LeadingSubspace problem(terms, components);
  Mat x = problem.manifold().project(data.x.leftCols(components), data.x.leftCols(components));
  Stream stream = Rng(4).stream("start");
  problem.manifold().random_point(stream, x);
  Mat gradient = x;
  report(
      "subspace, all", bar, [&] { problem.gradient(x, gradient); }, [&] { data.bare_block_pass(components); }, "gemm");
  constexpr int passes = 5;
  const BlockKrylov settings{.components = components, .oversampling = block - components, .max_passes = passes};
  report(
      "block_krylov", bar,
      [&] {
        Stream start = Rng(4).stream("start");
        block_krylov([&](MatIn v, MatOut out) { return times_data(*terms, v, 1, out); }, terms->dim(), settings, start);
      },
      [&] {
        for (int k = 0; k < passes; ++k) data.bare_block_pass(block);
      },
      "gemm");
}

}  // namespace
}  // namespace quasar

int main(int argc, char** argv) {
  const quasar::SingleThreadedBlas pinned;
  quasar::karcher_gradient(100, 100);
  const quasar::Index terms = argc > 1 ? std::atol(argv[1]) : 20000, dim = argc > 2 ? std::atol(argv[2]) : 1000;
  quasar::Data data(dim, terms);
  quasar::leading_eigenvector(data);
  quasar::leading_subspace(data);
}
