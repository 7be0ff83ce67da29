// Where chains start: initial points given by the user, on the scale of the model's variables.
//
// A .json file holds one object for all chains, or an array with one object per chain. Its keys are variables of the
// layout, its values numbers or nested arrays of the variable's shape (row-major, as the draws). A .nc run file gives
// the last draw of each chain; more chains than it has start from them in turn. Variables that follow from others may
// be left out.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include <quasar/core.hpp>

namespace quasar {

// One finite point per chain, in the sampler's coordinates. UsageError: neither .json nor .nc. DataError: anything
// wrong with the file, an unknown variable, a wrong shape, values from which the model cannot be started.
std::vector<Vec> read_init(const std::filesystem::path& path, const Target& target, int chains);
std::vector<Vec> parse_json_init(const std::string& file, std::string_view text, const Target& target, int chains);

std::string points_hash(const std::vector<Vec>& points);  // "crc32:<8 hex digits>"

}  // namespace quasar
