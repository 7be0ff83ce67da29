// A step of sghmc on the network of the experiment sghmc-mnist (784-100-10, batches of 500, float inside) against the
// five matrix products and the normals that it cannot do without, measured in turns in the same run. The bar: 1.5.
#include <cblas.h>
#include <fmt/core.h>

#include <memory>

#include <quasar/core.hpp>
#include <quasar/rng.hpp>

#include "core/blas_threads.hpp"
#include "core/gibbs.hpp"
#include "kernels/hmc/sghmc.hpp"
#include "models/network/network.hpp"
#include "side_by_side.hpp"

namespace quasar {
namespace {

constexpr Index inputs = 784, hidden = 100, classes = 10, batch = 500, rows = 20'000;
constexpr double bar = 1.5;

std::shared_ptr<const NetworkData<float>> random_images() {
  auto data = std::make_shared<NetworkData<float>>();
  InputRows<float>::Dense all(rows, inputs);
  data->response.resize(rows);
  Stream pixels = Rng(1).stream("pixels");
  Vec row(inputs);
  for (Index i = 0; i < rows; ++i) {
    pixels.uniforms(row);
    all.row(i) = row.cast<float>();
    data->response[i] = static_cast<double>(i % classes);
  }
  data->inputs = InputRows<float>(std::move(all));
  return data;
}

SghmcParams published_settings(Index dim) {
  constexpr double learning_rate = 0.1 / rows, momentum_decay = 0.01;
  SghmcParams params;
  params.step.size = std::sqrt(learning_rate);
  params.friction = Friction(dim, Mat::Constant(1, 1, momentum_decay / params.step.size));
  return params;
}

// All products of a step, in its order, on matrices that are never touched otherwise.
class BareProducts {
 public:
  void run() {
    product(CblasNoTrans, CblasNoTrans, batch, hidden, inputs, x_, b_, z_);
    product(CblasNoTrans, CblasNoTrans, batch, classes, hidden, z_, a_, e_);
    product(CblasTrans, CblasNoTrans, hidden, classes, batch, z_, e_, da_);
    product(CblasNoTrans, CblasTrans, batch, hidden, classes, e_, a_, d_);
    product(CblasTrans, CblasNoTrans, inputs, hidden, batch, x_, d_, db_);
  }

 private:
  using Rows = FeedForward<float>::Rows;

  static void product(CBLAS_TRANSPOSE ta, CBLAS_TRANSPOSE tb, Index m, Index n, Index k, const Rows& a, const Rows& b,
                      Rows& c) {
    cblas_sgemm(CblasRowMajor, ta, tb, static_cast<int>(m), static_cast<int>(n), static_cast<int>(k), 1, a.data(),
                static_cast<int>(a.cols()), b.data(), static_cast<int>(b.cols()), 0, c.data(),
                static_cast<int>(c.cols()));
  }

  Rows x_ = Rows::Random(batch, inputs), b_ = Rows::Random(inputs, hidden), a_ = Rows::Random(hidden, classes);
  Rows z_ = Rows::Random(batch, hidden), e_ = Rows::Random(batch, classes), d_ = Rows::Random(batch, hidden);
  Rows da_ = a_, db_ = b_;
};

void run() {
  const SingleThreadedBlas one_thread;
  Network<float> network(random_images(), {{inputs, hidden, classes}}, {});
  const Block block = moving_block(network);
  EstimatorSettings estimator;
  estimator.kind = EstimatorSettings::minibatch;
  estimator.batch_size = batch;
  const Sghmc kernel(network, block, estimator, published_settings(block.size));
  Vec x(network.dim()), normals(block.size);
  network.draw_start(x, Rng(1));
  auto state = kernel.init(x, Rng(2));
  BareProducts products;
  std::uint64_t t = 0;
  constexpr int steps = 20;
  report(
      "network, 20 steps", bar,
      [&] {
        for (int i = 0; i < steps; ++i) kernel.step(x, state, Rng(3).at(t++));
      },
      [&] {
        for (int i = 0; i < steps; ++i) {
          products.run();
          Rng(3).at(t++).stream("noise").normals(normals);
        }
      },
      "products and normals");
}

}  // namespace
}  // namespace quasar

int main() { quasar::run(); }
