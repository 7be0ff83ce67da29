"""Gamma processes as sums of atoms, round by round: their draws, and what is missed of them after some rounds.

Round i = 1, 2, … has Poisson(gamma) atoms of weight E exp(-T), E ~ Exp(rate c), T ~ Gamma(i, rate alpha)
(Roychowdhury and Kulis, AISTATS 2015). All of them weigh Gamma(gamma·alpha, rate c) together.

>>> from quasar.gamma_process import GammaProcess
>>> process = GammaProcess(alpha=2, gamma=1.5, c=1)
>>> process.truncation_error(draws=10, rounds=20)
"""

from dataclasses import dataclass
from typing import Literal, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from quasar import _core
from quasar.values import Floats

__all__ = ["Atoms", "GammaProcess"]

Construction: TypeAlias = Literal["rounds", "sticks", "shared-stick"]


class Atoms(NamedTuple):
    weights: Floats
    rounds: NDArray[np.int64]  # of each atom, ascending from 1


@dataclass(frozen=True)
class GammaProcess:
    """A gamma process with the rate gamma·alpha p⁻¹ exp(-c p) dp of atoms at weight p."""

    alpha: float = 1
    gamma: float = 1
    c: float = 1

    def draw(self, rounds: int, *, seed: int = 1, construction: Construction = "rounds") -> Atoms:
        """The atoms of the first rounds.

        "rounds" and "sticks" have the same law; "shared-stick" is what was printed, which is no gamma process."""
        return Atoms(*_core.draw_gamma_process(self.alpha, self.gamma, self.c, rounds, seed, construction))

    def truncation_error(self, draws: float, rounds: int) -> float:
        """The probability that so many Poisson processes with this mean have a point at an atom of a later round."""
        return _core.truncation_error(self.alpha, self.gamma, self.c, draws, rounds)

    def truncation_bound(self, draws: float, rounds: int) -> float:
        """What it is at most, in closed form: 1 - exp(-draws·gamma·(alpha/c)·(alpha/(1 + alpha))^rounds)."""
        return _core.truncation_bound(self.alpha, self.gamma, self.c, draws, rounds)

    def rounds_for(self, draws: float, error: float, *, by: Literal["error", "bound"] = "error") -> int:
        """The fewest rounds, and at least one, of which the truncation error, or its bound, is not above `error`."""
        if by not in ("error", "bound"):
            raise ValueError(f"rounds are chosen by 'error' or by 'bound', not by {by!r}")
        choose = _core.rounds_for_error if by == "error" else _core.rounds_for_bound
        return choose(self.alpha, self.gamma, self.c, draws, error)
