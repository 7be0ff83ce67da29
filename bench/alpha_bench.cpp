// Iterations of SGLD, PSGLD and HAMCMC on alpha-mf, and sweeps of gibbs, against the work that is in them: products of
// gathered columns, their slopes, special functions, random numbers and, for the share of Phi, a product of matrices.
// These are the library's own vector functions on bare arrays; the ratio is what estimators, kernels, chains and
// bookkeeping add. The bar: 1.5.
//
// A spectrogram of 256 x 140, rank 105, batches of a tenth of the entries, Phi drawn once a pass.
#include <cblas.h>
#include <fmt/core.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include <quasar/registry.hpp>

#include "core/blas_threads.hpp"
#include "metrics/lbfgs.hpp"
#include "models/alpha/alpha_components.hpp"
#include "models/alpha/alpha_mixture.hpp"
#include "side_by_side.hpp"
#include "simd/column_products.hpp"
#include "simd/generalized_gamma.hpp"
#include "simd/stable_components.hpp"
#include "simd/stable_variances.hpp"

namespace quasar {
namespace {

constexpr Index rows = 256, columns = 140, rank = 105, entries = rows * columns, batch = entries / 10;
constexpr Index moving = rank * (rows + columns);
constexpr int steps = 10, memory = 5;  // of a round: a pass over the data, or two
constexpr double alpha = 1.2, bar = 1.5;

struct Nothing final : Sink {
  void on_draw(const Draw&) override {}
};

Intensities made_up() {
  Mat w(rows, rank), h(rank, columns);
  Vec uniforms(entries), normals(entries);
  Stream stream = Rng(1).stream("data");
  stream.uniforms(w.reshaped());
  stream.uniforms(h.reshaped());
  stream.uniforms(uniforms);
  stream.normals(normals);
  Intensities data{(w * h).array().pow(2 / alpha)};
  data.squares.reshaped().array() *= normals.array().square() / uniforms.array();
  return data;
}

std::vector<AlphaSource> one_source() {
  return {{.alpha = alpha, .rank = rank, .w = {2, 1, -2 / alpha}, .h = {2, 1, -2 / alpha}}};
}

struct Bare {  // one iteration's worth of work, by part
  bool natural;
  Mat squares;
  Vec x, grad, theta, slopes, l, v, slope, phi, normals, uniforms, proposed, mark, rest;
  std::vector<simd::ColumnPair> pairs;
  std::vector<Index> ids;

  Bare(const Intensities& data, const Vec& start, bool natural_coordinates)
      : natural(natural_coordinates),
        squares(data.squares),
        x(start),
        grad(start.size()),
        theta(moving),
        slopes(moving),
        l(entries),
        v(entries),
        slope(entries),
        phi(start.tail(entries)),
        normals(moving),
        uniforms(3 * entries),
        proposed(entries),
        mark(entries),
        rest(Vec::Zero(entries)),
        pairs(batch),
        ids(batch) {}

  void gradient() {
    const simd::StacyLaw law = one_source()[0].w.law();
    constexpr auto all = static_cast<std::size_t>(moving), n = static_cast<std::size_t>(batch);
    (natural ? simd::natural_stacy_slopes : simd::log_stacy_slopes)(law, x.data(), false, grad.data(), all);
    const double* point = x.data();
    double* to = grad.data();
    if (!natural) {
      simd::exponentials(x.data(), theta.data(), all);
      slopes.setZero();
      point = theta.data(), to = slopes.data();
    }
    constexpr std::size_t some = 64;
    for (std::size_t begin = 0; begin < n; begin += some) {
      for (std::size_t i = 0; i < some; ++i) {
        const Index e = ids[begin + i];
        pairs[i] = {static_cast<std::size_t>(e % rows * rank), static_cast<std::size_t>(e / rows * rank)};
        mark[static_cast<Index>(i)] = phi[e], rest[static_cast<Index>(i)] = squares.data()[e];
      }
      simd::column_products(pairs.data(), some, rank, point, point + rows * rank, l.data());
      simd::stable_variances(mark.data(), 0, l.data(), 2 / alpha, least_dispersion, v.data(), some);
      simd::log_variance_slopes(rest.data(), v.data(), false, slope.data(), some);
      slope.head(some).array() *= 10 * 2 / alpha / l.head(some).array();
      simd::add_column_slopes(pairs.data(), some, rank, slope.data(), point, point + rows * rank, to, to + rows * rank);
    }
    if (!natural) grad.head(moving) += theta.cwiseProduct(slopes);
  }

  void draw_ids(Stream& stream) { stream.sample_with_replacement(entries, ids); }

  void draw_phi(Stream& stream) {
    constexpr auto all = static_cast<std::size_t>(entries);
    if (!natural) simd::exponentials(x.data(), theta.data(), static_cast<std::size_t>(moving));
    const double* point = natural ? x.data() : theta.data();
    cblas_dgemm(CblasColMajor, CblasTrans, CblasNoTrans, rows, columns, rank, 1, point, rank, point + rows * rank, rank,
                0, l.data(), rows);
    simd::stable_variances(phi.data(), 0, l.data(), 2 / alpha, least_dispersion, v.data(), all);
    stream.uniforms(uniforms);
    simd::log_positive_stables(alpha / 2, 0.7, uniforms.data(), uniforms.data() + entries, mark.data(), all);
    simd::stable_variances(mark.data(), 0, l.data(), 2 / alpha, least_dispersion, proposed.data(), all);
    rest.setZero();
    simd::accept_variances({squares.data(), rest.data(), proposed.data(), mark.data(), uniforms.data() + 2 * entries},
                           v.data(), phi.data(), all);
  }

  void move(Stream& stream) {
    stream.normals(normals);
    x.head(moving) += 1e-12 * grad.head(moving) + 1e-12 * normals;
    if (natural) x.head(moving) = x.head(moving).cwiseAbs();
  }

  void precondition() {  // what PSGLD computes of every coordinate
    auto average = slopes.head(moving).array(), h = theta.head(moving).array();
    const auto g = grad.head(moving).array();
    average = 0.99 * average + 0.01 * g.square();
    h = (1e-5 + average.sqrt()).inverse();
    normals.array() *= (1e-9 * h).sqrt();
  }

  void curvature(const Lbfgs& h, Stream& stream) {  // of HAMCMC: H g, a draw of N(0, H), a pair
    h.apply(grad.head(moving), slopes);
    h.draw(stream, normals);
    stream.normals(theta);
  }
};

void race(const char* name, const Settings& settings, bool natural) {
  const Intensities data = made_up();
  AlphaMixture model(data, one_source(), {.log_coordinates = !natural, .record_level = false});
  const SamplerEntry& sampler = find_sampler(name);
  Settings all{{"batch_size", std::to_string(batch)}, {"step_size", "1e-9"}};
  all.insert(settings.begin(), settings.end());
  ChainSpec spec;
  spec.schedule = {0, 1'000'000'000, 1'000'000'000};
  const bool hamcmc = std::string_view(name) == "hamcmc", psgld = std::string_view(name) == "psgld";
  const int iterations = hamcmc ? steps / memory : steps;  // an iteration of hamcmc moves every member
  const auto chain = sampler.make(model.fork(), Config(sampler.name, sampler.params, all), spec);
  Nothing sink;
  chain->run_to(10 * iterations, sink, {});
  Vec start(model.dim());
  model.draw_start(start, Rng(1));
  Bare bare(data, start, natural);
  Stream stream = Rng(2).stream("bare");
  Lbfgs h(moving, memory - 1);
  for (int pair = 0; pair < memory - 1; ++pair) {
    stream.normals(bare.normals);
    h.add_pair(bare.normals, 2 * bare.normals);
  }
  std::int64_t until = 10 * iterations;
  const auto chain_runs = [&] { chain->run_to(until += iterations, sink, {}); };
  const auto bare_runs = [&] {
    double passes = 0;
    for (int i = 0; i < steps; ++i) {
      bare.draw_ids(stream);
      bare.gradient();
      if (hamcmc) bare.curvature(h, stream), bare.gradient();
      if (psgld) bare.precondition();
      bare.move(stream);
      passes += hamcmc ? 0.2 : 0.1;
      if (passes > 0.999) bare.draw_phi(stream), passes = 0;
    }
  };
  report(fmt::format("{}{}", name, natural ? ", natural" : ", log").c_str(), bar, chain_runs, bare_runs, "its parts");
}

struct BareSweep {  // the vector functions of a sweep over components, and its random numbers
  Mat squares, w, part, re, im, rate, uniforms;
  Vec phi, before, behind, rest_re, rest_im;

  explicit BareSweep(const Intensities& data)
      : squares(data.squares),
        w(Mat::Constant(rows, rank, 0.5)),
        part(rows, rank),
        re(rows, rank),
        im(rows, rank),
        rate(Mat::Zero(rows, rank)),
        uniforms(rows, 3),
        phi(Vec::Constant(entries * rank, 2)),
        before(Vec::Zero(rows)),
        behind(Vec::Ones(rows)),
        rest_re(rows),
        rest_im(rows) {}

  void column(Index j, Stream& stream) {
    constexpr auto n = static_cast<std::size_t>(rows);
    double* own_phi = phi.data() + j * rows * rank;
    before.setZero();
    for (Index k = 0; k < rank; ++k) {
      part.col(k) = w.col(k).cwiseProduct(Eigen::Map<const Vec>(own_phi + k * rows, rows));
      stream.uniforms(uniforms.reshaped());
      simd::propose_component({alpha / 2, 1, uniforms.col(0).data(), uniforms.col(1).data(), uniforms.col(2).data(),
                               squares.col(j).data(), before.data(), behind.data(), w.col(k).data()},
                              part.col(k).data(), own_phi + k * rows, n);
      before += part.col(k);
    }
    stream.normals(re.reshaped());
    stream.normals(im.reshaped());
    rest_re = squares.col(j).cwiseSqrt();
    rest_im.setZero();
    for (Index k = 0; k < rank; ++k) {
      simd::scale_normals(part.col(k).data(), re.col(k).data(), im.col(k).data(), rest_re.data(), rest_im.data(), n);
    }
    for (Index k = 0; k < rank; ++k) {
      simd::correct_normals({part.col(k).data(), before.data(), rest_re.data(), rest_im.data(), squares.col(j).data(),
                             own_phi + k * rows, im.col(k).data()},
                            re.col(k).data(), n);
      rate.col(k) += simd::weighted_ratios(re.col(k).data(), w.col(k).data(), n) * re.col(k);
    }
  }
};

void sweeps() {
  const Intensities data = made_up();
  AlphaComponents model(data, one_source(), {.record_level = false});
  Vec x(model.dim());
  model.draw_start(x, Rng(3));
  BareSweep bare(data);
  Stream stream = Rng(5).stream("bare");
  std::uint64_t sweep = 0;
  const auto model_sweeps = [&] { model.sweep(x, {}, Rng(4).at(sweep++)); };
  const auto bare_sweeps = [&] {
    for (Index j = 0; j < columns; ++j) bare.column(j, stream);
  };
  report("gibbs, components", bar, model_sweeps, bare_sweeps, "its parts");
}

void run() {
  const SingleThreadedBlas single;
  for (const bool natural : {false, true}) {
    race("sgld", {}, natural);
    race("psgld", {}, natural);
    race("hamcmc", {{"memory", std::to_string(memory)}, {"shift", "1e6"}, {"freeze", "false"}},
         natural);  // every pair is taken
  }
  sweeps();
}

}  // namespace
}  // namespace quasar

int main() { quasar::run(); }
