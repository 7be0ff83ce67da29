// Names of the elements of a draw, the check of a layout, and the choice of variables.
#include <gtest/gtest.h>

#include <numeric>

#include <quasar/errors.hpp>
#include <quasar/layout.hpp>

#include "support/error_message.hpp"

namespace quasar {
namespace {

using Names = std::vector<std::string>;

Layout regression() {
  return {{{"mu", {}, {}}, {"beta", {2}, {"predictor"}}, {"A", {2, 3}, {}}, {"B", {2, 2}, {"predictor", "level"}}},
          {{"predictor", {"age", "chol"}}}};
}

std::string complaint(const Layout& layout) {
  return test::error_message<UsageError>([&] { check_layout(layout); });
}

TEST(ElementNames, CountFromOneLastIndexFastestAndShowLabels) {
  EXPECT_EQ(element_names(regression()), (Names{"mu", "beta[age]", "beta[chol]", "A[1,1]", "A[1,2]", "A[1,3]", "A[2,1]",
                                                "A[2,2]", "A[2,3]", "B[age,1]", "B[age,2]", "B[chol,1]", "B[chol,2]"}));
}

TEST(ElementNames, AreAsManyAsADrawHasNumbers) {
  for (const Layout& layout : {Layout{}, regression(), Layout{{{"none", {0}, {}}, {"T", {2, 1, 3}, {}}}, {}}}) {
    EXPECT_EQ(std::ssize(element_names(layout)), layout.size());
  }
}

TEST(CheckLayout, AcceptsWhatAFileCanHold) { EXPECT_NO_THROW(check_layout(regression())); }

TEST(CheckLayout, RefusesWhatItCannot) {
  EXPECT_EQ(complaint({{{"draw", {}, {}}}, {}}), "variable 'draw' has the name of a dimension of run files");
  EXPECT_EQ(complaint({{{"a", {2}, {"b"}}, {"b", {}, {}}}, {}}),
            "variable 'b' has the name of a dimension of run files");
  EXPECT_EQ(complaint({{{"a", {2}, {"chain"}}}, {}}), "variable 'a': the dimension name 'chain' is reserved");
  EXPECT_EQ(complaint({{{"a", {}, {}}, {"a", {}, {}}}, {}}), "two variables are called 'a'");
  EXPECT_EQ(complaint({{{"", {}, {}}}, {}}), "a variable has no name");
  EXPECT_EQ(complaint({{{"a", {2}, {"d"}}, {"b", {3}, {"d"}}}, {}}), "dimension 'd' has the sizes 2 and 3");
  EXPECT_EQ(complaint({{{"a", {2}, {"d"}}}, {{"d", {"x"}}}}), "dimension 'd' has 1 labels for 2 entries");
  EXPECT_EQ(complaint({{{"a", {2, 2}, {"d"}}}, {}}), "variable 'a' has 2 axes but 1 dimension names");
  EXPECT_EQ(complaint({{{"a", {2, 2}, {"d", "d"}}}, {}}), "variable 'a' has two axes of one dimension");
}

TEST(CheckLayout, NamesThatAreTooLong) {
  const std::string name(256, 'a'), of_vector(250, 'b'), of_dimension(256, 'c');
  EXPECT_EQ(complaint({{{name, {}, {}}}, {}}), "variable '" + name + "': run files hold names of at most 255 bytes");
  EXPECT_EQ(complaint({{{of_vector, {2}, {}}}, {}}),
            "dimension '" + of_vector + "_dim_0': run files hold names of at most 255 bytes");
  EXPECT_EQ(complaint({{{"a", {2}, {of_dimension}}}, {}}),
            "dimension '" + of_dimension + "': run files hold names of at most 255 bytes");
}

TEST(SelectVariables, KeepsTheOrderOfTheLayoutAndOnlyTheLabelsInUse) {
  const Selection selection = select_variables(regression(), Names{"A", "mu"});
  EXPECT_EQ(element_names(selection.layout), (Names{"mu", "A[1,1]", "A[1,2]", "A[1,3]", "A[2,1]", "A[2,2]", "A[2,3]"}));
  EXPECT_EQ(selection.begins, (std::vector<Index>{0, 3}));
  std::vector<double> draw(static_cast<std::size_t>(regression().size())), selected(7);
  std::iota(draw.begin(), draw.end(), 0);
  copy_selected(selection, draw, selected);
  EXPECT_EQ(selected, (std::vector<double>{0, 3, 4, 5, 6, 7, 8}));
  EXPECT_TRUE(selection.layout.coords.empty());
  EXPECT_EQ(select_variables(regression(), Names{"B"}).layout.coords, regression().coords);
}

TEST(SelectVariables, NoNamesMeansAll) {
  const Selection all = select_variables(regression(), {});
  EXPECT_EQ(element_names(all.layout), element_names(regression()));
  EXPECT_EQ(all.layout.size(), regression().size());
}

TEST(SelectVariables, UnknownNamesGetAHint) {
  const std::string message = test::error_message<UsageError>([] { select_variables(regression(), Names{"betta"}); });
  EXPECT_NE(message.find("unknown variable 'betta'"), std::string::npos) << message;
  EXPECT_NE(message.find("'beta'"), std::string::npos) << message;
}

}  // namespace
}  // namespace quasar
