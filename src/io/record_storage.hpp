// One chain's draws, divergences and scores of predictions in files of records.
#pragma once

#include <optional>
#include <vector>

#include "core/recorder.hpp"
#include "io/part_folder.hpp"
#include "io/record_file.hpp"
#include "predict/held_out.hpp"

namespace quasar {

class RecordStorage final : public DrawStorage {
 public:
  RecordStorage(const PartFolder& folder, int chain, const RunDescription& run, std::uint64_t id)
      : draws_(folder.draws(chain), record_owner(id, chain, "draws"),
               draw_prefix + run.header.layout.size() + std::ssize(run.header.stats)),
        divergences_(folder.divergences(chain), record_owner(id, chain, "divergences"), divergence_prefix + run.dim) {
    if (run.predicts()) trace_.emplace(folder.trace(chain), record_owner(id, chain, "trace"), TraceEntry::size);
  }

  void require(const Checkpoint& checkpoint) const {
    draws_.require(checkpoint.draws);
    divergences_.require(checkpoint.divergences);
    if (trace_) trace_->require(checkpoint.trace);
  }
  void restart(const Checkpoint& checkpoint) {
    draws_.restart(checkpoint.draws);
    divergences_.restart(checkpoint.divergences);
    if (trace_) trace_->restart(checkpoint.trace);
  }
  void flush() {
    draws_.flush();
    divergences_.flush();
    if (trace_) trace_->flush();
  }
  void sync() {
    draws_.sync();
    divergences_.sync();
    if (trace_) trace_->sync();
  }
  Index draws() const { return draws_.records(); }
  Index divergences() const { return divergences_.records(); }
  Index trace() const { return trace_ ? trace_->records() : 0; }

  void add_draw(const Draw& draw) override {
    record_.assign({static_cast<double>(draw.iteration), double(draw.member), double(draw.warmup)});
    record_.insert(record_.end(), draw.values.begin(), draw.values.end());
    record_.insert(record_.end(), draw.stats.begin(), draw.stats.end());
    draws_.append(record_);
  }
  void add_divergence(const Divergence& divergence) override {
    record_.assign({static_cast<double>(divergence.iteration), double(divergence.warmup)});
    record_.insert(record_.end(), divergence.position.begin(), divergence.position.end());
    divergences_.append(record_);
  }
  void add_entry(const TraceEntry& entry) {
    record_.clear();
    TraceEntry::fields(entry, [&](std::string_view, double number) { record_.push_back(number); });
    trace_->append(record_);
  }

 private:
  RecordWriter draws_, divergences_;
  std::optional<RecordWriter> trace_;
  std::vector<double> record_;
};

}  // namespace quasar
