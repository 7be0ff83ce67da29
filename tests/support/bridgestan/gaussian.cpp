// A Gaussian with a known law; in Stan it would read
//
//   data { real y; }                                  // 1 where it is not given
//   parameters { real a; vector[2] b; }
//   transformed parameters { real total = a + sum(b); }
//   model { a ~ normal(y, 1); b[1] ~ normal(-2 + 0.3 * (a - y), 0.4); b[2] ~ normal(3, 2); }
//   generated quantities { real again = normal_rng(a, 1); }
//
// More data make it print, wait, or say its seed instead of y. Compiled with WITHOUT_THREADS it aborts when two threads
// are in it at once.
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <thread>

#include "program.hpp"

#ifdef WITHOUT_THREADS
constexpr bool has_threads = false;
#define THREAD_LOCAL
#else
constexpr bool has_threads = true;
#define THREAD_LOCAL thread_local
#endif

namespace stan::math {

// Stan's tape of derivatives has this name in every program; the kind of variable tells who may use it.
template <class T>
struct __attribute__((visibility("default"))) AutodiffStackSingleton {
  static THREAD_LOCAL T instance_;
};
template <class T>
THREAD_LOCAL T AutodiffStackSingleton<T>::instance_ = 0;

}  // namespace stan::math

namespace {

std::atomic<int> inside = 0;

struct Alone {
  Alone() {
    if (inside++ == 0 || has_threads) return;
    std::fputs("two threads are in a library that has none\n", stderr);
    std::abort();
  }
  ~Alone() { --inside; }
};

class Gaussian final : public bs_model {
 public:
  Gaussian(const std::string& data, unsigned seed)
      : y_(stan_test::mentions(data, "take_seed") ? seed : stan_test::number(data, "y", 1)),
        microseconds_(static_cast<int>(stan_test::number(data, "microseconds", 0))),
        prints_(stan_test::mentions(data, "print")) {
    if (!data.empty() && data.front() != '{') throw std::runtime_error("expected a JSON object");
    if (y_ < 0) throw std::runtime_error("y is negative, but must be positive");
    if (prints_) stan_test::print("made\n");
  }

  const char* name() const override { return "gaussian_model"; }
  const char* info() const override { return has_threads ? "STAN_THREADS=true" : "STAN_THREADS=false"; }
  const char* param_names(bool transformed, bool generated) const override {
    if (transformed) return generated ? "a,b.1,b.2,total,again" : "a,b.1,b.2,total";
    return generated ? "a,b.1,b.2,again" : "a,b.1,b.2";
  }
  int param_num(bool transformed, bool generated) const override { return 3 + int{transformed} + int{generated}; }
  int param_unc_num() const override { return 3; }

  double log_density(bool, bool, const double* x, double* grad) const override {
    const Alone alone;
    ++stan::math::AutodiffStackSingleton<int>::instance_;
    if (microseconds_ > 0) std::this_thread::sleep_for(std::chrono::microseconds(microseconds_));
    if (prints_) stan_test::print("evaluated\n");
    const double a = x[0] - y_, b = (x[1] + 2 - 0.3 * a) / 0.16, c = (x[2] - 3) / 4;
    grad[0] = -a + 0.3 * b;
    grad[1] = -b;
    grad[2] = -c;
    return -0.5 * (a * a + 0.16 * b * b + 4 * c * c);
  }

  void constrain(bool transformed, bool generated, const double* x, double* values, bs_rng* rng) const override {
    const Alone alone;
    for (int i = 0; i < 3; ++i) *values++ = x[i];
    if (transformed) *values++ = x[0] + x[1] + x[2];
    if (generated) *values++ = x[0] + rng->normal();
  }

  void unconstrain(const double* values, double* x) const override {
    const Alone alone;
    for (int i = 0; i < 3; ++i) x[i] = values[i];
  }

 private:
  double y_;
  int microseconds_;
  bool prints_;
};

}  // namespace

std::unique_ptr<bs_model> stan_test::make_program(const std::string& data, unsigned seed) {
  return std::make_unique<Gaussian>(data, seed);
}
void stan_test::check_rng_seed(unsigned) {}
