"""Quasar: quasi-Newton, stochastic-gradient and Riemannian samplers for Bayesian inference.

>>> import quasar
>>> run = quasar.sample("eight-schools")
>>> run.summary()

`sample` and `start` draw; `model`, `stan`, `jax`, `finite_sum`, `pointer` and `function` make targets; `samplers`,
`models` and `experiments` say what there is; `load` opens a saved run, `predict` asks it about new rows,
`recommend` for the best items; `compare` puts runs side by side; `diagnostics` measures draws; `segment` finds the
regimes of a time series, `topics.fit` what documents are about; `train_speech` and `denoise` take noise off speech;
`gamma_process` draws and truncates gamma processes;
`minimize` finds the minimum of a cost on one of the `manifolds`, `karcher_mean` the mean of covariance matrices, `pca`
principal components, `procrustes` the rotation between two sets of points.
"""

from quasar import diagnostics, gamma_process, manifolds, topics
from quasar._core import build_info
from quasar.comparison import Comparison, compare
from quasar.denoising import Denoised, DenoiseScores, SoundScores, SpeechModel, denoise, train_speech
from quasar.diagnosis import Diagnosis, Problem
from quasar.errors import (
    ConvergenceWarning,
    DataError,
    Diverged,
    PredictionWarning,
    Reject,
    RunError,
    StoppedEarly,
    UsageError,
)
from quasar.jax_target import jax_target as jax
from quasar.job import Job
from quasar.manifold_problems import Alignment, KarcherMean, PrincipalComponents, karcher_mean, pca, procrustes
from quasar.minimization import Minimum, minimize
from quasar.predictions import PredictedClasses, PredictedNumbers, predict
from quasar.progress import ChainProgress
from quasar.recommendations import (
    Recommendations,
    RecommendationScores,
    RecommendedItems,
    judge_recommendations,
    recommend,
)
from quasar.registry import experiments, models, samplers
from quasar.reproduce import Reproduction, reproduce
from quasar.run import Group, Run, load
from quasar.sampling import sample, start
from quasar.segmentation import Segmentation, segment
from quasar.stan import stan
from quasar.targets import PointerType, Target, finite_sum, function, model, pointer

__version__ = build_info()["version"]

__all__ = [
    "Alignment",
    "ChainProgress",
    "Comparison",
    "ConvergenceWarning",
    "DataError",
    "DenoiseScores",
    "Denoised",
    "Diagnosis",
    "Diverged",
    "Group",
    "Job",
    "KarcherMean",
    "Minimum",
    "PointerType",
    "PredictedClasses",
    "PredictedNumbers",
    "PredictionWarning",
    "PrincipalComponents",
    "Problem",
    "RecommendationScores",
    "Recommendations",
    "RecommendedItems",
    "Reject",
    "Reproduction",
    "Run",
    "RunError",
    "Segmentation",
    "SoundScores",
    "SpeechModel",
    "StoppedEarly",
    "Target",
    "UsageError",
    "build_info",
    "compare",
    "denoise",
    "diagnostics",
    "experiments",
    "finite_sum",
    "function",
    "gamma_process",
    "jax",
    "judge_recommendations",
    "karcher_mean",
    "load",
    "manifolds",
    "minimize",
    "model",
    "models",
    "pca",
    "pointer",
    "predict",
    "procrustes",
    "recommend",
    "reproduce",
    "sample",
    "samplers",
    "segment",
    "stan",
    "start",
    "topics",
    "train_speech",
]
