// Images in the IDX format as a table: pixel_1, pixel_2, ... and, where the file of their labels lies beside them,
// label.
#pragma once

#include <filesystem>
#include <optional>

#include <quasar/table.hpp>

namespace quasar {

bool is_idx_images(const std::filesystem::path& path);  // by its first bytes; what is no regular file is not touched

// X-images-idx3-ubyte -> X-labels-idx1-ubyte, with .gz or without. nullopt: images are not called like that.
std::optional<std::filesystem::path> labels_beside(const std::filesystem::path& images);

// Pixels stay bytes in memory, an eighth of what they would take as numbers. DataError
Table read_idx_table(const std::filesystem::path& path);

}  // namespace quasar
