// What the writer and the reader of a file of topics agree on.
#pragma once

#include <cstdint>
#include <string>

namespace quasar::topic_format {

inline constexpr std::int64_t version = 1;  // rises when an older reader would misread the file
inline const std::string topics = "topics", trace = "trace", posterior = "posterior", held_out = "held_out",
                         documents = "documents";
inline const std::string chain = "chain", draw = "draw", topic = "topic", word = "word", moment = "moment",
                         name = "name", evaluation = "evaluation", document = "document";

}  // namespace quasar::topic_format
