// What the page of topics shows, as one JSON object: the contract between C++, which computes, and page/topics.js,
// which draws. Topics, words and documents are numbers from 0; undefined numbers are null. Texts are not escaped: the
// script sets them as text, never as HTML.
//
// {
//   "title", "facts", "command", "hashes", "problems", "checked"       as report_data.hpp has them
//   "room": K, "in_use": topics that have words, the first of all
//   "topics":  [{"share", "weight", "words": [[word, probability, lift], ...], "documents": [[document, share], ...],
//               "near": [[topic, similarity], ...]}]                   those in use, at most 500; largest first
//   "words":   {"names": [...], "counts": [...], "topics": [[[topic, probability of the topic given the word], ...]]}
//              the most frequent ones, and all that a topic names; at most 20000
//   "documents": null or {"names": [...], "topics": [[[topic, share], ...]]}        the first 20000
//   "all_words", "all_documents": how many there are
//   "similarity": null or {"order": [n] topics, "data": base64 uint8 [n][n]}   in 255ths of the Bhattacharyya
//              coefficient sum_v sqrt(phi_kv phi_lv); neighbours are alike
//   "held_out": null or {"perplexity", "unigram", "uniform", "tokens", "source", "passes": [...], "seconds": [...],
//              "curve": [...]}
//   "trace":   {"passes": [...], "burn_in", "seconds": [...], "curves": [{"name", "values": [...]}]}
// }
#pragma once

#include <nlohmann/json.hpp>

#include <quasar/topics.hpp>

namespace quasar {

nlohmann::ordered_json topics_data(const FittedTopics& found);

}  // namespace quasar
