"""Writes data/separation_reference.hpp: what mir_eval says of estimates of known sources.

    python -m venv venv
    venv/bin/pip install mir_eval==0.8.2 numpy==2.4.6 scipy==1.17.1
    venv/bin/python make_separation_reference.py

The signals themselves are not stored: tests/support/made_sounds.hpp makes the same ones, bit for bit, by the recursions below,
whose every operation IEEE 754 rounds in one way. The scale-invariant SDR and the segmental SNR are computed here from
their definitions.
"""

import math
import pathlib
import warnings

import mir_eval
import numpy as np
import scipy

warnings.filterwarnings("ignore", category=FutureWarning)

HERE = pathlib.Path(__file__).parent
OUTPUT = HERE / "data" / "separation_reference.hpp"
RATE = 16000
# (samples, pole of the sources: 0 white, near 1 almost no high frequencies; sources)
CASES = [(6000, 0.0, 2), (6000, 0.9, 2), (5000, 0.6, 3), (3000, 0.5, 1), (1100, 0.3, 2), (8000, 0.97, 2)]


def noise(seed, samples):
    """Lehmer's generator with the multiplier 48271 (Park, Miller & Stockmeyer 1993), in (-1, 1)."""
    state, values = seed, []
    for _ in range(samples):
        state = state * 48271 % 2147483647
        values.append(2 * (state / 2147483647) - 1)
    return values


def source(seed, samples, pole):
    """Noise that comes and goes, through a filter with that double pole."""
    first, second, values = 0.0, 0.0, []
    for n, x in enumerate(noise(seed, samples)):
        loudness = 0.05 + (n // 700 + seed) % 3
        value = ((2 * pole) * first - (pole * pole) * second) + loudness * x
        first, second = value, first
        values.append(value)
    return values


def estimate(sources, j, seed):
    """The source through a short filter, with some of the next source and of fresh noise."""
    target, other = sources[j], sources[(j + 1) % len(sources)]
    fresh = noise(seed, len(target))
    values = []
    for n, x in enumerate(fresh):
        echo = target[n - 5] if n >= 5 else 0.0
        leak = other[n - 2] if n >= 2 else 0.0
        values.append(((0.8 * target[n] + 0.3 * echo) + 0.05 * leak) + 0.02 * x)
    return values


def scale_invariant_sdr(reference, estimated):
    scaled = estimated @ reference / (reference @ reference) * reference
    return 10 * math.log10(scaled @ scaled / np.sum((scaled - estimated) ** 2))


def segmental_snr(reference, estimated, rate):
    frame = round(0.03 * rate)
    window = 0.5 * (1 - np.cos(2 * np.pi * np.arange(1, frame + 1) / (frame + 1)))
    ratios = []
    for start in range(0, len(reference) - frame + 1, frame // 4):
        part = slice(start, start + frame)
        signal = np.sum((reference[part] * window) ** 2)
        error = np.sum(((reference[part] - estimated[part]) * window) ** 2)
        ratios.append(min(max(10 * math.log10(signal / error), -10), 35))
    return sum(ratios) / len(ratios)


def scores(samples, pole, count):
    sources = [source(11 + i, samples, pole) for i in range(count)]
    estimates = [estimate(sources, j, 101 + j) for j in range(count)]
    truth, found = np.array(sources), np.array(estimates)
    sdr, sir, sar, _ = mir_eval.separation.bss_eval_sources(truth, found, compute_permutation=False)
    for j in range(count):
        yield [
            math.fsum(x * x for x in estimates[j]),
            sdr[j],
            sir[j],
            sar[j],
            scale_invariant_sdr(truth[j], found[j]),
            segmental_snr(truth[j], found[j], RATE),
        ]


def number(value):
    return "kInfinite" if math.isinf(value) else repr(float(value))


def main():
    lines = [
        "// What mir_eval says of estimates of known sources. Written by make_separation_reference.py with",
        f"// mir_eval {mir_eval.__version__}, numpy {np.__version__}, scipy {scipy.__version__}: do not edit.",
        "#pragma once",
        "",
        "#include <limits>",
        "#include <vector>",
        "",
        "namespace quasar::reference {",
        "",
        "// clang-format off",
        "struct KnownScores {",
        "  double energy;  // of the estimate: the same signals have been made",
        "  double sdr, sir, sar, scale_invariant_sdr, segmental_snr;",
        "};",
        "struct SeparationCase {",
        "  int samples;",
        "  double pole;",
        "  std::vector<KnownScores> scores;  // of each source's estimate",
        "};",
        "",
        f"constexpr int kSeparationRate = {RATE};",
        "constexpr double kInfinite = std::numeric_limits<double>::infinity();",
        "",
        "inline const std::vector<SeparationCase> kSeparationCases = {",
    ]
    for samples, pole, count in CASES:
        lines.append(f"    {{{samples}, {pole},")
        rows = ["{" + ", ".join(map(number, row)) + "}" for row in scores(samples, pole, count)]
        lines.append("     {" + ",\n      ".join(rows) + "}},")
    lines += ["};", "// clang-format on", "", "}  // namespace quasar::reference", ""]
    OUTPUT.write_text("\n".join(lines))


if __name__ == "__main__":
    main()
