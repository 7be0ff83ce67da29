#include "recommend.hpp"

#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <optional>
#include <tuple>
#include <utility>

#include "arrays.hpp"
#include "at_the_draws.hpp"
#include "core/labels.hpp"
#include "front/recommend.hpp"
#include "front/run_summary.hpp"
#include "new_rows.hpp"

namespace quasar::python {
namespace {

using Ratings = std::optional<PathOrColumns>;

std::vector<NamedLabel> named(const Texts& labels) {
  std::vector<NamedLabel> all;
  for (const std::string& label : labels) all.push_back({plain_label(label)});
  return all;
}

Recommender recommender_unlocked(const FittedModel& model, const Run& run, const RecommendRequest& request) {
  const InterpreterUnlocked unlocked;
  return make_recommender(model, run.constants, request);
}

struct Lists {                 // of all users, one after another
  Texts users, items;          // an item for each row of `numbers`
  std::vector<Index> lengths;  // how many items each user has
  std::vector<double> numbers;

  void add(const std::string& user, const Recommender& recommender, std::span<const Recommended> best) {
    users.push_back(user);
    lengths.push_back(std::ssize(best));
    for (const Recommended& one : best) {
      items.push_back(recommender.item_label(one.item));
      numbers.insert(numbers.end(), {one.mean, one.sd, one.lower, one.upper, one.probability});
    }
  }
  NewArray<double> table() const {
    NewArray<double> array = new_array<double>({items.size(), 5});
    std::copy(numbers.begin(), numbers.end(), array.data());
    return array;
  }
};

// Notes; users, the length of each list, items, (mean, sd, lower, upper, probability) of each, draws that were used.
std::tuple<Texts, Texts, std::vector<Index>, Texts, NewArray<double>, Index> recommend_to(
    const Run& run, const Texts& users, const std::optional<Texts>& items, const Ratings& fold_in, const Ratings& rated,
    const Settings& given) {
  const RecommendSettings settings = recommend_settings(Config("recommend", recommend_params(), given));
  const FittedModel model = model_of_ratings(run, the_run);
  RecommendRequest request{.users = named(users)};
  if (items) request.items = named(*items);
  request.fold_in = new_rows(run, "fold_in", fold_in);
  request.rated = new_rows(run, "rated", rated);
  const Recommender recommender = recommender_unlocked(model, run, request);
  Lists lists;
  Index draws = 0;
  {
    const AtTheDraws at_the_draws;
    draws = recommend(*run.source, run.layout.size(), *recommender.scores, recommender.wanted, settings,
                      [&](Index user, std::span<const Recommended> best) {
                        lists.add(recommender.user_label(user), recommender, best);
                      });
  }
  return {recommender.notes, lists.users, lists.lengths, lists.items, lists.table(), draws};
}

// Notes; names and values of the scores; users who were judged, users that were not fitted, ratings, draws.
std::tuple<Texts, std::vector<std::pair<std::string, double>>, Index, Index, Index, Index> judged(
    const Run& run, const PathOrColumns& ratings, const std::optional<Texts>& items, const Ratings& rated,
    const Settings& given) {
  const Config config("recommend", recommend_params(), given);
  const RecommendSettings settings = recommend_settings(config);
  const FittedModel model = model_of_ratings(run, the_run);
  RecommendRequest request{.relevant = config.real("relevant")};
  if (items) request.items = named(*items);
  request.rated = new_rows(run, "rated", rated);
  request.evaluate = new_rows(run, "ratings", ratings);
  const Recommender recommender = recommender_unlocked(model, run, request);
  const AtTheDraws at_the_draws;
  const PredictedFile pairs = predict_table(model, run.constants, *request.evaluate);
  const RecommendationScores found = judge(run, recommender, *pairs.rows, settings);
  Texts notes = recommender.notes;
  if (!pairs.note.empty()) notes.push_back(pairs.note);
  return {std::move(notes),          found.named(settings.top), found.ranking.users, recommender.users_not_fitted,
          found.ratings.scores.rows, found.ratings.draws};
}

}  // namespace

void add_recommend(nb::module_& module) {
  module.def(
      "require_recommender", [](const Run& run) { (void)model_of_ratings(run, the_run); }, nb::arg("run"),
      "UsageError: the run was not fitted to ratings.");
  module.def(
      "weights_vary", [](const Run& run) { return varying_weights(run).size() > 0; }, nb::arg("run"),
      "The step size of the run changes, and draws should weigh as it does.");
  module.def("recommend", recommend_to, nb::arg("run"), nb::arg("users"), nb::arg("items").none(),
             nb::arg("fold_in").none(), nb::arg("rated").none(), nb::arg("settings"));
  module.def("plain_label", &plain_label, nb::arg("label"), "The spelling of a label that is a number.");
  module.def("judge_recommendations", judged, nb::arg("run"), nb::arg("ratings"), nb::arg("items").none(),
             nb::arg("rated").none(), nb::arg("settings"));
}

}  // namespace quasar::python
