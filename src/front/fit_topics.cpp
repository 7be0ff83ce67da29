#include "front/fit_topics.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cmath>
#include <functional>
#include <string>

#include <quasar/errors.hpp>

#include "io/durable_work.hpp"
#include "io/json_text.hpp"
#include "io/topic_file.hpp"

namespace quasar {
namespace {

using Json = nlohmann::json;

constexpr KindsOfWork kinds{.description = "topics", .state = "topics-1"};

// All that decides what a fit finds.
Json decisive(const TopicFitInfo& info) {
  Json json = {{"data", info.data_hash},
               {"number_of_documents", info.documents},
               {"tokens", info.tokens},
               {"held_out", info.held_out_source + " " + info.held_out_hash},
               {"version", info.quasar_version.empty() ? QUASAR_VERSION : info.quasar_version}};
  json.update(parse_json("the configuration", info.configuration));
  json.erase("documents");  // how they were read shows in what they are
  return json;
}

void show_progress(const TopicFit& fit, ChainProgress& progress) {
  progress.iterations.store(static_cast<std::int64_t>(std::floor(fit.passes() + 1e-9)), std::memory_order_relaxed);
}

void run(TopicFit& fit, ChainProgress& progress, const std::stop_token& stop, const std::function<void()>& after_step) {
  show_progress(fit, progress);
  progress.resumed_at = progress.iterations.load();
  while (!fit.done() && !stop.stop_requested()) {
    fit.step();
    show_progress(fit, progress);
    after_step();
  }
}

}  // namespace

std::vector<std::string> topic_inputs(const std::string& documents, const std::string& held_out,
                                      const Settings& reading) {
  std::vector<std::string> inputs = {documents, held_out};
  for (const std::string name : {"vocabulary", "stop_words"}) {
    if (reading.contains(name)) inputs.push_back(reading.at(name));
  }
  return inputs;
}

FittedTopics fit_topics(TopicFit& fit, ChainProgress& progress, const std::stop_token& stop) {
  run(fit, progress, stop, [] {});
  return fit.result();
}

FittedTopics fit_topics_durably(TopicFit& fit, const Durability& durability, ChainProgress& progress,
                                const std::stop_token& stop) {
  DurableWork durable(durability, kinds, decisive(fit.info()),
                      {.save = [&](Writer& out) { fit.save(out); },
                       .load = [&](Reader& in) { fit.load(in); },
                       .done = [&] { return fit.passes(); }});
  run(fit, progress, stop, [&] { durable.save_when_due(); });
  if (!fit.done()) durable.save();  // before the present state is taken for a result
  FittedTopics found = fit.result();
  const bool replace = durability.overwrite || durability.resume;
  write_topics(AtomicFile(durability.out, durable.folder()), found, replace ? IfExists::replace : IfExists::fail);
  if (!found.info.stopped_early) durable.finish();
  return found;
}

bool already_fitted(const Durability& durability, const TopicFitInfo& wanted) {
  return already_done(durability, kinds, decisive(wanted), [&] {
    const TopicFitInfo there = read_topics_info(durability.out);
    return FinishedWork{decisive(there), there.stopped_early};
  });
}

}  // namespace quasar
