// The names that a Stan program gives to its values, and the layout that they describe.
//
// An element is written as its variable and pieces behind it: `.2` is an index, counted from 1, `:2` a slot of a tuple,
// `.real` and `.imag` are the parts of a complex number. The indices are the shape; all the rest is the variable's
// name. So `u.1:2.3` is element [1,3] of `u:2`, and `w.2.real` element [2] of `w.real`.
#pragma once

#include <string_view>
#include <vector>

#include <quasar/core.hpp>

namespace quasar {

struct StanLayout {
  Layout layout;
  std::vector<Index> source;  // value i of the layout is value source[i] of the program
};

// Names separated by commas, in the program's order. Elements whose indices do not fill a rectangle become scalars
// under their full names. DataError: what no Stan program can have written.
StanLayout parse_stan_names(std::string_view names);

}  // namespace quasar
