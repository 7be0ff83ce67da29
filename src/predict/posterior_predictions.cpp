#include "predict/posterior_predictions.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include <quasar/rng.hpp>

#include "core/blas_threads.hpp"
#include "predict/chosen_draws.hpp"
#include "predict/forked_workers.hpp"
#include "predict/quantile.hpp"
#include "predict/row_averages.hpp"

namespace quasar {
namespace {

constexpr Index block_rows = 256;
constexpr Index most_bytes = Index{256} << 20, most_rows = Index{1} << 16;

class RowBlock {
 public:
  RowBlock(const Predictor& predictor, Index begin, Index rows, Index draws)
      : begin_(begin),
        rows_(rows),
        numbers_(predictor.classes().empty()),
        observed_(observed(predictor, begin, rows)),
        averages_(rows, std::ssize(predictor.classes()), observed_),
        replicates_(numbers_ ? draws : 0, numbers_ ? rows : 0) {}

  void add(Predictor& predictor, Index draw) {  // a draw that the predictor has taken
    predict_rows(predictor, begin_, rows_, numbers_ ? Replicates::drawn : Replicates::none, given_draw_);
    averages_.add(given_draw_);
    if (numbers_) replicates_.row(draw) = given_draw_.replicate.transpose();
  }

  void finish(double interval) {
    result_ = {begin_, averages_.mean(), averages_.sd(), {}};
    if (!numbers_) return;
    result_.quantiles.resize(rows_, 3);
    const double tail = (1 - interval) / 2;
    for (Index i = 0; i < rows_; ++i) {
      if (std::isnan(result_.mean(i, 0))) {  // as replicates may be, which have no order then
        result_.quantiles.row(i).setConstant(Scores::none);
        continue;
      }
      auto column = replicates_.col(i);
      std::sort(column.begin(), column.end());
      const std::span<const double> sorted(column.data(), static_cast<std::size_t>(column.size()));
      result_.quantiles.row(i) << quantile_of(sorted, tail), quantile_of(sorted, 0.5), quantile_of(sorted, 1 - tail);
    }
  }

  const PredictedBlock& result() const { return result_; }
  void report(Scorer& scorer, PredictionSummary& summary) const {
    averages_.score(scorer);
    const Vec densities = averages_.log_density();
    for (Index i = 0; i < rows_; ++i) {
      const bool judged = densities.size() > 0 && !std::isnan(observed_[static_cast<std::size_t>(i)]);
      if (result_.mean.row(i).allFinite() && !(judged && std::isnan(densities[i]))) continue;
      if (summary.not_finite++ == 0) summary.first_not_finite = begin_ + i;
    }
  }

 private:
  static std::span<const double> observed(const Predictor& predictor, Index begin, Index rows) {
    const auto all = predictor.observed();
    if (all.empty()) return {};
    return all.subspan(static_cast<std::size_t>(begin), static_cast<std::size_t>(rows));
  }

  Index begin_, rows_;
  bool numbers_;
  std::span<const double> observed_;
  RowAverages averages_;
  Mat replicates_;  // draws x rows
  RowPredictions given_draw_;
  PredictedBlock result_;
};

Index rows_at_once(const Predictor& predictor, Index draws) {
  const Index classes = std::ssize(predictor.classes());
  const Index numbers_of_row = classes > 0 ? 4 * classes : draws + 8;
  const Index rows = std::clamp<Index>(most_bytes / (Index{sizeof(double)} * numbers_of_row), 1, most_rows);
  return rows < block_rows ? rows : rows / block_rows * block_rows;
}

}  // namespace

PredictionSummary predict(const DrawSource& draws, Index values, const Predictor& rows,
                          const PredictionSettings& settings, const std::function<void(const PredictedBlock&)>& use) {
  const SingleThreadedBlas pinned;
  const ChosenDraws chosen(draws, values, settings.most_draws);
  const Rng rng = Rng(settings.seed).child("predict");
  const Index at_once = rows_at_once(rows, chosen.size());
  ForkedWorkers workers(rows, settings.threads, (std::min(at_once, rows.rows()) + block_rows - 1) / block_rows);
  Scorer scorer;
  PredictionSummary summary;
  for (Index begin = 0; begin < rows.rows(); begin += at_once) {
    std::vector<RowBlock> blocks;
    const Index end = std::min(begin + at_once, rows.rows());
    for (Index at = begin; at < end; at += block_rows) {
      blocks.emplace_back(rows, at, std::min(block_rows, end - at), chosen.size());
    }
    chosen.for_each_piece([&](Index first, const Mat& piece) {
      workers.each(blocks.size(), [&](Predictor& predictor, std::size_t i) {
        for (Index c = 0; c < piece.cols(); ++c) {
          const std::span<const double> draw(piece.col(c).data(), static_cast<std::size_t>(values));
          predictor.take(draw, rng.at(static_cast<std::uint64_t>(chosen.number(first + c))));
          blocks[i].add(predictor, first + c);
        }
      });
    });
    workers.each(blocks.size(), [&](Predictor&, std::size_t i) { blocks[i].finish(settings.interval); });
    for (const RowBlock& block : blocks) {
      block.report(scorer, summary);
      use(block.result());
    }
  }
  summary.draws = chosen.size();
  summary.scores = scorer.result();
  return summary;
}

}  // namespace quasar
