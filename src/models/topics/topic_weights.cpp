#include "models/topics/topic_weights.hpp"

#include "core/place.hpp"

namespace quasar {

void TopicTables::clear() {
  for (auto& topics : of_thread_) {
    for (CountHistogram& topic : topics) topic.clear();
  }
}

Vec TopicTables::draw(In weights, const Rng& rng) {
  Vec tables(weights.size());
  for_topics([&](Index topic) {
    const std::size_t k = at(topic);
    CountHistogram& all = of_thread_.front()[k];
    for (std::size_t t = 1; t < of_thread_.size(); ++t) all.add(of_thread_[t][k]);
    tables[topic] = static_cast<double>(all.draw_tables(weights[topic], rng.child("topic", k).stream("tables")));
  });
  clear();
  return tables;
}

}  // namespace quasar
