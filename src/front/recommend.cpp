#include "front/recommend.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include <quasar/config.hpp>
#include <quasar/errors.hpp>

#include "core/labels.hpp"
#include "front/predict.hpp"
#include "front/read_data.hpp"
#include "io/csv_records.hpp"
#include "io/line_reader.hpp"
#include "models/factorization/item_scores.hpp"

namespace quasar {
namespace {

using Places = std::vector<Index>;
constexpr Index unknown = -1;

struct PlacesOfPairs {  // for each row of a table; unknown: it was not fitted
  Places user, item;
};

Places places_in(const Table& table, Index column, const KeptSide& side) {
  const auto& levels = table.levels[static_cast<std::size_t>(column)];
  Places of_level;
  for (const std::string& label : levels) of_level.push_back(side.find(label).value_or(unknown));
  Places places;
  for (const double level : table.values.col(column)) places.push_back(of_level[static_cast<std::size_t>(level)]);
  return places;
}

PlacesOfPairs places_in(const Table& table, const KeptRatings& kept) {
  return {places_in(table, 0, kept.users), places_in(table, 1, kept.items)};
}

std::string not_fitted(std::string_view what, const std::string& label, const KeptSide& side,
                       std::string_view advice = "") {
  const std::vector<std::string_view> names(side.labels.begin(), side.labels.end());
  const std::string_view near = nearest_name(label, names);
  return fmt::format("{} '{}' is not in the training data{}{}", what, label, advice,
                     near.empty() ? "" : fmt::format("; did you mean '{}'?", near));
}

// use(label, "file:line: ") for every line that holds one.
template <class Use>
void each_label(const std::string& path, Use&& use) {
  LineReader lines{InputFile(path)};
  std::string line;
  bool any = false;
  while (lines.next(line)) {
    const std::string_view label = trim_blanks(line);
    if (label.empty()) continue;
    use(plain_label(label), fmt::format("{}:{}: ", path, lines.number()));
    any = true;
  }
  if (!any) throw DataError(fmt::format("{}: the file is empty", path));
}

// The items that a user may be recommended.
class Candidates {
 public:
  explicit Candidates(Index items) : allowed_(static_cast<std::size_t>(items), true) {}

  void allow_only(const std::string& path, const KeptSide& items) {
    allowed_.assign(allowed_.size(), false);
    each_label(path, [&](const std::string& label, const std::string& where) {
      const auto item = items.find(label);
      if (!item) throw DataError(where + not_fitted("item", label, items));
      allowed_[static_cast<std::size_t>(*item)] = true;
    });
  }
  void leave_out(Index user, Index item) { left_out_[user].push_back(item); }
  bool allows(Index item) const { return allowed_[static_cast<std::size_t>(item)]; }

  Places of(Index user) const {
    std::vector<bool> open = allowed_;
    if (const auto found = left_out_.find(user); found != left_out_.end()) {
      for (const Index item : found->second) open[static_cast<std::size_t>(item)] = false;
    }
    Places items;
    for (std::size_t i = 0; i < open.size(); ++i) {
      if (open[i]) items.push_back(static_cast<Index>(i));
    }
    return items;
  }

 private:
  std::vector<bool> allowed_;
  std::unordered_map<Index, Places> left_out_;
};

Candidates candidates_for(const RecommendRequest& request, const ConstantData& constants, const KnownAndNew& rows) {
  Candidates candidates(std::ssize(rows.kept.items.labels));
  if (!request.items.empty()) candidates.allow_only(request.items, rows.kept.items);
  const Index fitted = std::ssize(rows.kept.users.labels);
  for (Index i = 0; i < rows.new_users.size(); ++i) {
    for (const Index item : rows.new_users[i].other) candidates.leave_out(fitted + i, item);
  }
  if (request.rated.empty()) return candidates;
  const auto [users, items] = places_in(read_new_rows(request.rated, constants), rows.kept);
  for (std::size_t i = 0; i < users.size(); ++i) {
    if (users[i] != unknown && items[i] != unknown) candidates.leave_out(users[i], items[i]);
  }
  return candidates;
}

// Users that are named, or every new one.
Places wanted_users(const RecommendRequest& request, KnownAndNew& rows) {
  Places users;
  const Index new_users = rows.new_users.size();
  const auto add = [&](const std::string& label, const std::string& where) {
    const Index user = rows.user(label);
    if (rows.new_users.size() > new_users) {
      throw DataError(where + not_fitted("user", label, rows.kept.users, "; --fold-in takes ratings of new users"));
    }
    if (std::find(users.begin(), users.end(), user) == users.end()) users.push_back(user);
  };
  if (!request.user.empty()) add(plain_label(request.user), "");
  if (!request.users.empty()) each_label(request.users, add);
  if (!users.empty()) return users;
  for (Index i = 0; i < new_users; ++i) users.push_back(std::ssize(rows.kept.users.labels) + i);
  if (users.empty()) throw DataError(fmt::format("{}: has no ratings of new users", request.fold_in));
  return users;
}

void judge_by(const RecommendRequest& request, const ConstantData& constants, const Candidates& candidates,
              Recommender& recommender) {
  const Table table = read_new_rows(request.evaluate, constants);
  if (table.columns() < 3) {
    throw DataError(fmt::format("{}: has no column of ratings, by which recommendations are judged", request.evaluate));
  }
  const auto [users, items] = places_in(table, recommender.rows->kept);
  std::unordered_set<double> not_fitted_users;
  for (std::size_t i = 0; i < users.size(); ++i) {
    const auto row = static_cast<Index>(i);
    if (!(table.values(row, 2) >= request.relevant)) continue;  // NaN: not known
    if (users[i] == unknown) {
      not_fitted_users.insert(table.values(row, 0));
      continue;
    }
    Relevant& relevant = recommender.relevant[users[i]];
    if (items[i] == unknown || !candidates.allows(items[i]))
      ++relevant.out_of_reach;
    else
      relevant.items.insert(items[i]);
  }
  recommender.users_not_fitted = std::ssize(not_fitted_users);
  for (const auto& [user, relevant] : recommender.relevant) recommender.wanted.users.push_back(user);
  std::sort(recommender.wanted.users.begin(), recommender.wanted.users.end());
  if (recommender.wanted.users.empty()) {
    throw DataError(
        fmt::format("{}: no user of the training data has rated an item {} or more there; --relevant says "
                    "which ratings count",
                    request.evaluate, request.relevant));
  }
}

}  // namespace

const std::string& Recommender::user_label(Index user) const {
  const auto& fitted = rows->kept.users.labels;
  const Index known = std::ssize(fitted);
  return user < known ? fitted[static_cast<std::size_t>(user)] : rows->new_users[user - known].label;
}

const std::string& Recommender::item_label(Index item) const {
  return rows->kept.items.labels[static_cast<std::size_t>(item)];
}

Recommender make_recommender(const Run& run, const std::string& run_name, const RecommendRequest& request) {
  const FittedModel model = fitted_model(run, run_name);
  if (!rating_columns_in(run.constants)) {
    throw UsageError(fmt::format("the model {} recommends nothing: it was not fitted to ratings", model.entry.name));
  }
  auto rows = std::make_shared<KnownAndNew>(run.constants);
  if (!request.fold_in.empty()) rows->fold_in(read_new_rows(request.fold_in, run.constants));
  Recommender recommender;
  auto candidates = std::make_shared<const Candidates>(candidates_for(request, run.constants, *rows));
  recommender.wanted.candidates = [candidates](Index user) { return candidates->of(user); };
  if (request.evaluate.empty()) recommender.wanted.users = wanted_users(request, *rows);
  recommender.rows = rows;
  if (!request.evaluate.empty()) judge_by(request, run.constants, *candidates, recommender);
  recommender.scores = std::make_unique<FactorizationScores>(DrawnRows(model.parameters, rows));
  return recommender;
}

}  // namespace quasar
