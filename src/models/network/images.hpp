// Tables of images: one column for each pixel.
#pragma once

#include <span>
#include <string>

#include <quasar/table.hpp>

#include "models/regression/column_choice.hpp"

namespace quasar {

bool named_as_pixels(std::span<const std::string> predictors);  // pixel_1, pixel_2, ..., all of them and in this order

// The predictors are pixels by their names, and bytes by their range: not all of them are within 0 and 1, as pixels are
// that have been divided already.
bool holds_images(const Table& table, const ColumnChoice& choice);

}  // namespace quasar
