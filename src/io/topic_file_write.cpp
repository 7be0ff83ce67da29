#include <algorithm>
#include <map>
#include <span>
#include <utility>

#include "io/info_attributes.hpp"
#include "io/netcdf_file.hpp"
#include "io/run_file_format.hpp"
#include "io/seal.hpp"
#include "io/topic_file.hpp"
#include "io/topic_file_format.hpp"

namespace quasar {
namespace {

using namespace topic_format;
using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

// Dimensions first, then variables, then numbers: the library rewrites its tables at every turn.
class GroupWriter {
 public:
  explicit GroupWriter(NcGroup group) : group_(std::move(group)) {}

  void dimension(const std::string& name, std::size_t size) {
    ids_[name] = group_.add_dimension(name, static_cast<Index>(size));
  }
  // None: the dimension has no labels.
  void labels(const std::string& name, const std::vector<std::string>& texts, Index size) {
    dimension(name, static_cast<std::size_t>(size));
    if (!texts.empty()) labels_.emplace_back(add(name, NC_STRING, {name}), &texts);
  }
  NcVariable add(const std::string& name, nc_type type, const std::vector<std::string>& dims) const {
    std::vector<int> ids;
    ids.reserve(dims.size());
    for (const std::string& dim : dims) ids.push_back(ids_.at(dim));
    return group_.add_variable(name, type, ids);
  }
  void write_labels() const {
    for (const auto& [variable, texts] : labels_) group_.put_labels(variable, *texts);
  }
  void write(const NcVariable& variable, std::span<const double> numbers) const {
    group_.put_numbers(variable, variable.whole(), numbers.data());
  }
  // One entry of the first axis.
  void write(const NcVariable& variable, std::size_t entry, const RowMajor& numbers) const {
    NcSlab slab = variable.whole();
    slab.start[0] = entry;
    slab.count[0] = 1;
    group_.put_numbers(variable, slab, numbers.data());
  }
  const NcGroup& group() const { return group_; }

 private:
  NcGroup group_;
  std::map<std::string, int> ids_;
  std::vector<std::pair<NcVariable, const std::vector<std::string>*>> labels_;
};

std::span<const double> span_of(const Vec& numbers) {
  return {numbers.data(), static_cast<std::size_t>(numbers.size())};
}

void write_topic_draws(const NcGroup& root, const FittedTopics& found) {
  GroupWriter group(root.add_group(topics));
  group.dimension(draw, found.draws.size());
  group.dimension(topic, static_cast<std::size_t>(found.topics()));
  group.labels(word, found.words, found.vocabulary());
  const NcVariable phi = group.add("phi", NC_FLOAT, {draw, topic, word});
  const NcVariable weights = group.add("weights", NC_DOUBLE, {draw, topic});
  const NcVariable prevalence = group.add("prevalence", NC_DOUBLE, {topic});
  const NcVariable counts = group.add("word_count", NC_INT64, {word});
  group.write_labels();
  for (std::size_t i = 0; i < found.draws.size(); ++i) {
    group.write(phi, i, found.draws[i].phi.cast<double>());
    group.write(weights, i, found.draws[i].weights);
  }
  group.write(prevalence, span_of(found.prevalence));
  group.write(counts, std::vector<double>(found.word_counts.begin(), found.word_counts.end()));
}

// Columns of one length, under their names.
using Columns = std::vector<std::pair<std::string, std::span<const double>>>;

void write_columns(GroupWriter& group, const std::string& dim, const Columns& columns) {
  std::vector<NcVariable> variables;
  for (const auto& [title, numbers] : columns) variables.push_back(group.add(title, NC_DOUBLE, {dim}));
  for (std::size_t i = 0; i < columns.size(); ++i) group.write(variables[i], columns[i].second);
}

void write_trace(const NcGroup& root, const TopicTrace& found) {
  if (found.moments() == 0) return;
  GroupWriter group(root.add_group(trace));
  group.dimension(moment, found.moments());
  if (!found.names.empty()) {
    group.labels(name, found.names, std::ssize(found.names));
    const NcVariable scalars = group.add("scalars", NC_DOUBLE, {moment, name});
    group.write_labels();
    group.write(scalars, found.scalars);
  }
  write_columns(group, moment,
                {{"passes", found.passes},
                 {"seconds", found.seconds},
                 {"objective", found.objective},
                 {"topics_in_use", found.topics_in_use}});
}

void write_posterior(const NcGroup& root, const FittedTopics& found, const TopicFitInfo& info) {
  const TopicTrace& all = found.trace;
  if (info.kind == "variational") return;  // on its way to an optimum, it draws nothing
  const auto first =
      static_cast<std::size_t>(std::ranges::upper_bound(all.passes, info.burn_in + 1e-9) - all.passes.begin());
  const std::size_t kept = all.moments() - first;
  if (kept == 0 || all.names.empty()) return;
  GroupWriter group(root.add_group(posterior));
  group.dimension(chain, 1);
  group.dimension(draw, kept);
  const NcVariable chains = group.add(chain, NC_INT64, {chain}), draws = group.add(draw, NC_INT64, {draw});
  std::vector<NcVariable> variables;
  for (const std::string& scalar : all.names) variables.push_back(group.add(scalar, NC_DOUBLE, {chain, draw}));
  RunInfo origin;
  origin.quasar_version = info.quasar_version;
  origin.created_at = info.created_at;
  for (const auto& [key, text] : run_format::origin(origin)) group.group().put(key, text);
  std::vector<double> numbers(kept);
  for (std::size_t i = 0; i < kept; ++i) numbers[i] = static_cast<double>(i);
  group.write(draws, numbers);
  group.write(chains, std::vector<double>{0});
  for (std::size_t k = 0; k < variables.size(); ++k) {
    for (std::size_t i = 0; i < kept; ++i) numbers[i] = all.scalar(first + i, k);
    group.write(variables[k], numbers);
  }
}

void write_held_out(const NcGroup& root, const HeldOutCurve& found) {
  if (found.passes.empty()) return;
  GroupWriter group(root.add_group(held_out));
  group.dimension(evaluation, found.passes.size());
  write_columns(group, evaluation,
                {{"passes", found.passes}, {"seconds", found.seconds}, {"perplexity", found.perplexity}});
}

void write_documents(const NcGroup& root, const FittedTopics& found) {
  const Index count = found.shares.cols(), at_once = 4096;
  if (count == 0) return;
  GroupWriter group(root.add_group(documents));
  group.labels(document, found.documents, count);
  group.dimension(topic, static_cast<std::size_t>(found.topics()));
  const NcVariable share = group.add("share", NC_FLOAT, {document, topic});
  group.write_labels();
  for (Index first = 0; first < count; first += at_once) {
    const Index some = std::min(at_once, count - first);
    const Mat numbers = found.shares.middleCols(first, some).cast<double>();  // a document after another
    group.group().put_numbers(
        share, {{static_cast<std::size_t>(first), 0}, {static_cast<std::size_t>(some), share.whole().count[1]}},
        numbers.data());
  }
}

}  // namespace

void write_topics(AtomicFile file, const FittedTopics& found, IfExists if_exists) {
  const TopicFitInfo info = with_origin(found.info);
  const auto lock = one_at_a_time();
  NcFile netcdf = NcFile::create(file.temporary(), file.path().string());
  const NcGroup root = netcdf.root();
  root.put(run_format::topics_attribute, version);
  write_attributes(root, info);
  write_topic_draws(root, found);
  write_trace(root, found.trace);
  write_posterior(root, found, info);
  write_held_out(root, found.held_out);
  write_documents(root, found);
  netcdf.sync_and_close();
  seal_file(file.temporary());
  file.commit(if_exists);
}

}  // namespace quasar
