#include "models/sequences/divided_state.hpp"

#include <algorithm>

#include "models/sequences/asymp_hmm.hpp"
#include "models/sequences/starts.hpp"

namespace quasar {
namespace {

constexpr int most_turns_of_two = 20;

struct Visits {
  Sequences data;
  std::vector<Index> points;  // where they are in the whole
};

Visits visits_of(const Sequences& data, const Path& path, int state) {
  Visits visits{{Mat(), {}}, {}};
  for (Index s = 0; s < data.count(); ++s) {
    const Index begin = data.starts[static_cast<std::size_t>(s)];
    for (Index t = begin; t < data.end(s); ++t) {
      const auto i = static_cast<std::size_t>(t);
      if (path[i] != state) continue;
      if (t == begin || path[i - 1] != state) visits.data.starts.push_back(std::ssize(visits.points));
      visits.points.push_back(t);
    }
  }
  visits.data.values = data.values(Eigen::all, visits.points);
  return visits;
}

}  // namespace

std::vector<Path> with_state_divided(const Sequences& data, const AsympIhmmOptions& options, const Path& path,
                                     int state) {
  const Visits visits = visits_of(data, path, state);
  AsympHmmOptions two;
  two.emission = options.emission;
  two.lambda = options.penalties.lambda;
  two.most_iterations = most_turns_of_two;
  const Mat centres = kmeans(visits.data, options.emission, 2, Rng(0));
  const int added = *std::max_element(path.begin(), path.end()) + 1;
  std::vector<Path> divided;
  for (const double stay : {0.5, 0.98}) {
    const Mat rows = (Mat(2, 2) << stay, 1 - stay, 1 - stay, stay).finished();
    const Path parts = fit_asymp_hmm(visits.data, two, centres, rows).states;
    divided.push_back(path);
    for (std::size_t i = 0; i < parts.size(); ++i) {
      if (parts[i] == 1) divided.back()[static_cast<std::size_t>(visits.points[i])] = added;
    }
  }
  return divided;
}

}  // namespace quasar
