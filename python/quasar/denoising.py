"""Speech out of noise: what clean speech looks like is learned, and recordings are cleaned by it.

>>> speech = quasar.train_speech(["one.wav", "two.wav"])
>>> found = quasar.denoise("noisy.wav", speech)
>>> found.save("clean.wav")
"""

from __future__ import annotations

import json
import threading
import warnings
from collections.abc import Callable, Sequence
from concurrent.futures import Future, wait
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeAlias, TypeVar, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from quasar import _core
from quasar.checks import AnyPath, is_path, path_text, truth, whole_number
from quasar.errors import DataError, PredictionWarning, UsageError
from quasar.progress import ChainProgress, display_for
from quasar.values import Floats, Setting, as_texts
from quasar.waiting import POLL_SECONDS
from quasar.wording import errors_in_python, in_python

Sound: TypeAlias = AnyPath | ArrayLike
Result = TypeVar("Result")

HIGHEST_RATE = 2**24
PER_CENT = 100
NO_REFERENCE = np.empty(0)
INTEGERS = (np.dtype(np.int16), np.dtype(np.int32))


class SpeechModel:
    """What `quasar.train_speech` has learned; prints as `quasar denoise train` does.

    dictionary    (bins, components): spectra that speech is put together from, each with the mean 1
    notes         of one just learned: what there is to know of its recordings, such as clipped samples
    """

    def __init__(self, core: _core.LearnedSpeech) -> None:
        self._core = core
        facts = self.to_dict()
        self.sample_rate: int = facts["sample_rate"]
        self.frame: int = facts["frame"]  # samples
        self.hop: int = facts["hop"]  # samples from frame to frame
        self.alpha: float = facts["alpha"]  # the tail of speech: 2 is Gaussian, less is more impulsive
        self.level: float = facts["level"]  # root mean square of what was learned from
        self.files: tuple[str, ...] = tuple(facts["files"])
        self.seconds_of_speech: float = facts["seconds_of_speech"]
        self.rounds: int = facts["rounds"]
        self.seed: int = facts["seed"]
        self.notes: tuple[str, ...] = tuple(core.notes())

    @cached_property
    def dictionary(self) -> Floats:
        return self._core.dictionary()

    def __len__(self) -> int:
        """The number of components."""
        return int(self.dictionary.shape[1])

    def to_dict(self) -> dict[str, Any]:
        """What `quasar denoise train --json` prints of the model."""
        return cast(dict[str, Any], json.loads(self._core.json()))

    @errors_in_python()
    def save(self, path: AnyPath, *, overwrite: bool = False) -> None:
        """Writes a file of speech, which `SpeechModel.load` and `quasar denoise run` read."""
        self._core.save(path_text("path", path), truth("overwrite", overwrite))

    @staticmethod
    @errors_in_python()
    def load(path: AnyPath) -> SpeechModel:
        """Opens a file of speech that `save` or `quasar denoise train` has written."""
        return SpeechModel(_core.read_speech(path_text("path", path)))

    def __repr__(self) -> str:
        return self._core.text().rstrip()


@dataclass(frozen=True)
class SoundScores:
    """Of one sound against the clean one, in dB; the more the better. Infinite: no error; NaN: not defined."""

    sdr: float  # speech over all errors
    sir: float  # speech over what is left of the noise
    sar: float  # speech and noise over what is neither
    segmental_snr: float


@dataclass(frozen=True)
class DenoiseScores:
    before: SoundScores
    after: SoundScores
    notes: tuple[str, ...] = ()  # what is not defined, and why


class Denoised:
    """The result of `quasar.denoise`; prints as `quasar denoise run` does.

    samples              the mean of the posterior of the speech, as long as the noisy sound
    noisy, clean, spread  (bins, frames): of the noisy sound |x|^2, of the speech |E s|^2 and E|s - E s|^2
    expected_sdr         what the posterior promises, in dB
    notes                what there is to know: silence, clipped samples
    """

    def __init__(self, core: _core.CleanedSound) -> None:
        self._core = core
        facts = self.to_dict()
        self.sample_rate: int = facts["sample_rate"]
        self.expected_sdr: float = or_nan(facts["expected_sdr"])
        self.notes: tuple[str, ...] = tuple(in_python(note) for note in facts["notes"])

    @cached_property
    def samples(self) -> Floats:
        return self._core.samples()

    @cached_property
    def noisy(self) -> Floats:
        return self._core.noisy()

    @cached_property
    def clean(self) -> Floats:
        return self._core.clean()

    @cached_property
    def spread(self) -> Floats:
        return self._core.spread()

    def to_dict(self) -> dict[str, Any]:
        """What `quasar denoise run --json` prints, without scores."""
        return cast(dict[str, Any], json.loads(self._core.json()))

    @errors_in_python()
    def score(self, reference: Sound) -> DenoiseScores:
        """How near the sound is to the same sound without noise, before and after."""
        scores, notes = self._core.scores(self._reference(reference))
        half = len(scores) // 2
        return DenoiseScores(SoundScores(*scores[:half]), SoundScores(*scores[half:]), tuple(notes))

    @errors_in_python()
    def save(self, path: AnyPath, *, overwrite: bool = False) -> None:
        """Writes NAME.wav with 16 bits a sample. What these cut off, or round to silence, is warned of."""
        target = path_text("path", path)
        if not target.lower().endswith(".wav"):
            raise UsageError(f"{target}: sound is written as NAME.wav")
        for note in self._core.save(target, truth("overwrite", overwrite)):
            warnings.warn(note, PredictionWarning, stacklevel=4)

    @errors_in_python()
    def report(self, path: AnyPath, *, reference: Sound | None = None, overwrite: bool = False) -> None:
        """Writes a page, one HTML file that loads nothing: pictures before and after, and both to listen to."""
        known = NO_REFERENCE if reference is None else self._reference(reference)
        _core.write_page(path_text("path", path), self._core.page(known), truth("overwrite", overwrite))

    def _reference(self, reference: Sound) -> Floats:
        if is_path(reference):
            return self._core.reference(path_text("reference", cast(AnyPath, reference)))
        samples = as_samples("reference", reference)
        if samples.size == 0:
            raise DataError("reference has no samples")
        return samples

    def __repr__(self) -> str:
        return self._core.text().rstrip()


@errors_in_python()
def train_speech(
    clips: Sound | Sequence[Sound],
    sample_rate: int | None = None,
    *,
    progress: bool | None = None,
    **settings: Setting,
) -> SpeechModel:
    """Learns what speech is from recordings without noise.

    >>> speech = quasar.train_speech(["one.wav", "two.wav"], components=60)
    >>> speech.save("speech.nc")

    clips        WAV files with one channel, or arrays of samples: one, or a list of either kind
    sample_rate  of the arrays; files know it themselves
    progress     None: a bar in terminals and notebooks; True: lines elsewhere too; False: nothing
    settings     what `quasar denoise train --help` lists, such as components=60, seed=2

    Ctrl-C stops it.
    """
    listed = list(cast(Sequence[Sound], clips)) if is_several(clips) else [cast(Sound, clips)]
    if not listed:
        raise UsageError("clips: there are no recordings to learn from")
    files = [is_path(clip) for clip in listed]
    given = as_texts(settings)
    watched = _core.SoundProgress()
    if all(files):
        refuse_rate(sample_rate)
        paths = [path_text("clips", cast(AnyPath, clip)) for clip in listed]
        return SpeechModel(run_watched(lambda: _core.learn_speech_from_files(paths, given, watched), watched, progress))
    if any(files):
        raise UsageError("clips are all files or all arrays")
    arrays = [as_samples(f"clip {number}", cast(ArrayLike, clip)) for number, clip in enumerate(listed, start=1)]
    rate = rate_of(sample_rate)
    return SpeechModel(
        run_watched(lambda: _core.learn_speech_from_arrays(arrays, rate, given, watched), watched, progress)
    )


@errors_in_python()
def denoise(
    sound: Sound,
    model: SpeechModel | AnyPath,
    sample_rate: int | None = None,
    *,
    progress: bool | None = None,
    **settings: Setting,
) -> Denoised:
    """Cleans a recording of speech of its noise, which need not be known.

    >>> found = quasar.denoise("noisy.wav", speech, seed=2)
    >>> found.samples, found.expected_sdr

    sound        a WAV file with one channel, or an array of samples
    model        what `quasar.train_speech` has returned, or the path of its file
    sample_rate  of an array; it has to be that of the model
    progress     None: a bar in terminals and notebooks; True: lines elsewhere too; False: nothing
    settings     what `quasar denoise run --help` lists, such as iterations=1000, seed=2

    The samples are those of the command line, bit for bit. Ctrl-C stops it.
    """
    speech = (model if isinstance(model, SpeechModel) else SpeechModel.load(model))._core
    given = as_texts(settings)
    watched = _core.SoundProgress()
    if is_path(sound):
        refuse_rate(sample_rate)
        path = path_text("sound", cast(AnyPath, sound))
        return Denoised(run_watched(lambda: _core.clean_file(path, speech, given, watched), watched, progress))
    samples, rate = as_samples("sound", cast(ArrayLike, sound)), rate_of(sample_rate)
    return Denoised(run_watched(lambda: _core.clean_array(samples, rate, speech, given, watched), watched, progress))


def is_several(clips: object) -> bool:
    """A list of sounds, and not one sound that is a list of numbers."""
    if is_path(clips) or isinstance(clips, np.ndarray) or not isinstance(clips, Sequence):
        return False
    return len(clips) == 0 or is_path(clips[0]) or np.ndim(clips[0]) > 0


def refuse_rate(sample_rate: int | None) -> None:
    if sample_rate is not None:
        raise UsageError("sample_rate is for arrays; files know their own")


def rate_of(sample_rate: int | None) -> int:
    if sample_rate is None:
        raise UsageError(
            "sample_rate is needed with arrays: say how many samples a second has, such as sample_rate=8000"
        )
    rate = whole_number("sample_rate", sample_rate)
    if not 1 <= rate <= HIGHEST_RATE:
        raise UsageError(f"sample_rate is a number from 1 to {HIGHEST_RATE}, not {rate}")
    return rate


def as_samples(what: str, sound: Any) -> Floats:
    """Numbers in [-1, 1): integers are divided by the size of their type, as in WAV files; floats stand as they are."""
    array = np.asarray(sound)
    if array.dtype.kind != "f" and array.dtype not in INTEGERS:
        raise TypeError(
            f"{what} is the path of a WAV file or an array of floats, or of integers with 16 or 32 bits, "
            f"not {array.dtype if isinstance(sound, np.ndarray) else type(sound).__name__}"
        )
    if array.ndim != 1:
        raise DataError(f"{what} has the shape {array.shape}: one channel is read, samples in a row")
    if array.size == 0:
        raise DataError(f"{what} has no samples")
    samples = scaled(array)
    finite = np.isfinite(samples)
    if not finite.all():
        place = int(np.argmin(finite))
        raise DataError(f"{what}: sample {place} is {samples[place]}")
    return samples


def scaled(array: NDArray[Any]) -> Floats:
    numbers = array.astype(np.float64, order="C")
    return numbers if array.dtype.kind == "f" else numbers / 2.0 ** (8 * array.dtype.itemsize - 1)


def or_nan(value: float | None) -> float:
    return float("nan") if value is None else value


def run_watched(work: Callable[[], Result], watched: _core.SoundProgress, progress: bool | None) -> Result:
    """Waits while another thread works. Ctrl-C stops it and is raised."""
    future: Future[Result] = Future()

    def run() -> None:
        try:
            future.set_result(work())
        except BaseException as error:
            future.set_exception(error)

    display = display_for(progress, 1)
    threading.Thread(target=run, daemon=True).start()
    try:
        while not wait([future], POLL_SECONDS).done:
            display.show([progress_of(watched)])
    except KeyboardInterrupt:
        watched.stop()
        raise
    result = future.result()
    display.show([ChainProgress(PER_CENT, PER_CENT, 0, None, "percent")])
    return result


def progress_of(watched: _core.SoundProgress) -> ChainProgress:
    return ChainProgress(min(PER_CENT, round(PER_CENT * watched.share())), PER_CENT, 0, None, "percent")
