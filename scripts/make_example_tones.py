#!/usr/bin/env python3
"""Writes examples/tones.csv: magnitudes of a made-up spectrogram, two tones that come and go in noise with heavy tails.

Entries are isotropic stable numbers with alpha = 1.2 and dispersions W H (docs/models/alpha-mf.md)."""

import math
import pathlib
import random

ALPHA, FREQUENCIES, FRAMES = 1.2, 20, 40
CENTRES = (5, 13)  # of the tones, in rows

draw = random.Random(2026)


def positive_stable(exponent):
    """Kanter's."""
    angle, exponential = math.pi * draw.random(), draw.expovariate(1)
    other = (math.sin((1 - exponent) * angle) / exponential) ** ((1 - exponent) / exponent)
    return math.sin(exponent * angle) / math.sin(angle) ** (1 / exponent) * other


def magnitude(dispersion):
    sd = math.sqrt(2 * positive_stable(ALPHA / 2) * dispersion ** (2 / ALPHA))
    return sd * math.hypot(draw.gauss(0, 1), draw.gauss(0, 1))


tones = [[math.exp(-((row - centre) ** 2) / 8) + 0.02 for centre in CENTRES] for row in range(FREQUENCIES)]
loudness = [[math.exp(draw.gauss(0, 0.5)) if (frame // 8) % 2 == tone else 0.05 for frame in range(FRAMES)] for tone in range(2)]
lines = [",".join(f"t{frame + 1}" for frame in range(FRAMES))]
for row in tones:
    dispersions = (sum(w * h[frame] for w, h in zip(row, loudness)) for frame in range(FRAMES))
    lines.append(",".join(f"{magnitude(dispersion):.4g}" for dispersion in dispersions))
path = pathlib.Path(__file__).resolve().parents[1] / "examples" / "tones.csv"
path.write_text("\n".join(lines) + "\n")
