// A compiled Stan program as a target: its posterior on the unconstrained scale, Jacobians included.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include <quasar/core.hpp>

namespace quasar {

struct StanOptions {
  std::string data = {};                      // JSON text, a path that ends in .json, or nothing
  std::string data_file = {};                 // where the text is from, for messages
  std::uint64_t seed = 1;                     // of random numbers in `transformed data`
  bool transformed = true, generated = true;  // values to record beside the parameters
};

// The program and its data are shared by all forks. A point that the program rejects, by `reject`, by an argument out
// of range or by a log density that is not finite, is a point of density zero, as in Stan; the first few different
// reasons are passed on as messages.
class StanModel final : public Target {
 public:
  explicit StanModel(const std::string& library, const StanOptions& options = {});  // DataError, UsageError

  const std::string& name() const;  // the program's

  std::unique_ptr<Target> fork() const override { return std::make_unique<StanModel>(*this); }
  Index dim() const override;
  Threads threads() const override;
  Eval logp_grad(In x, Out grad) override;
  std::string_view rejection() const override { return rejection_; }
  Layout layout() const override;

  // Where generated quantities fail, and likewise transformed parameters, they are NaN and the rest is kept.
  void constrain(In x, Out values, const Rng& rng) override;
  void unconstrain(In values, Out x) const override;

 private:
  struct Shared;
  Eval rejected(std::string_view why, double logp);

  std::shared_ptr<Shared> shared_;
  std::string rejection_;
  Vec values_;  // in the program's order
};

}  // namespace quasar
