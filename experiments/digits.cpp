#include "experiments/digits.hpp"

#include <cmath>
#include <filesystem>
#include <vector>

#include <quasar/errors.hpp>

#include "io/idx.hpp"

namespace quasar {

Digits read_digits(const std::string& data_dir, const std::string& part, int first, int second) {
  if (data_dir.empty()) {
    throw UsageError("this experiment reads MNIST: --data-dir names the folder that has its four files in mnist/");
  }
  const std::filesystem::path folder = std::filesystem::path(data_dir) / "mnist";
  const std::filesystem::path images = folder / (part + "-images-idx3-ubyte.gz");
  const Images all = read_idx_images(images, folder / (part + "-labels-idx1-ubyte.gz"));
  if (all.rows != 28 || all.cols != 28) throw DataError(images.string() + ": the images of MNIST have 28 x 28 pixels");
  std::vector<Eigen::Triplet<double>> entries;
  std::vector<double> y;
  for (std::size_t i = 0; i < all.labels.size(); ++i) {
    if (all.labels[i] != first && all.labels[i] != second) continue;
    const auto image = all.pixels.col(static_cast<Index>(i));
    for (Index j = 0; j < image.size(); ++j) {
      if (image[j] > 0) entries.emplace_back(static_cast<int>(y.size()), static_cast<int>(j), image[j] / 255);
    }
    y.push_back(all.labels[i] == second ? 1 : 0);
  }
  if (y.empty()) throw DataError(images.string() + ": none of the images shows one of the two digits");
  Digits digits{{std::ssize(y), all.pixels.rows()}, Eigen::Map<const Vec>(y.data(), std::ssize(y))};
  digits.pixels.setFromTriplets(entries.begin(), entries.end());
  return digits;
}

DigitsPosterior::DigitsPosterior(std::shared_ptr<const Digits> digits, double prior_sd)
    : digits_(std::move(digits)), prior_precision_(1 / (prior_sd * prior_sd)) {}

Eval DigitsPosterior::logp_grad(In x, Out grad) {
  const auto& pixels = digits_->pixels;
  double logp = -0.5 * prior_precision_ * x.squaredNorm();
  grad = -prior_precision_ * x;
  for (Index i = 0; i < pixels.rows(); ++i) {
    double z = 0;
    for (Eigen::SparseMatrix<double, Eigen::RowMajor>::InnerIterator it(pixels, i); it; ++it)
      z += it.value() * x[it.col()];
    const double e = std::exp(-std::abs(z)), sigmoid = (z >= 0 ? 1 : e) / (1 + e);
    logp += digits_->y[i] * z - std::max(z, 0.0) - std::log1p(e);
    const double slope = digits_->y[i] - sigmoid;
    for (Eigen::SparseMatrix<double, Eigen::RowMajor>::InnerIterator it(pixels, i); it; ++it)
      grad[it.col()] += slope * it.value();
  }
  return {logp};
}

}  // namespace quasar
