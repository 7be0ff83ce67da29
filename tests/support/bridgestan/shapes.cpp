// Values of every shape that Stan knows; in Stan it would read
//
//   parameters {
//     real mu;  vector[3] v;  matrix[2, 3] A;  array[2] matrix[2, 2] B;  tuple(real, vector[2]) t;
//     array[2] tuple(real, vector[2]) u;  complex z;  complex_vector[2] w;  real<lower=0> sigma;  simplex[3] p;
//   }
//   transformed parameters { matrix[2, 2] squares = ...; }
//   model { sigma ~ exponential(1); p ~ dirichlet(2, 2, 2); all others ~ std_normal(); }
//   generated quantities { array[2, 2] real noise = ...; }
//
// The unconstrained numbers stand in the order of the names: 33 as they are, log(sigma), then log(p_1/p_3),
// log(p_2/p_3).
#include <cmath>
#include <stdexcept>

#include "program.hpp"

// It shows the function that initialises a thread's tape of derivatives, but not the tape.
__attribute__((visibility("default"))) void initialise_tape() asm(
    "_ZTHN4stan4math22AutodiffStackSingletonIiE9instance_E");
void initialise_tape() {}

namespace {

constexpr int plain = 33;

class Shapes final : public bs_model {
 public:
  const char* name() const override { return "shapes_model"; }

  const char* param_names(bool transformed, bool generated) const override {
    static const std::string parameters =
        "mu,v.1,v.2,v.3,A.1.1,A.2.1,A.1.2,A.2.2,A.1.3,A.2.3,"
        "B.1.1.1,B.2.1.1,B.1.2.1,B.2.2.1,B.1.1.2,B.2.1.2,B.1.2.2,B.2.2.2,"
        "t:1,t:2.1,t:2.2,u.1:1,u.1:2.1,u.1:2.2,u.2:1,u.2:2.1,u.2:2.2,"
        "z.real,z.imag,w.1.real,w.1.imag,w.2.real,w.2.imag,sigma,p.1,p.2,p.3";
    static const std::string squares = ",squares.1.1,squares.2.1,squares.1.2,squares.2.2";
    static const std::string noise = ",noise.1.1,noise.2.1,noise.1.2,noise.2.2";
    static const std::string some = parameters + squares, other = parameters + noise, all = some + noise;
    return (transformed ? (generated ? all : some) : (generated ? other : parameters)).c_str();
  }
  const char* param_unc_names() const override {
    static const std::string parameters = param_names(false, false);
    static const std::string names = parameters.substr(0, parameters.rfind(','));  // p.3 follows from the others
    return names.c_str();
  }
  int param_num(bool transformed, bool generated) const override {
    return plain + 4 + 4 * int{transformed} + 4 * int{generated};
  }
  int param_unc_num() const override { return plain + 3; }

  double log_density(bool propto, bool jacobian, const double* x, double* grad) const override {
    double logp = propto ? 0 : -0.5 * plain * std::log(2 * M_PI);
    for (int i = 0; i < plain; ++i) {
      logp -= 0.5 * x[i] * x[i];
      grad[i] = -x[i];
    }
    const double sigma = std::exp(x[plain]);
    logp += -sigma + (jacobian ? x[plain] : 0);
    grad[plain] = -sigma + (jacobian ? 1 : 0);
    double p[3];
    softmax(x + plain + 1, p);
    const double power = jacobian ? 2 : 1;  // the Jacobian is p_1 p_2 p_3
    logp += power * (std::log(p[0]) + std::log(p[1]) + std::log(p[2]));
    for (int i = 0; i < 2; ++i) grad[plain + 1 + i] = power * (1 - 3 * p[i]);
    return logp;
  }

  void constrain(bool transformed, bool generated, const double* x, double* values, bs_rng* rng) const override {
    for (int i = 0; i < plain; ++i) *values++ = x[i];
    *values++ = std::exp(x[plain]);
    softmax(x + plain + 1, values);
    values += 3;
    for (int i = 0; transformed && i < 4; ++i) *values++ = x[i] * x[i];
    for (int i = 0; generated && i < 4; ++i) *values++ = rng->normal();
  }

  void unconstrain(const double* values, double* x) const override {
    const double sigma = values[plain], *p = values + plain + 1;
    if (!(sigma > 0)) throw std::runtime_error("sigma must be positive");
    if (!(std::abs(p[0] + p[1] + p[2] - 1) < 1e-8)) throw std::runtime_error("p is not a valid simplex");
    for (int i = 0; i < plain; ++i) x[i] = values[i];
    x[plain] = std::log(sigma);
    for (int i = 0; i < 2; ++i) x[plain + 1 + i] = std::log(p[i] / p[2]);
  }

 private:
  static void softmax(const double* x, double* p) {
    const double a = std::exp(x[0]), b = std::exp(x[1]), sum = a + b + 1;
    p[0] = a / sum;
    p[1] = b / sum;
    p[2] = 1 / sum;
  }
};

}  // namespace

std::unique_ptr<bs_model> stan_test::make_program(const std::string&, unsigned) { return std::make_unique<Shapes>(); }
void stan_test::check_rng_seed(unsigned) {}
