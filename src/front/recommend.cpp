#include "front/recommend.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include <quasar/config.hpp>
#include <quasar/errors.hpp>

#include "core/labels.hpp"
#include "front/prediction_params.hpp"
#include "front/read_data.hpp"
#include "io/csv_records.hpp"
#include "io/line_reader.hpp"
#include "models/factorization/item_scores.hpp"

namespace quasar {
namespace {

using Places = std::vector<Index>;
constexpr Index not_there = -1;

struct PlacesOfPairs {  // for each row of a table; not_there: it was not fitted and has not come with ratings
  Places user, item;
};

template <class Find>
Places places_in(const Table& table, Index column, const Find& find) {
  const auto& levels = table.levels[static_cast<std::size_t>(column)];
  Places of_level;
  for (const std::string& label : levels) of_level.push_back(find(label).value_or(not_there));
  Places places;
  for (const double level : table.values.col(column)) places.push_back(of_level[static_cast<std::size_t>(level)]);
  return places;
}

PlacesOfPairs places_in(const Table& table, const KnownAndNew& rows) {
  return {places_in(table, 0, [&](const std::string& label) { return rows.find_user(label); }),
          places_in(table, 1, [&](const std::string& label) { return rows.find_item(label); })};
}

std::string not_fitted(std::string_view what, const std::string& label, const KeptSide& side,
                       std::string_view advice = "") {
  const std::vector<std::string_view> names(side.labels.begin(), side.labels.end());
  const std::string_view near = nearest_name(label, names);
  return fmt::format("{} '{}' is not in the training data{}{}", what, label, advice,
                     near.empty() ? "" : fmt::format("; did you mean '{}'?", near));
}

std::vector<NamedLabel> read_labels(const std::string& path) {
  LineReader lines{InputFile(path)};
  std::vector<NamedLabel> labels;
  std::string line;
  while (lines.next(line)) {
    const std::string_view label = trim_blanks(line);
    if (!label.empty()) labels.push_back({plain_label(label), fmt::format("{}:{}: ", path, lines.number())});
  }
  if (labels.empty()) throw DataError(fmt::format("{}: the file is empty", path));
  return labels;
}

// The items that a user may be recommended.
class Candidates {
 public:
  explicit Candidates(Index items) : allowed_(static_cast<std::size_t>(items), true) {}

  void allow_only(std::span<const NamedLabel> labels, const KnownAndNew& rows) {
    allowed_.assign(allowed_.size(), false);
    for (const auto& [label, where] : labels) {
      const auto item = rows.find_item(label);
      if (!item) throw DataError(where + not_fitted("item", label, rows.kept.items));
      allowed_[static_cast<std::size_t>(*item)] = true;
    }
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

// What newcomers and others have rated in the ratings that newcomers come with.
void leave_out_folded_in(const KnownAndNew& rows, Candidates& candidates) {
  const Index users = std::ssize(rows.kept.users.labels), items = std::ssize(rows.kept.items.labels);
  for (Index i = 0; i < rows.new_users.size(); ++i) {
    for (const Index item : rows.new_users[i].other) candidates.leave_out(users + i, item);
  }
  for (Index i = 0; i < rows.new_items.size(); ++i) {
    for (const Index user : rows.new_items[i].other) candidates.leave_out(user, items + i);
  }
}

Index leave_out_rated(const Table& rated, const KnownAndNew& rows, Candidates& candidates) {
  const auto [users, items] = places_in(rated, rows);
  Index found = 0;
  for (std::size_t i = 0; i < users.size(); ++i) {
    if (users[i] == not_there || items[i] == not_there) continue;
    candidates.leave_out(users[i], items[i]);
    ++found;
  }
  return found;
}

Candidates candidates_for(const RecommendRequest& request, const KnownAndNew& rows, std::vector<std::string>& notes) {
  Candidates candidates(std::ssize(rows.kept.items.labels) + rows.new_items.size());
  if (request.items) candidates.allow_only(*request.items, rows);
  leave_out_folded_in(rows, candidates);
  if (request.rated && leave_out_rated(*request.rated, rows, candidates) == 0) {
    notes.push_back(fmt::format("{}: no pair of a user and an item there was fitted, so that nothing is left out",
                                request.rated->source));
  }
  return candidates;
}

// Users that are named, or every new one.
Places wanted_users(const RecommendRequest& request, const KnownAndNew& rows) {
  Places users;
  std::unordered_set<Index> seen;
  for (const auto& [label, where] : request.users) {
    const auto user = rows.find_user(label);
    if (!user) {
      throw DataError(where + not_fitted("user", label, rows.kept.users, "; --fold-in takes ratings of new users"));
    }
    if (seen.insert(*user).second) users.push_back(*user);
  }
  if (!users.empty()) return users;
  for (Index i = 0; i < rows.new_users.size(); ++i) users.push_back(std::ssize(rows.kept.users.labels) + i);
  if (!users.empty()) return users;
  throw DataError(request.fold_in ? fmt::format("{}: has no ratings of new users", request.fold_in->source)
                                  : "there is nobody to recommend to");
}

void judge_by(const Table& table, double least, const Candidates& candidates, Recommender& recommender) {
  if (table.columns() < 3) {
    throw DataError(fmt::format("{}: has no column of ratings, by which recommendations are judged", table.source));
  }
  const auto [users, items] = places_in(table, *recommender.rows);
  std::unordered_set<double> not_fitted_users;
  std::set<std::pair<Index, double>> counted;  // a pair counts once, however often it is there
  for (std::size_t i = 0; i < users.size(); ++i) {
    const auto row = static_cast<Index>(i);
    if (!(table.values(row, 2) >= least)) continue;  // NaN: not known
    if (users[i] == not_there) {
      not_fitted_users.insert(table.values(row, 0));
      continue;
    }
    if (!counted.emplace(users[i], table.values(row, 1)).second) continue;
    Relevant& relevant = recommender.relevant[users[i]];
    if (items[i] == not_there || !candidates.allows(items[i]))
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
                    table.source, least));
  }
}

constexpr Choice rankings[] = {{"mean"}, {"lower"}, {"upper"}, {"probability"}};

RankBy rank_by(const std::string& name) {
  for (std::size_t i = 0; i < std::size(rankings); ++i) {
    if (rankings[i].value == name) return static_cast<RankBy>(i);
  }
  return RankBy::mean;
}

}  // namespace

const std::string& Recommender::user_label(Index user) const {
  const auto& fitted = rows->kept.users.labels;
  const Index known = std::ssize(fitted);
  return user < known ? fitted[static_cast<std::size_t>(user)] : rows->new_users[user - known].label;
}

const std::string& Recommender::item_label(Index item) const {
  const auto& fitted = rows->kept.items.labels;
  const Index known = std::ssize(fitted);
  return item < known ? fitted[static_cast<std::size_t>(item)] : rows->new_items[item - known].label;
}

FittedModel model_of_ratings(const Run& run, const std::string& run_name) {
  FittedModel model = fitted_model(run, run_name);
  if (rating_columns_in(run.constants)) return model;
  throw UsageError(fmt::format("the model {} recommends nothing: it was not fitted to ratings", model.entry.name));
}

RecommendRequest read_request(const RecommendFiles& files, const ConstantData& kept) {
  const auto ratings = [&](const std::string& path) -> std::optional<Table> {
    if (path.empty()) return std::nullopt;
    return read_new_rows(path, kept);
  };
  RecommendRequest request;
  if (!files.users.empty()) request.users = read_labels(files.users);
  if (!files.user.empty()) request.users.insert(request.users.begin(), {plain_label(files.user)});
  if (!files.items.empty()) request.items = read_labels(files.items);
  request.fold_in = ratings(files.fold_in);
  request.rated = ratings(files.rated);
  request.evaluate = ratings(files.evaluate);
  return request;
}

Recommender make_recommender(const FittedModel& model, const ConstantData& kept, const RecommendRequest& request) {
  auto rows = std::make_shared<KnownAndNew>(kept);
  if (request.fold_in) rows->fold_in(*request.fold_in, model.parameters.text("duplicates"));
  Recommender recommender;
  auto candidates = std::make_shared<const Candidates>(candidates_for(request, *rows, recommender.notes));
  recommender.wanted.candidates = [candidates](Index user) { return candidates->of(user); };
  if (!request.evaluate) recommender.wanted.users = wanted_users(request, *rows);
  recommender.rows = rows;
  if (request.evaluate) judge_by(*request.evaluate, request.relevant, *candidates, recommender);
  const auto was_fitted = [&](Index user) { return user < std::ssize(rows->kept.users.labels); };
  if (!request.rated && std::ranges::any_of(recommender.wanted.users, was_fitted)) {
    recommender.notes.emplace_back("items that users have rated are recommended too; --rated takes those ratings");
  }
  recommender.scores = std::make_unique<FactorizationScores>(DrawnRows(model.parameters, rows));
  return recommender;
}

std::span<const ParamSpec> recommend_params() {
  static constexpr ParamSpec params[] = {
      {.name = "top",
       .doc = "how many items for each user",
       .type = ParamSpec::integer,
       .init = "10",
       .min = 1,
       .max = 1e6},
      {.name = "rank_by",
       .doc = "mean, lower or upper end of the interval of the expected rating, or probability to be among the top",
       .type = ParamSpec::choice,
       .init = "mean",
       .choices = rankings},
      interval_param("level of the central interval of the expected rating"),
      {.name = "relevant",
       .doc = "with --evaluate: the least rating of an item that a user likes",
       .type = ParamSpec::real,
       .init = "4"},
      draws_param,
      seed_param,
      threads_param("threads; 0: one per core. Recommendations do not depend on it"),
  };
  return params;
}

RecommendSettings recommend_settings(const Config& config) {
  return {config.integer("top"),
          rank_by(config.text("rank_by")),
          config.real("interval"),
          config.integer("draws"),
          static_cast<std::uint64_t>(config.integer("seed")),
          static_cast<int>(config.integer("threads"))};
}

std::vector<std::pair<std::string, double>> RecommendationScores::named(Index top) const {
  std::vector<std::pair<std::string, double>> all = {{fmt::format("precision@{}", top), ranking.precision},
                                                     {fmt::format("recall@{}", top), ranking.recall},
                                                     {fmt::format("ndcg@{}", top), ranking.ndcg}};
  for_each_score(ratings.scores, [&](std::string_view name, double value) { all.emplace_back(name, value); });
  return all;
}

RecommendationScores judge(const Run& run, const Recommender& recommender, const Predictor& ratings,
                           const RecommendSettings& settings) {
  RankingScorer scorer(settings.top);
  recommend(*run.source, run.layout.size(), *recommender.scores, recommender.wanted, settings,
            [&](Index user, std::span<const Recommended> best) {
              std::vector<Index> items;
              for (const Recommended& item : best) items.push_back(item.item);
              const Relevant& relevant = recommender.relevant.at(user);
              scorer.add(items, relevant.items, relevant.out_of_reach);
            });
  return {scorer.result(),
          predict(*run.source, run.layout.size(), ratings,
                  {settings.interval, settings.most_draws, settings.seed, settings.threads}, [](const auto&) {})};
}

}  // namespace quasar
