#!/usr/bin/env python3
"""Writes examples/sounds/*.wav: sentences that espeak-ng speaks, at 8000 Hz, and one of them in noise at 5 dB.

Debian: espeak-ng, sox. Their versions decide the bits; the noise is made here, with a seed.
"""

import math
import pathlib
import random
import struct
import subprocess
import tempfile
import wave

SOUNDS = pathlib.Path(__file__).resolve().parents[1] / "examples" / "sounds"
RATE = 8000
LEVEL = 0.06  # root mean square of speech
SPEECH_OVER_NOISE = 5  # dB
SENTENCES = {
    "train-1.wav": "A small boat left the harbour early, before the wind could rise.",
    "train-2.wav": "They measured the river twice, and wrote down both of the numbers.",
    "train-3.wav": "My neighbour keeps seven bees' nests behind the old garden shed.",
    "clean.wav": "The night train to the mountains never waits for anybody.",
}


def spoken(sentence):
    with tempfile.TemporaryDirectory() as folder:
        loud, small = f"{folder}/loud.wav", f"{folder}/small.wav"
        subprocess.run(["espeak-ng", "-v", "en-gb", "-s", "175", "-w", loud, sentence], check=True)
        # Dithering would draw random numbers.
        subprocess.run(["sox", "-D", loud, "-r", str(RATE), "-b", "16", "-c", "1", small], check=True)
        with wave.open(small) as file:
            frames = file.readframes(file.getnframes())
    samples = [value / 32768 for (value,) in struct.iter_unpack("<h", frames)]
    return scaled(samples, LEVEL)


def scaled(samples, level):
    factor = level / math.sqrt(sum(x * x for x in samples) / len(samples))
    return [factor * x for x in samples]


def noise(size):
    """A hum of the wind, more low than high, with knocks that come and go: about one in a third of a second."""
    source = random.Random(2015)
    slow, samples, knock = 0.0, [], 0.0
    for _ in range(size):
        slow = 0.9 * slow + source.gauss(0, 1)
        knock = 0.997 * knock if source.random() > 3 / RATE else 6 * (1 + source.random())
        samples.append(slow + knock * source.gauss(0, 1))
    return scaled(samples, LEVEL * 10 ** (-SPEECH_OVER_NOISE / 20))


def write(name, samples):
    with wave.open(str(SOUNDS / name), "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(RATE)
        file.writeframes(b"".join(struct.pack("<h", round(32768 * x)) for x in samples))


def main():
    SOUNDS.mkdir(exist_ok=True)
    for name, sentence in SENTENCES.items():
        samples = spoken(sentence)
        write(name, samples)
        if name == "clean.wav":
            write("noisy.wav", [a + b for a, b in zip(samples, noise(len(samples)), strict=True)])


if __name__ == "__main__":
    main()
