// What a user says of the columns of a regression: which of them, and what to make of them.
#pragma once

#include <string>

#include <quasar/config.hpp>

namespace quasar {

enum class Response { binary, classes, counts, number };

enum class Scaling {
  standardize,  // mean 0 and population standard deviation 1
  raw,          // as they are
  bytes         // numbers / 256: the intensities of images between 0 and 1
};

struct DesignSettings {
  std::string target = {};                 // empty: the last column
  std::string predictors = {};             // names between commas; empty: every column but the target and the group
  std::string categorical = {};            // names between commas: columns whose numbers are labels
  std::string interactions = {};           // "age:sex,bmi:age"
  std::string group = {};                  // empty: there are no groups
  Scaling scaling = Scaling::standardize;  // of the predictors
  bool standardize_response = true;        // one that is a number
  bool drop_missing = false;               // rows in which a value is missing are left out; otherwise they are an error
  bool intercept = true;
  bool center = false;                 // columns that are standardised have mean 0 without an intercept as well
  bool keep_constant_columns = false;  // which tell nothing; otherwise they are an error where they are standardised
};

DesignSettings design_settings(const Config& config);  // by those of the parameters below that the model has

inline constexpr Choice missing_choices[] = {{"error"}, {"drop"}};
inline constexpr Choice prior_choices[] = {{"normal"}, {"student_t"}, {"laplace"}, {"horseshoe"}};

inline constexpr double least_prior_sd = 1e-100;  // its square is not 0

inline constexpr ParamSpec regression_params[] = {
    {.name = "target", .doc = "the response column; empty: the last one", .type = ParamSpec::text, .init = ""},
    {.name = "predictors",
     .doc = "the predictor columns, names between commas; empty: every column but the target and the group",
     .type = ParamSpec::text,
     .init = ""},
    {.name = "categorical",
     .doc = "columns whose numbers are labels, names between commas; columns of text are categorical anyway",
     .type = ParamSpec::text,
     .init = ""},
    {.name = "missing",
     .doc = "what to do with a row that has a missing value in a column that is used: an error, or leave it out",
     .type = ParamSpec::choice,
     .init = "error",
     .choices = missing_choices},
    {.name = "interactions",
     .doc = "products of columns as further predictors: age:sex,bmi:age",
     .type = ParamSpec::text,
     .init = ""},
    {.name = "standardize",
     .doc = "fit on standardised columns; coefficients are reported on the original scale either way",
     .type = ParamSpec::boolean,
     .init = "true"},
    {.name = "intercept",
     .doc = "add an intercept; without one, columns are scaled but not shifted",
     .type = ParamSpec::boolean,
     .init = "true"},
    {.name = "group",
     .doc = "a column of groups, each with an intercept of its own; empty: there are none",
     .type = ParamSpec::text,
     .init = ""},
    {.name = "prior",
     .doc = "the law of the coefficients on the scale that is fitted; the intercept's is normal",
     .type = ParamSpec::choice,
     .init = "normal",
     .choices = prior_choices},
    {.name = "prior_sd",
     .doc = "prior standard deviation of the coefficients on the scale that is fitted; the scale of student_t, the "
            "slab of the horseshoe",
     .type = ParamSpec::real,
     .init = "10",
     .min = least_prior_sd,
     .max = 1e100},
    {.name = "intercept_prior_sd",
     .doc = "prior standard deviation of the intercept on the scale that is fitted",
     .type = ParamSpec::real,
     .init = "10",
     .min = least_prior_sd,
     .max = 1e100},
    {.name = "scale_prior_sd",
     .doc = "prior standard deviation of sigma and group_sd, half-normal, on the scale that is fitted",
     .type = ParamSpec::real,
     .init = "10",
     .min = least_prior_sd,
     .max = 1e100},
    {.name = "prior_df",
     .doc = "degrees of freedom of prior=student_t",
     .type = ParamSpec::real,
     .init = "3",
     .min = 0,
     .max = 1e6,
     .exclusive_min = true},
    {.name = "prior_global_scale",
     .doc = "scale of the half-Cauchy law of the horseshoe's global scale",
     .type = ParamSpec::real,
     .init = "1",
     .min = 0,
     .max = 1e100,
     .exclusive_min = true},
};

}  // namespace quasar
