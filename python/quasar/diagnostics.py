"""How far the draws can be trusted: R-hat, effective sample sizes, Monte Carlo errors, Stein discrepancy.

Draws come as (chain, draw) and give a number, or as (chain, draw, …) and give an array of what comes after: as
`run.posterior["theta"]` is. Definitions as in Vehtari et al. (2021); the numbers are those of `run.summary()`.
"""

from collections.abc import Callable
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from quasar import _core
from quasar.values import Floats, as_numbers, as_point

__all__ = [
    "SteinDiscrepancy",
    "autocorrelation",
    "ebfmi",
    "ess_bulk",
    "ess_mean",
    "ess_quantile",
    "ess_tail",
    "kernel_stein_discrepancy",
    "mcse_mean",
    "mcse_quantile",
    "mcse_sd",
    "rhat",
]

Statistic: TypeAlias = float | Floats


class SteinDiscrepancy(NamedTuple):
    ksd: float
    u_statistic: float  # unbiased for its square
    standard_error: float  # of the U-statistic


def of_elements(statistic: Callable[[Floats], float], draws: ArrayLike) -> Statistic:
    array = as_numbers("an array of draws", draws)
    if array.ndim < 2:
        raise ValueError(f"draws have the axes (chain, draw, …); this array has {array.ndim}")
    if array.ndim == 2:
        return statistic(np.ascontiguousarray(array))
    elements = np.moveaxis(array.reshape(*array.shape[:2], -1), -1, 0)
    return np.array([statistic(np.ascontiguousarray(one)) for one in elements]).reshape(array.shape[2:])


def rhat(draws: ArrayLike) -> Statistic:
    """Rank-normalised split R-hat: above 1.01 the chains do not agree."""
    return of_elements(_core.rhat, draws)


def ess_bulk(draws: ArrayLike) -> Statistic:
    """How many independent draws these are worth, around the middle."""
    return of_elements(_core.ess_bulk, draws)


def ess_tail(draws: ArrayLike) -> Statistic:
    """The same for the 5 % and 95 % quantiles, whichever is worse."""
    return of_elements(_core.ess_tail, draws)


def ess_mean(draws: ArrayLike) -> Statistic:
    """The same for the mean, without ranks."""
    return of_elements(_core.ess_mean, draws)


def ess_quantile(draws: ArrayLike, probability: float) -> Statistic:
    return of_elements(lambda one: _core.ess_quantile(one, probability), draws)


def mcse_mean(draws: ArrayLike) -> Statistic:
    """Monte Carlo standard error of the mean."""
    return of_elements(_core.mcse_mean, draws)


def mcse_sd(draws: ArrayLike) -> Statistic:
    return of_elements(_core.mcse_sd, draws)


def mcse_quantile(draws: ArrayLike, probability: float) -> Statistic:
    return of_elements(lambda one: _core.mcse_quantile(one, probability), draws)


def autocorrelation(chain: ArrayLike) -> Floats:
    """Of one chain, at every lag from 0."""
    return _core.autocorrelation(as_point("a chain", chain, axes=1))


def ebfmi(energy: ArrayLike) -> float:
    """Energy Bayesian fraction of missing information of one chain: below 0.3 the tails are explored slowly."""
    return _core.ebfmi(as_point("the energy of a chain", energy, axes=1))


def kernel_stein_discrepancy(points: ArrayLike, scores: ArrayLike) -> SteinDiscrepancy:
    """How far points are from a law known through its scores, the gradients of its log density there: both (n, dim)."""
    at, gradients = as_point("points", points, axes=2), as_point("scores", scores, axes=2)
    if at.shape != gradients.shape:
        raise ValueError(f"points have the shape {at.shape}, scores {gradients.shape}")
    return SteinDiscrepancy(*_core.kernel_stein_discrepancy(at, gradients))
