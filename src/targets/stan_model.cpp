#include "targets/stan_model.hpp"

#include <fmt/core.h>

#include <array>
#include <cmath>
#include <limits>

#include <quasar/errors.hpp>
#include <quasar/rng.hpp>

#include "targets/stan_messages.hpp"
#include "targets/stan_names.hpp"
#include "targets/stan_program.hpp"

namespace quasar {
namespace {

constexpr StanParts parameters_only = {false, false};

unsigned folded(std::uint64_t seed) { return static_cast<unsigned>(seed ^ (seed >> 32)); }

// A fresh generator for each draw: what is generated depends on the draw's own name alone.
unsigned fresh_seed(const Rng& rng) {
  constexpr Index seeds = Index{1} << 32;
  return static_cast<unsigned>(rng.stream("stan").index(seeds));
}

// The parts wanted. Generated quantities that the program does not have need no random numbers.
StanParts parts_of(const StanProgram& program, const StanOptions& options) {
  const StanParts without_generated = {options.transformed, false}, wanted = {options.transformed, options.generated};
  const Index parameters = program.values(parameters_only), some = program.values(without_generated),
              all = program.values(wanted);
  if (parameters > some || some > all) {
    throw DataError(fmt::format("{}: has {} parameters, {} values with some more and {} with all", program.library(),
                                parameters, some, all));
  }
  return all > some ? wanted : without_generated;
}

StanLayout layout_of(const StanProgram& program, StanParts parts) {
  const std::string names = program.value_names(parts);
  StanLayout out;
  try {
    out = parse_stan_names(names);
  } catch (const DataError& error) {
    throw DataError(fmt::format("{}: {}", program.library(), error.what()));
  }
  const Index values = program.values(parts);
  if (std::ssize(out.source) != values) {
    throw DataError(
        fmt::format("{}: names {} values and says that it has {}", program.library(), out.source.size(), values));
  }
  return out;
}

// Fixed texts: this can happen at every other point, and is told once.
std::string_view not_finite(double logp) {
  if (std::isnan(logp)) return "the log density is nan";
  return logp > 0 ? "the log density is inf" : "the log density is -inf";
}

}  // namespace

struct StanModel::Shared {
  Shared(const std::string& library, const StanOptions& options)
      : program(library, {options.data, options.data_file}, folded(options.seed)),
        name(program.name()),
        dim(program.dim()),
        parts(parts_of(program, options)),
        layout(layout_of(program, parts)),
        rejections(name + ": a point is rejected"),
        losses(name + ": not all values of a draw can be computed") {
    if (dim == 0) throw UsageError(fmt::format("{}: the model has no parameters to sample", library));
  }

  StanProgram program;
  std::string name;
  Index dim;
  StanParts parts;
  StanLayout layout;
  FirstReasons rejections, losses;
};

StanModel::StanModel(const std::string& library, const StanOptions& options)
    : shared_(std::make_shared<Shared>(library, options)), values_(std::ssize(shared_->layout.source)) {}

const std::string& StanModel::name() const { return shared_->name; }

Index StanModel::dim() const { return shared_->dim; }

Threads StanModel::threads() const { return shared_->program.threaded() ? Threads::any : Threads::one; }

Layout StanModel::layout() const { return shared_->layout.layout; }

Eval StanModel::logp_grad(In x, Out grad) {
  double logp = 0;
  if (const auto failure = shared_->program.log_density_gradient(x.data(), logp, grad.data())) {
    return rejected(*failure, -std::numeric_limits<double>::infinity());
  }
  return std::isfinite(logp) ? Eval{logp} : rejected(not_finite(logp), logp);
}

Eval StanModel::rejected(std::string_view why, double logp) {
  rejection_ = why;
  shared_->rejections.pass_on(why);
  return {logp, false};
}

void StanModel::constrain(In x, Out values, const Rng& rng) {
  const StanParts parts = shared_->parts;
  const unsigned seed = fresh_seed(rng);
  StanProgram::Failure failure;
  for (const StanParts kept : {parts, StanParts{parts.transformed, false}, parameters_only}) {
    values_.setConstant(std::numeric_limits<double>::quiet_NaN());
    failure = shared_->program.constrain(kept, x.data(), values_.data(), seed);
    if (!failure) break;
    shared_->losses.pass_on(*failure);
  }
  if (failure) throw RunError(fmt::format("{}: the parameters of a draw cannot be computed: {}", name(), *failure));
  for (Index i = 0; i < values.size(); ++i) values[i] = values_[shared_->layout.source[static_cast<std::size_t>(i)]];
}

void StanModel::unconstrain(In values, Out x) const {
  Vec parameters(values_.size());
  for (Index i = 0; i < values.size(); ++i) parameters[shared_->layout.source[static_cast<std::size_t>(i)]] = values[i];
  if (const auto failure = shared_->program.unconstrain(parameters.data(), x.data())) throw UsageError(*failure);
}

}  // namespace quasar
