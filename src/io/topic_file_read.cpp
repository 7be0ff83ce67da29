#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>

#include <quasar/errors.hpp>

#include "io/info_attributes.hpp"
#include "io/netcdf_file.hpp"
#include "io/packed_file.hpp"
#include "io/run_file_format.hpp"
#include "io/seal.hpp"
#include "io/topic_file.hpp"
#include "io/topic_file_format.hpp"

namespace quasar {
namespace {

using namespace topic_format;
using Axes = std::vector<std::string>;

constexpr Index most_topics = 65535;
constexpr double rounding = 1e-3;  // of sums of many single-precision numbers

// A variable whose axes and their lengths are as they must be.
NcVariable shaped(const NcGroup& group, const std::string& title, const Axes& dims, const std::vector<Index>& shape) {
  NcVariable found = find_variable(group, title);
  if (found.type == NC_STRING || found.type == NC_CHAR) group.fail(fmt::format("'{}' holds no numbers", title));
  if (found.dims != dims || found.shape != shape) {
    group.fail(fmt::format("the variable '{}' is not of the shape that topics have", title));
  }
  return found;
}

std::vector<double> numbers_in(const NcGroup& group, const std::string& title, const std::string& dim, Index size) {
  const NcVariable found = shaped(group, title, {dim}, {size});
  return group.get_numbers(found, found.whole());
}

Index size_of(const NcGroup& group, const std::string& title, std::size_t axis, std::size_t axes) {
  const NcVariable found = find_variable(group, title);
  if (found.shape.size() != axes || found.shape[axis] < 1) {
    group.fail(fmt::format("the variable '{}' is not of the shape that topics have", title));
  }
  return found.shape[axis];
}

std::vector<std::string> optional_labels(const NcGroup& group, const std::string& title) {
  for (const NcVariable& variable : group.variables()) {
    if (variable.name == title) return group.get_labels(variable);
  }
  return {};
}

template <class Numbers>
bool all_at_least(const Numbers& values, double least) {  // and finite
  return std::all_of(values.begin(), values.end(),
                     [&](double value) { return std::isfinite(value) && value >= least; });
}

void require(const NcGroup& group, bool fine, const char* what) {
  if (!fine) group.fail(fmt::format("is damaged: {}", what));
}

Eigen::MatrixXf read_phi(const NcGroup& group, const NcVariable& variable, std::size_t entry) {
  NcSlab slab = variable.whole();
  slab.start[0] = entry;
  slab.count[0] = 1;
  const std::vector<double> values = group.get_numbers(variable, slab);
  require(group, all_at_least(values, 0), "a probability of 'phi' is none");
  using Rows = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  const Eigen::Map<const Rows> rows(values.data(), variable.shape[1], variable.shape[2]);
  require(group, ((rows.rowwise().sum().array() - 1).abs() < rounding).all(), "a topic of 'phi' does not sum to 1");
  return rows.cast<float>();
}

void read_draws(const NcGroup& group, FittedTopics& found) {
  found.words = optional_labels(group, word);
  const Index draws = size_of(group, "phi", 0, 3), topics = size_of(group, "phi", 1, 3),
              words = size_of(group, "phi", 2, 3);
  require(group, found.words.empty() || std::ssize(found.words) == words, "its words differ in number");
  std::vector<std::string_view> different(found.words.begin(), found.words.end());
  require(group, !one_of_two_equal(different), "two of its words are the same");
  require(group, topics <= most_topics, "there are too many topics");
  const NcVariable phi = shaped(group, "phi", {draw, topic, word}, {draws, topics, words});
  const NcVariable weights = shaped(group, "weights", {draw, topic}, {draws, topics});
  const std::vector<double> all_weights = group.get_numbers(weights, weights.whole());
  require(group, all_at_least(all_weights, 0), "a weight is negative or no number");
  for (Index i = 0; i < draws; ++i) {
    found.draws.push_back({read_phi(group, phi, static_cast<std::size_t>(i)),
                           Eigen::Map<const Vec>(all_weights.data() + i * topics, topics)});
    require(group, found.draws.back().weights.sum() > 0, "all weights of a draw are 0");
  }
  const std::vector<double> prevalence = numbers_in(group, "prevalence", topic, topics);
  require(group, all_at_least(prevalence, 0), "a share of 'prevalence' is negative or no number");
  found.prevalence = Eigen::Map<const Vec>(prevalence.data(), topics);
  const std::vector<double> counts = numbers_in(group, "word_count", word, words);
  require(group, all_at_least(counts, 0), "a count of words is negative");
  found.word_counts.assign(counts.begin(), counts.end());
}

TopicTrace read_trace(const NcGroup& group) {
  TopicTrace found;
  const Index moments = size_of(group, "passes", 0, 1);
  found.passes = numbers_in(group, "passes", moment, moments);
  found.seconds = numbers_in(group, "seconds", moment, moments);
  found.objective = numbers_in(group, "objective", moment, moments);
  found.topics_in_use = numbers_in(group, "topics_in_use", moment, moments);
  require(group, all_at_least(found.passes, 0) && std::ranges::is_sorted(found.passes), "its trace is out of order");
  found.names = optional_labels(group, name);
  if (found.names.empty()) return found;
  const NcVariable scalars = shaped(group, "scalars", {moment, name}, {moments, std::ssize(found.names)});
  found.scalars = group.get_numbers(scalars, scalars.whole());
  return found;
}

HeldOutCurve read_held_out(const NcGroup& group) {
  const Index size = size_of(group, "passes", 0, 1);
  HeldOutCurve found{numbers_in(group, "passes", evaluation, size), numbers_in(group, "seconds", evaluation, size),
                     numbers_in(group, "perplexity", evaluation, size)};
  require(group, all_at_least(found.passes, 0), "its held-out curve has no order");
  return found;
}

void read_document_shares(const NcGroup& group, FittedTopics& found) {
  const Index count = size_of(group, "share", 0, 2), at_once = 4096;
  const NcVariable share = shaped(group, "share", {document, topic}, {count, found.topics()});
  found.shares.resize(found.topics(), count);
  for (Index first = 0; first < count; first += at_once) {
    const Index some = std::min(at_once, count - first);
    const auto topics = static_cast<std::size_t>(found.topics());
    const std::vector<double> values =
        group.get_numbers(share, {{static_cast<std::size_t>(first), 0}, {static_cast<std::size_t>(some), topics}});
    require(group, all_at_least(values, 0), "a share of a document is negative or no number");
    found.shares.middleCols(first, some) = Eigen::Map<const Mat>(values.data(), found.topics(), some).cast<float>();
  }
  found.documents = optional_labels(group, document);
  require(group, found.documents.empty() || std::ssize(found.documents) == count, "its documents differ in number");
}

void require_topics_format(const NcGroup& root) {
  if (root.has_attribute(run_format::version_attribute)) {
    root.fail("is a run of quasar sample, not a file of topics");
  }
  if (!root.has_attribute(run_format::topics_attribute)) root.fail("is a netCDF file, but has no topics of Quasar");
  std::int64_t found = 0;
  root.get(run_format::topics_attribute, found);
  if (found > version) root.fail(fmt::format("was written by a newer Quasar (format {}, known {})", found, version));
}

TopicFitInfo read_info(const NcGroup& root) {
  const TopicFitInfo info = read_attributes<TopicFitInfo>(root);
  const double counts[] = {static_cast<double>(info.documents), static_cast<double>(info.tokens),
                           static_cast<double>(info.held_out_tokens)};
  const double reals[] = {info.passes, info.burn_in, info.seconds};
  const bool judged = info.perplexity >= 0 && info.unigram_perplexity >= 0;  // infinite, where a word cannot come up
  require(root, all_at_least(std::span(counts), 0) && all_at_least(std::span(reals), 0) && judged,
          "an attribute is out of range");
  return info;
}

}  // namespace

TopicFitInfo read_topics_info(const std::filesystem::path& path) {
  const auto lock = one_at_a_time();
  check_seal(path, "a file of topics");
  const NcFile file = NcFile::open(path);
  require_topics_format(file.root());
  return read_info(file.root());
}

FittedTopics read_topics(const std::filesystem::path& path) {
  const auto lock = one_at_a_time();
  check_seal(path, "a file of topics");
  const auto file_size = static_cast<double>(std::filesystem::file_size(path));
  const NcFile file = NcFile::open(path);
  const NcGroup root = file.root();
  require_topics_format(root);
  const auto group = [&](const std::string& title) { return plausible(root.group(title), file_size); };
  FittedTopics found;
  found.info = read_info(root);
  read_draws(group(topics), found);
  if (root.find_group(trace)) found.trace = read_trace(group(trace));
  if (root.find_group(held_out)) found.held_out = read_held_out(group(held_out));
  if (root.find_group(documents)) read_document_shares(group(documents), found);
  return found;
}

}  // namespace quasar
