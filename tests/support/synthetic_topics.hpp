// Documents whose topics are known: eight topics of sixty words, about 81 tokens each.
#pragma once

#include <cstdint>
#include <vector>

#include <quasar/corpus.hpp>
#include <quasar/rng.hpp>

namespace quasar::test {

struct SyntheticTopics {
  Mat phi = Mat(60, 8), shares = Mat(8, 150);
  Corpus corpus;

  explicit SyntheticTopics(std::uint64_t seed) {
    Stream draws = Rng(seed).stream("truth");
    for (Index k = 0; k < 8; ++k) draws.dirichlet(Vec::Constant(60, 0.15), phi.col(k));
    corpus.vocabulary = 60;
    for (Index n = 0; n < 150; ++n) {
      draws.dirichlet(Vec::Constant(8, 0.25), shares.col(n));
      std::vector<std::int64_t> counts(60);
      draws.multinomial(draws.poisson(81), phi * shares.col(n), counts);
      std::vector<std::uint32_t> words, times;
      for (std::uint32_t v = 0; v < 60; ++v) {
        if (counts[v] == 0) continue;
        words.push_back(v);
        times.push_back(static_cast<std::uint32_t>(counts[v]));
      }
      corpus.add({words, times});
    }
  }
};

}  // namespace quasar::test
