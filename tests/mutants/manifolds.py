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
    "line search: steps to nowhere are not counted": ("solvers/manifold/armijo.cpp", "  ++state.progress.halvings;\n", "", SOLVERS),
    "krylov: the products of another basis after a restart": ("solvers/manifold/block_krylov.cpp", "    products_ = products_ * weights;\n", "    products_ = products_.leftCols(weights.cols()).eval();\n", PCA),
    "pca: columns are not scaled": ("front/manifolds/pca_data.cpp", "block.array().colwise() *= inverse.array();", "(void)block;", PCA),
    "pca: nobody is asked between blocks": ("manifolds/problems/term_blocks.cpp", "if (thread == 0 && go_on && !go_on()) stopped = true;", "", PCA),
}
