// What the figures of several experiments are made of.
#pragma once

#include <span>
#include <string>
#include <vector>

#include <quasar/core.hpp>
#include <quasar/experiment.hpp>
#include <quasar/figure.hpp>

namespace quasar {

// The numbers after first, first + step, first + 2 step, ...
Series curve(const std::string& name, std::span<const double> numbers, double first, double step);

// The points of a plane that are as far from the mean as this, in standard deviations. The covariance is root root^T.
Series ellipse(const std::string& name, const Vec& mean, const Mat& root, double deviations);

// To the series of this name and mark, which is made if it is missing.
void add_point(const std::string& name, Series::Mark mark, double x, double y, Panel& panel);

// One quantity of all methods that have it: our numbers beside those of the paper. A method for which another quantity
// says that it was not reached has the paper's number alone.
Panel beside_print(const std::vector<ExperimentRow>& rows, const std::string& quantity, bool log,
                   const std::string& not_reached = {});

}  // namespace quasar
