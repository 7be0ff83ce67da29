// What a user may not have meant by the choice of a model or a sampler: nothing is wrong, and a word may save time.
#pragma once

#include <string>
#include <vector>

#include "front/load_model.hpp"

namespace quasar {

std::vector<std::string> model_notes(const RunSettings& settings, const Target& target);

}  // namespace quasar
