// quasar/manifold.hpp -- curved spaces to optimize on: the sphere, positive definite matrices, subspaces, rotations ...
//
//   const auto m = sphere(3);                       // all of them: quasar/manifolds.hpp
//   Mat x = m->random_point(stream), y = m->random_point(stream);
//   const Mat u = m->log(x, y);                     // the tangent vector at x that leads to y: m->exp(x, u) is y
//
// Points and tangent vectors are matrices of the manifold's shape; a tangent vector is written in the space around the
// manifold. Absil, Mahony and Sepulchre, "Optimization Algorithms on Matrix Manifolds" (2008), and Boumal, "An
// Introduction to Optimization on Smooth Manifolds" (2023), explain the words.
#pragma once

#include <string>

#include <quasar/core.hpp>
#include <quasar/rng.hpp>

namespace quasar {

using MatIn = const Eigen::Ref<const Mat>&;  // read-only argument
using MatOut = Eigen::Ref<Mat>;              // caller-owned result, already sized

// Objects have no state: any number of threads may share one. `out` may be one of the arguments. Points are taken to be
// on the manifold and vectors to be tangent; check() is for what comes from outside.
class Manifold {
 public:
  struct Shape {
    Index rows, cols;
    bool operator==(const Shape&) const = default;
  };
  struct Has {                   // what there is a closed form of; the rest throws UsageError
    bool log = true;             // log and distance
    bool parallel = true;        // parallel_transport
    bool isometric = true;       // transport keeps inner products
    bool exact_retract = false;  // retract is exp
  };

  virtual ~Manifold() = default;
  virtual std::string name() const = 0;  // with its size: "sphere(3)"
  virtual Shape shape() const = 0;
  virtual Index dim() const = 0;  // of a tangent space; less than the numbers of a matrix where there are constraints
  virtual Has has() const { return {}; }

  virtual double inner(MatIn x, MatIn u, MatIn v) const = 0;
  double norm(MatIn x, MatIn u) const;
  virtual double distance(MatIn x, MatIn y) const = 0;  // along the shortest geodesic

  virtual void project(MatIn x, MatIn ambient, MatOut out) const = 0;  // any matrix to the nearest tangent vector
  virtual double project_norm(MatIn) const { return 1; }  // the largest |project(x, v)| / |v|, entry by entry
  // The gradient of f as vector of the tangent space, <gradient, u> = Df(x)[u], from its partial derivatives.
  virtual void gradient(MatIn x, MatIn partials, MatOut out) const { project(x, partials, out); }
  // The covariant derivative of that gradient along u; `second` is the derivative along u of the partial derivatives.
  virtual void hessian(MatIn x, MatIn partials, MatIn second, MatIn u, MatOut out) const = 0;

  virtual void exp(MatIn x, MatIn u, MatOut out) const = 0;  // the end of the geodesic that leaves x with velocity u
  virtual void log(MatIn x, MatIn y, MatOut out) const = 0;  // its inverse; DataError where no geodesic is shortest
  virtual void retract(MatIn x, MatIn u, MatOut out) const = 0;  // exp up to an error of third order, at less cost

  // A tangent vector at x to one at y, turned as little as the curvature allows along the shortest geodesic.
  virtual void parallel_transport(MatIn x, MatIn y, MatIn u, MatOut out) const = 0;
  // The cheapest map that is of use to quasi-Newton solvers: isometric where there is one. It may twist vectors about
  // the way, so that differences of gradients have to be taken with parallel_transport where they should tell
  // curvature.
  virtual void transport(MatIn x, MatIn y, MatIn u, MatOut out) const = 0;

  virtual void random_point(Stream& stream, MatOut out) const = 0;
  virtual void random_tangent(MatIn x, Stream& stream, MatOut out) const = 0;  // standard normal in the metric at x

  std::string fault(MatIn x) const;            // why x is not a point of the manifold; empty where it is one
  void check(MatIn x) const;                   // DataError with that
  void check_tangent(MatIn x, MatIn u) const;  // DataError where u is not a tangent vector at x

  // The same with the result returned.
  Mat project(MatIn x, MatIn ambient) const;
  Mat gradient(MatIn x, MatIn partials) const;
  Mat hessian(MatIn x, MatIn partials, MatIn second, MatIn u) const;
  Mat exp(MatIn x, MatIn u) const;
  Mat log(MatIn x, MatIn y) const;
  Mat retract(MatIn x, MatIn u) const;
  Mat parallel_transport(MatIn x, MatIn y, MatIn u) const;
  Mat transport(MatIn x, MatIn y, MatIn u) const;
  Mat random_point(Stream& stream) const;
  Mat random_tangent(MatIn x, Stream& stream) const;

 protected:
  virtual std::string violated(MatIn x) const = 0;  // of finite x of the right shape: what constraint it violates

 private:
  Mat empty() const { return {shape().rows, shape().cols}; }
};

}  // namespace quasar
