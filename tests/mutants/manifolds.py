"""Bugs to plant in manifolds, their problems and solvers; mutants_test.py says how a row reads."""

MANIFOLDS, SOLVERS, LOGARITHM = ("exact/manifolds",), ("exact/manifold_solvers",), ("exact/matrix_logarithm",)
PCA, BLOCKS = ("exact/pca_task",), ("exact/block_products",)
QUADRATURE, TRIDIAGONAL = "manifolds/log_quadrature.cpp", "manifolds/tridiagonal_log.cpp"

MUTANTS = {
    "sphere: transport turns the wrong way": ("manifolds/sphere.cpp", "out = u - part * (x + y);", "out = u + part * (x + y);", MANIFOLDS),
    "sphere: a gradient that is not tangent": ("manifolds/sphere.cpp", "out = ambient - dot(x, ambient) * x;", "out = ambient;", MANIFOLDS),
    "spd: a gradient that is not symmetric": ("manifolds/spd.cpp", "out = symmetric_part(x * symmetric_part(partials) * x);", "out = x * partials * x;", MANIFOLDS),
    "spd: norms where the second vector is another": ("manifolds/spd.cpp", "u.data() == v.data() && u.outerStride() == v.outerStride()", "true", MANIFOLDS),
    "stiefel: transport without projection": ("manifolds/stiefel.cpp", "MatOut out) const override { project(y, u, out); }", "MatOut out) const override { out = u; }", MANIFOLDS),
    "mean: half of the gradient": ("manifolds/problems/karcher_mean.cpp", "gradient = root.color(sum_of_logs() * (-2 / count));", "gradient = root.color(sum_of_logs() * (-1 / count));", SOLVERS),
    "mean: logarithms stay where they were whitened": ("manifolds/problems/karcher_mean.cpp", "gradient = root.color(sum_of_logs() * (-2 / count));", "gradient = sum_of_logs() * (-2 / count);", SOLVERS),
    "logarithm: a quadrature of Legendre's weights alone": (QUADRATURE, "gauss.weights / p.square()", "gauss.weights / p", LOGARITHM),
    "logarithm: too few nodes for the condition": (QUADRATURE, "const double nodes = 1 + ", "const double nodes = 1 + 0.5 * ", LOGARITHM),
    "logarithm: shifts in units of another matrix": (QUADRATURE, "  shifts_ *= middle;\n", "", LOGARITHM),
    "logarithm: the last row as if another came after it": (TRIDIAGONAL, "  terms_.leftCols(block).colwise() *= ratios_.col(rows - 1);\n", "", LOGARITHM),
    "logarithm: signs of entries beside the diagonal": (TRIDIAGONAL, "factor_ = -beside[i - 1] / pivots_.col(i);", "factor_ = beside[i - 1] / pivots_.col(i);", LOGARITHM),
    "logarithm: the way back without its second half": ("manifolds/symmetric_log.cpp", "cblas_dsyr2k(CblasColMajor, CblasLower, CblasNoTrans, m, k, -1,", "cblas_dsyr2k(CblasColMajor, CblasLower, CblasNoTrans, m, k, -0.5,", LOGARITHM),
    "logarithm: |log| counts entries once": ("manifolds/symmetric_log.cpp", "log_.diagonal().squaredNorm() + 2 * above", "log_.diagonal().squaredNorm() + above", LOGARITHM),
    "block products: columns of x side by side": ("simd/block_products.cpp", "of_column + c * x.stride + i", "of_column + c * block.dim + i", BLOCKS),
    "block products: a rest of rows left out": ("simd/block_products.cpp", "if (rest > lanes) store_some(second, to + lanes, rest - lanes);", "", BLOCKS),
    "vr_pca: as if the snapshot were 0": ("solvers/manifold/vr_pca.cpp", " - cblas_ddot(d, of_term, 1, state.snapshot.data(), 1)", "", SOLVERS),
    "pair block: uphill where the curvature is negative": ("solvers/manifold/pair_block.cpp", "one_over_size_[i] = std::abs(one_over_[i]);", "one_over_size_[i] = one_over_[i];", ("exact/pair_block",)),
    "pair block: the older y does not follow": ("solvers/manifold/pair_block.cpp", "(manifold_->inner(x, new_z, y_[newer]) - manifold_->inner(x, z_[newer], new_y)) * z_[newer];", "0 * z_[newer];", ("exact/pair_block",)),
    "sv_lbfgs: displacements the wrong way": ("solvers/manifold/sv_lbfgs.cpp", "log(state.x, state.pair_point, state.z);\n    state.z = -state.z;", "log(state.x, state.pair_point, state.z);", SOLVERS),
    "sv_lbfgs: gradients of pairs are not counted": ("solvers/manifold/sv_lbfgs.cpp", "  gradients_.count(state, std::ssize(state.batch));\n", "", SOLVERS),
    "sv_lbfgs: antipodal points leave the memory as it was": ("solvers/manifold/sv_lbfgs.cpp", "  } catch (const DataError&) {\n    state.pairs.clear();", "  } catch (const DataError&) {", SOLVERS),
    "pairs: the cautious test is left out": ("solvers/manifold/tangent_pairs.cpp", " || !(zy >= least * zz)", "", SOLVERS),
    "pairs: y stays behind": ("solvers/manifold/tangent_pairs.cpp", "    moves.carry(from, to, pair.y, pair.y);\n", "", SOLVERS),
    "pairs: H without its size": ("solvers/manifold/tangent_pairs.cpp", "  out *= at(count_ - 1).zy / at(count_ - 1).yy;\n", "", SOLVERS),
    "trust region: beyond the edge of the ball": ("solvers/manifold/trust_region.cpp", "return left / (ud + std::sqrt", "return left / (std::sqrt", SOLVERS),
    "trust region: a radius that never grows": ("solvers/manifold/trust_region.cpp", "std::min(2 * state.radius, params_.largest_radius)", "std::min(state.radius, params_.largest_radius)", SOLVERS),
    "minibatches: x stays where they led": ("solvers/manifold/variance_reduced.hpp", "if (outcome == StepOutcome::not_finite) state.x = state.snapshot;", "", ("exact/karcher_mean_task",)),
    "spd: singular to rounding passes": ("manifolds/symmetric.cpp", "&& cholesky.rcond() > 1e4 * rounding", "", ("exact/single_manifolds",)),
    "shared work: the first piece is somebody's": ("core/shared_work.hpp", "std::size_t piece = thread; piece", "std::size_t piece = (thread + 1) % used; piece", ("exact/threads",)),
    "line search: steps to nowhere are not counted": ("solvers/manifold/armijo.cpp", "  ++state.progress.halvings;\n", "", SOLVERS),
    "krylov: the products of another basis after a restart": ("solvers/manifold/block_krylov.cpp", "    products_ = products_ * weights;\n", "    products_ = products_.leftCols(weights.cols()).eval();\n", PCA),
    "pca: columns are not scaled": ("front/manifolds/pca_data.cpp", "block.array().colwise() *= inverse.array();", "(void)block;", PCA),
    "pca: nobody is asked between blocks": ("manifolds/problems/term_blocks.cpp", "if (thread == 0 && go_on && !go_on()) stopped = true;", "", PCA),
}
