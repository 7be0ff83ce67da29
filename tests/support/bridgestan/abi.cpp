// The C functions of a BridgeStan 2 library around a program: all of them, those that Quasar does not call too.
#include <nlohmann/json.hpp>

#include <atomic>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <fstream>
#include <mutex>
#include <numbers>
#include <sstream>
#include <stdexcept>
#include <vector>

#include "program.hpp"

#ifndef MAJOR_VERSION
#define MAJOR_VERSION 2
#endif

#ifdef PRINT_CALLBACK_FAILS
constexpr bool print_callback_fails = true;
#else
constexpr bool print_callback_fails = false;
#endif

using stan_test::Outcome;

namespace {

using PrintCallback = void (*)(const char*, std::size_t);
PrintCallback print_callback = nullptr;
std::mutex print_mutex;

std::atomic<int> texts_left = 0;  // and not given back

void leave(char** error_msg, const char* text) {
  if (error_msg == nullptr || text == nullptr) return;
  *error_msg = strdup(text);
  ++texts_left;
}

template <class Call>
int run(char** error_msg, Call&& call) {
  try {
    call();
    return 0;
  } catch (const Outcome& outcome) {
    leave(error_msg, outcome.text);
    return outcome.code;
  } catch (const std::exception& error) {
    leave(error_msg, error.what());
    return -1;
  }
}

std::string data_text(const char* data) {
  std::string text = data == nullptr ? "" : data;
  if (!text.ends_with(".json")) return text;
  std::stringstream content;
  content << std::ifstream(text).rdbuf();
  return content.str();
}

using Json = nlohmann::json;

// The number that Stan calls A.2.1, t:2.1 or z.real: arrays count from 1, tuples are objects with the keys "1", "2",
// and a complex number is an array of two.
double element(const Json& variables, const std::string& name) {
  std::size_t end = name.find_first_of(".:");
  const Json* value = &variables.at(name.substr(0, end));
  while (end != std::string::npos) {
    const std::size_t begin = end + 1;
    const bool of_tuple = name[end] == ':';
    end = name.find_first_of(".:", begin);
    const std::string part = name.substr(begin, end - begin);
    if (of_tuple) {
      value = &value->at(part);
    } else {
      value = &value->at(part == "real" ? 0 : part == "imag" ? 1 : std::stoul(part) - 1);
    }
  }
  return value->get<double>();
}

std::vector<double> parameters_in(const char* json, const char* names) {
  const Json variables = Json::parse(json);
  std::vector<double> values;
  std::istringstream rest(names);
  for (std::string name; std::getline(rest, name, ',');) values.push_back(element(variables, name));
  return values;
}

// Derivatives of the gradient are central differences, as BridgeStan's own unless compiled otherwise.
struct Density {
  const bs_model* model;
  bool propto, jacobian;

  std::vector<double> space() const { return std::vector<double>(static_cast<std::size_t>(model->param_unc_num())); }
  double at(const double* x, double* grad) const { return model->log_density(propto, jacobian, x, grad); }

  void hessian_times(const double* x, const double* direction, double* product) const {
    constexpr double step = 1e-5;
    std::vector<double> point = space(), up = space(), down = space();
    const auto gradient = [&](double distance, std::vector<double>& grad) {
      for (std::size_t i = 0; i < point.size(); ++i) point[i] = x[i] + distance * direction[i];
      at(point.data(), grad.data());
    };
    gradient(step, up);
    gradient(-step, down);
    for (std::size_t i = 0; i < point.size(); ++i) product[i] = (up[i] - down[i]) / (2 * step);
  }
};

}  // namespace

double bs_rng::uniform() {
  std::uint64_t z = (state += 0x9e3779b97f4a7c15);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return (static_cast<double>((z ^ (z >> 31)) >> 11) + 0.5) * 0x1p-53;
}

double bs_rng::normal() {
  const double radius = std::sqrt(-2 * std::log(uniform()));
  return radius * std::cos(2 * std::numbers::pi * uniform());
}

void stan_test::print(const std::string& text) {
  const std::lock_guard lock(print_mutex);
  if (print_callback != nullptr) {
    print_callback(text.data(), text.size());
  } else {
    std::fputs(text.c_str(), stdout);
  }
}

bool stan_test::mentions(const std::string& data, const std::string& word) {
  return data.find('"' + word + '"') != std::string::npos;
}

double stan_test::number(const std::string& data, const std::string& key, double otherwise) {
  const std::string quoted = '"' + key + "\":";
  const std::size_t found = data.find(quoted);
  return found == std::string::npos ? otherwise : std::strtod(data.c_str() + found + quoted.size(), nullptr);
}

#pragma GCC visibility push(default)
extern "C" {

extern const int bs_major_version = MAJOR_VERSION, bs_minor_version = 7, bs_patch_version = 0;

bs_model* bs_model_construct(const char* data, unsigned seed, char** error_msg) {
  bs_model* model = nullptr;
  run(error_msg, [&] { model = stan_test::make_program(data_text(data), seed).release(); });
  return model;
}
void bs_model_destruct(bs_model* model) { delete model; }
void bs_free_error_msg(char* text) {
  if (text != nullptr) --texts_left;
  std::free(text);
}
int stan_test_texts_left() { return texts_left; }
const char* bs_name(const bs_model* model) { return model->name(); }
const char* bs_model_info(const bs_model* model) { return model->info(); }
const char* bs_param_names(const bs_model* model, bool transformed, bool generated) {
  return model->param_names(transformed, generated);
}
const char* bs_param_unc_names(const bs_model* model) { return model->param_unc_names(); }
int bs_param_num(const bs_model* model, bool transformed, bool generated) {
  return model->param_num(transformed, generated);
}
int bs_param_unc_num(const bs_model* model) { return model->param_unc_num(); }
int bs_param_constrain(const bs_model* model, bool transformed, bool generated, const double* x, double* values,
                       bs_rng* rng, char** error_msg) {
  return run(error_msg, [&] {
    if (generated && rng == nullptr) throw Outcome{-1, "generated quantities need a generator"};
    model->constrain(transformed, generated, x, values, rng);
  });
}
int bs_param_unconstrain(const bs_model* model, const double* values, double* x, char** error_msg) {
  return run(error_msg, [&] { model->unconstrain(values, x); });
}
int bs_param_unconstrain_json(const bs_model* model, const char* json, double* x, char** error_msg) {
  return run(error_msg, [&] { model->unconstrain(parameters_in(json, model->param_names(false, false)).data(), x); });
}
int bs_log_density(const bs_model* model, bool propto, bool jacobian, const double* x, double* value,
                   char** error_msg) {
  return run(error_msg, [&] {
    const Density density{model, propto, jacobian};
    *value = density.at(x, density.space().data());
  });
}
int bs_log_density_gradient(const bs_model* model, bool propto, bool jacobian, const double* x, double* value,
                            double* grad, char** error_msg) {
  return run(error_msg, [&] { *value = model->log_density(propto, jacobian, x, grad); });
}
int bs_log_density_hessian(const bs_model* model, bool propto, bool jacobian, const double* x, double* value,
                           double* grad, double* hessian, char** error_msg) {
  return run(error_msg, [&] {
    const Density density{model, propto, jacobian};
    *value = density.at(x, grad);
    std::vector<double> axis = density.space();
    for (std::size_t i = 0; i < axis.size(); ++i) {
      axis[i] = 1;
      density.hessian_times(x, axis.data(), hessian + i * axis.size());
      axis[i] = 0;
    }
  });
}
int bs_log_density_hessian_vector_product(const bs_model* model, bool propto, bool jacobian, const double* x,
                                          const double* direction, double* value, double* product, char** error_msg) {
  return run(error_msg, [&] {
    const Density density{model, propto, jacobian};
    *value = density.at(x, density.space().data());
    density.hessian_times(x, direction, product);
  });
}
bs_rng* bs_rng_construct(unsigned seed, char** error_msg) {
  bs_rng* rng = nullptr;
  run(error_msg, [&] {
    stan_test::check_rng_seed(seed);
    rng = new bs_rng{seed};
  });
  return rng;
}
void bs_rng_destruct(bs_rng* rng) { delete rng; }
int bs_set_print_callback(PrintCallback callback, char** error_msg) {
  return run(error_msg, [&] {
    if (print_callback_fails) throw std::runtime_error("it prints as it likes");
    const std::lock_guard lock(print_mutex);
    print_callback = callback;
  });
}
}
#pragma GCC visibility pop
