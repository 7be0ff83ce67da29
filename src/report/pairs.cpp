#include "report/pairs.hpp"

#include "report/rounded.hpp"
#include "report/traces.hpp"

namespace quasar::report {
namespace {

constexpr std::size_t most_parameters = 6;
constexpr Index most_draws = 1000, most_divergent = 500;

std::vector<Index> divergent_draws(const Mat& diverging) {
  std::vector<Index> found;
  for (Index i = 0; i < diverging.size(); ++i) {
    if (diverging.reshaped()[i] != 0) found.push_back(i);
  }
  std::vector<Index> shown;
  for (const Index place : evenly(std::ssize(found), most_divergent)) {
    shown.push_back(found[static_cast<std::size_t>(place - 1)]);
  }
  return shown;
}

}  // namespace

Pairs::Pairs(const PictureSize& size, const std::vector<Index>& order, const Mat& diverging)
    : wanted_(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(std::min(order.size(), most_parameters))),
      kept_(wanted_.size()) {
  const auto diverged = [&](Index i) { return i < diverging.size() && diverging.reshaped()[i] != 0; };
  for (const Index number : evenly(size.draws * size.chains, most_draws)) {
    if (!diverged(number - 1)) chosen_.push_back(number - 1);
  }
  divergent_.assign(chosen_.size(), 0);
  for (const Index draw : divergent_draws(diverging)) {  // last, so that they lie on top
    chosen_.push_back(draw);
    divergent_.push_back(1);
  }
}

void Pairs::add(Index parameter, const ParameterDraws& draws) {
  const auto found = std::find(wanted_.begin(), wanted_.end(), parameter);
  const auto finite = draws.finite();
  if (found == wanted_.end() || finite.empty() || finite.front() == finite.back()) return;
  auto& values = kept_[static_cast<std::size_t>(found - wanted_.begin())];
  for (const Index draw : chosen_) values.push_back(rounded(draws.by_chain().reshaped()[draw]));
}

nlohmann::ordered_json Pairs::json() const {
  std::vector<Index> parameters;
  std::vector<std::vector<double>> values;
  for (std::size_t i = 0; i < wanted_.size(); ++i) {
    if (kept_[i].empty()) continue;
    parameters.push_back(wanted_[i]);
    values.push_back(kept_[i]);
  }
  if (parameters.size() < 2) return nullptr;
  return {{"parameters", parameters}, {"values", values}, {"divergent", divergent_}};
}

}  // namespace quasar::report
