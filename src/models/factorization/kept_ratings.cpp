#include "models/factorization/kept_ratings.hpp"

#include <span>

#include <quasar/errors.hpp>

namespace quasar {
namespace {

[[noreturn]] void fail() { throw DataError("the run does not say which users and items it was fitted to"); }

std::string attribute(const ConstantData& kept, const std::string& name) {
  const auto found = kept.attributes.find(name);
  return found == kept.attributes.end() ? std::string() : found->second;
}

std::span<const double> kept_values(const ConstantData& kept, std::string_view name) {
  Index begin = 0;
  for (const Variable& variable : kept.layout.variables) {
    if (variable.name == name) return {kept.values.data() + begin, static_cast<std::size_t>(variable.size())};
    begin += variable.size();
  }
  fail();
}

void fill(KeptSide& side, const ConstantData& kept, const std::string& name) {
  const auto labels = kept.layout.coords.find(name);
  const auto counts = kept_values(kept, name + "_ratings");
  if (labels == kept.layout.coords.end() || labels->second.size() != counts.size()) fail();
  side.labels = labels->second;
  side.ratings.assign(counts.begin(), counts.end());
  for (const std::string& label : side.labels) side.places.emplace(label, std::ssize(side.places));
}

}  // namespace

std::optional<KeptColumns> rating_columns_in(const ConstantData& kept) {
  KeptColumns columns{attribute(kept, "user_column"), attribute(kept, "item_column"), attribute(kept, "rating_column")};
  if (columns.user.empty() || columns.item.empty()) return std::nullopt;
  return columns;
}

std::optional<Index> KeptSide::find(const std::string& label) const {
  const auto found = places.find(label);
  return found == places.end() ? std::nullopt : std::optional(found->second);
}

KeptRatings::KeptRatings(const ConstantData& kept) {
  const auto found = rating_columns_in(kept);
  if (!found) fail();
  columns = *found;
  fill(users, kept, "user");
  fill(items, kept, "item");
  center = kept_values(kept, "center")[0];
  scale = kept_values(kept, "scale")[0];
}

}  // namespace quasar
