// quasar/run_data.hpp -- what one run leaves behind: its description, and its draws wherever they are.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <quasar/chain.hpp>
#include <quasar/core.hpp>
#include <quasar/fields.hpp>

namespace quasar {

struct ChainDraws {  // the kept draws of one chain, in the order they were made
  Index draws = 0;
  std::vector<double> values;  // draws x layout.size(), one draw after another
  std::vector<double> stats;   // draws x number of statistics
  void append(std::span<const double> draw_values, std::span<const double> draw_stats);
};

struct Divergence {
  int chain = 0;
  std::int64_t iteration = 0;
  bool warmup = false;
  std::vector<double> position;  // in the sampler's own coordinates
};

struct RunInfo {  // the attributes of the file, one by one
  std::string model, sampler;
  std::string data_source, data_hash;          // empty: a model without data
  std::string init_hash;                       // of the initial points; empty: random ones
  std::string held_out_source, held_out_hash;  // empty: nothing was predicted while sampling
  std::string configuration;                   // everything that was in effect, as JSON text
  std::uint64_t seed = 1;
  Schedule schedule;
  std::int64_t stored_every = 1;  // of the draws that thinning leaves in a phase, every n-th is stored
  int members = 1;  // consecutive rows of the chain dimension that make one ensemble; 1: independent chains
  std::int64_t gradient_evaluations = 0, divergences = 0;  // of all chains; divergences after warm-up
  double warmup_seconds = 0, sampling_seconds = 0;
  bool stopped_early = false;
  std::string quasar_version, created_at;  // empty when written: this build, now (ISO 8601, UTC)

  static void fields(auto& self, auto&& visit) {
    visit("model", self.model);
    visit("sampler", self.sampler);
    visit("data_source", self.data_source);
    visit("data_hash", self.data_hash);
    visit("init_hash", self.init_hash);
    visit("held_out_source", self.held_out_source);
    visit("held_out_hash", self.held_out_hash);
    visit("configuration", self.configuration);
    visit("seed", self.seed);
    visit("warmup", self.schedule.warmup);
    visit("draws", self.schedule.draws);
    visit("thin", self.schedule.thin);
    visit("stored_every", self.stored_every);
    visit("members", self.members);
    visit("gradient_evaluations", self.gradient_evaluations);
    visit("divergences", self.divergences);
    visit("warmup_seconds", self.warmup_seconds);
    visit("sampling_seconds", self.sampling_seconds);
    visit("stopped_early", self.stopped_early);
    visit("quasar_version", self.quasar_version);
    visit("created_at", self.created_at);
  }
};

// Of the draws after warm-up: every one; a hundred of each chain, and the moments of all; the moments alone.
enum class Keep { all, thin, moments };

struct ChainMoments {  // of one row of the chain dimension
  std::int64_t draws = 0;
  Vec mean, sd;  // of all of the layout; sd: NaN below two draws
};

struct PosteriorMoments {  // over every draw after warm-up that thinning leaves, stored or not
  Layout layout;
  std::vector<ChainMoments> chains;  // empty: every draw is stored
};

struct HeldOutResult {  // how well rows were predicted that were not fitted; both without variables: there were none
  ConstantData predictions;  // by row, averaged over all draws of all chains; their scores
  ConstantData trace;        // by chain and draw: passes over the data, seconds, and the scores so far
};

struct RunHeader {  // everything of a run but its draws
  RunInfo info;
  Layout layout;  // of the draws; of a run that kept moments alone empty
  std::vector<StatSpec> stats;
  PosteriorMoments moments;
  ConstantData constants;
  std::vector<Tuning> tuning;           // one per chain; empty: unknown
  std::vector<Divergence> divergences;  // with their positions; those of a bad run may not all be kept
  HeldOutResult held_out;
  bool log_likelihood = false;  // the file has that of every row of the data, which is not read
  std::string check;            // what --check found, as JSON text; empty: nothing was checked

  Keep keep() const { return moments.chains.empty() ? Keep::all : layout.size() == 0 ? Keep::moments : Keep::thin; }
};

enum class Phase { warmup, sampling };
enum class Part { values, stats };

struct DrawSlab {  // of each of some consecutive draws of one chain, some consecutive numbers
  Phase phase;
  Part part;
  Index chain = 0, first_draw = 0, draws = 0, first_column = 0, columns = 0;
  std::size_t size() const { return static_cast<std::size_t>(draws * columns); }
};

// The draws of a run where they are: in memory, in a file, in the records of a run in progress. Chains of unequal
// length count as long as the shortest. Not thread-safe.
struct DrawSource {
  virtual ~DrawSource() = default;
  virtual Index chains() const = 0;  // rows of the chain dimension
  virtual bool has(Phase phase) const = 0;
  virtual Index draws(Phase phase) const = 0;
  virtual void read(const DrawSlab& slab, std::span<double> out) const = 0;  // one draw after another
};

struct Run : RunHeader {
  std::shared_ptr<const DrawSource> source;
  Index chains() const { return source->chains(); }
  Index draws() const { return source->draws(Phase::sampling); }
};

struct RunData : RunHeader {         // a run in memory
  std::vector<ChainDraws> sampling;  // one per row of the chain dimension
  std::vector<ChainDraws> warmup;    // likewise; empty: not saved
};

Index common_draws(std::span<const ChainDraws> chains);         // what every chain has; 0 without chains
std::unique_ptr<const DrawSource> view_of(const RunData& run);  // valid as long as the run

// One element of the layout, or one statistic, as draws x chains.
Mat draws_of(const Run& run, Index element);
Mat draws_of(const RunData& run, Index element);
Mat statistic(const Run& run, std::string_view name);  // 0 x 0: the sampler has no such statistic
Mat statistic(const RunData& run, std::string_view name);

// use(element, draws x chains) for every element of the layout, in order; of a large run a part at a time is in memory.
void for_each_element(const Run& run, const std::function<void(Index, const Mat&)>& use);

}  // namespace quasar
