// All draws of all chains, or so many of them evenly spread, a piece at a time.
#pragma once

#include <algorithm>
#include <functional>

#include <quasar/run_data.hpp>

namespace quasar {

class ChosenDraws {
 public:
  ChosenDraws(const DrawSource& source, Index values, Index most)
      : source_(source),
        values_(values),
        per_chain_(source.draws(Phase::sampling)),
        total_(per_chain_ * source.chains()),
        size_(most > 0 ? std::min(most, total_) : total_) {}

  Index size() const { return size_; }
  Index number(Index i) const { return (2 * i + 1) * total_ / (2 * size_); }  // among all: chain after chain

  // use(first, values x draws): the draws first, first + 1, ... of those chosen, one in each column.
  void for_each_piece(const std::function<void(Index, const Mat&)>& use) const {
    constexpr Index most_numbers = Index{1} << 22;
    const Index at_once = std::clamp<Index>(most_numbers / std::max<Index>(1, values_), 1, std::max<Index>(1, size_));
    Mat piece;
    for (Index first = 0; first < size_; first += at_once) {
      piece.resize(values_, std::min(at_once, size_ - first));
      for (Index done = 0; done < piece.cols();) done += read_run(first + done, piece, done);
      use(first, piece);
    }
  }

 private:
  // The draws from i on that follow each other in one chain, as many as there is room for; returns how many.
  Index read_run(Index i, Mat& piece, Index column) const {
    const Index begin = number(i), chain_end = (begin / per_chain_ + 1) * per_chain_;
    Index count = 1;
    while (column + count < piece.cols() && number(i + count) == begin + count && begin + count < chain_end) ++count;
    source_.read({Phase::sampling, Part::values, begin / per_chain_, begin % per_chain_, count, 0, values_},
                 {piece.col(column).data(), static_cast<std::size_t>(count * values_)});
    return count;
  }

  const DrawSource& source_;
  Index values_, per_chain_, total_, size_;
};

}  // namespace quasar
