"""Stan programs that BridgeStan has compiled."""

from collections.abc import Mapping

from quasar import _core
from quasar.checks import AnyPath, path_text, truth
from quasar.errors import DataError
from quasar.messages import show_messages
from quasar.targets import Target, variables_of
from quasar.values import as_json
from quasar.wording import errors_in_python


@errors_in_python()
def stan(
    library: AnyPath,
    data: AnyPath | Mapping[str, object] | None = None,
    *,
    transformed: bool = True,
    generated: bool = True,
) -> Target:
    """A compiled Stan program, `NAME_model.so`, on its data: a JSON file, or a dict of numbers and arrays.

    Transformed parameters and generated quantities are recorded beside the parameters unless told otherwise. Random
    numbers in `transformed data` depend on the seed of the run, those in `generated quantities` on the draw as well.
    """
    path = path_text("a Stan library", library)
    recorded = (truth("transformed", transformed), truth("generated", generated))
    text, source = data_text(data)

    def load(seed: int) -> _core.Target:
        try:
            return _core.stan_model(path, text, source, seed, *recorded)
        finally:
            show_messages()

    core = load(1)

    def for_run(_chains: int, seed: int) -> _core.Target:
        loaded = core if seed == 1 else load(seed)
        if loaded.library_hash != core.library_hash:
            raise DataError(f"{path}: has changed since this target was made: make it again")
        return loaded

    return Target(core.name, variables_of(core), core.dim, for_run)


def data_text(data: AnyPath | Mapping[str, object] | None) -> tuple[str, str]:
    """The JSON, and where it is from."""
    if data is None:
        return "", ""
    if isinstance(data, Mapping):
        return as_json(data), "memory"
    path = path_text("data", data)
    return _core.read_stan_data(path), path
