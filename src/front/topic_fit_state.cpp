#include <fmt/format.h>

#include <quasar/errors.hpp>

#include "front/topic_fit.hpp"
#include "models/topics/document_sweep.hpp"

namespace quasar {
namespace {

// A vector together with its length.
template <class T>
void visit_vector(Writer& out, std::string_view name, const std::vector<T>& values) {
  out("length", static_cast<std::uint64_t>(values.size()));
  out(name, values);
}
template <class T>
void visit_vector(Reader& in, std::string_view name, std::vector<T>& values) {
  std::uint64_t length = 0;
  in("length", length);
  if (length > in.rest().size() / sizeof(T)) throw DataError(fmt::format("'{}' is cut short", name));
  values.resize(length);
  in(name, values);
}

}  // namespace

template <class Self, class Visit>
void TopicFit::plain_fields(Self& self, Visit&& visit) {
  visit("steps", self.steps_);
  visit("seconds", self.seconds_);
  for (auto* column : {&self.trace_.passes, &self.trace_.seconds, &self.trace_.objective, &self.trace_.topics_in_use,
                       &self.trace_.scalars}) {
    visit_vector(visit, "trace", *column);
  }
  for (auto* column : {&self.curve_.passes, &self.curve_.seconds, &self.curve_.perplexity}) {
    visit_vector(visit, "curve", *column);
  }
  if (self.predictions_) visit("predictions", *self.predictions_);
}

void TopicFit::save(Writer& out) const {
  plain_fields(*this, out);
  out("topics", prevalence_.size());
  out("prevalence", prevalence_);
  out("shares", shares_);
  out("draws", static_cast<std::uint64_t>(draws_.size()));
  for (const TopicDraw& draw : draws_) {
    out("topics", draw.weights.size());
    out("phi", draw.phi);
    out("weights", draw.weights);
  }
  method_->save(out);
}

void TopicFit::load(Reader& in) {
  plain_fields(*this, in);
  const auto read_topics = [&] {
    Index topics = 0;
    in("topics", topics);
    if (topics < 0 || topics > most_topics) throw DataError("there are too many topics");
    return topics;
  };
  resize_sums(read_topics());
  in("prevalence", prevalence_);
  in("shares", shares_);
  std::uint64_t count = 0;
  in("draws", count);
  if (count > static_cast<std::uint64_t>(task_.settings.draws)) throw DataError("there are more draws than wanted");
  draws_.resize(count);
  for (TopicDraw& draw : draws_) {
    const Index topics = read_topics();
    draw = {Eigen::MatrixXf(topics, task_.documents.documents->vocabulary()), Vec(topics)};
    in("phi", draw.phi);
    in("weights", draw.weights);
  }
  method_->load(in);
}

}  // namespace quasar
