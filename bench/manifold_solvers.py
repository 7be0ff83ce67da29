#!/usr/bin/env python3
"""The measurements behind docs/solvers-on-manifolds.md: passes over the data until a gradient of 1e-8, solver by solver, as a markdown table.

    bench/manifold_solvers.py [--quasar build/release/quasar] [--seeds 3]

Karcher means of 500 matrices 20 x 20 in random directions, eigenvalues log-uniform up to the condition number; principal components of
20 000 rows and 50 columns of normals with variances j^-p. Median over seeds of the solvers, from the start that the problem chooses.
`no`: a seed did not converge within 300 passes. Passes are counted, which a busy machine does not change. Needs Python alone.
"""

import argparse
import array
import json
import math
import pathlib
import random
import statistics
import subprocess
import tempfile

FULL = ("lbfgs", "trust_region", "conjugate_gradient", "steepest_descent")
STOCHASTIC = ("svrg", "sv_lbfgs", "sv_lbfgs pairs=snapshots", "sv_lbfgs pairs=snapshots update=together")
MOST_PASSES = 300


def write_npy(path, shape, numbers):
    header = str({"descr": "<f8", "fortran_order": False, "shape": shape})
    header += " " * (-(len(header) + 11) % 64) + "\n"
    path.write_bytes(b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header.encode() + array.array("d", numbers).tobytes())


def orthogonal(n, draw):
    """Rows of normals, made orthonormal one after another (Gram and Schmidt)."""
    rows = []
    for _ in range(n):
        row = [draw.gauss(0, 1) for _ in range(n)]
        for other in rows:
            part = sum(a * b for a, b in zip(row, other))
            row = [a - part * b for a, b in zip(row, other)]
        size = math.sqrt(sum(a * a for a in row))
        rows.append([a / size for a in row])
    return rows


def covariance(n, condition, draw):
    values = [1, condition, *(math.exp(draw.uniform(0, math.log(condition))) for _ in range(n - 2))]
    rows = orthogonal(n, draw)
    upper = [[sum(v * q[i] * q[j] for v, q in zip(values, rows)) for j in range(i + 1)] for i in range(n)]
    return [upper[max(i, j)][min(i, j)] for i in range(n) for j in range(n)]


def covariances(path, condition, n=20, count=500):
    draw = random.Random(1)
    write_npy(path, (count, n, n), (x for _ in range(count) for x in covariance(n, condition, draw)))


def observations(path, power, rows=20_000, columns=50):
    draw = random.Random(1)
    sds = [(j + 1) ** (-power / 2) for j in range(columns)]
    write_npy(path, (rows, columns), (draw.gauss(0, sd) for _ in range(rows) for sd in sds))


def passes(quasar, problem, solver, settings, seed):
    name, *own = solver.split()
    command = [quasar, "optimize", "--problem", *problem, "--seed", str(seed), "--max-iterations", "100000", "--json"]
    for setting in (f"solver={name}", *own, *settings):
        command += ["--set", setting]
    limit = [] if name in ("exact",) else ["--set", f"max_passes={MOST_PASSES}"]
    done = subprocess.run([*command, *limit], capture_output=True, text=True, check=True)
    found = json.loads(done.stdout)
    return found["passes"] if found["stop"] == "converged" else math.inf


def cell(counts):
    return f"{statistics.median(counts):.3g}" if max(counts) < math.inf else "no"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quasar", default="build/release/quasar")
    parser.add_argument("--seeds", type=int, default=3)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        columns = []
        for condition in (10, 1000):
            covariances(folder / f"{condition}.npy", condition)
            columns.append((f"mean, condition {condition}", ("karcher-mean", "--data", str(folder / f"{condition}.npy")), ()))
        for power in (1, 0.3):
            observations(folder / f"{power}.npy", power)
            for components in (1, 5):
                problem = ("pca", "--data", str(folder / f"{power}.npy"))
                columns.append((f"`pca`, p = {power}, components = {components}", problem, (f"components={components}",)))
        print("| | " + " | ".join(title for title, *_ in columns) + " |\n|---" * 1 + "|---" * len(columns) + "|")
        for solver in (*FULL, *STOCHASTIC, "vr_pca", "krylov"):
            row = []
            for _, problem, settings in columns:
                takes = problem[0] == "pca" if solver == "krylov" else solver != "vr_pca" or settings == ("components=1",)
                seeds = range(1, 1 + asked.seeds)
                row.append(cell([passes(asked.quasar, problem, solver, settings, seed) for seed in seeds]) if takes else "")
            print(f"| `{solver}` | " + " | ".join(row) + " |", flush=True)


if __name__ == "__main__":
    main()
