// How often topics may speak in a document: whole numbers z ~ Poisson(g), of which x ~ Poisson(z) tokens are seen.
//
//   p(z | x, g) ~ (g / e)^z z^x / z!
//
// Of no tokens z is Poisson(g / e); of one or more it is at least 1. The law is log-concave for every x.
#pragma once

#include <cstdint>
#include <vector>

namespace quasar {

class IntegerWeights {  // one thread's
 public:
  // For x >= 1, by inversion at u in (0, 1). The search for the most probable z begins at `near`; the result does not
  // depend on it.
  std::uint32_t draw(std::uint32_t x, double g, std::uint32_t near, double u);

  double mean(std::uint32_t x, double g);

 private:
  // Fills probabilities_ with all that are not negligible, over the largest; returns their sum.
  double tabulate(std::uint32_t x, double g, std::uint32_t near);

  std::uint32_t first_ = 1;  // z of the first of them
  std::vector<double> probabilities_;
};

}  // namespace quasar
