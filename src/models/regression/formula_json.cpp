#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include <array>
#include <utility>

#include <quasar/errors.hpp>

#include "models/regression/formula.hpp"
#include "models/regression/level_combinations.hpp"

namespace quasar {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::array responses = {std::pair{Response::binary, std::string_view("binary")},
                                  std::pair{Response::classes, std::string_view("classes")},
                                  std::pair{Response::counts, std::string_view("counts")},
                                  std::pair{Response::number, std::string_view("standardized")}};

constexpr const char* attribute = "formula";

[[noreturn]] void fail_in_formula(const std::string& cause) {
  throw DataError("the description of the columns that the run was fitted to is damaged: " + cause);
}

Json to_json(const FormulaColumn& column) {
  Json json = {{"name", column.name}};
  if (!column.levels.empty()) json["levels"] = column.levels;
  return json;
}

FormulaColumn column_in(const Json& json) {
  FormulaColumn column{json.at("name").get<std::string>()};
  if (json.contains("levels")) column.levels = json.at("levels").get<std::vector<std::string>>();
  return column;
}

Response response_of(const std::string& name) {
  for (const auto& [response, its_name] : responses) {
    if (name == its_name) return response;
  }
  fail_in_formula(fmt::format("no response is called '{}'", name));
}

std::vector<Index> numbers_of(const Json& json) {
  std::vector<Index> numbers;
  for (const Json& number : json) {
    if (!number.is_number_integer()) fail_in_formula("a column or a level has no number");
    numbers.push_back(number.get<Index>());
  }
  return numbers;
}

Formula formula_of(const Json& json) {
  Formula formula{response_of(json.at("response").get<std::string>()),
                  json.at("intercept").get<bool>(),
                  column_in(json.at("target")),
                  {},
                  {},
                  {}};
  if (json.contains("group")) formula.group = column_in(json.at("group"));
  for (const Json& term : json.at("terms")) formula.terms.push_back(numbers_of(term));
  for (const Json& column : json.at("columns")) formula.columns.push_back(column_in(column));
  for (const Json& one : json.value("left_out", Json::array())) {
    const std::vector<Index> numbers = numbers_of(one);
    if (numbers.empty()) fail_in_formula("a combination of levels is empty");
    formula.left_out.push_back({numbers.front(), {numbers.begin() + 1, numbers.end()}});
  }
  formula.drop_missing = json.value("drop_missing", false);
  return formula;
}

void check(const Formula& formula) {
  if (formula.terms.empty()) fail_in_formula("there are no predictors");
  for (const std::vector<Index>& term : formula.terms) {
    if (term.empty() || std::ssize(term) > std::ssize(formula.columns))
      fail_in_formula("a predictor is made of no column");
    for (const Index column : term) {
      if (column < 0 || column >= std::ssize(formula.columns))
        fail_in_formula("a predictor is made of a column that is not there");
    }
    if (term.size() > 1 && combinations(formula, term) > most_combinations)
      fail_in_formula("an interaction has too many levels");
  }
  if (formula.group && formula.group->levels.empty()) fail_in_formula("there are no groups");
  const std::size_t classes = formula.target.levels.size();
  const bool right = formula.response == Response::binary    ? classes == 0 || classes == 2
                     : formula.response == Response::classes ? classes >= 2
                                                             : classes == 0;
  if (!right) fail_in_formula("the response does not fit its classes");
}

}  // namespace

std::string Formula::to_json() const {
  Json json;
  for (const auto& [its_response, name] : responses) {
    if (response == its_response) json["response"] = name;
  }
  json["intercept"] = intercept;
  json["target"] = quasar::to_json(target);
  if (group) json["group"] = quasar::to_json(*group);
  json["columns"] = Json::array();
  for (const FormulaColumn& column : columns) json["columns"].push_back(quasar::to_json(column));
  json["terms"] = terms;
  for (const auto& [term, combination] : left_out) {  // the number of the term, then those of the levels
    std::vector<Index> numbers = {term};
    numbers.insert(numbers.end(), combination.begin(), combination.end());
    json["left_out"].push_back(numbers);
  }
  if (drop_missing) json["drop_missing"] = true;
  return json.dump();
}

Formula Formula::from_json(std::string_view text) {
  try {
    Formula formula = formula_of(Json::parse(text));
    check(formula);
    return formula;
  } catch (const Json::exception& error) {
    fail_in_formula(error.what());
  }
}

void Formula::keep_in(ConstantData& kept) const { kept.attributes[attribute] = to_json(); }

bool Formula::is_kept_in(const ConstantData& kept) { return kept.attributes.contains(attribute); }

Formula Formula::kept_in(const ConstantData& kept) {
  const auto found = kept.attributes.find(attribute);
  if (found == kept.attributes.end()) throw DataError("the run does not say which columns it was fitted to");
  return from_json(found->second);
}

}  // namespace quasar
