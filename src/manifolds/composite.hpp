// Manifolds side by side: squared distances add up, and everything else is done part by part.
#pragma once

#include <string>
#include <vector>

#include <quasar/manifolds.hpp>

namespace quasar {

struct CompositePart {
  ManifoldPtr manifold;
  Index row, col;  // of its first entry
};

// The parts are blocks of columns (power), or stacked in one column, each unrolled column by column (product).
class Composite final : public Manifold {
 public:
  Composite(std::string name, Shape shape, std::vector<CompositePart> parts);
  std::string name() const override { return name_; }
  Shape shape() const override { return shape_; }
  Index dim() const override;
  Has has() const override { return has_; }

  double inner(MatIn x, MatIn u, MatIn v) const override;
  double distance(MatIn x, MatIn y) const override;
  void project(MatIn x, MatIn ambient, MatOut out) const override;
  double project_norm(MatIn x) const override;
  void gradient(MatIn x, MatIn partials, MatOut out) const override;
  void hessian(MatIn x, MatIn partials, MatIn second, MatIn u, MatOut out) const override;
  void exp(MatIn x, MatIn u, MatOut out) const override;
  void log(MatIn x, MatIn y, MatOut out) const override;
  void retract(MatIn x, MatIn u, MatOut out) const override;
  void parallel_transport(MatIn x, MatIn y, MatIn u, MatOut out) const override;
  void transport(MatIn x, MatIn y, MatIn u, MatOut out) const override;
  void random_point(Stream& stream, MatOut out) const override;
  void random_tangent(MatIn x, Stream& stream, MatOut out) const override;

 private:
  std::string violated(MatIn x) const override;
  std::string name_;
  Shape shape_;
  std::vector<CompositePart> parts_;
  Has has_;
};

// Copies of `base` in blocks of columns.
ManifoldPtr repeated(std::string name, const ManifoldPtr& base, Index copies);

}  // namespace quasar
