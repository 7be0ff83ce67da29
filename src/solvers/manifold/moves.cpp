#include "solvers/manifold/moves.hpp"

#include <quasar/errors.hpp>

namespace quasar {
void Moves::move(MatIn x, MatIn step, MatOut out) const {
  exact_ ? manifold_->exp(x, step, out) : manifold_->retract(x, step, out);
}

bool Moves::leads_to_a_point(MatIn x, MatIn step, MatOut out) const {
  try {
    move(x, step, out);
  } catch (const DataError&) {  // no Cholesky factor, no eigenvalues
    return false;
  }
  return manifold_->fault(out).empty();
}

void Moves::carry(MatIn x, MatIn y, MatIn u, MatOut out) const {
  exact_ ? manifold_->parallel_transport(x, y, u, out) : manifold_->transport(x, y, u, out);
}

void Moves::carry_straight(MatIn x, MatIn y, MatIn u, MatOut out) const {
  manifold_->has().parallel ? manifold_->parallel_transport(x, y, u, out) : manifold_->transport(x, y, u, out);
}

int Moves::move_safely(MatIn x, MatOut step, MatOut out) const {
  int halvings = 0;
  while (halvings < most_halvings && !leads_to_a_point(x, step, out)) {
    step *= 0.5;
    ++halvings;
  }
  return halvings;
}

}  // namespace quasar
