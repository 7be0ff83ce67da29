// What a fitted regression says of rows, given a draw.
#pragma once

#include <cmath>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <quasar/core.hpp>
#include <quasar/errors.hpp>
#include <quasar/predict.hpp>
#include <quasar/rng.hpp>
#include <quasar/table.hpp>

#include "models/regression/coefficient_prior.hpp"
#include "models/regression/family.hpp"
#include "models/regression/row_blocks.hpp"

namespace quasar {

// All but the law of the response. A draw is the whole of the model's layout, on the original scale. The effect of a
// group that the model was not fitted to is N(0, group_sd^2), named by its label: the same for all of its rows.
class RegressionPredictorBase : public Predictor {
 public:
  Index rows() const override { return rows_.design().rows(); }
  std::span<const std::string> classes() const override { return rows_.design().classes(); }
  std::span<const double> observed() const override { return *observed_; }
  void take(std::span<const double> draw, const Rng& rng) final;

 protected:
  RegressionPredictorBase(std::shared_ptr<const Design> design, Index outputs, const PriorSettings& prior,
                          const ScaleParameter& scale, const Table& rows);

  const Scale& response_scale() const { return rows_.design().response_scale(); }

  void draw_effects(std::span<const Index> groups);  // of those among them that are new and met for the first time

  RowBlocks rows_;
  Vec b_, effect_;        // of the draw taken, on the scale that is fitted; NaN: not drawn yet
  double log_scale_ = 0;  // likewise: s of the law
  Rng rng_ = Rng(0);

 private:
  void take_effects(In spreads, In effects);

  Vec spreads_;  // of groups
  CoefficientPrior prior_;
  ScaleParameter scale_;
  std::shared_ptr<const std::vector<double>> observed_;
};

template <Family Law>
class RegressionPredictor final : public RegressionPredictorBase {
 public:
  RegressionPredictor(const PriorSettings& prior, const ConstantData& kept, const Table& rows)
      : RegressionPredictor(prior, std::make_shared<const Design>(kept, rows), rows) {}

  std::unique_ptr<Predictor> fork() const override { return std::make_unique<RegressionPredictor>(*this); }

  void predict(Index begin, Eigen::Ref<Mat> out) override {
    each(begin, out.rows(), [&](const Law& law, Index i, In z, double) {
      law.predict(z, row_);
      if (classes().empty()) row_ = row_ * response_scale().sd + Vec::Unit(2, 0) * response_scale().mean;
      out.row(i) = row_.transpose();
    });
  }
  void log_density(Index begin, Out out) override {
    const double log_unit = std::log(response_scale().sd);
    each(begin, out.size(), [&](const Law& law, Index i, In z, double y) {
      out[i] = std::isnan(y) ? y : law.log_density(y, z) - log_unit;
    });
  }
  void replicate(Index begin, Out out) override {
    Stream stream = rng_.stream("replicate");
    each(begin, out.size(), [&](const Law& law, Index i, In z, double) {
      stream.seek(2 * static_cast<std::uint64_t>(begin + i));  // a row takes two elements at most
      out[i] = response_scale().mean + response_scale().sd * law.draw(z, stream);
    });
  }

 private:
  RegressionPredictor(const PriorSettings& prior, const std::shared_ptr<const Design>& design, const Table& rows)
      : RegressionPredictorBase(design, outputs(*design), prior, Law::scale(prior.scale_sd), rows),
        z_(rows_.outputs()),
        row_(prediction_columns(*this)) {}

  static Index outputs(const Design& design) {
    constexpr bool has_classes = Law::response == Response::binary || Law::response == Response::classes;
    const Index count = std::ssize(design.classes());
    if (has_classes ? count < 2 || Law::outputs(design) != count - 1 : count > 0) {
      throw DataError("the run was fitted to a response of another kind");
    }
    return Law::outputs(design);
  }

  template <class Use>
  void each(Index begin, Index count, Use&& use) {  // use(law, row from begin on, its z, its response)
    const Law law(log_scale_);
    Index i = 0;
    const auto prepare = [this](std::span<const Index> groups) { draw_effects(groups); };
    rows_.each_prediction({b_, effect_}, begin, begin + count, prepare, [&](const auto& z, In y) {
      for (Index k = 0; k < y.size(); ++k) {
        z_ = z.row(k);
        use(law, i++, z_, y[k]);
      }
    });
  }

  Vec z_, row_;
};

}  // namespace quasar
