// From the columns of a table to those of a design, and the same once more from the rows of another table.
#include <fmt/core.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <string>
#include <string_view>

#include <quasar/errors.hpp>

#include "front/read_data.hpp"
#include "io/csv.hpp"
#include "models/regression/design.hpp"
#include "models/regression/design_blocks.hpp"
#include "support/error_message.hpp"
#include "support/packed.hpp"
#include "support/regression.hpp"

namespace quasar {
namespace {

using test::error_message, test::TempFolder;
using Names = std::vector<std::string>;
using Response = Design::Response;

constexpr std::string_view people =
    "age,sex,arm,site,died\n"
    "30,male,b,7,no\n"
    "40,female,a,8,yes\n"
    "50,male,c,7,yes\n"
    "60,female,b,9,no\n";

Table table_of(std::string_view text, const CsvOptions& options = {}) {
  TempFolder folder;
  Table table = read_csv(folder.write("t.csv", text), options);
  table.source = "t.csv";
  return table;
}

bool says(const std::string& message, std::initializer_list<std::string_view> words) {
  return std::all_of(words.begin(), words.end(),
                     [&](std::string_view word) { return message.find(word) != std::string::npos; });
}

bool same(std::span<const Index> found, std::span<const Index> expected) {
  return std::equal(found.begin(), found.end(), expected.begin(), expected.end());
}

DesignSettings raw(DesignSettings settings) {
  settings.scaling = Scaling::raw;
  return settings;
}

TEST(Features, ALevelButTheFirstIsAnIndicator) {
  const Design design(table_of(people), raw({.predictors = "age,sex,arm"}), Response::binary);
  EXPECT_EQ(design.predictors(), (Names{"age", "sex=male", "arm=b", "arm=c"}));
  const Mat expected{{1, 30, 1, 1, 0}, {1, 40, 0, 0, 0}, {1, 50, 1, 0, 1}, {1, 60, 0, 1, 0}};
  EXPECT_EQ(Mat(design.x()), expected);
  EXPECT_EQ(design.y(), (Vec{{0, 1, 1, 0}}));
  EXPECT_EQ(design.classes(), (Names{"no", "yes"}));
}

TEST(Features, WithoutAnInterceptTheFirstCategoricalColumnHasAllItsLevels) {
  const DesignSettings settings = raw({.predictors = "age,sex,arm", .intercept = false});
  const Design design(table_of(people), settings, Response::binary);
  EXPECT_EQ(design.predictors(), (Names{"age", "sex=female", "sex=male", "arm=b", "arm=c"}));
  EXPECT_EQ(Vec(design.x().row(1)), (Vec{{40, 1, 0, 0, 0}}));
}

TEST(Features, InteractionsAreProductsOfTheFeaturesOfTheirColumns) {
  const DesignSettings settings = raw({.predictors = "age", .interactions = "age:sex, sex:arm:age"});
  const Design design(table_of(people), settings, Response::binary);
  EXPECT_EQ(design.predictors(), (Names{"age", "age:sex=male", "sex=male:arm=b:age", "sex=male:arm=c:age"}));
  const Mat expected{{1, 30, 30, 30, 0}, {1, 40, 0, 0, 0}, {1, 50, 50, 0, 50}, {1, 60, 0, 0, 0}};
  EXPECT_EQ(Mat(design.x()), expected);
}

TEST(Features, NumbersCanBeLabels) {
  const DesignSettings settings = raw({.predictors = "site", .categorical = "site"});
  const Design design(table_of(people), settings, Response::binary);
  EXPECT_EQ(design.predictors(), (Names{"site=8", "site=9"}));
  EXPECT_EQ(Vec(design.x().row(3)), (Vec{{1, 0, 1}}));
}

TEST(Features, EveryColumnOfTheDesignIsStandardised) {
  const DesignSettings settings{.predictors = "age,sex,arm", .interactions = "age:sex"};
  const Design design(table_of(people), settings, Response::binary);
  for (Index j = 1; j < design.coefficients(); ++j) {
    EXPECT_NEAR(design.x().col(j).mean(), 0, 1e-15);
    EXPECT_NEAR(design.x().col(j).squaredNorm() / 4, 1, 1e-15);
  }
  const Design original(table_of(people), raw(settings), Response::binary);
  const Vec b = Vec::LinSpaced(design.coefficients(), -1, 2);
  Vec on_original(b.size());
  design.to_original(b, on_original);
  EXPECT_LT((design.x() * b - original.x() * on_original).norm(), 1e-13);
}

TEST(Features, OfImagesAndNetworks) {
  Table table = table_of("a,b,y\n0,5,1\n128,5,2\n256,5,1\n");
  const Design bytes(table, {.scaling = Scaling::bytes, .intercept = false}, Response::classes);
  EXPECT_EQ(Mat(bytes.x()), (Mat{{0, 5 / 256.0}, {0.5, 5 / 256.0}, {1, 5 / 256.0}}));
  EXPECT_THROW(Design(table, {}, Response::classes), DataError);
  const DesignSettings kept{.intercept = false, .center = true, .keep_constant_columns = true};
  const Design centred(table, kept, Response::classes);
  EXPECT_NEAR(centred.x().col(0).sum(), 0, 1e-15);
  EXPECT_NEAR(centred.x().col(0).squaredNorm() / 3, 1, 1e-15);
  EXPECT_EQ(Vec(centred.x().col(1)), Vec::Zero(3));
}

TEST(Responses, ClassesAreLabelsOrWholeNumbersInTheirOrder) {
  const Table table = table_of("x,k,c\n1,10,z\n2,9,a\n3,10,m\n");
  const Design numbers(table, raw({.target = "k", .predictors = "x"}), Response::classes);
  EXPECT_EQ(numbers.classes(), (Names{"9", "10"}));
  EXPECT_EQ(numbers.y(), (Vec{{1, 0, 1}}));
  const Design labels(table, raw({.target = "c", .predictors = "x"}), Response::classes);
  EXPECT_EQ(labels.classes(), (Names{"a", "m", "z"}));
  EXPECT_EQ(labels.y(), (Vec{{2, 0, 1}}));
  EXPECT_EQ(Design(table, raw({.target = "x"}), Response::counts).y(), (Vec{{1, 2, 3}}));
  EXPECT_TRUE(Design(table, raw({.target = "x"}), Response::counts).classes().empty());
}

TEST(Responses, ThatDoNotFit) {
  const auto message = [](std::string_view text, Response response, const DesignSettings& settings = {}) {
    const Table table = table_of(text);
    return error_message<DataError>([&] { Design(table, settings, response); });
  };
  EXPECT_EQ(message("x,y\n1,0.5\n2,1\n", Response::classes),
            "t.csv:2: column 2 ('y'): classes and groups must be labels or whole numbers");
  EXPECT_TRUE(says(message("x,y\n1,0\n2,-1\n", Response::counts), {"t.csv:3: column 2 ('y')", "not negative"}));
  EXPECT_TRUE(says(message("x,y\n1,0\n2,1.5\n", Response::counts), {"t.csv:3: column 2 ('y')", "whole number"}));
  EXPECT_EQ(message("x,y\n1,0\n2,9007199254740994\n", Response::counts),
            "t.csv:3: column 2 ('y'): counts above 2^53 = 9007199254740992 are not told from their neighbours");
  EXPECT_EQ(message("x,y\n1,a\n2,b\n", Response::number),
            "t.csv:2: column 2 ('y'): 'a' is a label where a number is needed");
  EXPECT_EQ(message("x,y\n1,4\n2,4\n", Response::number),
            "t.csv: column 2 ('y'): every value of the target is the same, so there is nothing to explain");
  EXPECT_EQ(message("x,y\n1,a\n2,b\n3,c\n", Response::binary),
            "t.csv: column 2 ('y'): the target must have two different values, not 3");
  EXPECT_EQ(message("x,y\n1,4\n2,4\n", Response::classes), "t.csv: column 2 ('y'): the target has one class only");
  EXPECT_TRUE(says(message("x,y\n1,0\n2,1\n3,2\n", Response::binary), {"t.csv:4: column 2 ('y')", "0 or 1"}));
  EXPECT_TRUE(says(message("x,a,y\n1,k,0\n2,k,1\n", Response::binary), {"column 2 ('a')", "every value is the same"}));
  std::string names = "x,y\n";
  for (int i = 0; i < 1001; ++i) names += "person " + std::to_string(i) + "," + std::to_string(i % 2) + "\n";
  EXPECT_TRUE(says(message(names, Response::binary), {"column 1 ('x')", "more than 1000 different values"}));
}

TEST(Features, ACombinationThatNoRowHasIsLeftOut) {
  const DesignSettings settings{.predictors = "sex,arm", .interactions = "sex:arm"};
  const std::string rows = "sex,arm,y\nf,a,0\nf,b,1\nf,c,0\nm,a,1\nm,b,0\n";  // no m in c
  const Design design(table_of(rows), settings, Response::binary);
  EXPECT_EQ(design.predictors(), (Names{"sex=m", "arm=b", "arm=c", "sex=m:arm=b"}));
  const ConstantData kept = design.constant_data();
  EXPECT_EQ(note_on_fit(table_of(rows), kept), "no row has 'sex=m:arm=c': left out of the predictors");
  const Table again = table_of(rows);
  EXPECT_EQ(Mat(Design(kept, again).x()), Mat(design.x()));
  EXPECT_EQ(
      error_message<DataError>([&] { Design(kept, table_of("sex,arm\nf,c\nm,c\n")); }),
      "t.csv:3: column 1 ('sex'): the model was fitted to no row with sex=m:arm=c, and so has no coefficient for it");
}

TEST(Features, TooManyCombinationsAreRefusedBeforeTheyAreMade) {
  std::string rows = "a,b,y\n";
  for (int i = 0; i < 102; ++i) rows += fmt::format("l{},m{},{}\n", i, i, i % 2);
  const auto refusal = [&](const std::string& text) {
    return error_message<DataError>(
        [&] { Design(table_of(text), {.predictors = "a", .interactions = "a:b"}, Response::binary); });
  };
  EXPECT_EQ(refusal(rows), "t.csv: the interaction a:b has more than 10000 combinations of levels");
}

TEST(Features, TwoOfOneNameAreRefused) {
  const auto refusal = [](std::string_view text, const DesignSettings& settings) {
    return error_message<DataError>([&] { Design(table_of(text), settings, Response::binary); });
  };
  EXPECT_EQ(
      refusal("sex=m,sex,y\n1,m,0\n2,f,1\n", {}),
      "t.csv: two predictors are called 'sex=m': one made of column 'sex=m', one of column 'sex'; rename a column");
  EXPECT_EQ(refusal("a,b,a:b,y\n1,2,3,0\n2,5,1,1\n", {.interactions = "a:b"}),
            "t.csv: two predictors are called 'a:b': one made of column 'a:b', one of columns 'a' and 'b'; rename a "
            "column");
}

TEST(Groups, AreNoPredictors) {
  const Design design(table_of(people), raw({.predictors = "", .group = "site"}), Response::binary);
  EXPECT_EQ(design.predictors(), (Names{"age", "sex=male", "arm=b", "arm=c"}));
  EXPECT_EQ(design.groups(), (Names{"7", "8", "9"}));
  EXPECT_EQ(design.groups_fitted(), 3);
  EXPECT_TRUE(same(design.group(), std::vector<Index>{0, 1, 0, 2}));
}

TEST(Groups, WithLongNumbersAreToldApartAsText) {
  constexpr std::string_view users = "x,user,y\n1,1234567890123456789,0\n2,1234567890123456790,1\n";
  const DesignSettings settings{.predictors = "x", .categorical = "user", .group = "user"};
  const Design design(table_of(users, {.categorical = {"user"}}), settings, Response::binary);
  EXPECT_EQ(design.groups(), (Names{"1234567890123456789", "1234567890123456790"}));
  EXPECT_EQ(error_message<DataError>([&] { Design(table_of(users), settings, Response::binary); }),
            "t.csv:2: column 2 ('user'): labels that are numbers above 2^53 = 9007199254740992 are not told from their "
            "neighbours unless they are read as text; of a CSV file, model.categorical does so");
}

TEST(ColumnNames, ThatAreWrong) {
  const Table table = table_of(people);
  const auto message = [&](const DesignSettings& settings) {
    return error_message<UsageError>([&] { Design(table, settings, Response::binary); });
  };
  EXPECT_EQ(message({.predictors = "age,sx"}), "t.csv: unknown column 'sx'; did you mean 'sex'?");
  EXPECT_EQ(message({.predictors = "age,age"}), "t.csv: model.predictors: 'age' is named twice");
  EXPECT_EQ(message({.predictors = "age,"}), "t.csv: model.predictors: 'age,' has an empty name");
  EXPECT_EQ(message({.predictors = "age,died"}),
            "t.csv: column 'died' is the target and cannot be a predictor as well");
  EXPECT_EQ(message({.predictors = "age", .interactions = "age"}),
            "t.csv: model.interactions: 'age' is no product of columns, as age:sex is");
  EXPECT_EQ(message({.interactions = "age:sex,sex:age"}), "t.csv: model.interactions: 'sex:age' is given twice");
  EXPECT_EQ(message({.interactions = "age:age"}), "t.csv: model.interactions: 'age' is named twice");
  EXPECT_EQ(message({.predictors = "site", .group = "site"}),
            "t.csv: column 'site' is the group and cannot be a predictor as well");
  EXPECT_EQ(message({.group = "died"}), "t.csv: column 'died' is the group and cannot be the target as well");
  EXPECT_EQ(message({.predictors = "age", .categorical = "site"}),
            "t.csv: model.categorical: 'site' is no column that the model uses");
  EXPECT_EQ(message({.categorical = "sity"}), "t.csv: unknown column 'sity'; did you mean 'site'?");
}

// What is kept of a fit, and rows in a file.
struct Fitted {
  TempFolder folder;
  ConstantData kept;

  explicit Fitted(const DesignSettings& settings = {.categorical = "site", .interactions = "age:sex"},
                  Response response = Response::binary)
      : kept(Design(table_of(people), settings, response).constant_data()) {}

  Design on(std::string_view rows) const { return {kept, read_new_rows(folder.write("new.csv", rows).string(), kept)}; }
  std::string complaint(std::string_view rows) const {
    const std::string message = error_message<DataError>([&] { on(rows); });
    const std::string path = folder.path().string() + "/";
    return message.starts_with(path) ? message.substr(path.size()) : message;
  }
};

TEST(NewRows, TheRowsOfTheFitAreMadeAgain) {
  const Fitted fitted;
  const Design first(table_of(people), {.categorical = "site", .interactions = "age:sex"}, Response::binary);
  const Design again = fitted.on(people);
  EXPECT_EQ(Mat(again.x()), Mat(first.x()));
  EXPECT_EQ(again.y(), first.y());
  EXPECT_EQ(again.predictors(), first.predictors());
  EXPECT_EQ(again.classes(), first.classes());
  EXPECT_TRUE(again.has_response());
}

// Other columns, another order of columns, another order of labels, fewer labels, other spellings of numbers.
TEST(NewRows, ColumnsAndLabelsAreFoundByTheirNames) {
  const Fitted fitted;
  const Design first(table_of(people), {.categorical = "site", .interactions = "age:sex"}, Response::binary);
  const Design other = fitted.on("site,note,sex,age,arm\n9.0,?,female,60,b\n7,,male,50,c\n");
  EXPECT_EQ(Vec(other.x().row(0)), Vec(first.x().row(3)));
  EXPECT_EQ(Vec(other.x().row(1)), Vec(first.x().row(2)));
  EXPECT_FALSE(other.has_response());
  EXPECT_TRUE(std::isnan(other.y()[0]));
  EXPECT_EQ(other.classes(), (Names{"no", "yes"}));
  const Design answered = fitted.on("died,site,sex,age,arm\nyes,9,female,60,b\n");
  EXPECT_EQ(answered.y()[0], 1);
}

TEST(NewRows, ThatDoNotFit) {
  const Fitted fitted;
  EXPECT_EQ(fitted.complaint("age,sex,arm\n1,male,a\n"),
            "new.csv:1: there is no column 'site', which the model was fitted to: there are 'age', 'sex', 'arm'");
  EXPECT_EQ(
      fitted.complaint("age,sex,arm,site\n1,male,a,7\n2,other,a,7\n"),
      "new.csv:3: column 2 ('sex'): 'other' is none of the values that the model was fitted to: 'female', 'male'");
  EXPECT_EQ(fitted.complaint("age,sex,arm,site\n1,male,a,10\n"),
            "new.csv:2: column 4 ('site'): '10' is none of the values that the model was fitted to: '7', '8', '9'");
  EXPECT_EQ(fitted.complaint("age,sex,arm,site\nold,male,a,7\n"), "new.csv:2: column 1 ('age'): 'old' is not a number");
  EXPECT_EQ(fitted.complaint("age,sex,arm,site\nold,male,a,7\n50,male,a,7\n"),  // the text is odd, not the number
            "new.csv:2: column 1 ('age'): 'old' is not a number");
  EXPECT_EQ(fitted.complaint("age,sex,arm,site\n1,male,a,7\n,male,a,7\n"),
            "new.csv:3: column 1 ('age'): the value is missing; take the row out, or fit with "
            "model.missing=drop: then it is left out");
  EXPECT_TRUE(fitted.complaint("age,sex,arm,site\n1,NA,a,7\n")
                  .starts_with("new.csv:2: column 2 ('sex'): 'NA' is a missing value; "));
  EXPECT_EQ(fitted.complaint("note,age,sex,arm,site,died\nx,1,male,a,7,maybe\n"),
            "new.csv:2: column 6 ('died'): 'maybe' is none of the values that the model was fitted to: 'no', 'yes'");
}

TEST(NewRows, UnseenGroupsComeBehindTheFittedOnes) {
  const Fitted fitted({.predictors = "age", .group = "site"});
  const Design design = fitted.on("age,site\n1,12\n2,8\n3,11\n4,12\n");
  EXPECT_EQ(design.groups(), (Names{"7", "8", "9", "11", "12"}));
  EXPECT_EQ(design.groups_fitted(), 3);
  EXPECT_TRUE(same(design.group(), std::vector<Index>{4, 1, 3, 4}));
  EXPECT_TRUE(says(fitted.complaint("age\n1\n"), {"new.csv:1", "no column 'site'"}));
  const Fitted labels({.predictors = "age", .group = "arm"});
  EXPECT_EQ(labels.on("age,arm\n1,0\n2,b\n").groups(), (Names{"a", "b", "c", "0"}));
}

TEST(NewRows, AResponseOfNumbers) {
  const Fitted fitted({.target = "age", .predictors = "arm"}, Response::number);
  const Design first(table_of(people), {.target = "age", .predictors = "arm"}, Response::number);
  EXPECT_EQ(fitted.on(people).y(), first.y());
  EXPECT_EQ(fitted.on("arm\na\n").response_scale().mean, 45);
  EXPECT_EQ(fitted.complaint("arm,age\na,x\n"), "new.csv:2: column 2 ('age'): 'x' is not a number");
}

TEST(NewRows, AResponseMayBeUnobservedInSome) {
  const Design classes = Fitted({.predictors = "age"}).on("age,died\n1,yes\n2,NA\n3,no\n4,\n");
  EXPECT_TRUE(classes.has_response());
  EXPECT_EQ(classes.y()[0], 1);
  EXPECT_TRUE(std::isnan(classes.y()[1]));
  EXPECT_EQ(classes.y()[2], 0);
  EXPECT_TRUE(std::isnan(classes.y()[3]));
  const Fitted numbers({.target = "age", .predictors = "arm"}, Response::number);
  const Design some = numbers.on("arm,age\na,\nb,45\n"), none = numbers.on("arm,age\na,\nb,NA\n");
  EXPECT_TRUE(std::isnan(some.y()[0]));
  EXPECT_EQ(some.y()[1], 0);
  EXPECT_TRUE(std::isnan(none.y()[0]) && std::isnan(none.y()[1]));
}

TEST(NewRows, RowsWithMissingPredictorsAreLeftOutWhereTheFitLeftThemOut) {
  const Fitted fitted({.predictors = "age,sex", .drop_missing = true});
  constexpr std::string_view text = "age,sex,died\n1,male,yes\n,male,no\n3,NA,no\n4,female,\n";
  const Table rows = read_new_rows(fitted.folder.write("new.csv", text).string(), fitted.kept);
  EXPECT_EQ(note_on_rows(rows), "2 of 4 rows have missing values and are left out");
  const Design design(fitted.kept, rows);
  EXPECT_EQ(design.rows(), 2);
  EXPECT_TRUE(std::isnan(design.y()[1]));
}

TEST(NewRows, WhatWasKeptMayBeDamaged) {
  const Table table = table_of(people);
  const ConstantData good = Fitted().kept;
  const auto refused = [&](const std::string& from, const std::string& to) {
    ConstantData kept = good;
    std::string& text = kept.attributes.at("formula");
    const std::size_t at = text.find(from);
    ASSERT_NE(at, std::string::npos) << from;
    text.replace(at, from.size(), to);
    EXPECT_THROW(Design(kept, table), DataError) << to;
  };
  EXPECT_NO_THROW(Design(good, table));
  refused("{", "");
  refused("\"binary\"", "\"ternary\"");
  refused("\"binary\"", "\"counts\"");
  refused("\"terms\":[[0]", "\"terms\":[[99]");
  refused("\"terms\":[[0]", "\"terms\":[[-1]");
  refused("\"terms\":[[0]", "\"terms\":[[1e30]");
  refused("\"terms\":[[0]", "\"terms\":[[18446744073709551615]");
  refused("\"terms\":[[0]", "\"terms\":[[0],[0]");
  refused("\"terms\":[[0]", "\"terms\":[[]");
  refused("\"columns\":[", "\"columns\":[7,");
  refused("\"name\":\"age\"", "\"name\":\"agee\"");
  refused("\"name\":\"age\"", "\"name\":null");
  refused("\"male\"", "\"man\"");
  ConstantData kept = good;
  kept.values[kept.values.size() - 1] = 0;
  EXPECT_THROW(Design(kept, table), DataError);
  kept.values.resize(3);
  EXPECT_THROW(Design(kept, table), DataError);
  kept.attributes.clear();
  EXPECT_THROW(Design(kept, table), DataError);
}

// Interactions, labels and groups of rows in a file have the bits of those in memory.
TEST(StoredTables, GiveTheBitsThatMemoryGives) {
  Table table = test::make_table(300, 4, true);
  for (Index i = 0; i < 300; ++i) {
    table.values(i, 1) = static_cast<double>(i * i % 5);
    table.values(i, 2) = static_cast<double>(i % 7);
  }
  TempFolder folder;
  const Table packed = test::packed(folder.file("t.qpk"), table);
  for (const bool intercept : {true, false}) {
    const DesignSettings settings{
        .categorical = "x2", .interactions = "x1:x2,x1:x4", .group = "x3", .intercept = intercept};
    const auto memory = std::make_shared<const Design>(table, settings, Response::binary);
    const auto stored = std::make_shared<const Design>(packed, settings, Response::binary);
    EXPECT_EQ(memory->constant_data().values, stored->constant_data().values);
    DesignBlocks blocks(stored);
    Index next = 0;
    blocks.each_of_range(0, 300, [&](const DesignBlocks::Rows& x, In y, std::span<const Index> group) {
      EXPECT_EQ(Mat(x), Mat(memory->x().middleRows(next, x.rows())));
      EXPECT_EQ(Vec(y), Vec(memory->y().segment(next, x.rows())));
      const auto expected = memory->group().subspan(static_cast<std::size_t>(next), group.size());
      EXPECT_TRUE(same(group, expected));
      EXPECT_EQ(std::ssize(group), x.rows());
      next += x.rows();
    });
    EXPECT_EQ(next, 300);
    const std::vector<Index> ids = {299, 0, 7, 7};
    for (const auto& design : {memory, stored}) {
      DesignBlocks(design).each_of_terms(ids, [&](const DesignBlocks::Rows& x, In y, std::span<const Index> group) {
        for (std::size_t k = 0; k < ids.size(); ++k) {
          const auto i = static_cast<Index>(k);
          EXPECT_EQ(Vec(x.row(i)), Vec(memory->x().row(ids[k])));
          EXPECT_EQ(y[i], memory->y()[ids[k]]);
          EXPECT_EQ(group[k], memory->group()[static_cast<std::size_t>(ids[k])]);
        }
      });
    }
  }
}

}  // namespace
}  // namespace quasar
