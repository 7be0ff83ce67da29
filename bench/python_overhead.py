#!/usr/bin/env python3
"""What a call of a Python function costs beyond the function itself: the same chain with and without the interpreter.

    python bench/python_overhead.py

One chain of HMC with long paths in three dimensions, on a Python function that does nothing and on a built-in model that
does next to nothing; the function is called by Python alone beside them. Overhead = (time per gradient of the run on the
function) - (of the built-in model's) - (of a call by Python). All three are measured in turn, several times; medians, and
the smallest and the greatest.
"""

import statistics
import time

import numpy as np

import quasar

ROUNDS, STEPS, DRAWS = 15, 1000, 500
RESULT = (0.0, np.zeros(3))


def constant(x):
    return RESULT


def microseconds_alone():
    x, calls = np.ones(3), STEPS * DRAWS
    began = time.perf_counter()
    for _ in range(calls):
        constant(x)
    return 1e6 * (time.perf_counter() - began) / calls


def microseconds_per_gradient(target):
    settings = {"leapfrog_steps": STEPS, "step_size": 0.01, "metric": "identity"}
    run = quasar.sample(target, "hmc", dim=3, chains=1, warmup=0, draws=DRAWS, progress=False, warn=False, **settings)
    return 1e6 * run.info["sampling_seconds"] / run.info["gradient_evaluations"]


def measured():
    alone, built_in, function = (
        microseconds_alone(),
        microseconds_per_gradient("gaussian"),
        microseconds_per_gradient(constant),
    )
    return {"call by Python": alone, "built-in model": built_in, "function": function, "overhead": function - built_in - alone}


def main():
    rounds = [measured() for _ in range(ROUNDS)]
    for name in rounds[0]:
        values = [one[name] for one in rounds]
        print(f"{name:<15} {statistics.median(values):6.3f} µs per gradient ({min(values):.3f} to {max(values):.3f})")


if __name__ == "__main__":
    main()
