// A compiled Stan program on its data: each of its C functions with the lock that it needs and the text of its failure.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include <quasar/core.hpp>

#include "targets/stan_library.hpp"

namespace quasar {

struct StanParts {  // of the values, beside the parameters; the program lists them in this order
  bool transformed, generated;
};

struct StanData {
  std::string text;  // JSON, a path that ends in .json, or nothing
  std::string file;  // where it is from, for messages
};

class StanProgram {
 public:
  // DataError; UsageError: compiled for other threads than a program that runs in this process already.
  StanProgram(const std::string& library, const StanData& data, unsigned seed);
  StanProgram(const StanProgram&) = delete;
  StanProgram& operator=(const StanProgram&) = delete;

  bool threaded() const { return threaded_; }
  const std::string& library() const { return library_.path; }
  std::string name() const;  // DataError, as in the next three
  std::string value_names(StanParts parts) const;
  Index values(StanParts parts) const;
  Index dim() const;

  // Each returns nothing where it succeeds, and else why it did not.
  using Failure = std::optional<std::string>;
  Failure log_density_gradient(const double* x, double& logp, double* grad) const;  // with the transforms' Jacobians
  Failure constrain(StanParts parts, const double* x, double* values, unsigned seed) const;
  Failure unconstrain(const double* values, double* x) const;

 private:
  struct Destruct {
    const StanLibrary* library;
    void operator()(bs_model* model) const;
  };

  std::unique_lock<std::mutex> lock() const;
  const char* require_text(const char* text, const char* symbol) const;
  Index require_count(int count, const char* symbol) const;

  StanLibrary library_;
  std::unique_ptr<bs_model, Destruct> model_{nullptr, {&library_}};
  bool threaded_ = false;
};

}  // namespace quasar
