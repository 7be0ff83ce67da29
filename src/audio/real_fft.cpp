#include "audio/real_fft.hpp"

#include <fftw3.h>
#include <fmt/format.h>

#include <mutex>
#include <new>
#include <type_traits>

#include <quasar/errors.hpp>

namespace quasar {
namespace {

constexpr Index longest_transform = Index{1} << 30;

// Whoever makes or destroys a plan holds it: FFTW has tables that all plans share. To execute one is free.
std::mutex& plan_mutex() {
  static std::mutex mutex;
  return mutex;
}

template <class Number>
using FftwArray = std::unique_ptr<Number[], void (*)(void*)>;

template <class Number>
FftwArray<Number> fftw_array(Index size) {  // aligned for SIMD
  void* memory = fftw_malloc(static_cast<std::size_t>(size) * sizeof(Number));
  if (memory == nullptr) throw std::bad_alloc();
  return {static_cast<Number*>(memory), fftw_free};
}

using FftwPlan = std::unique_ptr<std::remove_pointer_t<fftw_plan>, void (*)(fftw_plan)>;

void destroy_plan(fftw_plan plan) {
  const std::scoped_lock lock(plan_mutex());
  fftw_destroy_plan(plan);
}

}  // namespace

struct RealFft::Plans {
  explicit Plans(Index n)
      : size(n), samples(fftw_array<double>(n)), spectrum(fftw_array<std::complex<double>>(n / 2 + 1)) {
    auto* bins = reinterpret_cast<fftw_complex*>(spectrum.get());  // the same layout, as FFTW promises
    const std::scoped_lock lock(plan_mutex());
    forward.reset(fftw_plan_dft_r2c_1d(static_cast<int>(n), samples.get(), bins, FFTW_ESTIMATE));
    backward.reset(fftw_plan_dft_c2r_1d(static_cast<int>(n), bins, samples.get(), FFTW_ESTIMATE));
  }

  Index size;
  FftwArray<double> samples;
  FftwArray<std::complex<double>> spectrum;
  FftwPlan forward{nullptr, destroy_plan}, backward{nullptr, destroy_plan};
};

RealFft::RealFft(Index size) {
  if (size < 1 || size > longest_transform) {
    throw UsageError(fmt::format("a Fourier transform of {} numbers: 1 to {} are possible", size, longest_transform));
  }
  plans_ = std::make_unique<Plans>(size);
  if (!plans_->forward || !plans_->backward) throw std::bad_alloc();
  samples().setZero();
  spectrum().setZero();
}
RealFft::RealFft(RealFft&&) noexcept = default;
RealFft& RealFft::operator=(RealFft&&) noexcept = default;
RealFft::~RealFft() = default;

Index RealFft::size() const { return plans_->size; }
Eigen::Map<Vec> RealFft::samples() { return {plans_->samples.get(), size()}; }
Eigen::Map<Eigen::VectorXcd> RealFft::spectrum() { return {plans_->spectrum.get(), bins()}; }
void RealFft::forward() { fftw_execute(plans_->forward.get()); }
void RealFft::backward() {
  auto bins = spectrum();  // FFTW takes it for granted that these are real
  bins[0] = bins[0].real();
  if (size() % 2 == 0) bins[size() / 2] = bins[size() / 2].real();
  fftw_execute(plans_->backward.get());
}

}  // namespace quasar
