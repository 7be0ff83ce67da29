#include "topics.hpp"

#include <fmt/format.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <memory>
#include <stop_token>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <quasar/errors.hpp>
#include <quasar/runner.hpp>

#include "arrays.hpp"
#include "front/fit_topics.hpp"
#include "front/infer_topics.hpp"
#include "front/read_corpus.hpp"
#include "front/topic_facts.hpp"
#include "front/topics_report.hpp"
#include "interpreter_lock.hpp"
#include "io/json_text.hpp"
#include "io/topic_file.hpp"
#include "report/topics_page.hpp"

namespace quasar::python {
namespace {

using Texts = std::vector<std::string>;
using Integers = nb::ndarray<const std::int64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

struct Documents {
  OpenCorpus corpus;
  Settings given;  // by the user, on how to read: files that are held out as well
};

Config reading_config(const Settings& given) { return {"topics", corpus_params(), given}; }

// topics: whose words are known; null: documents to fit topics to.
Config reading_config(const Settings& given, const FittedTopics* topics) {
  return reading_config(topics ? cut_as_fitted(topics->info.configuration, given) : given);
}

template <class Source>
OpenCorpus corpus_in(Source&& source, const Config& reading, const FittedTopics* topics) {
  return topics ? read_corpus_by({topics->vocabulary(), topics->words}, std::forward<Source>(source), reading)
                : read_corpus(std::forward<Source>(source), reading);
}

void set_titles(OpenCorpus& corpus, const Texts& titles) {
  if (titles.empty()) return;
  const auto documents = corpus.documents->documents();
  if (std::ssize(titles) != documents) {
    throw DataError(fmt::format("titles: there are {} of them, and {} documents", titles.size(), documents));
  }
  corpus.titles = titles;
}

Documents documents_in_file(const std::string& path, const Settings& given, const FittedTopics* topics) {
  const Config reading = reading_config(given, topics);
  const InterpreterUnlocked unlocked;
  return {corpus_in(path, reading, topics), given};
}

// format: of the text, which is none that a user has chosen.
Documents documents_in_text(const std::string& text, const std::string& format, const Texts& titles,
                            const Settings& given, const FittedTopics* topics) {
  Settings settings = given;
  settings["format"] = format;
  const Config reading = reading_config(settings, topics);
  const InterpreterUnlocked unlocked;
  InputFile file("documents", [rest = std::string_view(text)](std::span<char> buffer) mutable {
    const std::size_t count = rest.copy(buffer.data(), buffer.size());
    rest.remove_prefix(count);
    return count;
  });
  Documents read{corpus_in(std::move(file), reading, topics), given};
  set_titles(read.corpus, titles);
  return read;
}

Documents documents_in_words(const DocumentWords& words, const Texts& titles, const Settings& given,
                             const FittedTopics* topics) {
  const Config reading = reading_config(given);
  const InterpreterUnlocked unlocked;
  Documents read{corpus_in(words, reading, topics), given};
  set_titles(read.corpus, titles);
  return read;
}

// Rows of a sparse matrix; words of a row ascend and come once.
Documents documents_of_counts(const Integers& begin, const Integers& words, const Integers& counts, Index vocabulary,
                              const Texts& names, const Texts& titles, const FittedTopics* topics) {
  NamedCorpus corpus;
  corpus.counts.vocabulary = vocabulary;
  corpus.counts.begin.assign(begin.data(), begin.data() + begin.size());
  corpus.counts.words.assign(words.data(), words.data() + words.size());
  corpus.counts.counts.assign(counts.data(), counts.data() + counts.size());
  corpus.words = names;
  corpus.documents = titles;
  corpus.source = "documents";
  const InterpreterUnlocked unlocked;
  return {topics ? corpus_in_memory_by({topics->vocabulary(), topics->words}, std::move(corpus))
                 : corpus_in_memory(std::move(corpus)),
          {}};
}

// A fit that one thread makes while others ask how far it is, or to stop.
class Fitting {
 public:
  Fitting(const Documents& documents, const std::string& held_out, const Settings& fit, const Settings& parameters)
      : settings_(topic_fit_settings(Config("topics", topic_fit_params(), fit), parameters)),
        inputs_(topic_inputs(documents.corpus.source, held_out, documents.given)),
        task_(topic_task(documents.corpus, held_out, reading_config(documents.given), settings_)) {
    task_.reading = documents.given;
  }

  void run(const std::string& out, bool overwrite, bool resume) {
    const InterpreterUnlocked unlocked;
    const Durability durability{out, resume, overwrite};
    if (!out.empty()) check_output(durability, inputs_);
    TopicFit fit(std::move(task_));
    if (!out.empty() && already_fitted(durability, fit.info())) {
      found_ = read_topics(out);
      return;
    }
    found_ = out.empty() ? fit_topics(fit, progress_, stop_.get_token())
                         : fit_topics_durably(fit, durability, progress_, stop_.get_token());
  }

  void stop() { stop_.request_stop(); }
  std::tuple<std::int64_t, double> progress() const { return {progress_.iterations.load(), settings_.sweeps}; }
  FittedTopics take() { return std::move(found_); }

 private:
  TopicFitSettings settings_;
  std::vector<std::string> inputs_;
  TopicTask task_;
  ChainProgress progress_;
  std::stop_source stop_;
  FittedTopics found_;
};

template <class Number, class Matrix>
NewArray<Number> array_of(const Matrix& matrix) {  // rows, one after another
  auto array = new_array<Number>({static_cast<std::size_t>(matrix.rows()), static_cast<std::size_t>(matrix.cols())});
  using Rows = Eigen::Matrix<Number, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  Eigen::Map<Rows>(array.data(), matrix.rows(), matrix.cols()) = matrix.template cast<Number>();
  return array;
}

NewArray<double> array_of(std::span<const double> numbers) {
  auto array = new_array<double>({numbers.size()});
  std::copy(numbers.begin(), numbers.end(), array.data());
  return array;
}

std::span<const double> span_of(const Vec& numbers) {
  return {numbers.data(), static_cast<std::size_t>(numbers.size())};
}

NewArray<float> phi_of_draws(const FittedTopics& topics) {
  const auto rows = static_cast<std::size_t>(topics.topics()), words = static_cast<std::size_t>(topics.vocabulary());
  auto array = new_array<float>({topics.draws.size(), rows, words});
  using Rows = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  for (std::size_t i = 0; i < topics.draws.size(); ++i) {
    Eigen::Map<Rows>(array.data() + i * rows * words, topics.topics(), topics.vocabulary()) = topics.draws[i].phi;
  }
  return array;
}

NewArray<double> weights_of_draws(const FittedTopics& topics) {
  Mat weights(static_cast<Index>(topics.draws.size()), topics.topics());
  for (std::size_t i = 0; i < topics.draws.size(); ++i) {
    weights.row(static_cast<Index>(i)) = topics.draws[i].weights;
  }
  return array_of<double>(weights);
}

std::map<std::string, NewArray<double>> trace_of(const FittedTopics& topics) {
  const TopicTrace& trace = topics.trace;
  std::map<std::string, NewArray<double>> columns = {{"sweeps", array_of(trace.passes)},
                                                     {"seconds", array_of(trace.seconds)},
                                                     {"objective", array_of(trace.objective)},
                                                     {"topics_in_use", array_of(trace.topics_in_use)}};
  for (std::size_t k = 0; k < trace.names.size(); ++k) {
    std::vector<double> values;
    for (std::size_t i = 0; i < trace.moments(); ++i) values.push_back(trace.scalar(i, k));
    columns.insert_or_assign(trace.names[k], array_of(values));
  }
  return columns;
}

int threads_or_all(int threads) { return threads > 0 ? threads : available_threads(); }

NewArray<float> infer(const FittedTopics& topics, const Documents& documents, std::uint64_t seed, int threads) {
  Eigen::MatrixXf shares;
  {
    const InterpreterUnlocked unlocked;
    shares = infer_shares(*documents.corpus.documents, topics, {.threads = threads_or_all(threads)},
                          Rng(seed).child("infer"));
  }
  return array_of<float>(shares.transpose());
}

// Perplexity of the topics, unigram, uniform; log likelihood per token; tokens.
std::tuple<double, double, double, double, std::int64_t> score(const FittedTopics& topics, const Documents& documents,
                                                               double held_out, std::uint64_t seed, int threads) {
  const InterpreterUnlocked unlocked;
  const TopicScore found = score_topics(*documents.corpus.documents, topics, held_out,
                                        {.threads = threads_or_all(threads)}, Rng(seed).child("score"));
  return {found.topics.perplexity(), found.unigram.perplexity(), found.uniform, found.topics.per_token(),
          found.topics.tokens};
}

void save(const FittedTopics& topics, const std::string& path, bool overwrite) {
  std::error_code ignored;
  if (!overwrite && std::filesystem::exists(path, ignored)) {
    throw UsageError(path + " exists; --overwrite replaces it");
  }
  write_topics(AtomicFile(path), topics, overwrite ? IfExists::replace : IfExists::fail);
}

}  // namespace

void add_topics(nb::module_& module) {
  nb::class_<FittedTopics>(module, "FittedTopics")
      .def(
          "json",
          [](const FittedTopics& t, Index topics, Index words) {
            return as_utf8(TopicsReport{t, topics, words}.to_json()).dump();
          },
          nb::arg("topics"), nb::arg("words"))
      .def(
          "text",
          [](const FittedTopics& t, Index topics, Index words) {
            return TopicsReport{t, topics, words}.text();
          },
          nb::arg("topics"), nb::arg("words"))
      .def("page", topics_page)
      .def("warnings", topic_warnings)
      .def("words",
           [](const FittedTopics& t) {
             Texts words;
             for (Index v = 0; v < t.vocabulary(); ++v) words.push_back(t.word(v));
             return words;
           })
      .def("documents", [](const FittedTopics& t) { return t.documents; })
      .def("phi", [](const FittedTopics& t) { return array_of<float>(t.mean_phi()); })
      .def("weights", [](const FittedTopics& t) { return array_of(span_of(t.mean_weights())); })
      .def("phi_of_draws", phi_of_draws)
      .def("weights_of_draws", weights_of_draws)
      .def("prevalence", [](const FittedTopics& t) { return array_of(span_of(t.prevalence)); })
      .def("shares", [](const FittedTopics& t) { return array_of<float>(t.shares.transpose()); })
      .def("topics_in_use", &FittedTopics::topics_in_use)
      .def("stopped_early", [](const FittedTopics& t) { return t.info.stopped_early; })
      .def("trace", trace_of)
      .def("save", save, nb::arg("path"), nb::arg("overwrite"));
  nb::class_<Documents>(module, "Documents")
      .def("titles", [](const Documents& d) { return d.corpus.titles; })
      .def("size", [](const Documents& d) { return d.corpus.documents->documents(); })
      .def("unknown", [](const Documents& d) { return d.corpus.left_out; })
      .def("note", [](const Documents& d) { return note_on_words(d.corpus); });
  nb::class_<Fitting>(module, "Fitting")
      .def(nb::init<const Documents&, const std::string&, const Settings&, const Settings&>(), nb::arg("documents"),
           nb::arg("held_out"), nb::arg("settings"), nb::arg("parameters"))
      .def("run", &Fitting::run, nb::arg("out"), nb::arg("overwrite"), nb::arg("resume"))
      .def("stop", &Fitting::stop)
      .def("progress", &Fitting::progress)
      .def("take", &Fitting::take);
  module.def("documents_in_file", documents_in_file, nb::arg("path"), nb::arg("settings"), nb::arg("topics").none());
  module.def("documents_in_text", documents_in_text, nb::arg("text"), nb::arg("format"), nb::arg("titles"),
             nb::arg("settings"), nb::arg("topics").none());
  module.def("documents_in_words", documents_in_words, nb::arg("words"), nb::arg("titles"), nb::arg("settings"),
             nb::arg("topics").none());
  module.def("documents_of_counts", documents_of_counts, nb::arg("begin"), nb::arg("words"), nb::arg("counts"),
             nb::arg("vocabulary"), nb::arg("names"), nb::arg("titles"), nb::arg("topics").none());
  module.def(
      "read_topics", [](const std::string& path) { return read_topics(path); }, nb::arg("path"));
  module.def("infer_topics", infer, nb::arg("topics"), nb::arg("documents"), nb::arg("seed"), nb::arg("threads"));
  module.def("score_topics", score, nb::arg("topics"), nb::arg("documents"), nb::arg("held_out"), nb::arg("seed"),
             nb::arg("threads"));
}

}  // namespace quasar::python
