"""A run as ArviZ has it: the groups, names and attributes of the saved file, made in memory."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any, cast

import numpy as np
import xarray
from numpy.typing import NDArray

from quasar import _core
from quasar.run import dims_of

if TYPE_CHECKING:
    import arviz

SAMPLE_DIMS = ("chain", "draw")


def to_arviz(run: _core.Run) -> arviz.InferenceData | xarray.DataTree:
    import arviz

    groups = groups_of(run)
    if not arviz.__version__.startswith("0."):
        return xarray.DataTree.from_dict({"/": xarray.Dataset(attrs=attributes_of(run)), **groups})
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=".*not defined in the InferenceData scheme")  # ours: tuning
        return arviz.InferenceData(attrs=attributes_of(run), **cast(dict[str, Any], groups))


def groups_of(run: _core.Run) -> dict[str, xarray.Dataset]:
    groups = phase(run, warmup=False)
    if run.warmup_draws > 0:
        groups |= {f"warmup_{name}": group for name, group in phase(run, warmup=True).items()}
    if run.constants:
        groups["constant_data"] = constants(run)
    if run.tuning:
        groups["tuning"] = tuning(run)
    return groups


def attributes_of(run: _core.Run) -> dict[str, Any]:
    """As in the file: truth values are numbers, empty texts are left out."""
    return {name: int(value) if isinstance(value, bool) else value for name, value in run.info.items() if value != ""}


def origin(run: _core.Run) -> dict[str, Any]:
    info = run.info
    return {
        "created_at": info["created_at"],
        "inference_library": "quasar",
        "inference_library_version": info["quasar_version"],
        "creation_library": "quasar",
        "creation_library_version": info["quasar_version"],
        "creation_library_language": "C++",
    }


def phase(run: _core.Run, *, warmup: bool) -> dict[str, xarray.Dataset]:
    attributes = {
        **origin(run),
        "inference_library_settings": run.info["configuration"],
        "sample_dims": list(SAMPLE_DIMS),
        "sampling_time": run.info["warmup_seconds" if warmup else "sampling_seconds"],
        "tuning_steps": run.info["warmup"],
    }
    values = {
        name: ((*SAMPLE_DIMS, *dims_of(name, shape, dims)), run.values(name, warmup))
        for name, shape, dims in run.variables
    }
    stats = {name: (SAMPLE_DIMS, run.stat(name, warmup)) for name, _ in run.stats}
    rows = {"chain": run.chains, "draw": run.warmup_draws if warmup else run.draws}
    ensembles = ensemble_coordinate(run)
    return {
        "posterior": dataset(values, run.coords, attributes, rows).assign_coords(ensembles),
        "sample_stats": dataset(stats, {}, attributes, rows).assign_coords(ensembles),
    }


def ensemble_coordinate(run: _core.Run) -> dict[str, tuple[str, NDArray[np.int64]]]:
    """Which rows of the chain axis are members of one ensemble."""
    members = cast(int, run.info["members"])
    return {"ensemble": ("chain", np.arange(run.chains) // members)} if members > 1 else {}


def constants(run: _core.Run) -> xarray.Dataset:
    values = {name: (dims_of(name, shape, dims), run.constants[name]) for name, shape, dims in run.constant_variables}
    return dataset(values, run.constant_coords, {**origin(run), **run.constant_attributes}, {})


def tuning(run: _core.Run) -> xarray.Dataset:
    steps, metrics = zip(*run.tuning, strict=True)
    values: dict[str, Any] = {"step_size": (("chain",), np.array(steps))}
    if metrics[0].size > 0:
        values["inverse_metric"] = (("chain", "coordinate", "coordinate_2")[: 1 + metrics[0].ndim], np.stack(metrics))
    return dataset(values, {}, origin(run), {})


def dataset(
    values: dict[str, Any], labels: dict[str, list[str]], attributes: dict[str, Any], sizes: dict[str, int]
) -> xarray.Dataset:
    """Every dimension has a coordinate: its labels, or the integers from 0."""
    plain = xarray.Dataset(values)
    sizes = {**sizes, **{str(name): size for name, size in plain.sizes.items()}}
    coordinates = {
        name: np.array(labels[name], dtype=object) if name in labels else np.arange(size)
        for name, size in sizes.items()
    }
    return plain.assign_coords(coordinates).assign_attrs(attributes)
