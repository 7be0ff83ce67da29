// What is odd about the labels and the response that a model was fitted to, though it could be: the program cannot
// know, and the user should.
#pragma once

#include <string>
#include <vector>

#include <quasar/table.hpp>

namespace quasar {

std::vector<std::string> label_notes(const Table& table, const ConstantData& kept);  // empty: nothing is

}  // namespace quasar
