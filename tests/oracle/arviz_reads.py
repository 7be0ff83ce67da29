"""Opens a run file with ArviZ (0.x or 1.x, whichever is installed) and checks what its users rely on.

    python arviz_reads.py run.nc

Any warning while opening is an error. Needs arviz and h5netcdf.
"""

import json
import sys
import warnings

import arviz
import numpy

DRAW_GROUPS = ("posterior", "sample_stats", "warmup_posterior", "warmup_sample_stats")
TRUTH_VALUES = ("diverging", "reached_max_tree_depth")
COUNTS = ("tree_depth", "n_steps")
TEXTS = ("created_at", "inference_library_version", "creation_library_version", "creation_library_language")


def group_names(run):
    names = run.groups() if callable(run.groups) else run.groups  # InferenceData, DataTree
    return [name.strip("/") for name in names if name.strip("/")]


def check_coordinates(dataset):
    for name in ("chain", "draw"):
        coordinate = dataset[name].values
        assert coordinate.dtype == numpy.int64, (name, coordinate.dtype)
        assert (coordinate == numpy.arange(coordinate.size)).all(), name
    for name, variable in dataset.data_vars.items():
        assert variable.dims[:2] == ("chain", "draw"), (name, variable.dims)
        for dimension in variable.dims[2:]:
            assert dimension in dataset.coords, (name, dimension)
            assert dimension not in dataset.data_vars, dimension
            labels = dataset[dimension].values
            assert labels.dtype == numpy.int64 or all(isinstance(label, str) for label in labels), dimension


def check_attributes(dataset):
    assert dataset.attrs["inference_library"] == dataset.attrs["creation_library"] == "quasar"
    for name in TEXTS:
        assert isinstance(dataset.attrs[name], str) and dataset.attrs[name], name
    assert list(dataset.attrs["sample_dims"]) == ["chain", "draw"]
    assert float(dataset.attrs["sampling_time"]) >= 0
    assert int(dataset.attrs["tuning_steps"]) >= 0
    json.loads(dataset.attrs.get("inference_library_settings", "{}"))


def check_types(statistics):
    for name, variable in statistics.data_vars.items():
        if name in TRUTH_VALUES:
            assert variable.dtype == numpy.bool_, (name, variable.dtype)
        elif name in COUNTS:
            assert variable.dtype == numpy.int64, (name, variable.dtype)


def check_summary(run, posterior):
    if posterior.sizes["draw"] < 4 or posterior.sizes["chain"] < 1:
        return 0
    used = [name for name, variable in posterior.data_vars.items() if variable.size > 0]
    table = arviz.summary(run, var_names=used, round_to="none")
    expected = sum(posterior[name][0, 0].size for name in used)
    assert len(table) == expected, (len(table), expected)
    means = numpy.concatenate([numpy.ravel(posterior[name].mean(("chain", "draw"))) for name in used])
    assert numpy.allclose(table["mean"].to_numpy(dtype=float), means, equal_nan=True)
    return len(table)


def main(path):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        run = arviz.from_netcdf(path)
    names = group_names(run)
    assert {"posterior", "sample_stats"} <= set(names), names
    assert set(names) <= {*DRAW_GROUPS, "divergences"}, names
    for name in filter(names.__contains__, DRAW_GROUPS):
        dataset = run[name]
        check_coordinates(dataset)
        check_attributes(dataset)
        if name.endswith("sample_stats"):
            check_types(dataset)
    rows = check_summary(run, run["posterior"])
    print(f"ArviZ {arviz.__version__} reads {path}: groups {', '.join(names)}; summary of {rows} elements")


if __name__ == "__main__":
    main(sys.argv[1])
