#include "report/worst_first.hpp"

#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "diagnostics/checks.hpp"

namespace quasar::report {
namespace {

// 1: at a limit; more: beyond it.
double strain(const Summary& row, Index chains) {
  using namespace diagnostics;
  const double disagreement = (row.rhat - 1) / (kRhatLimit - 1);
  const double noise = kEssPerChain * static_cast<double>(chains) / std::fmin(row.ess_bulk, row.ess_tail);
  const double worse = std::fmax(disagreement, noise);  // NaN where both are
  return std::isnan(worse) ? -1 : worse;
}

std::vector<Index> named_by_problems(const RunSummary& summary) {
  std::unordered_map<std::string_view, Index> number_of;
  for (std::size_t i = 0; i < summary.names.size(); ++i) number_of.emplace(summary.names[i], static_cast<Index>(i));
  std::vector<Index> found;
  for (const diagnostics::Problem& problem : summary.diagnosis.problems) {
    for (const diagnostics::ParameterValue& parameter : problem.parameters) {
      if (const auto number = number_of.find(parameter.name); number != number_of.end()) {
        found.push_back(number->second);
        number_of.erase(number);
      }
    }
  }
  return found;
}

}  // namespace

std::vector<Index> worst_first(const RunSummary& summary) {
  std::vector<Index> order = named_by_problems(summary);
  std::vector<bool> named(summary.names.size());
  for (const Index parameter : order) named[static_cast<std::size_t>(parameter)] = true;
  const auto others = static_cast<std::ptrdiff_t>(order.size());
  std::vector<double> strains;
  for (std::size_t i = 0; i < named.size(); ++i) {
    strains.push_back(strain(summary.rows[i], summary.chains));
    if (!named[i]) order.push_back(static_cast<Index>(i));
  }
  std::stable_sort(order.begin() + others, order.end(), [&](Index a, Index b) {
    return strains[static_cast<std::size_t>(a)] > strains[static_cast<std::size_t>(b)];
  });
  return order;
}

}  // namespace quasar::report
