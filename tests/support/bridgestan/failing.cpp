// A standard normal x with transformed y and generated z that fails wherever its data say: {"fail": "construct"}.
#include <limits>
#include <stdexcept>

#include "program.hpp"

using stan_test::Outcome;

namespace {

std::string failure;  // of the program made last

bool at(const char* where) { return failure == where; }

void fail_at(const char* where) {
  if (at(where)) throw std::runtime_error(std::string("failed in ") + where);
}

class Failing final : public bs_model {
 public:
  const char* name() const override { return at("no name") ? nullptr : "failing_model"; }
  const char* info() const override { return at("no info") ? nullptr : "STAN_THREADS=true"; }

  const char* param_names(bool transformed, bool generated) const override {
    if (at("no names")) return nullptr;
    if (at("bad names")) return "x,y/\n,z";
    if (at("empty name")) return "x,,z";
    if (at("too many names")) return "x,y,z,more";
    if (at("two of a name")) return "x,x,z";
    if (transformed) return generated ? "x,y,z" : "x,y";
    return generated ? "x,z" : "x";
  }
  int param_num(bool transformed, bool generated) const override {
    if (at("negative count")) return -1;
    if (at("falling count")) return 3 - int{transformed} - int{generated};
    return 1 + int{transformed} + int{generated};
  }
  int param_unc_num() const override { return at("negative dimension") ? -1 : at("no parameters") ? 0 : 1; }

  double log_density(bool, bool, const double* x, double* grad) const override {
    fail_at("density");
    if (at("density without a word")) throw Outcome{-1, nullptr};
    *grad = -*x;
    if (at("nan")) return std::numeric_limits<double>::quiet_NaN();
    if (at("infinite")) return std::numeric_limits<double>::infinity();
    if (at("minus infinite")) return -std::numeric_limits<double>::infinity();
    return -0.5 * *x * *x;
  }

  void constrain(bool transformed, bool generated, const double* x, double* values, bs_rng*) const override {
    fail_at("parameters");
    *values++ = *x;
    if (transformed) fail_at("transformed");
    if (transformed) *values++ = 2 * *x;
    if (generated) fail_at("generated");
    if (generated) *values++ = 3 * *x;
    if (at("remark")) throw Outcome{0, "a remark, and all is well"};
  }

  void unconstrain(const double* values, double* x) const override {
    fail_at("unconstrain");
    *x = *values;
  }
};

std::string failure_in(const std::string& data) {
  const std::string key = "\"fail\": \"";
  const std::size_t begin = data.find(key);
  if (begin == std::string::npos) return "";
  const std::size_t from = begin + key.size();
  return data.substr(from, data.find('"', from) - from);
}

}  // namespace

std::unique_ptr<bs_model> stan_test::make_program(const std::string& data, unsigned) {
  failure = failure_in(data);
  fail_at("construct");
  if (at("construct without a word")) throw Outcome{-1, nullptr};
  return std::make_unique<Failing>();
}

void stan_test::check_rng_seed(unsigned) {
  fail_at("rng");
  if (at("rng without a word")) throw Outcome{-1, nullptr};
}
