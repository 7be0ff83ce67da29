"""Names and parameters of the registry, for type checkers. Written by scripts/generate_python_parameters.py."""

from collections.abc import Sequence
from typing import Literal, TypeAlias, TypedDict

from quasar.checks import AnyPath
from quasar.settings import Init
from quasar.values import Data, Shapes

SamplerName: TypeAlias = Literal[
    "nuts",
    "hmc",
    "qnhmc",
    "hmc-bfgs",
    "qnhmc-naive",
    "rhmc",
    "mala",
    "sgld",
    "psgld",
    "sgrld",
    "hamcmc",
    "qn-langevin-naive",
    "sghmc",
    "sghmc-naive",
    "sgnht",
    "nh-hmc",
    "np-hmc",
    "sg-nphmc-canonical",
    "sg-nphmc",
    "hmc-em",
    "sghmc-em",
    "sgnht-em",
    "sg-nphmc-em",
    "rnp-hmc",
    "rnp-hmc-printed",
    "sgr-nphmc-canonical",
    "sgr-nphmc",
    "dsgld",
    "dpsgld",
    "dsghmc",
    "dhamcmc",
    "sgd",
    "sgd-momentum",
    "rmsprop",
    "als",
    "gibbs",
    "ihmm-beam",
    "rwm",
]

ModelName: TypeAlias = Literal[
    "logistic",
    "linear",
    "softmax",
    "poisson",
    "negative-binomial",
    "normal",
    "network",
    "bpmf",
    "mf",
    "alpha-mf",
    "ihmm",
    "eight-schools",
    "gaussian",
    "linear-gaussian",
    "banana",
    "funnel",
    "gamma",
    "double-well",
    "quartic",
    "normal-loggamma",
]


class RunSettings(TypedDict, total=False):
    data: Data | None
    init: Init | None
    seed: int
    chains: int
    warmup: int
    draws: int
    thin: int
    threads: int
    out: AnyPath | None
    overwrite: bool
    resume: bool
    checkpoint_every: int
    save_warmup: bool
    variables: Sequence[str] | None
    dim: int | None
    shapes: Shapes | None


class NutsSettings(RunSettings, total=False):
    step_size: float
    max_depth: int
    target_accept: float
    metric: Literal["identity", "welford", "welford_dense", "fisher_diag", "fisher_lowrank", "lbfgs"]
    memory: int


class HmcSettings(RunSettings, total=False):
    step_size: float
    leapfrog_steps: int
    integration_time: float
    jitter: float
    metropolis: Literal["true", "false"] | bool
    target_accept: float
    metric: Literal["identity", "welford", "welford_dense", "fisher_diag", "fisher_lowrank", "lbfgs"]
    memory: int


class QnhmcSettings(RunSettings, total=False):
    step_size: float
    leapfrog_steps: int
    integration_time: float
    jitter: float
    adapt: Literal["warmup", "ensemble", "printed"]
    form: Literal["velocity", "published"]
    memory: int
    members: int
    target_accept: float


class HmcBfgsSettings(RunSettings, total=False):
    step_size: float
    leapfrog_steps: int
    integration_time: float
    jitter: float
    members: int
    target_accept: float


class QnhmcNaiveSettings(RunSettings, total=False):
    step_size: float
    leapfrog_steps: int
    integration_time: float
    jitter: float
    metropolis: Literal["true", "false"] | bool
    memory: int


class RhmcSettings(RunSettings, total=False):
    step_size: float
    leapfrog_steps: int
    integration_time: float
    jitter: float
    geometry: Literal["auto", "softabs"]
    softabs_alpha: float
    solver: Literal["auto", "newton", "fixed_point"]
    fixed_iterations: int
    check_reversal: bool
    target_accept: float


class MalaSettings(RunSettings, total=False):
    step_size: float
    target_accept: float
    metric: Literal["identity", "welford", "welford_dense", "fisher_diag", "fisher_lowrank", "lbfgs"]
    memory: int


class SgldSettings(RunSettings, total=False):
    step_size: float
    lazy: Literal["auto", "yes", "no"]
    schedule: Literal["constant", "power", "polynomial", "blocks", "cyclical"]
    decay: float
    delay: float
    period: int
    estimator: Literal["auto", "full", "minibatch", "control_variates", "svrg"]
    batch_size: int
    batch_order: Literal["with_replacement", "without_replacement", "shuffled"]
    anchor_every: int
    gradient_noise: float


class PsgldSettings(RunSettings, total=False):
    step_size: float
    averaging: float
    regularization: float
    update_first: bool
    correction: Literal["none", "full", "ema"]
    schedule: Literal["constant", "power", "polynomial", "blocks", "cyclical"]
    decay: float
    delay: float
    period: int
    estimator: Literal["auto", "full", "minibatch", "control_variates", "svrg"]
    batch_size: int
    batch_order: Literal["with_replacement", "without_replacement", "shuffled"]
    anchor_every: int
    gradient_noise: float


class SgrldSettings(RunSettings, total=False):
    step_size: float
    geometry: Literal["auto", "softabs"]
    softabs_alpha: float
    schedule: Literal["constant", "power", "polynomial", "blocks", "cyclical"]
    decay: float
    delay: float
    period: int
    estimator: Literal["auto", "full", "minibatch", "control_variates", "svrg"]
    batch_size: int
    batch_order: Literal["with_replacement", "without_replacement", "shuffled"]
    anchor_every: int
    gradient_noise: float


class HamcmcSettings(RunSettings, total=False):
    step_size: float
    memory: int
    pairs: Literal["random", "printed"]
    freeze: bool
    initial_scale: float
    shift: float
    schedule: Literal["constant", "power", "polynomial", "blocks", "cyclical"]
    decay: float
    delay: float
    period: int
    estimator: Literal["auto", "full", "minibatch", "control_variates", "svrg"]
    batch_size: int
    batch_order: Literal["with_replacement", "without_replacement", "shuffled"]
    anchor_every: int
    gradient_noise: float


class QnLangevinNaiveSettings(RunSettings, total=False):
    step_size: float
    memory: int
    initial_scale: float
    shift: float
    schedule: Literal["constant", "power", "polynomial", "blocks", "cyclical"]
    decay: float
    delay: float
    period: int
    estimator: Literal["auto", "full", "minibatch", "control_variates", "svrg"]
    batch_size: int
    batch_order: Literal["with_replacement", "without_replacement", "shuffled"]
    anchor_every: int
    gradient_noise: float


class SghmcSettings(RunSettings, total=False):
    step_size: float
    friction: str | float | Sequence[float]
    mass: str | float | Sequence[float]
    learning_rate: float
    momentum_decay: float
    noise_variance: str | float | Sequence[float]
    leapfrog_steps: int
    refresh: bool
    first: Literal["position", "momentum"]
    batch: Literal["per_gradient", "per_trajectory"]
    schedule: Literal["constant", "power", "polynomial", "blocks", "cyclical"]
    decay: float
    delay: float
    period: int
    estimator: Literal["auto", "full", "minibatch", "control_variates", "svrg"]
    batch_size: int
    batch_order: Literal["with_replacement", "without_replacement", "shuffled"]
    anchor_every: int
    gradient_noise: float
    lazy: Literal["auto", "yes", "no"]


class SghmcNaiveSettings(RunSettings, total=False):
    step_size: float
    leapfrog_steps: int
    metropolis: Literal["false", "true"] | bool
    batch: Literal["per_gradient", "per_half_kick", "per_trajectory"]
    schedule: Literal["constant", "power", "polynomial", "blocks", "cyclical"]
    decay: float
    delay: float
    period: int
    estimator: Literal["auto", "full", "minibatch", "control_variates", "svrg"]
    batch_size: int
    batch_order: Literal["with_replacement", "without_replacement", "shuffled"]
    anchor_every: int
    gradient_noise: float


class SgnhtSettings(RunSettings, total=False):
    step_size: float
    friction: float
    mass: str | float | Sequence[float]
    variant: Literal["a", "b", "printed"]
    leapfrog_steps: int
    batch: Literal["per_gradient", "per_trajectory"]
    schedule: Literal["constant", "power", "polynomial", "blocks", "cyclical"]
    decay: float
    delay: float
    period: int
    estimator: Literal["auto", "full", "minibatch", "control_variates", "svrg"]
    batch_size: int
    batch_order: Literal["with_replacement", "without_replacement", "shuffled"]
    anchor_every: int
    gradient_noise: float


class NhHmcSettings(RunSettings, total=False):
    step_size: float
    leapfrog_steps: int
    integration_time: float
    jitter: float
    thermostat_mass: float
    temperature: float
    target_accept: float
    metric: Literal["identity", "welford", "welford_dense", "fisher_diag", "fisher_lowrank", "lbfgs"]
    memory: int


class NpHmcSettings(RunSettings, total=False):
    step_size: float
    leapfrog_steps: int
    integration_time: float
    jitter: float
    thermostat_mass: float
    offset_sd: float
    temperature: float
    target_accept: float
    metric: Literal["identity", "welford", "welford_dense", "fisher_diag", "fisher_lowrank", "lbfgs"]
    memory: int


class SgNphmcCanonicalSettings(RunSettings, total=False):
    step_size: float
    friction: float
    mass: str | float | Sequence[float]
    thermostat_mass: float
    temperature: float
    noise_variance: str | float | Sequence[float]
    leapfrog_steps: int
    thermostat: bool
    refresh: bool
    batch: Literal["per_gradient", "per_trajectory"]
    schedule: Literal["constant", "power", "polynomial", "blocks", "cyclical"]
    decay: float
    delay: float
    period: int
    estimator: Literal["auto", "full", "minibatch", "control_variates", "svrg"]
    batch_size: int
    batch_order: Literal["with_replacement", "without_replacement", "shuffled"]
    anchor_every: int
    gradient_noise: float


class SgNphmcSettings(RunSettings, total=False):
    step_size: float
    leapfrog_steps: int
    friction: float
    thermostat_friction: float
    mass: str | float | Sequence[float]
    thermostat_mass: float
    temperature: float
    inject: bool
    noise_variance: str | float | Sequence[float]
    batch: Literal["per_gradient", "per_half_kick", "per_trajectory"]
    schedule: Literal["constant", "power", "polynomial", "blocks", "cyclical"]
    decay: float
    delay: float
    period: int
    estimator: Literal["auto", "full", "minibatch", "control_variates", "svrg"]
    batch_size: int
    batch_order: Literal["with_replacement", "without_replacement", "shuffled"]
    anchor_every: int
    gradient_noise: float


class HmcEmSettings(RunSettings, total=False):
    step_size: float
    leapfrog_steps: int
    integration_time: float
    jitter: float
    target_accept: float
    mass: str | float | Sequence[float]
    momenta: Literal["after_metropolis", "before_metropolis"]
    freeze: Literal["false", "true"] | bool
    mass_shape: Literal["dense", "diagonal"]
    em_samples: int
    em_exponent: float
    em_correction: bool
    em_max_change: float
    em_growth: int
    em_alpha: float
    em_subsample: Literal["poisson", "all"]
    em_rate: float
    em_power: float


class SghmcEmSettings(RunSettings, total=False):
    step_size: float
    friction: str | float | Sequence[float]
    mass: str | float | Sequence[float]
    learning_rate: float
    momentum_decay: float
    noise_variance: str | float | Sequence[float]
    leapfrog_steps: int
    refresh: bool
    first: Literal["position", "momentum"]
    batch: Literal["per_gradient", "per_trajectory"]
    schedule: Literal["constant", "power", "polynomial", "blocks", "cyclical"]
    decay: float
    delay: float
    period: int
    estimator: Literal["auto", "full", "minibatch", "control_variates", "svrg"]
    batch_size: int
    batch_order: Literal["with_replacement", "without_replacement", "shuffled"]
    anchor_every: int
    gradient_noise: float
    freeze: Literal["false", "true"] | bool
    mass_shape: Literal["dense", "diagonal"]
    em_samples: int
    em_exponent: float
    em_correction: bool
    em_max_change: float
    em_growth: int
    em_alpha: float
    em_subsample: Literal["poisson", "all"]
    em_rate: float
    em_power: float


class SgnhtEmSettings(RunSettings, total=False):
    step_size: float
    friction: float
    mass: str | float | Sequence[float]
    variant: Literal["a", "printed"]
    leapfrog_steps: int
    batch: Literal["per_gradient", "per_trajectory"]
    schedule: Literal["constant", "power", "polynomial", "blocks", "cyclical"]
    decay: float
    delay: float
    period: int
    estimator: Literal["auto", "full", "minibatch", "control_variates", "svrg"]
    batch_size: int
    batch_order: Literal["with_replacement", "without_replacement", "shuffled"]
    anchor_every: int
    gradient_noise: float
    freeze: Literal["false", "true"] | bool
    mass_shape: Literal["dense", "diagonal"]
    em_samples: int
    em_exponent: float
    em_correction: bool
    em_max_change: float
    em_growth: int
    em_alpha: float
    em_subsample: Literal["poisson", "all"]
    em_rate: float
    em_power: float


class SgNphmcEmSettings(RunSettings, total=False):
    step_size: float
    leapfrog_steps: int
    friction: float
    thermostat_friction: float
    mass: str | float | Sequence[float]
    thermostat_mass: float
    temperature: float
    inject: bool
    noise_variance: str | float | Sequence[float]
    batch: Literal["per_gradient", "per_half_kick", "per_trajectory"]
    schedule: Literal["constant", "power", "polynomial", "blocks", "cyclical"]
    decay: float
    delay: float
    period: int
    estimator: Literal["auto", "full", "minibatch", "control_variates", "svrg"]
    batch_size: int
    batch_order: Literal["with_replacement", "without_replacement", "shuffled"]
    anchor_every: int
    gradient_noise: float
    freeze: Literal["false", "true"] | bool
    mass_shape: Literal["dense", "diagonal"]
    em_samples: int
    em_exponent: float
    em_correction: bool
    em_max_change: float
    em_growth: int
    em_alpha: float
    em_subsample: Literal["poisson", "all"]
    em_rate: float
    em_power: float


class RnpHmcSettings(RunSettings, total=False):
    step_size: float
    leapfrog_steps: int
    integration_time: float
    jitter: float
    thermostat_mass: float
    metric_exponent: Literal["0", "1/D", "1"]
    temperature: float
    offset_sd: float
    geometry: Literal["auto", "softabs"]
    softabs_alpha: float
    solver: Literal["auto", "newton", "fixed_point"]
    fixed_iterations: int
    check_reversal: bool
    target_accept: float


class RnpHmcPrintedSettings(RunSettings, total=False):
    step_size: float
    leapfrog_steps: int
    integration_time: float
    jitter: float
    thermostat_mass: float
    metric_exponent: Literal["0", "1/D", "1"]
    temperature: float
    geometry: Literal["auto", "softabs"]
    softabs_alpha: float
    solver: Literal["auto", "newton", "fixed_point"]
    fixed_iterations: int
    check_reversal: bool
    target_accept: float


class SgrNphmcCanonicalSettings(RunSettings, total=False):
    step_size: float
    leapfrog_steps: int
    friction: float
    noise_ratio: float
    thermostat_mass: float
    temperature: float
    geometry: Literal["auto", "softabs"]
    softabs_alpha: float
    solver: Literal["auto", "newton", "fixed_point"]
    fixed_iterations: int
    batch: Literal["per_gradient", "per_trajectory"]
    schedule: Literal["constant", "power", "polynomial", "blocks", "cyclical"]
    decay: float
    delay: float
    period: int
    estimator: Literal["auto", "full", "minibatch", "control_variates", "svrg"]
    batch_size: int
    batch_order: Literal["with_replacement", "without_replacement", "shuffled"]
    anchor_every: int
    gradient_noise: float


class SgrNphmcSettings(RunSettings, total=False):
    step_size: float
    leapfrog_steps: int
    friction: float
    thermostat_friction: float
    thermostat_mass: float
    metric_exponent: Literal["0", "1/D", "1"]
    temperature: float
    metric_scale: float
    geometry: Literal["auto", "softabs"]
    softabs_alpha: float
    solver: Literal["auto", "newton", "fixed_point"]
    fixed_iterations: int
    batch: Literal["per_gradient", "per_half_kick", "per_trajectory"]
    schedule: Literal["constant", "power", "polynomial", "blocks", "cyclical"]
    decay: float
    delay: float
    period: int
    estimator: Literal["auto", "full", "minibatch", "control_variates", "svrg"]
    batch_size: int
    batch_order: Literal["with_replacement", "without_replacement", "shuffled"]
    anchor_every: int
    gradient_noise: float


class DsgldSettings(RunSettings, total=False):
    step_size: float
    schedule: Literal["constant", "power", "polynomial", "blocks", "cyclical"]
    decay: float
    delay: float
    period: int


class DpsgldSettings(RunSettings, total=False):
    step_size: float
    averaging: float
    regularization: float
    update_first: bool
    schedule: Literal["constant", "power", "polynomial", "blocks", "cyclical"]
    decay: float
    delay: float
    period: int


class DsghmcSettings(RunSettings, total=False):
    step_size: float
    friction: float
    learning_rate: float
    momentum_decay: float
    noise_variance: float
    schedule: Literal["constant", "power", "polynomial", "blocks", "cyclical"]
    decay: float
    delay: float
    period: int


class DhamcmcSettings(RunSettings, total=False):
    step_size: float
    memory: int
    pairs: Literal["random", "printed"]
    freeze: bool
    initial_scale: float
    shift: float
    schedule: Literal["constant", "power", "polynomial", "blocks", "cyclical"]
    decay: float
    delay: float
    period: int


class SgdSettings(RunSettings, total=False):
    step_size: float
    lazy: Literal["auto", "yes", "no"]
    schedule: Literal["constant", "power", "polynomial", "blocks", "cyclical"]
    decay: float
    delay: float
    period: int
    estimator: Literal["auto", "full", "minibatch", "control_variates", "svrg"]
    batch_size: int
    batch_order: Literal["with_replacement", "without_replacement", "shuffled"]
    anchor_every: int
    gradient_noise: float


class SgdMomentumSettings(RunSettings, total=False):
    step_size: float
    friction: str | float | Sequence[float]
    learning_rate: float
    momentum_decay: float
    lazy: Literal["auto", "yes", "no"]
    schedule: Literal["constant", "power", "polynomial", "blocks", "cyclical"]
    decay: float
    delay: float
    period: int
    estimator: Literal["auto", "full", "minibatch", "control_variates", "svrg"]
    batch_size: int
    batch_order: Literal["with_replacement", "without_replacement", "shuffled"]
    anchor_every: int
    gradient_noise: float


class RmspropSettings(RunSettings, total=False):
    step_size: float
    averaging: float
    regularization: float
    update_first: bool
    schedule: Literal["constant", "power", "polynomial", "blocks", "cyclical"]
    decay: float
    delay: float
    period: int
    estimator: Literal["auto", "full", "minibatch", "control_variates", "svrg"]
    batch_size: int
    batch_order: Literal["with_replacement", "without_replacement", "shuffled"]
    anchor_every: int
    gradient_noise: float


class AlsSettings(RunSettings, total=False):
    threads: int


class GibbsSettings(RunSettings, total=False):
    threads: int


class IhmmBeamSettings(RunSettings, total=False):
    pass


class RwmSettings(RunSettings, total=False):
    step_size: float
    target_accept: float
    metric: Literal["identity", "welford", "welford_dense", "fisher_diag", "fisher_lowrank", "lbfgs"]
    memory: int
