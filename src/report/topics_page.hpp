// The page of fitted topics.
#pragma once

#include <string>

#include <quasar/topics.hpp>

namespace quasar {

std::string topics_page(const FittedTopics& found);

}  // namespace quasar
