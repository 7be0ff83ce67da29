#!/usr/bin/env python3
"""How the blocked samplers scale over ranks, measured here, and what the model of costs makes of it.

Synthetic ratings, rank 20, 4 x 4 blocks. Strong scaling: the same ratings on 1, 2 and 4 ranks; weak scaling: as many ratings a
rank. Each run is made --rounds times and the fastest counts; the peak of memory (VmHWM) is that of the largest rank. More ranks
than cores are oversubscribed: they show that nothing breaks, not how fast it is.

The constants of the model are measured at one place, by dsgld on one rank with the middle number of ratings (by each sampler
for its own noise and moves), and by messages between two ranks; everything else in the tables is a prediction beside what was
measured. What 64 and 1024 ranks would do is computed for a network that --network names.

    bench/scaling.py                                  # 10^6 and 10^7 ratings: minutes
    bench/scaling.py --ratings 1e6 1e7 1e8            # all
    bench/scaling.py --measured build/scaling.json --write docs/distributed.md      # tables only, from what was measured before
"""

import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import threading
import time
from dataclasses import asdict, dataclass

from cost_model import METHODS, Machine, Problem, flops, memory, seconds, work

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "bench" / "peers"))
from peer import ranks as launcher  # noqa: E402

RANK, BLOCKS = 20, 4
SMALL = 10**4
STEPS = {
    "dsgld": {"step_size": 1e-7},
    "dpsgld": {"step_size": 1e-6, "averaging": 0.9, "regularization": 5},
    "dsghmc": {"learning_rate": 1e-8, "momentum_decay": 0.1},
    "dhamcmc": {"step_size": 1e-7, "memory": 2, "initial_scale": 1, "shift": 100, "pairs": "printed", "freeze": "false"},
}
BEGIN, END = "<!-- bench/scaling.py: begin -->\n", "<!-- bench/scaling.py: end -->\n"


def problem_of(ratings, blocks=BLOCKS):
    """As many ratings a user and an item as MovieLens-1M and larger sets have them, roughly."""
    return Problem(ratings=ratings, users=ratings // 150, items=max(ratings // 1500, 300), rank=RANK, blocks=blocks)


@dataclass
class Measured:
    sampler: str
    ratings: int
    ranks: int
    iteration: float  # seconds
    gradient: float  # seconds an iteration, the mean over ranks; so are the others
    noise: float
    communication: float
    waiting: float
    megabytes: list  # of each rank, the most it ever held

    @property
    def problem(self):
        return problem_of(self.ratings)


# --- Measuring

def iterations_for(ratings):
    return int(min(max(20, 3e8 / ratings), 1000))


def command(quasar, sampler, ratings, iterations, out):
    problem = problem_of(ratings)
    settings = {"model.rank": RANK, "model.blocks": BLOCKS, **STEPS[sampler]}
    data = f"synthetic:{problem.users}x{problem.items}x{ratings}"
    line = [quasar, "sample", "--model", "mf", "--data", data, "--sampler", sampler, "--chains", 1, "--warmup", iterations,
            "--draws", 1, "--keep", "moments", "--out", out, "--overwrite", "--quiet", "--profile",
            "--json"]
    for name, value in settings.items():
        line += ["--set", f"{name}={value}"]
    return list(map(str, line))


def descendants(pid):
    try:
        children = pathlib.Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    except OSError:
        return []
    return [int(c) for c in children] + [d for c in children for d in descendants(c)]


def peaks_of(process, program):
    """VmHWM in MB of every process of that name below, read until the last has ended."""
    peaks = {}
    while process.poll() is None:
        for pid in [process.pid, *descendants(process.pid)]:
            try:
                status = dict(line.split(":", 1) for line in pathlib.Path(f"/proc/{pid}/status").read_text().splitlines())
            except (OSError, ValueError):
                continue
            if status["Name"].strip() == program and "VmHWM" in status:
                peaks[pid] = int(status["VmHWM"].split()[0]) / 1000
        time.sleep(0.02)
    return sorted(peaks.values(), reverse=True)


def run(quasar, sampler, ratings, ranks):
    iterations = iterations_for(ratings)
    with tempfile.TemporaryDirectory(dir=ROOT / "build") as folder:
        line = [*map(str, launcher(ranks)), *command(quasar, sampler, ratings, iterations, pathlib.Path(folder) / "run.nc")]
        process = subprocess.Popen(line, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        peaks = []
        watcher = threading.Thread(target=lambda: peaks.extend(peaks_of(process, pathlib.Path(quasar).name)))
        watcher.start()
        out, err = process.communicate()
        watcher.join()
    if process.returncode != 0:
        sys.exit(f"{' '.join(line)}: {err}")
    summary = json.loads(out)
    profile = summary["profile"]
    moves = iterations * STEPS[sampler].get("memory", 1)  # an iteration moves each member once
    mean = {name: sum(rank[name] for rank in profile) / len(profile) / moves
            for name in ("gradient", "noise", "communication", "waiting")}
    warmup = max(rank["total"] for rank in profile) - summary["sampling_seconds"]  # without the draw that is recorded
    return Measured(sampler, ratings, ranks, warmup / moves, **mean, megabytes=peaks)


def best(options, sampler, ratings, ranks):
    print(f"{sampler}, {ratings:.0e} ratings, {ranks} ranks ...", file=sys.stderr)
    return min((run(options.quasar, sampler, ratings, ranks) for _ in range(options.rounds)), key=lambda m: m.iteration)


def measure(options):
    middle = options.ratings[len(options.ratings) // 2]
    wanted = {("dsgld", ratings, ranks) for ratings in options.ratings for ranks in options.ranks}
    wanted |= {("dsgld", middle * ranks, ranks) for ranks in options.ranks}
    wanted |= {(sampler, middle, ranks) for sampler in METHODS for ranks in options.ranks if ranks <= 2}
    ping = json.loads(subprocess.run([*map(str, launcher(2)), options.ping_pong], capture_output=True, text=True, check=True).stdout)
    base = min(run(options.quasar, "dsgld", SMALL, 2).megabytes)
    return {"middle": middle, "cores": os.cpu_count(), "base": base, "ping_pong": ping,
            "runs": [asdict(best(options, *one)) for one in sorted(wanted)]}


# --- The model beside what was measured

class Study:
    def __init__(self, found, network):
        self.runs = [Measured(**one) for one in found["runs"]]
        self.middle, self.cores, self.ping = found["middle"], found["cores"], found["ping_pong"]
        self.base = found["base"]  # MB of a rank that has next to nothing
        self.here = Machine(self.rating(), {s: self.number(s) for s in METHODS}, self.ping["latency"], self.ping["bandwidth"])
        self.cluster = Machine(self.here.rating, self.here.number, network[0], network[1])

    def find(self, sampler, ratings, ranks):
        return next((m for m in self.runs if (m.sampler, m.ratings, m.ranks) == (sampler, ratings, ranks)), None)

    def rating(self):
        one = self.find("dsgld", self.middle, 1)
        return one.gradient / work(one.problem, METHODS["dsgld"], 1).ratings

    def number(self, sampler):
        """All that is not the gradient of ratings: normals, moves, and the products of dhamcmc."""
        one = self.find(sampler, self.middle, 1)
        return (one.iteration - work(one.problem, METHODS[sampler], 1).ratings * self.rating()) / one.problem.numbers

    def predicted(self, one):
        """Ranks beyond the cores take turns."""
        turns = max(1, one.ranks / self.cores)
        times = seconds(one.problem, one.sampler, one.ranks, self.here)
        return turns * (times.gradient + times.noise) + times.messages + times.sums


def table(head, rows):
    lines = [f"| {' | '.join(head)} |", "|" + "---|" * len(head)]
    return "\n".join(lines + [f"| {' | '.join(map(str, row))} |" for row in rows])


def power(n):
    exponent = len(str(n)) - 1
    digits = n / 10**exponent
    return f"10^{exponent}" if digits == 1 else f"{digits:g} 10^{exponent}"


def ms(value):
    return f"{1e3 * value:.3g}"


def percent(value):
    return f"{100 * value:.1f} %"


def constants(study):
    here = study.here
    return table(["constant", "value"], [
        ["a rating and gradient, rank 20", f"{1e9 * here.rating:.1f} ns"],
        *[[f"a number, `{sampler}`: its normal and its move", f"{1e9 * here.number[sampler]:.1f} ns"] for sampler in METHODS],
        ["a message between two ranks of this machine", f"{1e6 * here.latency:.2g} us"],
        ["bandwidth between them", f"{1e-9 * here.bandwidth:.3g} GB/s"]])


def row_of(study, one, alone, efficiency):
    communication = (one.communication + one.waiting) / one.iteration
    predicted = study.predicted(one)
    return [power(one.ratings), f"{one.ranks}{' *' if one.ranks > study.cores else ''}", ms(one.iteration), ms(predicted),
            f"{predicted / one.iteration - 1:+.0%}", f"{efficiency(one, alone):.2f}", percent(one.communication / one.iteration),
            percent(communication), *memory_cells(study, one)]


def memory_cells(study, one):
    """Measured: the largest rank, which is the first, and the largest of the others. By the model: ratings and blocks alone."""
    first, others = one.megabytes[0], one.megabytes[1:]
    predicted = study.base + memory(one.problem, METHODS[one.sampler], one.ranks) / 1e6
    return [f"{first:.0f}", f"{others[0]:.0f}" if others else "", f"{predicted:.0f}"]


HEAD = ["ratings", "ranks", "ms an iteration", "model", "error", "efficiency", "communication", "with waiting", "MB, rank 0", "MB, others",
        "MB, model"]


def strong(study, ratings):
    rows = []
    for n in ratings:
        alone = study.find("dsgld", n, 1)
        rows += [row_of(study, m, alone, lambda m, one: one.iteration / m.ranks / m.iteration)
                 for m in sorted(study.runs, key=lambda m: m.ranks) if (m.sampler, m.ratings) == ("dsgld", n)]
    return table(HEAD, rows)


def weak(study, base, ranks):
    alone = study.find("dsgld", base, 1)
    found = [study.find("dsgld", base * r, r) for r in ranks]
    return table(HEAD, [row_of(study, m, alone, lambda m, one: one.iteration / m.iteration) for m in found if m])


def samplers(study):
    rows = []
    for sampler, method in METHODS.items():
        for ranks in (1, 2):
            one = study.find(sampler, study.middle, ranks)
            if one:
                cost = work(one.problem, method, ranks)
                rows.append([f"`{sampler}`", ranks, f"{cost.ratings:.3g}",
                             f"{flops(one.problem, method, ranks):.2g}", f"{cost.numbers:.3g}", f"{cost.messages:g}",
                             f"{cost.bytes / 1e6:.3g}", f"{cost.rounds:g}", ms(one.iteration), ms(study.predicted(one))])
    return table(["sampler", "ranks", "ratings", "flops", "numbers", "messages", "MB sent", "rounds", "ms measured", "ms model"], rows)


def many_ranks(study):
    """Time of an iteration and of a pass with B = R, a block of users each, on the network."""
    rows = []
    for ratings in (10**8, 10**9, 10**10):
        for ranks in (1, 4, 64, 1024):
            problem = problem_of(ratings, blocks=max(ranks, BLOCKS))
            for sampler in ("dsgld", "dhamcmc"):
                times = seconds(problem, sampler, ranks, study.cluster)
                alone = seconds(problem, sampler, 1, study.cluster)
                rows.append([power(ratings), ranks, problem.blocks, f"`{sampler}`", ms(times.gradient), ms(times.noise),
                             ms(times.messages + times.sums), percent(times.communication),
                             f"{alone.total / ranks / times.total:.2f}", f"{problem.blocks * times.total:.3g}",
                             f"{memory(problem, METHODS[sampler], ranks) / 1e9:.3g}"])
    return table(["ratings", "ranks", "B", "sampler", "gradient, ms", "noise, ms", "messages, ms", "communication", "efficiency",
                  "s a pass", "GB a rank"], rows)


def balance(study):
    """Where the terms of an iteration of dsgld meet, whatever the number of ratings."""
    machine, one = study.cluster, problem_of(10**9)
    a_row = one.rank * machine.number["dsgld"]
    tip = one.ratings * machine.rating / (one.numbers * machine.number["dsgld"])
    share = 8 * one.rank * one.items / machine.bandwidth / ((one.users + one.items) * a_row)
    rows = machine.latency / a_row
    return (f"- {one.ratings / (one.users + one.items):.0f} ratings a row: the noise takes as long as the gradient at B = {tip:.0f}.\n"
            f"- Bytes take {100 * share:.1f} % of the time of the noise, for any number of ranks.\n"
            f"- A message's latency is the noise of {rows:.0f} rows: with ten times as many on a rank, a tenth of the time of the noise.")


def limits(study):
    """Where the memory of one machine ends, and what a thousand passes take on one of its cores."""
    one = problem_of(10**9)
    each = memory(one, METHODS["dsgld"], 1) / one.ratings
    pass_of_one = BLOCKS * seconds(one, "dsgld", 1, study.here).total / one.ratings
    rows = []
    for gigabytes in (24, 256, 1000):
        ratings = int(round(gigabytes * 1e9 / each, -8))
        rows.append([f"{gigabytes} GB", power(ratings), f"{1000 * pass_of_one * ratings / 3600:.3g} h"])
    return table(["memory", f"ratings that fit, {each:.1f} bytes each", f"1000 passes, B = {BLOCKS}, one core"], rows)


def report(study, options):
    sections = {
        "Constants, measured": constants(study),
        "Strong scaling, `dsgld`": strong(study, options.ratings),
        "Weak scaling, `dsgld`": weak(study, study.middle, options.ranks),
        f"The samplers on {power(study.middle)} ratings": samplers(study),
        f"More ranks, by the model: {8e-9 * study.cluster.bandwidth:g} Gb/s, {1e6 * study.cluster.latency:g} us": many_ranks(study),
        "Where the terms balance": balance(study),
        "Where one machine ends": limits(study),
    }
    note = f"\n`*`: more ranks than the {study.cores} cores of this machine.\n"
    return note + "".join(f"\n### {title}\n{text}\n" for title, text in sections.items())


def write(page, text):
    old = page.read_text()
    page.write_text(old[:old.index(BEGIN) + len(BEGIN)] + text + old[old.index(END):])


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quasar", default=str(ROOT / "build" / "release" / "quasar"))
    parser.add_argument("--ping-pong", default=str(ROOT / "build" / "bench" / "bench" / "ping_pong"))
    parser.add_argument("--ratings", type=lambda text: int(float(text)), nargs="+", default=[10**6, 10**7])
    parser.add_argument("--ranks", type=int, nargs="+", default=[1, 2, 4])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--network", type=float, nargs=2, default=(2e-6, 25e9 / 8), metavar=("SECONDS", "BYTES_A_SECOND"))
    parser.add_argument("--measured", type=pathlib.Path, help="take these measurements instead of making them")
    parser.add_argument("--out", type=pathlib.Path, default=ROOT / "build" / "scaling.json", help="where measurements go")
    parser.add_argument("--write", type=pathlib.Path, help="a page that has a place for the tables")
    return parser.parse_args()


def main():
    options = arguments()
    if options.measured:
        found = json.loads(options.measured.read_text())
    else:
        found = measure(options)
        options.out.write_text(json.dumps(found, indent=1))
    text = report(Study(found, options.network), options)
    if options.write:
        write(options.write, text)
    else:
        print(text)


if __name__ == "__main__":
    main()
