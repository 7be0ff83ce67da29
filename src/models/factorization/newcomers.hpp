// Users and items that were not fitted: their labels, and the ratings that they come with ("fold-in").
//
// A newcomer's ratings are of rows that were fitted. Those of a row that was fitted are refused, since its draws would
// have to be made again; so are those of a new user for a new item, whose rows are not independent given the draw.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include <quasar/core.hpp>
#include <quasar/table.hpp>

#include "models/factorization/kept_ratings.hpp"

namespace quasar {

struct Newcomer {
  std::string label;
  std::vector<std::int32_t> other = {};  // rows of the other side that were fitted
  std::vector<double> value = {};        // (rating - center) / scale
};

class Newcomers {  // of one side
 public:
  Index place_of(const std::string& label);  // among them; adds the label where it is new
  std::optional<Index> find(const std::string& label) const;
  Index size() const { return std::ssize(all_); }
  const Newcomer& operator[](Index i) const { return all_[static_cast<std::size_t>(i)]; }
  Newcomer& operator[](Index i) { return all_[static_cast<std::size_t>(i)]; }

 private:
  std::vector<Newcomer> all_;
  std::unordered_map<std::string, Index> places_;
};

// What predictions are about: rows that were fitted, counted from 0, and newcomers after them.
struct KnownAndNew {
  explicit KnownAndNew(const ConstantData& constants) : kept(constants) {}

  Index user(const std::string& label) { return place(kept.users, new_users, label); }
  Index item(const std::string& label) { return place(kept.items, new_items, label); }
  // Likewise, of labels that were fitted or have come with ratings.
  std::optional<Index> find_user(const std::string& label) const { return find(kept.users, new_users, label); }
  std::optional<Index> find_item(const std::string& label) const { return find(kept.items, new_items, label); }
  // duplicates: what model.duplicates says. DataError
  void fold_in(const Table& ratings, const std::string& duplicates);

  KeptRatings kept;
  Newcomers new_users, new_items;

 private:
  void require_one_newcomer(const Table& ratings, Index row, const std::string& user, const std::string& item) const;
  double scaled(const Table& ratings, Index row, double rating) const;
  static std::optional<Index> find(const KeptSide& side, const Newcomers& newcomers, const std::string& label);
  static Index place(const KeptSide& side, Newcomers& newcomers, const std::string& label);
};

// The columns of a table of pairs, and of ratings where there are any: by the names that were fitted, otherwise the
// first, the second and the third.
struct PairColumns {
  PairColumns(const Table& table, const KeptColumns& names);
  Index user, item, rating;  // rating -1: there is none
};
std::string label_at(const Table& table, Index row, Index column);

}  // namespace quasar
