"""What `sample` and `start` take, as type checkers see it."""

from collections.abc import Mapping, Sequence
from typing import TypeAlias

from numpy.typing import ArrayLike

from quasar.checks import AnyPath
from quasar.targets import CompiledFunction, LogpGrad, Target

TargetLike: TypeAlias = str | Target | LogpGrad | CompiledFunction
Init: TypeAlias = Mapping[str, object] | Sequence[Mapping[str, object]] | AnyPath | ArrayLike
