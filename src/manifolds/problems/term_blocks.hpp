// Data d_1 .. d_N whose blocks are asked for one after another: in memory, or read from a source that may be larger.
#pragma once

#include <functional>
#include <memory>

#include <quasar/manifold.hpp>
#include <quasar/table.hpp>

namespace quasar {

struct TermBlocks {
  virtual ~TermBlocks() = default;
  virtual Index dim() const = 0;
  virtual Index terms() const = 0;
  // The terms begin .. begin + count, one in each column; they may be in `scratch`. Any thread may ask.
  virtual Eigen::Map<const Mat> block(Index begin, Index count, Mat& scratch) const = 0;
};

std::shared_ptr<const TermBlocks> terms_in_memory(Mat data);  // one column for each term
// (row - mean) / scale of each row.
std::shared_ptr<const TermBlocks> terms_of_rows(std::shared_ptr<const RowSource> rows, Vec mean, const Vec& scale);

// work(part, block) for all blocks of a fixed size. They belong to `parts` that threads take, each part's blocks in
// order: what is summed by part has the same bits on any number of threads. go_on is asked between blocks, on this
// thread; false: the rest is left, and the result is false.
Index parts_of(const TermBlocks& terms, Index most);
using GoOn = std::function<bool()>;
bool for_each_block(const TermBlocks& terms, Index parts, int threads,
                    const std::function<void(Index part, const Eigen::Map<const Mat>& block)>& work,
                    const GoOn& go_on = {});

}  // namespace quasar
