"""quasar.train_speech and quasar.denoise: the command's sounds from files and arrays; what is refused."""

import json
import math
import threading
import time
import unittest
import wave
from typing import Any

import numpy as np
from numpy.typing import NDArray

import quasar
from support import ROOT, PackageTest

SOUNDS = ROOT / "examples" / "sounds"
CLIPS = sorted(SOUNDS.glob("train-*.wav"))
RATE = 8000
TRAINING: dict[str, Any] = {"rounds": 20, "components": 20}
RUNNING: dict[str, Any] = {"iterations": 20, "rounds": 20}


def flags(settings: dict[str, Any]) -> list[str]:
    return [part for name, value in settings.items() for part in (f"--{name}", str(value))]


def samples_of(path: Any) -> NDArray[np.int16]:
    with wave.open(str(path)) as file:
        return np.frombuffer(file.readframes(file.getnframes()), dtype="<i2").astype(np.int16)


class Denoise(PackageTest):
    speech: quasar.SpeechModel

    @classmethod
    def setUpClass(cls) -> None:
        cls.speech = quasar.train_speech(CLIPS, **TRAINING)

    def test_the_numbers_are_those_of_the_command_line(self) -> None:
        printed = json.loads(self.command_line("denoise", "train", *CLIPS, *flags(TRAINING), "--json"))
        learned = self.speech.to_dict()
        self.assertEqual({name: printed[name] for name in learned}, learned)
        self.speech.save(self.folder / "ours.nc")
        self.assertEqual((self.folder / "ours.nc").read_bytes(), (self.folder / "speech.nc").read_bytes())
        clean = SOUNDS / "clean.wav"
        printed = json.loads(
            self.command_line("denoise", "run", SOUNDS / "noisy.wav", "--reference", clean, *flags(RUNNING), "--json")
        )
        found = quasar.denoise(SOUNDS / "noisy.wav", self.folder / "ours.nc", **RUNNING)
        facts = found.to_dict()
        for name in ("settings", "samples", "seconds_of_sound", "expected_sdr", "notes"):
            self.assertEqual(facts[name], printed[name], name)
        scores = found.score(clean)
        for moment in ("before", "after"):
            for name, value in printed["scores"][moment].items():
                ours = getattr(getattr(scores, moment), name)
                self.assertEqual(None if math.isinf(ours) else ours, value, (moment, name))
        found.save(self.folder / "ours.wav")
        self.assertEqual((self.folder / "ours.wav").read_bytes(), (self.folder / "clean.wav").read_bytes())

    def test_arrays_are_what_files_hold(self) -> None:
        arrays = [samples_of(clip) for clip in CLIPS]
        learned = quasar.train_speech(arrays, RATE, **TRAINING)
        np.testing.assert_array_equal(learned.dictionary, self.speech.dictionary)
        self.assertEqual(learned.files, ("clip 1", "clip 2", "clip 3"))
        noisy = samples_of(SOUNDS / "noisy.wav")
        of_file = quasar.denoise(SOUNDS / "noisy.wav", self.speech, **RUNNING)
        for sound in (noisy, noisy / 32768, list(noisy / 32768), noisy.astype(np.int32) * 65536):
            found = quasar.denoise(sound, self.speech, RATE, **RUNNING)
            np.testing.assert_array_equal(found.samples, of_file.samples)
        truth = samples_of(SOUNDS / "clean.wav") / 32768
        self.assertEqual(of_file.score(truth), of_file.score(SOUNDS / "clean.wav"))
        one = quasar.train_speech(arrays[0], RATE, **TRAINING)
        np.testing.assert_array_equal(one.dictionary, quasar.train_speech(str(CLIPS[0]), **TRAINING).dictionary)

    def test_what_is_found(self) -> None:
        speech = self.speech
        self.assertEqual((speech.sample_rate, len(speech), speech.rounds, speech.seed), (RATE, 20, 20, 1))
        self.assertEqual(speech.dictionary.shape, (speech.frame // 2 + 1, 20))
        np.testing.assert_allclose(speech.dictionary.mean(axis=0), 1)
        self.assertEqual(speech.files, tuple(map(str, CLIPS)))
        self.assertRegex(repr(speech), r"^10\.8 s of speech in 3 recordings\n")
        found = quasar.denoise(SOUNDS / "noisy.wav", speech, **RUNNING)
        self.assertEqual(found.samples.shape, samples_of(SOUNDS / "noisy.wav").shape)
        self.assertEqual(found.noisy.shape[0], speech.dictionary.shape[0])
        self.assertEqual(found.noisy.shape, found.clean.shape)
        self.assertEqual(found.noisy.shape, found.spread.shape)
        self.assertTrue((found.clean <= found.noisy).all() and (found.spread >= 0).all())
        promised = 10 * np.log10(found.clean.sum() / found.spread.sum())
        self.assertAlmostEqual(found.expected_sdr, promised, places=6)
        self.assertEqual(found.score(SOUNDS / "clean.wav").before.sar, math.inf)
        self.assertRegex(repr(found), r"expected SDR: ")
        found.report(self.folder / "page.html", reference=SOUNDS / "clean.wav")
        self.assertIn("showSound", (self.folder / "page.html").read_text())
        self.assertEqual(quasar.SpeechModel.load(self.saved()).to_dict(), speech.to_dict())

    def saved(self) -> str:
        path = str(self.folder / "speech.nc")
        self.speech.save(path)
        return path

    def test_silence_and_sounds_that_are_too_loud(self) -> None:
        found = quasar.denoise(np.zeros(RATE), self.speech, RATE, **RUNNING)
        self.assertTrue((found.samples == 0).all())
        self.assertTrue(math.isnan(found.expected_sdr))
        self.assertRegex(" ".join(found.notes), "silence")
        loud = quasar.denoise(samples_of(SOUNDS / "clean.wav") / 2000, self.speech, RATE, **RUNNING)
        with self.assertWarnsRegex(quasar.PredictionWarning, r"loud\.wav: cut off where \d+ samples lay"):
            loud.save(self.folder / "loud.wav")

    def test_what_the_command_line_notes(self) -> None:
        loud = np.clip(30 * (samples_of(CLIPS[0])[:RATE] / 32768), -1, 32767 / 32768)
        with wave.open(str(self.folder / "loud.wav"), "wb") as file:
            file.setparams((1, 2, RATE, 0, "NONE", ""))
            file.writeframes(np.round(32768 * loud).astype("<i2").tobytes())
        learned = quasar.train_speech(self.folder / "loud.wav", **TRAINING)
        self.assertRegex(" ".join(learned.notes), r"loud\.wav: \d+ samples lie at the end of the scale")
        self.assertEqual(self.speech.notes, ())
        short = samples_of(SOUNDS / "noisy.wav")[:100]
        scores = quasar.denoise(short, self.speech, RATE, **RUNNING).score(short)
        self.assertTrue(math.isnan(scores.after.sdr) and math.isnan(scores.after.segmental_snr))
        self.assertRegex(" ".join(scores.notes), "SDR, SIR and SAR need 512 samples, and there are 100")
        self.assertRegex(" ".join(scores.notes), "the segmental SNR needs a frame of 30 ms")
        faint = quasar.denoise(short / 32768e4, self.speech, RATE, **RUNNING)
        with self.assertWarnsRegex(quasar.PredictionWarning, r"faint\.wav: silence, as its largest sample"):
            faint.save(self.folder / "faint.wav")

    def test_what_is_refused(self) -> None:
        noisy, model = SOUNDS / "noisy.wav", self.speech
        usage, data = quasar.UsageError, quasar.DataError
        for error, pattern, call in (
            (usage, "sample_rate is needed with arrays", lambda: quasar.denoise([0.1, 0.2], model)),
            (usage, "sample_rate is for arrays", lambda: quasar.denoise(noisy, model, RATE)),
            (usage, "sample_rate is a number from 1", lambda: quasar.denoise([0.1], model, 0)),
            (
                data,
                "sound has 16000 samples a second, the model was learned from 8000",
                lambda: quasar.denoise([0.1], model, 16000),
            ),
            (data, r"sound has the shape \(2, 5\): one channel", lambda: quasar.denoise(np.zeros((2, 5)), model, RATE)),
            (data, "sound has no samples", lambda: quasar.denoise(np.empty(0), model, RATE)),
            (data, "sound: sample 1 is nan", lambda: quasar.denoise([0.1, math.nan], model, RATE)),
            (
                TypeError,
                "or of integers with 16 or 32 bits, not int64",
                lambda: quasar.denoise(np.arange(5), model, RATE),
            ),
            (usage, "no parameter 'iteration'|iterations", lambda: quasar.denoise(noisy, model, iteration=5)),
            (usage, "iterations", lambda: quasar.denoise(noisy, model, iterations=-1)),
            (usage, "there are no recordings", lambda: quasar.train_speech([])),
            (usage, "all files or all arrays", lambda: quasar.train_speech([noisy, np.zeros(5)])),  # type: ignore[arg-type]
            (data, "clip 2 has no samples", lambda: quasar.train_speech([np.ones(9), np.empty(0)], RATE)),
            (data, "none.wav", lambda: quasar.denoise("none.wav", model)),
            (data, "none.nc", lambda: quasar.denoise(noisy, "none.nc")),
            (TypeError, "rate is a whole number", lambda: quasar.denoise([0.1], model, 8000.5)),  # type: ignore[arg-type]
        ):
            with self.subTest(pattern), self.assertRaisesRegex(error, pattern):
                call()
        found = quasar.denoise(samples_of(noisy)[:2000], model, RATE, **RUNNING)
        with self.assertRaisesRegex(data, "the reference has 3 samples, the noisy sound 2000"):
            found.score([0.1, 0.2, 0.3])
        with self.assertRaisesRegex(data, "is silent"):
            found.score(np.zeros(2000))
        with self.assertRaisesRegex(usage, r"sound is written as NAME\.wav"):
            found.save(self.folder / "x.mp3")
        found.save(self.folder / "x.wav")
        with self.assertRaisesRegex(usage, "overwrite=True"):
            found.save(self.folder / "x.wav")

    def test_ctrl_c_stops(self) -> None:
        import _thread

        for work in (
            lambda: quasar.denoise(SOUNDS / "noisy.wav", self.speech, iterations=10**8),
            lambda: quasar.train_speech(CLIPS, rounds=10**6),
        ):
            before = threading.active_count()
            timer = threading.Timer(0.5, _thread.interrupt_main)
            timer.start()
            with self.assertRaises(KeyboardInterrupt):
                work()
            timer.join()
            end = time.monotonic() + 20
            while threading.active_count() > before and time.monotonic() < end:  # the work itself ends, too
                time.sleep(0.05)
            self.assertEqual(threading.active_count(), before)


if __name__ == "__main__":
    unittest.main()
