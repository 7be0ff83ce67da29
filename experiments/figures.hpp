// What the figures of several experiments are made of.
#pragma once

#include <span>
#include <string>
#include <vector>

#include <quasar/experiment.hpp>
#include <quasar/figure.hpp>

namespace quasar {

// The numbers after first, first + step, first + 2 step, ...
Series curve(const std::string& name, std::span<const double> numbers, double first, double step);

// One quantity of all methods that have it: our numbers beside those of the paper. A method for which another quantity
// says that it was not reached has the paper's number alone.
Panel beside_print(const std::vector<ExperimentRow>& rows, const std::string& quantity, bool log,
                   const std::string& not_reached = {});

}  // namespace quasar
