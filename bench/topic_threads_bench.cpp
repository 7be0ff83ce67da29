// What a second thread is worth to a sweep over documents:  topic_threads_bench [docword.kos.txt.gz]
//
// The same sweeps are made by one thread and by two, in turns. Beside that, what this machine could do at best: two
// fits at the same time, each with its own documents and a thread of its own, against one of them alone. Without a
// file, documents of the size of KOS are drawn: 3430 of 136 tokens, of 6906 words.
#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <quasar/rng.hpp>

#include "front/read_corpus.hpp"
#include "front/topic_methods.hpp"
#include "side_by_side.hpp"

namespace {

using namespace quasar;

constexpr Index documents = 3430, words = 6906, length = 136;

// Each document has words of a few of fifty topics; in a topic the n-th word is about as frequent as 1/n^(2/3).
Corpus drawn_corpus() {
  constexpr Index topics = 50;
  Corpus corpus;
  corpus.vocabulary = words;
  for (Index n = 0; n < documents; ++n) {
    Stream draws = Rng(1).child("document", static_cast<std::uint64_t>(n)).stream("words");
    std::map<std::uint32_t, std::uint32_t> counts;
    for (Index i = 0; i < length; ++i) {
      const double topic = static_cast<double>(n + draws.index(3) * 7 % topics), u = draws.uniform();
      const auto rank = static_cast<Index>(static_cast<double>(words) * u * u * u);
      ++counts[static_cast<std::uint32_t>((rank + static_cast<Index>(topic) * 131) % words)];
    }
    std::vector<std::uint32_t> which, often;
    for (const auto& [word, count] : counts) {
      which.push_back(word);
      often.push_back(count);
    }
    corpus.add({which, often});
  }
  return corpus;
}

std::shared_ptr<const DocumentSource> documents_of(int count, char** arguments) {
  if (count < 2) return std::make_shared<DocumentsInMemory>(drawn_corpus());
  return read_corpus(arguments[1], Config("documents", corpus_params(), {})).documents;
}

std::unique_ptr<TopicMethod> fit(const std::shared_ptr<const DocumentSource>& source, const char* name, int threads) {
  const TopicMethodEntry& method = find_topic_method(name);
  const Config config(method.name, method.params(), {{"topics", "100"}});
  return method.make(std::make_shared<DocumentsInMemory>(*source->whole()), config, {1, threads});
}

void compare(const std::shared_ptr<const DocumentSource>& source, const char* name) {
  const auto one = fit(source, name, 1), two = fit(source, name, 2);
  const auto left = fit(source, name, 1), right = fit(source, name, 1);
  double alone = 1e300, shared = 1e300, apart = 1e300;
  for (int round = 0; round < 25; ++round) {
    alone = std::min(alone, seconds([&] { one->step(); }));
    shared = std::min(shared, seconds([&] { two->step(); }));
    apart = std::min(apart, seconds([&] {
                       const std::jthread other([&] { right->step(); });
                       left->step();
                     }));
  }
  fmt::print("{:<10} one thread {:>6.2f} ms   two {:>6.2f} ms   ratio {:.2f}   bar 1.8   two fits at once {:.2f}\n",
             name, 1e3 * alone, 1e3 * shared, alone / shared, 2 * alone / apart);
}

}  // namespace

int main(int count, char** arguments) {
  const auto source = documents_of(count, arguments);
  for (const char* name : {"gamma-gp", "gamma-nb", "nb-lda", "vgp"}) compare(source, name);
}
