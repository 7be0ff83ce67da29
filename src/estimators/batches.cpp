#include "estimators/batches.hpp"

#include <algorithm>

namespace quasar {

Batches::Batches(Index terms, Index size, Order order) : terms_(terms), size_(size), order_(order) {}

double Batches::population_factor() const {
  return order_ == with_replacement ? 1 : 1 - static_cast<double>(size_) / static_cast<double>(terms_);
}

Batches::Shuffle Batches::make_shuffle() const {
  Shuffle shuffle;
  if (order_ == shuffled) shuffle.order.resize(static_cast<std::size_t>(terms_));
  return shuffle;
}

void Batches::draw(const Rng& names, std::int64_t number, Shuffle& shuffle, std::span<Index> ids) const {
  if (order_ != shuffled) {
    Stream stream = names.at(static_cast<std::uint64_t>(number)).stream("batch");
    if (order_ == with_replacement) return stream.sample_with_replacement(terms_, ids);
    return stream.sample_without_replacement(terms_, ids);
  }
  const std::int64_t batches_in_pass = terms_ / size_;
  const std::int64_t pass = number / batches_in_pass;
  if (pass != shuffle.pass) {
    names.at(static_cast<std::uint64_t>(pass)).stream("pass").permutation(shuffle.order);
    shuffle.pass = pass;
  }
  std::copy_n(shuffle.order.begin() + number % batches_in_pass * size_, size_, ids.begin());
}

}  // namespace quasar
