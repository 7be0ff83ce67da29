#include "models/alpha/make_alpha_mf.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <string>
#include <string_view>

#include <quasar/errors.hpp>

#include "models/alpha/alpha_components.hpp"
#include "models/alpha/alpha_mixture.hpp"
#include "models/alpha/start_scale.hpp"
#include "models/regression/columns.hpp"

namespace quasar {

namespace {

constexpr std::array<Choice, 2> both_coordinates{{{"log"}, {"natural"}}};
constexpr std::array<Choice, 2> augmentations{{{"entries"}, {"components"}}};

constexpr ParamSpec positive_number(std::string_view name, std::string_view doc, std::string_view init) {
  return {
      .name = name, .doc = doc, .type = ParamSpec::real, .init = init, .min = 0, .max = 1e100, .exclusive_min = true};
}

constexpr ParamSpec alpha_mf_keys[] = {
    {.name = "alpha",
     .doc = "how heavy tails are: 2 normal, below 2 they fall like |x|^-alpha",
     .type = ParamSpec::real,
     .init = "1.2",
     .min = least_alpha,
     .max = 2},
    {.name = "rank", .doc = "columns of W", .type = ParamSpec::integer, .init = "10", .min = 1, .max = 10000},
    {.name = "dictionary",
     .doc = "a file that holds W, a row for each row of the data and rank columns: only H is sampled",
     .type = ParamSpec::text,
     .init = ""},
    positive_number("a_w", "shape of the prior of W: (w / b_w)^power ~ Gamma(a_w); the smaller, the more W varies",
                    "0.5"),
    positive_number("b_w", "scale of the prior of W", "1"),
    positive_number("a_h", "shape of the prior of H", "0.5"),
    {.name = "b_h",
     .doc = "scale of the prior of H; auto: that of the data, by the median of |x|",
     .type = ParamSpec::text,
     .init = "auto"},
    {.name = "power",
     .doc =
         "of both priors, 0.1 or more in size: 1 for Gamma laws; auto: -2/alpha, with which Gibbs sampling is possible",
     .type = ParamSpec::text,
     .init = "auto"},
    {.name = "coordinates",
     .doc = "log samples log W and log H; natural samples W and H themselves, mirrored at 0",
     .type = ParamSpec::choice,
     .init = "log",
     .choices = both_coordinates},
    {.name = "augmentation",
     .doc = "where stable variables are: one for each of the entries, for any sampler, or for each of the components "
            "of each entry, for gibbs",
     .type = ParamSpec::choice,
     .init = "entries",
     .choices = augmentations},
    {.name = "phi_every",
     .doc = "passes over the data between two draws of the stable variables; 0: draws after every step",
     .type = ParamSpec::integer,
     .init = "1",
     .min = 0,
     .max = 1e9},
    {.name = "record_phi",
     .doc = "whether the stable variables are recorded, as many as the matrix has entries",
     .type = ParamSpec::boolean,
     .init = "false"},
    {.name = "held_out",
     .doc = "share of the entries that is kept back; their mean log density is recorded, to choose alpha by",
     .type = ParamSpec::real,
     .init = "0",
     .min = 0,
     .max = 0.9},
    {.name = "held_out_seed",
     .doc = "which entries these are",
     .type = ParamSpec::integer,
     .init = "1",
     .min = 0,
     .max = 1e15},
    {.name = "row_dim", .doc = "what a row of the matrix is called", .type = ParamSpec::text, .init = "row"},
    {.name = "column_dim", .doc = "what a column of the matrix is called", .type = ParamSpec::text, .init = "column"},
};

// A number, or what stands for it where the text is auto.
double number_or(const Config& config, std::string_view name, double automatic) {
  const std::string& text = config.text(name);
  if (text == "auto") return automatic;
  const auto number = parse_real(text);
  if (!number || !std::isfinite(*number)) {
    throw UsageError(fmt::format("alpha-mf: {} must be a number or auto, not '{}'", name, text));
  }
  return *number;
}

void require_numbers(const Table& table) {
  for (Index column = 0; column < table.columns(); ++column) {
    if (!table.has_labels(column)) continue;
    throw DataError(fmt::format("{}: the column '{}' holds labels; alpha-mf is of a matrix of numbers", table.source,
                                table.names[static_cast<std::size_t>(column)]));
  }
}

Intensities squares_of(const Table& table) {
  require_numbers(table);
  return {table.values.cwiseAbs2(), table.source};
}

void check_dictionary(const Table& table, Index rows, Index rank) {
  require_numbers(table);
  const Mat& w = table.values;
  if (w.rows() != rows) throw DataError(fmt::format("{}: has {} rows, the data {}", table.source, w.rows(), rows));
  if (w.cols() != rank) {
    throw DataError(
        fmt::format("{}: has {} columns, and rank is {}: give rank={}", table.source, w.cols(), rank, w.cols()));
  }
  for (Index k = 0; k < rank; ++k) {
    for (Index i = 0; i < rows; ++i) {
      if (w(i, k) >= 0 && std::isfinite(w(i, k))) continue;
      throw DataError(fmt::format("{}: row {}, column {}: {} stands where W must be a number of 0 or more",
                                  table.source, i + 1, k + 1, w(i, k)));
    }
    if (w.col(k).isZero(0)) throw DataError(fmt::format("{}: column {} is 0 from top to bottom", table.source, k + 1));
  }
}

// A value that was given looks like a default: only another one is told.
void refuse_prior_of_w(const Config& config) {
  const Config defaults("alpha-mf", alpha_mf_keys, {});
  for (const std::string_view name : {"a_w", "b_w"}) {
    if (config.real(name) == defaults.real(name)) continue;
    throw UsageError(
        fmt::format("alpha-mf: {} is of the prior of W, which dictionary gives: leave {} out", name, name));
  }
}

// W, if it is given.
Mat dictionary_of(const Config& config, const Table& data) {
  const std::string& file = config.text("dictionary");
  if (file.empty()) return {};
  refuse_prior_of_w(config);
  if (!data.dictionary) throw UsageError(fmt::format("alpha-mf: dictionary={} was not read with the data", file));
  check_dictionary(*data.dictionary, data.rows(), config.integer("rank"));
  return data.dictionary->values;
}

// Dispersions below the least one, or that overflow where they are raised to 2/alpha, would make nonsense of the data.
void check_magnitudes(const Table& table, double alpha) {
  constexpr double smallest = 1e4 * least_dispersion, largest = 1e100;
  const double middle = median_square(table.values.cwiseAbs());  // of those that are seen and not 0
  if (!std::isfinite(middle)) return;                            // told by its place
  const double typical = typical_dispersion(alpha, middle * middle);
  if (typical >= smallest && typical <= largest) return;
  throw DataError(
      fmt::format("{}: the numbers are too {}, about {:.1e}, for alpha = {}: multiply the data "
                  "by {:.0e}",
                  table.source, typical < smallest ? "small" : "large", middle, alpha, 1 / middle));
}

// Files of draws have them for names of dimensions, beside those of variables.
void check_dimension_names(const std::string& row, const std::string& column) {
  constexpr std::array<std::string_view, 8> taken{"W", "H", "factor", "level", "phi", "held_out", "chain", "draw"};
  const auto check = [&](std::string_view key, const std::string& name) {
    const bool plain = std::ranges::all_of(name, [](unsigned char c) { return std::isalnum(c) || c == '_'; });
    if (name.empty() || !plain || std::isdigit(static_cast<unsigned char>(name.front()))) {
      throw UsageError(
          fmt::format("alpha-mf: {} = '{}': must be letters, digits and _, and not begin with a digit", key, name));
    }
    if (std::ranges::find(taken, name) == taken.end()) return;
    throw UsageError(fmt::format("alpha-mf: {} = '{}': this is what something else of a run is called", key, name));
  };
  check("row_dim", row);
  check("column_dim", column);
  if (row == column) throw UsageError(fmt::format("alpha-mf: row_dim and column_dim are both '{}'", row));
}

}  // namespace

std::span<const ParamSpec> alpha_mf_params() { return alpha_mf_keys; }

bool is_of_intensities(const Config& parameters) {
  return parameters.values().contains("row_dim") && parameters.values().contains("column_dim");
}

AlphaSource alpha_source(const Config& config, const Intensities& data, Mat dictionary) {
  const double alpha = config.real("alpha"), power = number_or(config, "power", -2 / alpha);
  AlphaSource source{.alpha = alpha,
                     .rank = static_cast<Index>(config.integer("rank")),
                     .w = {config.real("a_w"), config.real("b_w"), power},
                     .h = {config.real("a_h"), 1, power},
                     .dictionary = std::move(dictionary)};
  const double fitting = std::abs(power) < least_prior_power ? 1 : fitting_h_scale(source, data.squares);
  source.h.scale = number_or(config, "b_h", fitting);
  return source;
}

std::unique_ptr<Target> make_alpha_mf(const Config& config, const Table* data) {
  const Table& table = require_table(data, "alpha-mf");
  check_dimension_names(config.text("row_dim"), config.text("column_dim"));
  Intensities intensities = squares_of(table);
  check_magnitudes(table, config.real("alpha"));
  check_intensities(intensities);
  HeldOutEntries held_out;
  if (const double share = config.real("held_out"); share > 0) {
    held_out = hold_out(intensities, share, static_cast<std::uint64_t>(config.integer("held_out_seed")));
  }
  const AlphaSource source = alpha_source(config, intensities, dictionary_of(config, table));
  const AlphaMixtureSettings settings{.log_coordinates = config.text("coordinates") == "log",
                                      .phi_every = static_cast<Index>(config.integer("phi_every")),
                                      .record_phi = config.flag("record_phi"),
                                      .held_out = std::move(held_out),
                                      .row_dim = config.text("row_dim"),
                                      .column_dim = config.text("column_dim")};
  if (config.text("augmentation") == "components") {
    return std::make_unique<AlphaComponents>(intensities, std::vector{source}, settings);
  }
  return std::make_unique<AlphaMixture>(intensities, std::vector{source}, settings);
}

}  // namespace quasar
