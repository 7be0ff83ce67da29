#!/usr/bin/env python3
"""The measurements behind docs/choosing-a-sampler.md, as markdown tables.

    bench/choosing.py [--quasar build/release/quasar] [--tables gaussian,heart,…]

Every number comes from `quasar sample --json` and from the statistics that `quasar convert --to json` finds in the run file.
A table is headed by the command its rows share; a row adds what stands in its first column, so each can be repeated by hand.
Synthetic data are written by the seeded generators below, into a scratch folder or into --folder. One seed, four chains; needs
Python alone. Minutes: cost is counted in gradients or passes over the data, which a busy machine does not change.
"""

import argparse
import json
import math
import pathlib
import random
import shlex
import subprocess
import tempfile

HEART = pathlib.Path(__file__).resolve().parents[1] / "examples" / "heart.csv"
METRICS = [f"nuts --set metric={name}" for name in ("fisher_lowrank", "lbfgs", "welford_dense")]
TRAJECTORIES = ["nuts", *METRICS, "hmc", "qnhmc", "hmc-bfgs", "nh-hmc", "np-hmc"]
RANDOM_WALKS = ["mala --draws 20000 --thin 20", "rwm --draws 40000 --thin 40"]
RIEMANNIAN = ("rhmc", "rnp-hmc")


# Data


def write_table(path, header, rows):
    lines = [",".join(header), *(",".join(map(str, row)) for row in rows)]
    path.write_text("\n".join(lines) + "\n")


def many_rows(path, rows=20_000):
    """Logistic regression on six columns; the second is the first plus noise of sd 0.3, so that two coefficients are nearly one."""
    draw = random.Random(1)
    weights = (0.5, -0.5, 1.0, -1.0, 0.3, 0.0)

    def row():
        x = [draw.gauss(0, 1) for _ in weights]
        x[1] = x[0] + 0.3 * x[1]
        odds = math.exp(sum(w * value for w, value in zip(weights, x)))
        return *(f"{value:.5f}" for value in x), int(draw.random() * (1 + odds) < odds)

    write_table(path, ("a", "b", "c", "d", "e", "f", "y"), (row() for _ in range(rows)))


def many_ratings(train, test, users=2000, items=500, rank=5, count=100_000):
    """A rating is 3 plus the product of two vectors of five normals over the root of five, plus noise of sd 0.8; a tenth is the test."""
    draw = random.Random(1)
    left = [[draw.gauss(0, 1) for _ in range(rank)] for _ in range(users)]
    right = [[draw.gauss(0, 1) / math.sqrt(rank) for _ in range(rank)] for _ in range(items)]
    pairs = draw.sample(range(users * items), count)
    ratings = [(u, i, f"{3 + sum(a * b for a, b in zip(left[u], right[i])) + draw.gauss(0, 0.8):.3f}") for u, i in (divmod(p, items) for p in pairs)]
    write_table(train, ("user", "item", "rating"), ratings[count // 10 :])
    write_table(test, ("user", "item", "rating"), ratings[: count // 10])


# Runs


class Bench:
    def __init__(self, quasar, folder):
        self.quasar, self.folder = quasar, folder

    def call(self, *command):
        result = subprocess.run([self.quasar, *command], cwd=self.folder, capture_output=True, text=True)
        if result.returncode != 0:
            raise RuntimeError(result.stderr.strip().splitlines()[-1])
        return result.stdout

    def sample(self, options):
        """The summary, with the statistics of the draws as `stats`."""
        out = json.loads(self.call("sample", *shlex.split(options), "--out", "run.nc", "--overwrite", "--quiet", "--json"))
        self.call("convert", "run.nc", "--to", "json", "--out", "run.json", "--overwrite")
        run = json.loads((self.folder / "run.json").read_text())
        out["stats"], out["warmup_stats"], out["attrs"] = run["sample_stats"], run.get("warmup_sample_stats"), run["attrs"]
        return out


def total(rows):
    return sum(map(sum, rows))


def least_ess(run):
    return min(p["ess_bulk"] for p in run["parameters"])


def largest_rhat(run):
    return max(p["rhat"] or math.inf for p in run["parameters"])


def ess_per(unit, run, name):
    """Of the worst parameter; a dash where the chains disagree, so that there is no number to give."""
    return short(unit * least_ess(run) / cost(run, name)) if largest_rhat(run) < 1.05 else "–"


def cost(run, name):
    """Gradients or passes of the iterations after warm-up. With --thin every so many-th is in the file, and stands for the others."""
    return total(run["stats"][name]) * run["attrs"]["thin"]


def unit_of(run):
    """A gradient of all rows is a pass; stochastic samplers count their own."""
    return "data_passes" if "data_passes" in run["stats"] else "gradient_evaluations"


def short(value):
    """Two digits that count, without an exponent."""
    return f"{float(f'{value:.2g}'):,.10g}"


def moments(run):
    return {p["name"]: (p["mean"], p["sd"]) for p in run["parameters"]}


def errors(run, truth):
    """Root mean square of (mean - truth)/sd, and the mean of sd/truth - 1, over all parameters."""
    found = moments(run)
    means = [(found[name][0] - mean) / sd for name, (mean, sd) in truth.items()]
    spreads = [found[name][1] / sd - 1 for name, (_, sd) in truth.items()]
    return math.sqrt(sum(e * e for e in means) / len(means)), sum(spreads) / len(spreads)


# Tables


def heading(title, command, columns):
    print(f"\n**{title}** `./quasar sample {command} --sampler …`\n\n| `--sampler` |", " | ".join(columns), "|")
    print("|---|" + "---|" * len(columns), flush=True)


def row(sampler, cells):
    print(f"| `{sampler}` |", " | ".join(cells), "|", flush=True)


def exact(bench, title, model, samplers, known=None):
    """`known` is a parameter whose standard deviation is known, which is printed beside."""
    heading(title, model, ["ESS per 1000 gradients", "R-hat", "divergent"] + ([f"sd of {known}"] if known else []))
    for sampler in samplers:
        run = bench.sample(f"{model} --sampler {sampler}")
        divergent = run["divergences"] / (run["draws"] * run["chains"])
        cells = [ess_per(1000, run, "gradient_evaluations"), f"{largest_rhat(run):.3f}", f"{short(100 * divergent)} %"]
        row(sampler, cells + ([f"{moments(run)[known][1]:.2f}"] if known else []))


def gaussian(bench):
    model = "--model gaussian --set model.dim=100 --set model.correlation=0.99"
    exact(bench, "A Gaussian in 100 dimensions, all correlations 0.99: condition number 9901. Every sd is 1.", model, TRAJECTORIES + RANDOM_WALKS, "x[1]")


def heart(bench):
    riemannian = [f"{name} --warmup 200 --draws 200" for name in RIEMANNIAN]
    exact(bench, "Logistic regression, 270 rows, 14 parameters.", f"--model logistic --data {HEART.name}", TRAJECTORIES + RANDOM_WALKS + riemannian)


def bent_samplers():
    names = ("nuts", "nuts --set target_accept=0.99", *METRICS, "hmc", "qnhmc", "hmc-bfgs", "nh-hmc")
    return [f"{name} --draws 10000" for name in names] + RANDOM_WALKS


def banana(bench):
    exact(bench, "A banana in two dimensions; x[1] has sd 10.", "--model banana", bent_samplers() + ["rhmc --draws 10000"], "x[1]")


def funnel(bench):
    riemannian = [f"{name} --warmup 500 --draws 500" for name in RIEMANNIAN]
    exact(bench, "Neal's funnel in 10 dimensions; v has sd 3.", "--model funnel", bent_samplers() + riemannian, "v")


def schools(bench):
    for form in ("centered", "noncentered"):
        exact(bench, f"Eight schools, {form}.", f"--model eight-schools --set model.parameterization={form}", bent_samplers(), "tau")


def stochastic(bench, title, model, samplers, reference):
    """Errors against a long run of an exact sampler. What warm-up costs, with its search for a mode, a run of one draw tells."""
    truth = moments(bench.sample(f"{model} --sampler {reference}"))
    heading(title, model, ["passes of a chain", "ESS per 100 passes", "R-hat", "error of means, sd", "error of sds"])
    for sampler, length in samplers:
        warmup = bench.sample(f"{model} --sampler {sampler} --draws 1 --save-warmup")
        run = bench.sample(f"{model} --sampler {sampler} {length}")
        chains, unit = run["chains"] // run["attrs"]["members"], unit_of(run)
        passes = (total(warmup["warmup_stats"][unit]) + cost(run, unit)) / chains
        mean, sd = errors(run, truth)
        row(f"{sampler} {length}".strip(), [f"{passes:,.0f}", ess_per(100, run, unit), f"{largest_rhat(run):.3f}", f"{mean:.2g}", f"{100 * sd:+.1f} %"])


def stochastic_samplers():
    """About 740 passes a chain for each, and ten times as many for two. A thin of 7 meets the anchors of svrg, every 100th step, as often as the other steps."""
    estimators = ("", "--draws 70000 --thin 7"), (" --set estimator=control_variates", "--draws 35000 --thin 7"), (" --set estimator=svrg", "--draws 23450 --thin 7")
    samplers = [("nuts", ""), ("nuts --set metric=lbfgs", ""), ("qnhmc", "")]
    samplers += [(name + estimator, length) for name in ("sgld", "sghmc") for estimator, length in estimators]
    samplers += [(name, "--draws 70000 --thin 7") for name in ("psgld", "sgnht", "sg-nphmc-canonical", "sghmc --set mass=fisher", "sgnht --set mass=fisher")]
    return samplers + [("hamcmc", "--draws 23450 --thin 7"), ("sgld", "--draws 700000 --thin 70"), ("sghmc", "--draws 700000 --thin 70")]


def linear(bench):
    model = "--model linear-gaussian --set model.dim=10 --set model.rows=10000"
    samplers = stochastic_samplers() + [("sgrld", "--draws 70000 --thin 7")]  # its metric is the same everywhere; elsewhere it takes all rows for every step
    stochastic(bench, "Linear regression with known noise, 10 000 rows, 10 coefficients.", model, samplers, "qnhmc --draws 20000 --seed 2")


def logistic(bench):
    many_rows(bench.folder / "rows.csv")
    stochastic(bench, "Logistic regression, 20 000 rows, 7 parameters.", "--model logistic --data rows.csv", stochastic_samplers(), "qnhmc --draws 5000 --seed 2")


def ratings(bench):
    many_ratings(bench.folder / "ratings.csv", bench.folder / "test.csv")
    model = "--model mf --data ratings.csv --held-out test.csv --set model.rank=5 --set model.noise_sd=0.8 --set model.item_sd=0.4472 --keep moments --chains 1"
    steps, parts = "--warmup 2000 --draws 8000 --thin 50", "--warmup 400 --draws 1600 --thin 10"
    momentum = "--set learning_rate=1e-4 --set momentum_decay=0.1"
    samplers = ["gibbs --warmup 10 --draws 40", "als --warmup 10 --draws 40"]
    samplers += [f"sgld {steps} --set step_size=1e-3", f"dsgld {parts} --set step_size=1e-3"]
    samplers += [f"sghmc {steps} {momentum} --set noise_variance=0", f"dsghmc {parts} {momentum}"]
    heading("90 000 ratings of 2000 users and 500 items, rank 5. The noise of the 10 000 held out has sd 0.8.", model, ["passes", "RMSE", "log score", "90 % intervals cover", "seconds"])
    for sampler in samplers:
        run = bench.sample(f"{model} --sampler {sampler}")
        score, seconds = run["held_out"], run["attrs"]["warmup_seconds"] + run["attrs"]["sampling_seconds"]
        passes = cost(run, "data_passes") * (1 + run["attrs"]["warmup"] / run["attrs"]["draws"])
        row(sampler, [short(passes), f"{score['rmse']:.4f}", f"{score['log_score']:.4f}", f"{score['coverage_90']:.3f}", short(seconds)])


TABLES = {table.__name__: table for table in (gaussian, heart, banana, funnel, schools, linear, logistic, ratings)}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quasar", type=pathlib.Path, default="build/release/quasar")
    parser.add_argument("--tables", default=",".join(TABLES))
    parser.add_argument("--folder", type=pathlib.Path, help="where data and run files go, and stay")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        folder = options.folder or pathlib.Path(scratch)
        folder.mkdir(exist_ok=True)
        (folder / HEART.name).write_bytes(HEART.read_bytes())
        bench = Bench(options.quasar.resolve(), folder)
        for name in options.tables.split(","):
            TABLES[name](bench)


if __name__ == "__main__":
    main()
