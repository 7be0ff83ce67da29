"""Reads Stan CSV files with cmdstanpy and compares every number with the JSON of the same run.

    python cmdstanpy_reads.py base ...        # base_1.csv ... and base.json
"""

import glob
import json
import sys

import cmdstanpy
import numpy

STATISTICS = {
    "lp__": "lp",
    "accept_stat__": "acceptance_rate",
    "stepsize__": "step_size",
    "treedepth__": "tree_depth",
    "n_leapfrog__": "n_steps",
    "divergent__": "diverging",
    "energy__": "energy",
}


def check_variables(fit, posterior, warmup):
    for name, draws in posterior.items():
        expected = numpy.array(draws)
        if warmup:
            expected = numpy.concatenate([numpy.array(warmup[name]), expected], axis=1)
        read = fit.stan_variable(name, inc_warmup=bool(warmup))  # chain after chain
        assert (read == expected.reshape(read.shape)).all(), name


def check_statistics(fit, statistics):
    for column, values in fit.method_variables().items():
        kept = values[-fit.num_draws_sampling:]  # draws x chains
        name = STATISTICS[column]
        if name in statistics:
            assert (kept.T == numpy.array(statistics[name], dtype=float)).all(), column
        else:
            assert name == "tree_depth" and (kept == 0).all(), column


def check_tuning(fit, tuning):
    assert (fit.step_size == numpy.array(tuning["step_size"])).all()
    metric = numpy.array(tuning["inverse_metric"])
    assert fit.metric_type == ("diag_e" if metric.ndim == 2 else "dense_e")
    read = fit.inv_metric if hasattr(fit, "inv_metric") else fit.metric
    assert (read == metric).all()


def check_count(counted, happened):
    """cmdstanpy 1.3.0 leaves the first draw out of its counts."""
    happened = numpy.array(happened)
    assert (counted == happened.sum(axis=1)).all() or (counted == happened[:, 1:].sum(axis=1)).all()


def check(base):
    with open(f"{base}.json") as file:
        run = json.load(file)
    files = sorted(glob.glob(f"{base}_*.csv"))
    fit = cmdstanpy.from_csv(files)
    trajectories = "energy" in run["sample_stats"]
    assert fit.chains == len(files) == len(run["sample_stats"]["lp"])
    check_variables(fit, run["posterior"], run.get("warmup_posterior") if trajectories else None)
    check_statistics(fit, run["sample_stats"])
    if trajectories:
        check_tuning(fit, run["tuning"])
        check_count(fit.divergences, run["sample_stats"]["diverging"])
        if "reached_max_tree_depth" in run["sample_stats"]:
            check_count(fit.max_treedepths, run["sample_stats"]["reached_max_tree_depth"])
    print(f"cmdstanpy {cmdstanpy.__version__} reads {base}: {fit.draws().shape}")


if __name__ == "__main__":
    for name in sys.argv[1:]:
        check(name)
