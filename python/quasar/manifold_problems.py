"""Problems on manifolds with a name: the mean of covariance matrices, principal components, Procrustes' problem."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, NamedTuple, Unpack, cast

import numpy as np
from numpy.typing import ArrayLike

from quasar import _core
from quasar.checks import AnyPath, is_path, path_text, seed_number, text, truth, whole_number
from quasar.errors import DataError
from quasar.solver_settings import PcaSettings, SolverSettings, settings_with
from quasar.values import Floats, Setting, numbers_in


class Search(NamedTuple):
    """How an answer was found."""

    solver: str
    stop: str  # "converged", "iteration_limit", "no_decrease" or "not_finite"
    gradient_norm: float
    steps: int
    passes: float  # over the data
    halvings: int  # of steps that led out of the manifold
    seconds: float

    @property
    def converged(self) -> bool:
        return self.stop == "converged"


@dataclass(frozen=True)
class KarcherMean:
    mean: Floats
    variance: float  # the mean squared distance from it
    search: Search


@dataclass(frozen=True)
class PrincipalComponents:
    components: Floats  # a row for each, by falling variance; the largest entry of each is positive
    variances: Floats  # along each
    total_variance: float  # of all the data
    rank: int  # how many of the variances are not zero, up to rounding
    mean: Floats  # what was subtracted from the columns
    scale: Floats  # what they were divided by
    search: Search

    def transform(self, rows: ArrayLike) -> Floats:
        """The coordinates of rows along the components."""
        values = two_axes("rows", rows)
        if values.shape[1] != self.mean.size:
            raise DataError(f"rows have {self.mean.size} columns, not {values.shape[1]}")
        return ((values - self.mean) / self.scale) @ self.components.T


@dataclass(frozen=True)
class Alignment:
    q: Floats  # with orthonormal columns
    residual: float  # |A Q - B|
    search: Search


def karcher_mean(
    matrices: ArrayLike,
    *,
    solver: Literal[
        "lbfgs", "trust_region", "conjugate_gradient", "steepest_descent", "sv_lbfgs", "svrg", "sgd"
    ] = "lbfgs",
    start: Literal["log_euclidean", "arithmetic"] = "log_euclidean",
    seed: int = 1,
    **settings: Unpack[SolverSettings],
) -> KarcherMean:
    """The mean of positive definite matrices: the least mean squared distance, in the affine-invariant metric.

    >>> quasar.karcher_mean([[[2, 1], [1, 3]], [[4, -1], [-1, 1]]]).mean

    matrices   an array (how many, n, n)
    start      what the solver starts from: one of the two simpler means
    """
    stack = numbers_in("matrices", matrices)
    if stack.ndim != 3 or stack.shape[1] != stack.shape[2]:
        raise DataError(f"matrices have the shape (how many, n, n), not {stack.shape}")
    given = settings_with({"solver": text("solver", solver), "start": text("start", start)}, settings)
    flat, variance, search = _core.karcher_mean(stack, given | {"seed": str(seed_number(seed))})
    return KarcherMean(columns_of(flat, stack.shape[2]).T.copy(), variance, Search(*search))


def pca(
    rows: ArrayLike | AnyPath,
    components: int = 2,
    *,
    center: bool = True,
    scale: bool = False,
    solver: Literal[
        "auto",
        "exact",
        "krylov",
        "lbfgs",
        "trust_region",
        "conjugate_gradient",
        "steepest_descent",
        "sv_lbfgs",
        "svrg",
        "sgd",
        "vr_pca",
    ] = "auto",
    seed: int = 1,
    **settings: Unpack[PcaSettings],
) -> PrincipalComponents:
    """Principal components: the orthogonal directions in which rows vary most.

    >>> quasar.pca(rows, components=3).variances

    rows            an array with an observation in each row; or the path of a CSV file, an .npy file or a packed table,
                    which is read block by block and may be larger than memory
    center, scale   subtract the columns' means; divide by their standard deviations
    solver          "auto" chooses between the covariance's eigenvectors, "exact", and a few passes, "krylov"
    """
    own: dict[str, Setting] = {
        "components": whole_number("components", components),
        "center": truth("center", center),
        "scale": truth("scale", scale),
        "solver": text("solver", solver),
        "seed": seed_number(seed),
    }
    given = settings_with(own, settings)
    if is_path(rows):
        found = _core.pca_of_file(path_text("rows", cast(AnyPath, rows)), given)
    else:
        found = _core.pca(two_axes("rows", cast(ArrayLike, rows), copy=False), given)
    flat, variances, total, rank, mean, spread, search = found
    return PrincipalComponents(columns_of(flat, mean.size), variances, total, rank, mean, spread, Search(*search))


def procrustes(
    a: ArrayLike,
    b: ArrayLike,
    *,
    rotation: bool = False,
    solver: Literal["auto", "closed_form", "trust_region", "lbfgs", "conjugate_gradient", "steepest_descent"] = "auto",
    **settings: Unpack[SolverSettings],
) -> Alignment:
    """The matrix Q with orthonormal columns that takes the rows of a nearest to those of b: least |A Q - B|.

    >>> quasar.procrustes(a, b).q

    rotation   no reflections: the determinant of Q is one
    """
    points, images = two_axes("a", a), two_axes("b", b)
    given = settings_with({"rotation": truth("rotation", rotation), "solver": text("solver", solver)}, settings)
    flat, residual, search = _core.procrustes(points, images, given)
    return Alignment(columns_of(flat, points.shape[1]).T.copy(), residual, Search(*search))


def two_axes(what: str, values: ArrayLike, *, copy: bool = True) -> Floats:
    array = numbers_in(what, values, copy=copy)
    if array.ndim != 2:
        raise DataError(f"{what} has the shape (rows, columns), not {array.shape}")
    return array


def columns_of(flat: Floats, rows: int) -> Floats:
    """The columns of a matrix, as rows."""
    return np.asarray(flat).reshape(-1, rows)
