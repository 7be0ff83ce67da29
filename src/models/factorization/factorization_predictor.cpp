#include "models/factorization/factorization_predictor.hpp"

#include <fmt/format.h>

#include <cmath>
#include <numbers>

namespace quasar {

void FactorizationPredictor::take(std::span<const double> draw, const Rng& rng) {
  rows_.take(draw, rng);
  rng_ = rng;
}

void FactorizationPredictor::predict(Index begin, Eigen::Ref<Mat> out) {
  for (Index i = 0; i < out.rows(); ++i) out(i, 0) = expected(begin + i);
  out.col(1).setConstant(rows_.sigma());
}

void FactorizationPredictor::log_density(Index begin, Out out) {
  const double sigma = rows_.sigma(), constant = -std::log(sigma) - 0.5 * std::log(2 * std::numbers::pi);
  for (Index i = 0; i < out.size(); ++i) {
    const double z = (pairs_->observed[static_cast<std::size_t>(begin + i)] - expected(begin + i)) / sigma;
    out[i] = constant - 0.5 * z * z;
  }
}

// A row's number is the element that it takes, so that it does not depend on the rows around it.
void FactorizationPredictor::replicate(Index begin, Out out) {
  Stream stream = rng_.stream("replicate");
  stream.seek(static_cast<std::uint64_t>(begin));
  for (Index i = 0; i < out.size(); ++i) out[i] = expected(begin + i) + rows_.sigma() * stream.normal();
}

std::unique_ptr<FactorizationPredictor> make_factorization_predictor(const Config& config, const ConstantData& kept,
                                                                     const Table& table, const Table* fold_in) {
  auto rows = std::make_shared<KnownAndNew>(kept);
  if (fold_in) rows->fold_in(*fold_in, config.text("duplicates"));
  const PairColumns columns(table, rows->kept.columns);
  auto pairs = std::make_shared<FactorizationPredictor::Pairs>();
  for (Index row = 0; row < table.rows(); ++row) {
    pairs->places.emplace_back(rows->user(label_at(table, row, columns.user)),
                               rows->item(label_at(table, row, columns.item)));
    if (columns.rating >= 0) pairs->observed.push_back(table.values(row, columns.rating));
  }
  return std::make_unique<FactorizationPredictor>(DrawnRows(config, std::move(rows)), std::move(pairs));
}

std::unique_ptr<Predictor> make_bpmf_predictor(const Config& config, const ConstantData& kept, const Table& pairs) {
  return make_factorization_predictor(config, kept, pairs, nullptr);
}

std::string note_on_newcomers(const KnownAndNew& rows) {
  const auto unknown = [](const Newcomers& newcomers) {
    Index count = 0;
    for (Index i = 0; i < newcomers.size(); ++i) count += newcomers[i].other.empty() ? 1 : 0;
    return count;
  };
  const auto counted = [](Index count, std::string_view name) {
    return count == 0 ? std::string() : fmt::format("{} {}{}", count, name, count == 1 ? "" : "s");
  };
  const Index users = unknown(rows.new_users), items = unknown(rows.new_items);
  if (users + items == 0) return "";
  return fmt::format("{}{}{} {} not in the training data: predicted by the prior", counted(users, "user"),
                     users > 0 && items > 0 ? " and " : "", counted(items, "item"), users + items == 1 ? "is" : "are");
}

}  // namespace quasar
