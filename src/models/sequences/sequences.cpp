#include "models/sequences/sequences.hpp"

#include <cmath>

namespace quasar {
namespace {

double term(Emission emission, double x, double centre) {
  switch (emission) {
    case Emission::normal:
      return (x - centre) * (x - centre);
    case Emission::poisson:
      return (x > 0 ? x * std::log(x / centre) : 0) - x + centre;
    case Emission::categorical:
      return x > 0 ? -x * std::log(centre) : 0;
  }
  return 0;
}

}  // namespace

Index Sequences::end(Index sequence) const {
  return sequence + 1 < count() ? starts[static_cast<std::size_t>(sequence + 1)] : size();
}

double divergence(Emission emission, In point, In centre) {
  double sum = 0;
  for (Index i = 0; i < point.size(); ++i) {
    if (!std::isnan(point[i])) sum += term(emission, point[i], centre[i]);
  }
  return sum;
}

}  // namespace quasar
