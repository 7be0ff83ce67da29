// quasar/layout.hpp -- how the elements of a draw are called, and which of them a user asked for.
//
// A draw is the concatenation of its layout's variables; inside a variable the last index runs fastest (row-major, C
// order). Files count from 0, text from 1: `mu`, `theta[1]`, `A[2,3]`; a labelled dimension shows its labels:
// `beta[age]`.
#pragma once

#include <span>
#include <string>
#include <vector>

#include <quasar/core.hpp>

namespace quasar {

std::string dimension_name(const Variable& variable, std::size_t axis);  // its own, or "<variable>_dim_<axis>"

std::vector<std::string> element_names(const Layout& layout);

// UsageError: a layout that a run file cannot hold. Names repeat, clash with a dimension or are too long, a dimension
// has two sizes or a wrong number of labels. Checked before sampling, so that no finished run is lost to it.
void check_layout(const Layout& layout);

struct Selection {
  Layout layout;
  std::vector<Index> begins;  // of each of its variables: where it is in a draw of the whole layout
};

// The variables named, in the order of the layout; no names: all. UsageError: a name that is not in the layout.
Selection select_variables(const Layout& layout, std::span<const std::string> names);

void copy_selected(const Selection& selection, std::span<const double> draw, std::span<double> out);

}  // namespace quasar
