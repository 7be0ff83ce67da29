"""quasar denoise: speech learned from recordings, a noisy one cleaned by it; what is refused, and how."""

import fcntl
import itertools
import math
import os
import pty
import random
import re
import resource
import signal
import struct
import subprocess
import termios
import time
import unittest
import wave

from support import BIN, ROOT, CommandLine, report_data

SOUNDS = ROOT / "examples" / "sounds"
RATE = 8000
FEW, SHORT = ("--iterations", 20, "--rounds", 20), ("--rounds", 20, "--components", 20)  # of run, of train


def voice(seconds, seed, rate=RATE):
    """Syllables of harmonics whose pitch and formants wander, with pauses between them."""
    source, samples, phase = random.Random(seed), [], 0.0
    while len(samples) < seconds * rate:
        pitch, glide, formant = source.uniform(90, 220), source.uniform(-60, 60), source.uniform(400, 2200)
        size = int(source.uniform(0.12, 0.3) * rate)
        for n in range(size):
            share = n / size
            now = pitch + glide * share
            phase += 2 * math.pi * now / rate
            loud = math.sin(math.pi * share) ** 2
            tones = range(1, min(30, int(rate / 2 / now)))
            samples.append(loud * sum(math.sin(k * phase) / (1 + ((k * now - formant) / 250) ** 2) for k in tones))
        samples += [0.0] * int(source.uniform(0.02, 0.1) * rate)
    return scaled(samples[: int(seconds * rate)], 0.06)


def noise(size, seed, level):
    """More low than high frequencies, and bursts."""
    source, slow, burst, samples = random.Random(seed), 0.0, 0.0, []
    for _ in range(size):
        slow = 0.9 * slow + source.gauss(0, 1)
        burst = 6.0 if source.random() < 2 / RATE else 0.998 * burst
        samples.append(slow + burst * source.gauss(0, 1))
    return scaled(samples, level)


def scaled(samples, level):
    factor = level / math.sqrt(sum(x * x for x in samples) / len(samples))
    return [factor * x for x in samples]


def wav(samples, rate=RATE, channels=1):
    values = b"".join(struct.pack("<h", max(-32768, min(32767, round(32768 * x)))) for x in samples)
    form = struct.pack("<4sIHHIIHH", b"fmt ", 16, 1, channels, rate, 2 * channels * rate, 2 * channels, 16)
    return struct.pack("<4sI4s", b"RIFF", 36 + len(values), b"WAVE") + form + struct.pack("<4sI", b"data", len(values)) + values


def float_wav(samples, size=4):
    values = struct.pack(f"<{len(samples)}{'f' if size == 4 else 'd'}", *samples)
    form = struct.pack("<4sIHHIIHH", b"fmt ", 16, 3, 1, RATE, size * RATE, size, 8 * size)
    return struct.pack("<4sI4s", b"RIFF", 36 + len(values), b"WAVE") + form + struct.pack("<4sI", b"data", len(values)) + values


def samples_of(path):
    with wave.open(str(path)) as file:
        assert (file.getnchannels(), file.getsampwidth()) == (1, 2)
        values = file.readframes(file.getnframes())
        return file.getframerate(), [value / 32768 for (value,) in struct.iter_unpack("<h", values)]


def without_pauses(samples, frame=512):
    """All but rows of zeros as long as a frame."""
    kept = []
    for zero, row in itertools.groupby(samples, lambda x: x == 0):
        row = list(row)
        if not zero or len(row) < frame:
            kept += row
    return kept


class Denoise(CommandLine):
    """A folder with speech.nc, learned from the example's sentences, made once."""

    speech = None

    def setUp(self):
        super().setUp()
        if Denoise.speech is None:
            self.ok("denoise", "train", *sorted(SOUNDS.glob("train-*.wav")), "--quiet", *SHORT)
            Denoise.speech = (self.folder / "speech.nc").read_bytes()
        self.write("speech.nc", Denoise.speech)
        self.write("noisy.wav", (SOUNDS / "noisy.wav").read_bytes())


class Answers(Denoise):
    def test_training_tells_what_was_learned(self):
        files = sorted(SOUNDS.glob("train-*.wav"))
        text = self.ok("denoise", "train", *files, "--out", "a.nc", *SHORT).stdout
        self.assertRegex(text, r"^10\.8 s of speech in 3 recordings\n")
        self.assertRegex(text, r"\n\d+ components of \d+ bins")
        self.assertRegex(text, r"\na\.nc written\n$")
        found = self.ok_json("denoise", "train", *files, "--out", "b.nc", *SHORT)
        self.assertEqual(found["files"], [str(file) for file in files])
        self.assertEqual((found["sample_rate"], found["rounds"], found["components"], found["seed"], found["output"]), (RATE, 20, 20, 1, "b.nc"))
        self.assertAlmostEqual(found["seconds_of_speech"], sum(len(samples_of(file)[1]) for file in files) / RATE)
        sounding = [x for file in files for x in without_pauses(samples_of(file)[1])]
        self.assertAlmostEqual(found["level"], math.sqrt(sum(x * x for x in sounding) / len(sounding)), places=9)
        self.assertEqual(found["bins"], found["frame"] // 2 + 1)
        self.assertGreater(found["seconds"], 0)
        self.assertEqual(found["notes"], [])
        self.assertEqual((self.folder / "a.nc").read_bytes(), (self.folder / "b.nc").read_bytes())
        self.ok("denoise", "train", *files, "--out", "c.nc", "--seed", 2, *SHORT)
        self.assertNotEqual((self.folder / "a.nc").read_bytes(), (self.folder / "c.nc").read_bytes())

    def test_text_json_sound_and_page_say_the_same(self):
        options = ("denoise", "run", "noisy.wav", "--reference", SOUNDS / "clean.wav", *FEW)
        result = self.ok(*options, "--report", "page.html")
        self.assertRegex(result.stdout, r"^noisy\.wav: 3\.15 s at 8000 Hz\nspeech\.nc: 10\.8 s of speech in 3 recordings, \d+ components\n")
        self.assertRegex(result.stdout, r"\nexpected SDR: -?\d+\.\d\d dB\n")
        self.assertRegex(result.stdout, r"\ndB +SDR +SIR +SAR +segmental SNR\nbefore .*\nafter .*\n")
        self.assertRegex(result.stdout, r"\nclean\.wav and page\.html written\n$")
        self.assertEqual(result.stderr, "")
        found = self.ok_json(*options, "--out", "again.wav")
        self.assertEqual((self.folder / "clean.wav").read_bytes(), (self.folder / "again.wav").read_bytes())
        self.assertEqual((found["file"], found["model"], found["output"], found["sample_rate"]), ("noisy.wav", "speech.nc", "again.wav", RATE))
        self.assertEqual((found["settings"]["iterations"], found["notes"]), (20, []))
        rate, samples = samples_of(self.folder / "clean.wav")
        self.assertEqual((rate, len(samples)), (RATE, found["samples"]))
        self.assertAlmostEqual(found["seconds_of_sound"], len(samples) / RATE)
        for moment in ("before", "after"):
            shown = [f"{value:.2f}" for value in found["scores"][moment].values() if value is not None]
            row = next(line for line in result.stdout.splitlines() if line.startswith(moment))
            self.assertEqual([cell for cell in row.split()[1:] if cell != "inf"], shown)
        self.assertAlmostEqual(found["scores"]["before"]["sdr"], 5, delta=0.5)  # as it was mixed
        self.assertIsNone(found["scores"]["before"]["sar"])  # it is speech and noise and nothing else
        page = report_data(self.folder / "page.html")
        self.assertEqual([row[0] for row in page["scores"]], ["before", "after"])
        self.assertEqual(page["scores"][1][1], f"{found['scores']['after']['sdr']:.2f}")
        self.assertIn("--iterations 20", page["command"])
        self.assertIn(f" --reference {SOUNDS / 'clean.wav'} ", page["command"])
        self.assertEqual(page["pictures"]["seconds"], found["seconds_of_sound"])

    def test_noise_goes_and_speech_stays(self):
        """Harmonic sounds in coloured noise with bursts, at 5 dB, cleaned by what was learned from others of their kind."""
        for place in range(3):
            self.write(f"train-{place}.wav", wav(voice(4, place)))
        clean = voice(3, 77)
        noisy = [a + b for a, b in zip(clean, noise(len(clean), 5, 0.06 * 10 ** (-5 / 20)))]
        self.write("mixed.wav", wav(noisy))
        self.write("truth.wav", wav(clean))
        self.ok("denoise", "train", *(f"train-{place}.wav" for place in range(3)), "--out", "voice.nc", "--components", 20, "--rounds", 60)
        found = self.ok_json("denoise", "run", "mixed.wav", "--model", "voice.nc", "--reference", "truth.wav", "--iterations", 100, "--average", 50)
        before, after = found["scores"]["before"], found["scores"]["after"]
        self.assertAlmostEqual(before["sdr"], 5, delta=0.5)
        # Of three mixtures, by the seeds 77 and 5 here, 78 and 6, 79 and 7, the gains are 8.0, 8.2 and 9.4 dB of SDR, 13.0, 13.1
        # and 13.2 of SIR, 5.6, 6.8 and 5.4 of segmental SNR; SAR is 14.9, 15.2 and 16.8 dB. Bounds are 1 dB below the least,
        # which is more than other seeds of the sampler take off.
        self.assertGreater(after["sdr"], before["sdr"] + 7.0)
        self.assertGreater(after["sir"], before["sir"] + 12.0)
        self.assertGreater(after["segmental_snr"], before["segmental_snr"] + 4.4)
        self.assertGreater(after["sar"], 13.9)
        # What the posterior promises is 1.0, -0.5 and -1.5 dB more than what is true.
        _, cleaned = samples_of(self.folder / "clean.wav")
        errors = sum((a - b) ** 2 for a, b in zip(clean, cleaned))
        true = 10 * math.log10(sum(x * x for x in clean) / errors)
        self.assertLess(abs(found["expected_sdr"] - true), 2.2)

    def test_silence_stays_silent(self):
        self.write("silence.wav", wav([0.0] * RATE))
        result = self.ok("denoise", "run", "silence.wav", "--out", "s.wav", "--report", "s.html", *FEW)
        self.assertRegex(result.stderr, "(?i)silen")
        self.assertRegex(result.stdout, "\nexpected SDR: - dB\n")
        self.assertEqual(samples_of(self.folder / "s.wav"), (RATE, [0.0] * RATE))
        found = self.ok_json("denoise", "run", "silence.wav", "--out", "t.wav", *FEW)
        self.assertIsNone(found["expected_sdr"])
        self.assertEqual(len(found["notes"]), 1)

    def test_clipped_samples_are_told(self):
        clean = voice(1, 3)
        loud = [min(32767 / 32768, max(-1, 30 * x)) for x in clean]
        count = sum(abs(x) >= 32767 / 32768 for x in loud)
        self.assertGreater(count, 10)
        self.write("loud.wav", wav(loud))
        result = self.ok("denoise", "run", "loud.wav", "--out", "l.wav", *FEW)
        self.assertRegex(result.stderr, rf"quasar: .*{count} samples lie at the end of the scale")
        quiet = self.ok("denoise", "run", "loud.wav", "--out", "m.wav", "--quiet", *FEW)
        self.assertEqual(quiet.stdout + quiet.stderr, "")
        self.write("loud-speech.wav", wav(loud))
        training = self.ok("denoise", "train", "loud-speech.wav", "--out", "l.nc", *SHORT)
        self.assertRegex(training.stderr, rf"loud-speech\.wav: {count} samples lie at the end of the scale")

    def test_short_sounds(self):
        for size in (1, 2, 300):
            self.write("short.wav", wav(voice(1, 3)[400 : 400 + size]))
            found = self.ok_json("denoise", "run", "short.wav", "--reference", "short.wav", "--overwrite", "--report", "s.html", *FEW)
            self.assertEqual(found["samples"], size)
            self.assertEqual(len(samples_of(self.folder / "clean.wav")[1]), size)
            self.assertIsNone(found["scores"]["after"]["sdr"])
            self.assertRegex(" ".join(found["notes"]), f"SDR, SIR and SAR need 512 samples, and there are {size}")

    def test_rates_at_which_30_ms_are_no_sample(self):
        self.write("slow.wav", wav(voice(0.2, 3), rate=10))
        self.ok("denoise", "train", "slow.wav", "--out", "slow.nc", *SHORT)
        found = self.ok_json("denoise", "run", "slow.wav", "--model", "slow.nc", "--reference", "slow.wav", *FEW)
        self.assertIsNone(found["scores"]["after"]["segmental_snr"])
        self.assertIn("the segmental SNR needs a frame of 30 ms", found["notes"])

    def test_speech_of_a_moment(self):
        """One sample is little to learn from, and something."""
        self.write("one.wav", wav([0.25]))
        found = self.ok_json("denoise", "train", "one.wav", "--out", "one.nc", *SHORT)
        self.assertEqual((found["seconds_of_speech"], found["level"]), (1 / RATE, 0.25))
        self.ok("denoise", "run", "noisy.wav", "--model", "one.nc", *FEW)

    def test_other_encodings_and_names(self):
        floats = [0.5 * x for x in voice(0.5, 3)]
        self.write("float.wav", float_wav(floats))
        self.ok("denoise", "run", "float.wav", "--out", "Ä b.WAV", *FEW)
        self.assertEqual(len(samples_of(self.folder / "Ä b.WAV")[1]), len(floats))

    def test_levels_that_16_bits_cannot_hold(self):
        sound = voice(0.5, 3)
        self.write("loud.wav", float_wav([100 * x for x in sound]))
        loud = self.ok("denoise", "run", "loud.wav", "--out", "a.wav", *FEW)
        self.assertRegex(loud.stderr, r"quasar: a\.wav: cut off where \d+ samples lay beyond the scale of 16 bits\n")
        self.write("faint.wav", float_wav([1e-6 * x for x in sound]))
        faint = self.ok_json("denoise", "run", "faint.wav", "--out", "b.wav", "--report", "b.html", *FEW)
        self.assertRegex(faint["notes"][0], "fainter than one step of 16 bits")
        self.assertRegex(faint["notes"][1], "its level is 1[12]. dB below that of the speech that was learned from")
        self.assertRegex(faint["notes"][2], r"b\.wav: silence, as its largest sample, .*, is less than half a step of 16 bits")
        self.assertEqual([problem["what"] for problem in report_data(self.folder / "b.html")["problems"]], faint["notes"])
        self.write("faint-speech.wav", float_wav([1e-6 * x for x in sound]))
        training = self.ok("denoise", "train", "faint-speech.wav", "--out", "l.nc", *SHORT)
        self.assertRegex(training.stderr, r"faint-speech\.wav: fainter than one step of 16 bits")
        for factor in (1e200, 1e-200):
            self.write("other.wav", float_wav([factor * x for x in sound], 8))
            for command in (("run", "other.wav", "--out", "c.wav", *FEW), ("train", "other.wav", "--out", "c.nc", *SHORT)):
                result = self.quasar("denoise", *command)
                self.assertEqual(result.returncode, 3)
                self.assertRegex(result.stderr, "the loudest sample is .*, which is no sound")


class Refusals(Denoise):
    def test_arguments(self):
        self.fails(2, "denoise needs a command: train or run", "denoise")
        self.fails(2, "unknown command of denoise 'trian'; did you mean 'train'", "denoise", "trian")
        self.fails(2, "denoise train needs an argument: files", "denoise", "train")
        self.fails(2, "denoise run needs an argument: file", "denoise", "run")
        self.fails(2, "--iterations = 'x': is not a whole number", "denoise", "run", "noisy.wav", "--iterations", "x")
        self.fails(2, "--rounds = '-1': must be at least 4", "denoise", "train", "noisy.wav", "--rounds", -1)
        self.fails(2, "unknown option of denoise run '--modle'; did you mean '--model'", "denoise", "run", "noisy.wav", "--modle", "x")
        self.fails(2, "noisy.wav is given twice", "denoise", "train", "noisy.wav", "noisy.wav", "--out", "n.nc")
        self.fails(2, "noisy.wav is given twice", "denoise", "train", "noisy.wav", self.folder / "." / "noisy.wav", "--out", "n.nc")
        for option, value, end in (("--noise-steadiness", 1e4, "at least 0.1 and at most 1000"), ("--noise-steadiness", 0.01, "at least 0.1 and at most 1000"), ("--noise-alpha", 0.3, "at least 0.5 and at most 2")):
            self.fails(2, f"{option} = '{value}': must be {end}", "denoise", "run", "noisy.wav", option, value)
        for option, value, end in (("--activation-shape", 1e4, "at least 0.05 and at most 100"), ("--activation-shape", 0.01, "at least 0.05 and at most 100"), ("--alpha", 0.3, "at least 0.5 and at most 2")):
            self.fails(2, f"{option} = '{value}': must be {end}", "denoise", "train", "noisy.wav", "--out", "n.nc", option, value)
        many = ("--frame", 1 << 20, "--hop", 1)
        self.fails(4, r"1\.07e\+06 frames of 1048576 samples need about .* GB of memory, and the machine has", "denoise", "train", "noisy.wav", "--out", "n.nc", *many)
        self.fails(2, "sampler = als: does not take sound", "denoise", "run", "noisy.wav", "--sampler", "als", "--rounds", "1e6")
        self.fails(2, "batch_share = 0.5: nuts looks at all entries", "denoise", "run", "noisy.wav", "--sampler", "nuts", "--batch-share", "0.5")

    def test_outputs(self):
        run = ("denoise", "run", "noisy.wav")
        self.fails(2, r"--out clean\.mp3: sound is written as NAME\.wav", *run, "--out", "clean.mp3")
        self.fails(2, r"--out x\.wav: learned speech is written as NAME\.nc", "denoise", "train", "noisy.wav", "--out", "x.wav")
        self.fails(2, r"--out \.wav: sound is written as NAME\.wav", *run, "--out", ".wav")
        self.fails(2, r"noisy\.wav is read; --out names another file", *run, "--out", "noisy.wav", "--overwrite")
        self.fails(2, r"speech\.nc is read; --report names another file", *run, "--report", "speech.nc", "--overwrite")
        for other in ("x.wav", "./x.wav", self.folder / "x.wav"):
            self.fails(2, "--out and --report name the same file", *run, "--out", "x.wav", "--report", other, "--overwrite")
        self.write("there.wav", b"")
        self.fails(2, r"there\.wav exists; --overwrite replaces it", *run, "--out", "there.wav")
        self.fails(2, r"there\.wav exists; --overwrite replaces it", *run, "--report", "there.wav")
        self.fails(2, r"there\.wav is read; --out names another file", *run, "--reference", "there.wav", "--out", "there.wav", "--overwrite")
        self.fails(2, r"speech\.nc exists; --overwrite replaces it", "denoise", "train", "noisy.wav")
        self.fails(2, r"noisy\.wav: learned speech is written as", "denoise", "train", "noisy.wav", "--out", "noisy.wav", "--overwrite")
        self.fails(3, "there is no folder 'nowhere'", *run, "--out", "nowhere/x.wav")
        self.fails(3, "there is no folder 'nowhere'", *run, "--report", "nowhere/x.html")
        self.fails(3, "there is no folder 'nowhere'", "denoise", "train", "noisy.wav", "--out", "nowhere/x.nc")

    def test_rates_and_channels(self):
        self.write("fast.wav", wav(voice(0.5, 1), rate=16000))
        self.fails(3, r"fast\.wav has 16000 samples a second, speech\.nc was learned from 8000: sox IN OUT rate 8000 .*or train on recordings of 16000", "denoise", "run", "fast.wav")
        self.fails(3, r"fast\.wav has 16000 samples a second, noisy\.wav has 8000: a reference is the same moment", "denoise", "run", "noisy.wav", "--reference", "fast.wav")
        self.fails(3, r"fast\.wav has 16000 samples a second, noisy\.wav has 8000: sox IN OUT rate 8000", "denoise", "train", "noisy.wav", "fast.wav", "--out", "x.nc")
        self.write("two.wav", wav(voice(0.5, 1), channels=2))
        for command in (("run", "two.wav"), ("run", "noisy.wav", "--reference", "two.wav"), ("train", "two.wav", "--out", "x.nc")):
            self.fails(3, r"two\.wav: has 2 channels, and one is read", "denoise", *command)

    def test_references(self):
        clean = (SOUNDS / "clean.wav").read_bytes()
        self.write("short.wav", wav(samples_of(SOUNDS / "clean.wav")[1][:-1]))
        self.fails(3, r"short\.wav has 25233 samples, noisy\.wav has 25234: a reference is the same moment", "denoise", "run", "noisy.wav", "--reference", "short.wav")
        self.write("silent.wav", wav([0.0] * ((len(clean) - 44) // 2)))
        self.fails(3, r"silent\.wav is silent: there is nothing to compare with", "denoise", "run", "noisy.wav", "--reference", "silent.wav")
        self.fails(3, "none.wav.*No such file", "denoise", "run", "noisy.wav", "--reference", "none.wav")

    def test_sounds_that_are_none(self):
        good = (SOUNDS / "clean.wav").read_bytes()
        for text, pattern in {
            b"": "is empty",
            b"hello, this is no sound at all": "is no WAV file",
            good[:30]: "ends inside its header|header is damaged",
            good[:1000]: "ends early.*; sox --ignore-length IN OUT saves them",
            wav([]): "holds no samples",
        }.items():
            self.write("bad.wav", text)
            self.fails(3, f"bad.wav: .*({pattern})", "denoise", "run", "bad.wav")
            self.fails(3, f"bad.wav: .*({pattern})", "denoise", "train", "bad.wav", "--out", "x.nc")
        self.fails(3, "none.wav.*No such file", "denoise", "run", "none.wav")
        self.fails(3, "none.wav.*No such file", "denoise", "train", "noisy.wav", "none.wav", "--out", "x.nc")
        self.write("silent.wav", wav([0.0] * RATE))
        self.fails(3, r"silent\.wav: silence from beginning to end", "denoise", "train", "silent.wav", "--out", "x.nc")

    def test_files_that_are_no_speech(self):
        self.fails(3, "none.nc: cannot be opened: No such file", "denoise", "run", "noisy.wav", "--model", "none.nc")
        self.fails(3, "noisy.wav: is not a file of speech of this version", "denoise", "run", "noisy.wav", "--model", "noisy.wav")
        for place in (40, 3000, len(Denoise.speech) - 2):
            damaged = bytearray(Denoise.speech)
            damaged[place] ^= 1
            self.write("damaged.nc", bytes(damaged))
            self.fails(3, "damaged.nc: (is damaged|is not a file of speech)", "denoise", "run", "noisy.wav", "--model", "damaged.nc")
        self.ok("sample", "--model", "gaussian", "--draws", 20, "--warmup", 20, "--out", "run.nc", "--quiet")
        self.fails(3, "run.nc: is a run of quasar sample, not a file of speech", "denoise", "run", "noisy.wav", "--model", "run.nc")
        self.fails(3, "speech.nc: holds speech, not a run: quasar denoise run takes it", "summary", "speech.nc")


class Interruptions(Denoise):
    """Commands that take some seconds, killed or stopped and resumed: their files are those of commands that were not."""

    TRAIN = ("denoise", "train", *sorted(SOUNDS.glob("train-*.wav")), "--rounds", 60, "--components", 20)
    RUN = ("denoise", "run", "noisy.wav", "--iterations", 300, "--rounds", 40)
    OFTEN = ("--checkpoint-every", 5)

    def interrupt(self, command, name, how):
        """After the first checkpoint of this process."""
        state = self.folder / f"{name}.part" / "chain-1.state"
        before = state.stat().st_mtime_ns if state.exists() else 0
        process = subprocess.Popen([BIN, *map(str, command)], cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        while process.poll() is None and not (state.exists() and state.stat().st_mtime_ns > before):
            time.sleep(0.001)
        process.send_signal(how)
        out, errors = process.communicate(timeout=60)
        self.assertFalse((self.folder / name).exists())
        return process.returncode, out, errors

    def test_killed_and_resumed_they_find_the_same(self):
        for command, name in ((self.TRAIN, "x.nc"), (self.RUN, "x.wav")):
            self.ok(*command, "--out", "whole-" + name)
            durable, part = (*command, "--out", name, *self.OFTEN, "--quiet"), self.folder / (name + ".part")
            for _ in range(3):
                self.assertEqual(self.interrupt((*durable, "--resume"), name, signal.SIGKILL), (-signal.SIGKILL, "", ""))
            self.fails(2, rf"{name}\.part holds an unfinished run; --resume goes on with it", *durable)
            self.fails(2, rf"{name}\.part cannot be resumed: seed: 1 there, 2 here", *durable, "--resume", "--seed", 2)
            self.ok(*durable, "--resume")
            self.assertEqual((self.folder / name).read_bytes(), (self.folder / ("whole-" + name)).read_bytes())
            self.assertFalse(part.exists())
            again = self.ok(*durable, "--resume")
            self.assertEqual(again.stderr, f"quasar: {name} is complete; nothing to resume\n")
            self.assertEqual(again.stdout, "")

    def test_ctrl_c_leaves_what_was_done(self):
        for command, name in (((*self.TRAIN, "--out", "x.nc"), "x.nc"), ((*self.RUN, "--out", "x.wav", "--report", "x.html"), "x.wav")):
            for stop in (signal.SIGINT, signal.SIGTERM):
                told = f"quasar: stopped; {name}.part has what was done, --resume goes on\n"
                self.assertEqual(self.interrupt((*command, *self.OFTEN, "--resume"), name, stop), (130, "", told))
            self.ok(*command, "--resume")
            self.assertTrue((self.folder / name).exists())
        self.assertTrue((self.folder / "x.html").exists())
        self.assertEqual([path for path in self.contents() if ".part" in str(path) or ".tmp" in str(path)], [])

    def test_what_is_complete_is_compared(self):
        run = ("denoise", "run", "noisy.wav", *FEW, "--out", "x.wav")
        train = ("denoise", "train", SOUNDS / "train-1.wav", *SHORT, "--out", "x.nc")
        for command, name, file in ((run, "x.wav", "noisy.wav"), (train, "x.nc", SOUNDS / "train-1.wav")):
            made = self.ok_json(*command)
            before = (self.folder / name).read_bytes()
            self.fails(2, rf"{re.escape(name)} cannot be resumed: seed: 1 there, 2 here\. .*--overwrite alone", *command, "--resume", "--seed", 2)
            self.fails(3, r"none\.wav: .*No such file", *[("none.wav" if part == file else part) for part in command], "--resume")
            again = self.ok_json(*command, "--resume")
            self.assertEqual({key: made[key] for key in again if key != "seconds"}, {key: again[key] for key in again if key != "seconds"})
            self.assertEqual(again["output"], name)
            self.assertEqual((self.folder / name).read_bytes(), before)
            self.ok(*command, "--resume", "--overwrite", "--seed", 2)
            self.assertNotEqual((self.folder / name).read_bytes(), before)
        self.write("x.wav", wav(voice(1, 3)))
        self.fails(3, r"x\.wav: does not tell what made it; --overwrite begins anew", *run, "--resume")

    def test_settings_longer_than_a_comment(self):
        run = ("denoise", "run", "noisy.wav", *FEW, "--out", "x.wav", "--sampler-settings", "step_size=1e-3" + " " * 3000)
        self.ok(*run)
        self.assertEqual(self.ok(*run, "--resume").stderr, "quasar: x.wav is complete; nothing to resume\n")
        self.fails(2, "x.wav cannot be resumed: sampler_settings: ", *run[:-1], "step_size=1e-3", "--resume")

    def test_a_page_of_what_is_complete(self):
        run = ("denoise", "run", "noisy.wav", *FEW, "--out", "x.wav", "--report")
        self.ok(*run, "x.html")
        self.assertEqual(self.ok_json(*run, "x.html", "--resume")["report"], "x.html")
        self.fails(2, r"x\.wav is complete, and y\.html is not made from it: --overwrite alone begins anew", *run, "y.html", "--resume")
        self.ok(*run, "y.html", "--overwrite")
        self.assertTrue((self.folder / "y.html").exists())

    def test_a_page_that_could_not_be_written_is_written_later(self):
        run = (*self.RUN, "--out", "x.wav", "--report", "pages/x.html", "--quiet")
        (self.folder / "pages").mkdir()
        process = subprocess.Popen([BIN, *map(str, run)], cwd=self.folder, stderr=subprocess.PIPE, text=True)
        while process.poll() is None and not (self.folder / "x.wav.part" / "run").exists():
            time.sleep(0.001)
        (self.folder / "pages").rmdir()
        self.assertRegex(process.communicate(timeout=60)[1], "pages/x.html: there is no folder 'pages'\n$")
        self.assertEqual(process.returncode, 3)
        self.assertTrue((self.folder / "x.wav.part" / "chain-1.state").exists())  # of what is done
        self.assertFalse((self.folder / "x.wav").exists())
        (self.folder / "pages").mkdir()
        self.write("pages/x.html", b"half of it")
        self.ok(*run, "--resume")
        self.assertIn("sound", report_data(self.folder / "pages" / "x.html"))
        self.ok(*self.RUN, "--out", "whole.wav")
        self.assertEqual((self.folder / "x.wav").read_bytes(), (self.folder / "whole.wav").read_bytes())
        self.assertFalse((self.folder / "x.wav.part").exists())

    def test_no_room_for_the_last_checkpoint(self):
        """The files may be smaller: a sound that fits is written, a page that does not is written later."""
        run, size = ("denoise", "run", "noisy.wav", *FEW, "--out", "x.wav", "--quiet"), 100_000
        limit = {"preexec_fn": lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))}
        self.refused(self.quasar(*run, "--report", "x.html", **limit), 3, r"x\.html: cannot be written: File too large")
        self.assertFalse((self.folder / "x.wav").exists())
        self.ok(*run, "--report", "x.html", "--resume")
        self.assertTrue((self.folder / "x.html").exists())
        self.assertEqual(self.quasar(*run, "--overwrite", **limit).returncode, 0)

    def test_the_bar_counts_rounds_and_iterations(self):
        ours, theirs = pty.openpty()
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 100, 0, 0))
        process = subprocess.Popen([BIN, *map(str, self.RUN), "--out", "x.wav"], cwd=self.folder, stdout=subprocess.DEVNULL, stderr=theirs)
        os.close(theirs)
        shown = b""
        try:
            while chunk := os.read(ours, 4096):
                shown += chunk
        except OSError:  # the other end is closed
            pass
        os.close(ours)
        self.assertEqual(process.wait(), 0)
        self.assertIn("340/340", shown.decode())

    def test_what_goes_on_elsewhere_is_not_offered(self):
        process = subprocess.Popen([BIN, *map(str, self.RUN), "--out", "x.wav", "--quiet"], cwd=self.folder)
        try:
            while process.poll() is None and not (self.folder / "x.wav.part" / "run").exists():
                time.sleep(0.001)
            process.send_signal(signal.SIGSTOP)
            for how in ((), ("--resume",), ("--overwrite",)):
                self.refused(self.quasar(*self.RUN, "--out", "x.wav", *how), 2, r"x\.wav\.part belongs to a run that is going on in another process")
        finally:
            process.kill()
            process.wait()
        self.fails(2, r"x\.wav\.part holds an unfinished run; --resume goes on with it", *self.RUN, "--out", "x.wav")

    def test_what_is_there_is_not_lost(self):
        """A file that appears while the work is stopped stays, unless it may be replaced."""
        self.interrupt((*self.RUN, *self.OFTEN, "--out", "x.wav"), "x.wav", signal.SIGINT)
        self.write("x.wav", b"somebody else's")
        self.fails(2, r"x\.wav is not of the work in x\.wav\.part: move it away, or add --overwrite", *self.RUN, "--out", "x.wav", "--resume")
        self.assertEqual((self.folder / "x.wav").read_bytes(), b"somebody else's")
        self.write("other.wav", wav(voice(1, 3)))
        self.fails(2, r"x\.wav\.part cannot be resumed: sound: ", "denoise", "run", "other.wav", *self.RUN[3:], "--out", "x.wav", "--resume", "--overwrite")
        state = self.folder / "x.wav.part" / "chain-1.state"
        damaged = bytearray(state.read_bytes())
        damaged[len(damaged) // 2] ^= 1
        self.write("x.wav.part/chain-1.state", bytes(damaged))
        self.fails(3, r"chain-1\.state: is damaged: .*; --overwrite begins anew", *self.RUN, "--out", "x.wav", "--resume", "--overwrite")
        self.ok(*self.RUN, "--out", "x.wav", "--overwrite")
        self.assertEqual(len(samples_of(self.folder / "x.wav")[1]), 25234)
        self.assertFalse((self.folder / "x.wav.part").exists())


if __name__ == "__main__":
    unittest.main()
