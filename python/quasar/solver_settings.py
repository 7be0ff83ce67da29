"""What solvers on manifolds can be asked for. A setting that the chosen solver does not take is refused."""

from collections.abc import Mapping
from typing import Literal, TypedDict, cast

from quasar.values import Setting, as_texts


class SolverSettings(TypedDict, total=False):
    """Of a solver on batches a step is the way from one look at all rows to the next."""

    tolerance: float  # ends at a gradient of this norm: 1e-8
    max_iterations: int  # or after so many steps: 1000
    max_passes: float  # or after so many looks at all of the data: any number
    memory: int  # pairs that lbfgs (10) and sv_lbfgs (2 of minibatches, 10 of snapshots) keep
    moves: Literal["auto", "geodesic", "cheap"]  # along geodesics, or along retractions with cheap transports
    step_size: float  # svrg, sv_lbfgs, sgd, vr_pca: how far they go along the gradient
    first_step: float  # sv_lbfgs: the same before there are pairs
    batch_size: int  # svrg, sv_lbfgs, sgd: rows of a batch; a twentieth of them, of pca at least 100
    inner_steps: int  # svrg, sv_lbfgs, vr_pca: batches between looks at all rows; as many as there are, of snapshots 4
    pair_every: int  # sv_lbfgs: batches from pair to pair: 1
    pairs: Literal["displacement", "snapshots", "last_step", "last_gradient"]  # sv_lbfgs: what pairs are made of
    update: Literal["one_by_one", "together"]  # sv_lbfgs: as L-BFGS, or right for all pairs of snapshots
    least_curvature: float  # sv_lbfgs: pairs with less are left out: 0
    longest_step: float  # sv_lbfgs: no step by curvature goes further
    gradient_loops: int  # sv_lbfgs: loops of svrg at first, with first_step: 0
    gradient_steps: int  # sv_lbfgs: batches in each of them; as many as go into the data
    threads: int  # which share the data of a problem with a name: one per core. The bits do not depend on it


class PcaSettings(SolverSettings, total=False):
    oversampling: int  # krylov: columns of a block beyond the components: 10


def settings_with(own: Mapping[str, Setting], settings: SolverSettings) -> dict[str, str]:
    """For the core: a problem's own settings, and those of its solver."""
    return as_texts({**cast(Mapping[str, Setting], settings), **own})
