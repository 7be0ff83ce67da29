// The log density of every row of the data given each draw, computed when it is asked for.
#pragma once

#include <memory>
#include <vector>

#include <quasar/predict.hpp>
#include <quasar/run_data.hpp>

namespace quasar {

class LogLikelihood final : public DrawSource {
 public:
  LogLikelihood(const DrawSource& draws, Index values, const Predictor& rows)
      : draws_(draws), predictor_(rows.fork()), draw_(static_cast<std::size_t>(values)) {}

  Index rows() const { return predictor_->rows(); }
  Index chains() const override { return draws_.chains(); }
  bool has(Phase phase) const override { return phase == Phase::sampling; }
  Index draws(Phase phase) const override { return has(phase) ? draws_.draws(phase) : 0; }
  void read(const DrawSlab& slab, std::span<double> out) const override {
    for (Index i = 0; i < slab.draws; ++i) {
      draws_.read({slab.phase, Part::values, slab.chain, slab.first_draw + i, 1, 0, std::ssize(draw_)}, draw_);
      predictor_->take(draw_, Rng(0));  // these rows were fitted: the draw leaves nothing open
      predictor_->log_density(slab.first_column, Eigen::Map<Vec>(out.data() + i * slab.columns, slab.columns));
    }
  }

 private:
  const DrawSource& draws_;
  std::unique_ptr<Predictor> predictor_;
  mutable std::vector<double> draw_;
};

}  // namespace quasar
