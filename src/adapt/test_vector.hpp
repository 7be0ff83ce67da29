// Whether a new mass makes a difference that can be seen in the noise of a sample: the mean of the vector
//
//   t = (M^-1 p,   p'M^-1 p where there is a thermostat,   grad log pi - xi M^-1 p where friction acts on the velocity)
//
// has a confidence interval of half-width z sqrt(var / n); a change is lost in the noise if the mean of the same states
// under the new mass stays inside for every entry. What does not depend on the mass is left out: it always would.
#pragma once

#include <cstdint>

#include <quasar/core.hpp>

namespace quasar {

struct MomentumSample {
  const Vec& p;
  bool thermostat = false;        // p'M^-1 p drives one
  double friction = 0;            // xi, where the friction is xi M^-1 p
  const Vec* gradient = nullptr;  // of log pi, where it is
  double q = 0;                   // momentum of a thermostat that has one
};

class TestVector {
 public:
  explicit TestVector(Index dim = 0, bool diagonal = false);

  void add(const MomentumSample& sample, const Mat& inverse_mass);  // D x 1 or D x D, as is change
  bool covers(const Mat& change, double z) const;                   // of M^-1; false too where there is too little
  void reset();

  static void fields(auto& self, auto&& visit) {
    visit("count", self.count_);
    visit("thermostat", self.thermostat_);
    visit("sums", self.sums_);
    visit("products", self.products_);
    visit("kinetic", self.kinetic_);
  }

 private:
  enum Column { momenta, velocities, squared_velocities, frictions, forces, squared_forces, columns };

  bool diagonal_;
  std::int64_t count_ = 0;
  bool thermostat_ = false;
  Mat sums_;                                           // one column each
  Mat products_;                                       // sum of p p', its diagonal if the mass is
  Eigen::Vector2d kinetic_ = Eigen::Vector2d::Zero();  // sums of p'M^-1 p and of its square
  // scratch
  Vec velocity_;
  mutable Vec shift_;
};

// m v for a matrix that is diagonal if it has one column.
inline void multiply(const Mat& m, In v, Out out) {
  if (m.cols() == 1) {
    out = m.col(0).cwiseProduct(v);
  } else {
    out.noalias() = m * v;
  }
}

}  // namespace quasar
