"""Opens runs with ArviZ (0.x or 1.x, whichever is installed) and checks what its users rely on.

    python arviz_reads.py base ...        # base.nc, base.json of `quasar convert`, base.summary.json of `quasar summary`

Any warning while opening is an error. Needs arviz, h5netcdf, h5py and matplotlib.
"""

import json
import sys
import warnings

import arviz
import numpy

DRAW_GROUPS = ("posterior", "sample_stats", "warmup_posterior", "warmup_sample_stats")
OTHER_GROUPS = ("constant_data", "tuning", "divergences", "log_likelihood", "posterior_moments", "predictions",
                "held_out_trace")
COLUMNS = {"mean": "mean", "sd": "sd", "mcse_mean": "mcse_mean", "ess_bulk": "ess_bulk", "ess_tail": "ess_tail", "r_hat": "rhat"}
QUANTILES = {"q5": 0.05, "q50": 0.5, "q95": 0.95}
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


def check_origin(dataset):
    assert dataset.attrs["inference_library"] == dataset.attrs["creation_library"] == "quasar"
    for name in TEXTS:
        assert isinstance(dataset.attrs[name], str) and dataset.attrs[name], name


def check_attributes(dataset):
    assert list(dataset.attrs["sample_dims"]) == ["chain", "draw"]
    assert float(dataset.attrs["sampling_time"]) >= 0
    assert int(dataset.attrs["tuning_steps"]) >= 0
    assert {"run", "model", "sampler"} <= set(json.loads(dataset.attrs["inference_library_settings"]))


def check_types(statistics):
    for name, variable in statistics.data_vars.items():
        if name in TRUTH_VALUES:
            assert variable.dtype == numpy.bool_, (name, variable.dtype)
        elif name in COUNTS:
            assert variable.dtype == numpy.int64, (name, variable.dtype)


def check_summary(run, ours):
    """ArviZ's table against `quasar summary --json`, to 1e-6 relative."""
    if not arviz.__version__.startswith("0."):  # its tails begin at this and 1 - this, by default 0.89; ours at 0.95
        arviz.rcParams["stats.ci_prob"] = 0.95
    table = arviz.summary(run, round_to="none")
    parameters = ours["parameters"]
    assert len(table) == len(parameters), (len(table), len(parameters))
    for column, name in COLUMNS.items():
        theirs = table[column].to_numpy(dtype=float)
        numpy.testing.assert_allclose([p[name] for p in parameters], theirs, rtol=1e-6, atol=1e-9, err_msg=column)
    draws = [v.values.reshape(v.sizes["chain"] * v.sizes["draw"], -1) for v in run["posterior"].data_vars.values()]
    for name, probability in QUANTILES.items():
        theirs = numpy.quantile(numpy.concatenate(draws, axis=1), probability, axis=0)
        numpy.testing.assert_allclose([p[name] for p in parameters], theirs, rtol=1e-6, err_msg=name)


def from_json(path):
    with open(path) as file:
        content = json.load(file)
    if hasattr(arviz, "from_json"):
        return arviz.from_json(path)
    names = [name for name in (*DRAW_GROUPS, "constant_data") if name in content]
    groups = {name: {key: numpy.array(value) for key, value in content[name].items()} for name in names}
    return arviz.from_dict(groups, coords=content["coords"], dims=content["dims"], save_warmup=True)


def check_json(run, converted):
    for name in (*DRAW_GROUPS, "constant_data"):
        assert (name in group_names(run)) == (name in group_names(converted)), name
        if name not in group_names(run):
            continue
        assert set(run[name].data_vars) == set(converted[name].data_vars), name
        for variable, values in run[name].data_vars.items():
            other = converted[name][variable]
            if values.dims:  # ArviZ 0.x makes vectors of scalar constants
                assert other.dims == values.dims, (name, variable)
            assert (numpy.ravel(other) == numpy.ravel(values)).all(), (name, variable)


def check_log_likelihood(run):
    """az.loo takes it as it is. The rows were held out as well, so that their averaged density is known."""
    densities = run["log_likelihood"]["y"]
    assert densities.dims == ("chain", "draw", "row"), densities.dims
    averaged = numpy.log(numpy.exp(densities).mean(("chain", "draw")))
    numpy.testing.assert_allclose(averaged, run["predictions"]["log_density"], rtol=1e-10)
    lppd = averaged.sum()
    loo = arviz.loo(run)
    elpd, effective = (loo.elpd_loo, loo.p_loo) if hasattr(loo, "elpd_loo") else (loo.elpd, loo.p)
    numpy.testing.assert_allclose(lppd - elpd, effective, rtol=1e-6)


def check_predictions(run):
    predictions, trace = run["predictions"], run["held_out_trace"]
    assert predictions["probability"].dims == ("row", "class")
    numpy.testing.assert_allclose(predictions["probability"].sum("class"), 1, rtol=1e-12)
    most_probable = predictions["probability"].values.argmax(axis=1)
    error = (most_probable != predictions["observed"].values).mean()
    numpy.testing.assert_allclose(float(predictions["error"]), error, atol=1e-12)
    assert trace["error"].dims == ("chain", "draw")
    assert (numpy.diff(trace["passes"].values) > 0).all()


def check(base):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        run = arviz.from_netcdf(f"{base}.nc")
        for name in group_names(run):
            run[name].load()
    names = group_names(run)
    assert {"posterior", "sample_stats"} <= set(names) <= {*DRAW_GROUPS, *OTHER_GROUPS}, names
    for name in names:
        check_origin(run[name])
    for name in filter(names.__contains__, DRAW_GROUPS):
        check_coordinates(run[name])
        check_attributes(run[name])
        if name.endswith("sample_stats"):
            check_types(run[name])
    with open(f"{base}.summary.json") as file:
        check_summary(run, json.load(file))
    check_json(run, from_json(f"{base}.json"))
    if "log_likelihood" in names:
        check_log_likelihood(run)
    if "predictions" in names:
        check_predictions(run)
    arviz.plot_trace(run)
    print(f"ArviZ {arviz.__version__} reads {base}: {', '.join(names)}")


if __name__ == "__main__":
    for name in sys.argv[1:]:
        check(name)
