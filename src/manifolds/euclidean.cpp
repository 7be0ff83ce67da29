// Matrices as they are: flat, so that every method on manifolds is here the one that everybody knows.
#include <fmt/core.h>

#include <quasar/manifolds.hpp>

#include "manifolds/sizes.hpp"

namespace quasar {
namespace {

class Euclidean final : public Manifold {
 public:
  explicit Euclidean(Shape shape) : shape_(shape) {}
  std::string name() const override { return fmt::format("euclidean({}, {})", shape_.rows, shape_.cols); }
  Shape shape() const override { return shape_; }
  Index dim() const override { return shape_.rows * shape_.cols; }
  Has has() const override { return {.exact_retract = true}; }

  double inner(MatIn, MatIn u, MatIn v) const override { return u.cwiseProduct(v).sum(); }
  double distance(MatIn x, MatIn y) const override { return (x - y).norm(); }
  void project(MatIn, MatIn ambient, MatOut out) const override { out = ambient; }
  void hessian(MatIn, MatIn, MatIn second, MatIn, MatOut out) const override { out = second; }
  void exp(MatIn x, MatIn u, MatOut out) const override { out = x + u; }
  void log(MatIn x, MatIn y, MatOut out) const override { out = y - x; }
  void retract(MatIn x, MatIn u, MatOut out) const override { out = x + u; }
  void parallel_transport(MatIn, MatIn, MatIn u, MatOut out) const override { out = u; }
  void transport(MatIn, MatIn, MatIn u, MatOut out) const override { out = u; }
  void random_point(Stream& stream, MatOut out) const override { fill_with_normals(stream, out); }
  void random_tangent(MatIn, Stream& stream, MatOut out) const override { fill_with_normals(stream, out); }

 private:
  std::string violated(MatIn) const override { return {}; }
  Shape shape_;
};

}  // namespace

ManifoldPtr euclidean(Index rows, Index cols) {
  require_size(rows > 0 && cols > 0, "euclidean: needs at least one row and one column");
  return std::make_shared<Euclidean>(Manifold::Shape{rows, cols});
}

}  // namespace quasar
