// What abi.cpp needs of a program to make a library of it that looks as if BridgeStan had compiled it.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

struct bs_rng {  // SplitMix64 (Steele, Lea and Flood, 2014) and Box and Muller's transform
  std::uint64_t state;
  double uniform();
  double normal();
};

struct bs_model {
  virtual ~bs_model() = default;
  virtual const char* name() const = 0;
  virtual const char* info() const { return "STAN_THREADS=true"; }
  virtual const char* param_names(bool transformed, bool generated) const = 0;
  virtual const char* param_unc_names() const { return param_names(false, false); }
  virtual int param_num(bool transformed, bool generated) const = 0;
  virtual int param_unc_num() const = 0;
  virtual double log_density(bool propto, bool jacobian, const double* x, double* grad) const = 0;
  virtual void constrain(bool transformed, bool generated, const double* x, double* values, bs_rng* rng) const = 0;
  virtual void unconstrain(const double* values, double* x) const = 0;
};

namespace stan_test {

struct Outcome {  // thrown: what a C function returns and leaves as text; any other exception is -1 and its text
  int code;
  const char* text;  // null: none
};

std::unique_ptr<bs_model> make_program(const std::string& data, unsigned seed);  // each library has its own
void check_rng_seed(unsigned seed);                                              // throws: no generator

void print(const std::string& text);

bool mentions(const std::string& data, const std::string& word);
double number(const std::string& data, const std::string& key, double otherwise);  // of {"key": number}

}  // namespace stan_test
