#include "models/factorization/synthetic_ratings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <utility>

#include <quasar/errors.hpp>
#include <quasar/rng.hpp>

#include "core/philox.hpp"
#include "models/factorization/sorted_ratings.hpp"

namespace quasar {
namespace {

constexpr Index truth_rank = 5;
constexpr double center = 3, noise_sd = 0.5;

struct Sizes {
  Index users = 0, items = 0, ratings = 0;
  std::uint64_t seed = 1;
};

[[noreturn]] void refuse(std::string_view name, std::string_view cause) {
  throw UsageError(
      fmt::format("{}: {}; synthetic ratings are called synthetic:USERSxITEMSxRATINGS or "
                  "synthetic:USERSxITEMSxRATINGS:SEED, as in synthetic:1000x500x20000",
                  name, cause));
}

Sizes sizes_in(std::string_view name) {
  Sizes sizes;
  std::string_view rest = name.substr(synthetic_mark.size());
  const auto number = [&](auto& value) {
    const auto [end, problem] = std::from_chars(rest.data(), rest.data() + rest.size(), value);
    if (problem != std::errc()) refuse(name, "a number is missing or too large");
    rest.remove_prefix(static_cast<std::size_t>(end - rest.data()));
  };
  const auto skip = [&](char sign) {
    if (!rest.starts_with(sign)) refuse(name, fmt::format("'{}' is missing", sign));
    rest.remove_prefix(1);
  };
  number(sizes.users), skip('x'), number(sizes.items), skip('x'), number(sizes.ratings);
  if (!rest.empty()) skip(':'), number(sizes.seed);
  if (!rest.empty()) refuse(name, "something follows the numbers");
  return sizes;
}

// Products of rows and users stay below 2^63.
void check(const Sizes& sizes, std::string_view name) {
  constexpr Index most_named = 100'000'000, most_ratings = 10'000'000'000;
  const auto [users, items, ratings, seed] = sizes;
  if (users < 1 || items < 1 || users > most_named || items > most_named) refuse(name, "1 to 10^8 users and items");
  if (ratings < std::max(users, items)) refuse(name, "fewer ratings than users or items");
  if (ratings > most_ratings) refuse(name, "more than 10^10 ratings");
  if (ratings / users > items || (ratings / users == items && ratings % users > 0)) {
    refuse(name, "more ratings than pairs of a user and an item");
  }
}

double centred(double uniform, double sd) { return std::sqrt(12.0) * sd * (uniform - 0.5); }

class SyntheticRatings final : public RowSource {
 public:
  explicit SyntheticRatings(const Sizes& sizes)
      : sizes_(sizes),
        users_(numbers_by_place(static_cast<std::size_t>(sizes.users))),
        items_(numbers_by_place(static_cast<std::size_t>(sizes.items))),
        names_(sizes.seed) {
    item_truth_.resize(truth_rank, sizes.items);
    for (Index place = 0; place < sizes.items; ++place) item_truth_.col(place) = truth("item", place);
  }

  Index rows() const override { return sizes_.ratings; }
  void announce(Index, Index) const override {}

  void read(Index begin, Index count, double* to) const override {
    const std::uint64_t key = names_.stream("rating").key();
    const Index end = begin + count;
    for (Index row = begin; row < end;) {
      const Index user = user_of(row), first = first_of(user), ratings = first_of(user + 1) - first;
      const Truth w = truth("user", user);
      for (const Index stop = std::min(end, first + ratings); row < stop; ++row, to += 3) {
        ElementDraws draws(key, static_cast<std::uint64_t>(user), static_cast<std::uint64_t>(row - first));
        const Index item = item_of(row - first, ratings, draws.uniform());
        to[0] = static_cast<double>(users_[static_cast<std::size_t>(user)]);
        to[1] = static_cast<double>(items_[static_cast<std::size_t>(item)]);
        to[2] = center + w.dot(item_truth_.col(item)) + centred(draws.uniform(), noise_sd);
      }
    }
  }

 private:
  using Truth = Eigen::Matrix<double, truth_rank, 1>;

  Index first_of(Index user) const { return user * sizes_.ratings / sizes_.users; }
  Index user_of(Index row) const { return ((row + 1) * sizes_.users - 1) / sizes_.ratings; }  // by place
  Index item_of(Index k, Index ratings, double uniform) const {
    const Index low = k * sizes_.items / ratings, high = (k + 1) * sizes_.items / ratings;
    return std::min(high - 1, low + static_cast<Index>(uniform * static_cast<double>(high - low)));
  }

  // Each number has the variance rank^-1/2, so that a product of two rows has the variance 1.
  Truth truth(std::string_view side, Index place) const {
    Vec uniforms(truth_rank);
    Stream stream = names_.at(static_cast<std::uint64_t>(place)).stream(side);
    stream.uniforms(uniforms);
    return uniforms.unaryExpr([](double u) { return centred(u, std::pow(truth_rank, -0.25)); });
  }

  Sizes sizes_;
  std::vector<std::int32_t> users_, items_;  // their numbers by place
  Rng names_;
  Eigen::Matrix<double, truth_rank, Eigen::Dynamic> item_truth_;
};

std::vector<std::string> labels(Index count) {
  std::vector<std::string> result;
  result.reserve(static_cast<std::size_t>(count));
  for (Index i = 1; i <= count; ++i) result.push_back(fmt::format("{}", i));
  return result;
}

ColumnSummary of_labels(Index count, Index rows) {
  const auto n = static_cast<double>(count);
  return {(n - 1) / 2, static_cast<double>(rows) * (n * n - 1) / 12, 0, n - 1, 0};
}

ColumnSummary of_ratings(Index rows) {
  const double most = 3 * std::sqrt(static_cast<double>(truth_rank)) + std::sqrt(3.0) * noise_sd;
  return {center, static_cast<double>(rows) * (1 + noise_sd * noise_sd), center - most, center + most, 0};
}

}  // namespace

Table synthetic_ratings(std::string_view name) {
  const Sizes sizes = sizes_in(name);
  check(sizes, name);
  Table table{.source = std::string(name), .names = {"user", "item", "rating"}, .values = {}, .lines = {}};
  table.stored = std::make_shared<SyntheticRatings>(sizes);
  table.levels = {labels(sizes.users), labels(sizes.items), {}};
  table.summaries = {of_labels(sizes.users, sizes.ratings), of_labels(sizes.items, sizes.ratings),
                     of_ratings(sizes.ratings)};
  return table;
}

}  // namespace quasar
