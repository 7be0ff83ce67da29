// What regression models say about tables they cannot use.
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <string>
#include <string_view>

#include <quasar/errors.hpp>

#include "support/error_message.hpp"
#include "support/regression.hpp"

namespace quasar {
namespace {

using test::error_message, test::linear, test::logistic, test::make_table, test::normal;

bool says(const std::string& message, std::initializer_list<std::string_view> words) {
  return std::all_of(words.begin(), words.end(),
                     [&](std::string_view word) { return message.find(word) != std::string::npos; });
}

TEST(BadTables, AnUnknownTargetNamesTheNearestColumn) {
  Table table = make_table(20, 2, true);
  table.names[2] = "outcome";
  const Settings misspelt = {{"target", "outcone"}};
  for (const auto make : {&logistic, &linear, &normal}) {
    const std::string message = error_message<UsageError>([&] { make(table, misspelt); });
    EXPECT_TRUE(says(message, {"data.csv", "outcone", "outcome"})) << message;
  }
}

TEST(BadTables, ALogisticTargetMustBeZeroOrOne) {
  Table table = make_table(20, 2, true);
  table.values(4, 2) = 2;
  std::string message = error_message<DataError>([&] { logistic(table); });
  EXPECT_TRUE(says(message, {"data.csv:10:", "column 3 ('y')", "0 or 1"})) << message;
  table.lines.clear();
  message = error_message<DataError>([&] { logistic(table); });
  EXPECT_TRUE(says(message, {"data.csv, row 5:", "('y')"})) << message;
}

TEST(BadTables, AConstantColumnCannotBeStandardised) {
  Table table = make_table(20, 2, false);
  table.values.col(0).setConstant(0.1);
  const std::string message = error_message<DataError>([&] { linear(table); });
  EXPECT_TRUE(says(message, {"data.csv:", "column 1 ('x1')", "standardize=false"})) << message;
  EXPECT_NO_THROW(linear(table, {{"standardize", "false"}}));
  table = make_table(20, 2, true);
  table.values.col(2).setConstant(1);
  EXPECT_NO_THROW(logistic(table));  // all successes: the prior keeps the posterior proper
  EXPECT_TRUE(says(error_message<DataError>([&] { linear(table); }), {"column 3 ('y')"}));
}

TEST(BadTables, TooSmallOrNotFinite) {
  const Table no_rows{"data.csv", {"x", "y"}, Mat(0, 2), {}};
  const Table no_columns{"data.csv", {}, Mat(0, 0), {}};
  const Table one_column{"data.csv", {"y"}, Mat::Ones(3, 1), {}};
  for (const Table* table : {&no_rows, &no_columns, &one_column}) {
    EXPECT_TRUE(says(error_message<DataError>([&] { logistic(*table); }), {"data.csv"}));
    EXPECT_TRUE(says(error_message<DataError>([&] { linear(*table); }), {"data.csv"}));
  }
  EXPECT_THROW(normal(no_rows), DataError);
  EXPECT_THROW(normal(no_columns), DataError);
  EXPECT_NO_THROW(normal(one_column));
  Table broken = make_table(20, 2, true);
  broken.values(3, 1) = std::numeric_limits<double>::infinity();
  for (const auto& message :
       {error_message<DataError>([&] { logistic(broken); }), error_message<DataError>([&] { linear(broken); }),
        error_message<DataError>([&] { normal(broken); })}) {
    EXPECT_TRUE(says(message, {"data.csv:8:", "column 2 ('x2')", "finite"})) << message;
  }
  Table extreme = make_table(20, 2, true);
  extreme.values(0, 0) = 1e300;
  EXPECT_TRUE(says(error_message<DataError>([&] { logistic(extreme); }), {"column 1", "extreme"}));
}

TEST(BadTables, MissingDataIsAUsageError) {
  EXPECT_THROW(make_logistic(Config("logistic", regression_params, {}), nullptr), UsageError);
  EXPECT_THROW(make_linear(Config("linear", regression_params, {}), nullptr), UsageError);
  EXPECT_THROW(make_normal(Config("normal", normal_params, {}), nullptr), UsageError);
}

}  // namespace
}  // namespace quasar
