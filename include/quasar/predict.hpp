// quasar/predict.hpp -- what a fitted model says of rows that it may never have seen.
#pragma once

#include <memory>
#include <span>
#include <string>

#include <quasar/core.hpp>
#include <quasar/rng.hpp>

namespace quasar {

// Made for one table of rows; not thread-safe, so every thread has a fork.
struct Predictor {
  virtual ~Predictor() = default;
  virtual std::unique_ptr<Predictor> fork() const = 0;
  virtual Index rows() const = 0;
  virtual std::span<const std::string> classes() const { return {}; }  // of the response; empty: it is a number
  virtual std::span<const double> observed() const = 0;  // the response, a class by its number; empty: not in the data

  // All that follows is given this draw: the values of the model's layout. rng: for what the draw leaves open, the
  // effect of a group that was never seen for instance.
  virtual void take(std::span<const double> draw, const Rng& rng) = 0;

  // Of the rows from `begin` on, as many as out has.
  virtual void predict(Index begin, Eigen::Ref<Mat> out) = 0;  // a probability for each class; or mean and sd
  virtual void log_density(Index begin, Out out) = 0;          // of what was observed
  virtual void replicate(Index begin, Out out) = 0;            // one response for each row, by the rng that was taken
};

inline Index prediction_columns(const Predictor& predictor) {
  return predictor.classes().empty() ? 2 : std::ssize(predictor.classes());
}

}  // namespace quasar
