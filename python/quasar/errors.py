"""What the library raises, what a user's function raises to reject a point, and what a run warns of."""

from quasar._core import DataError, Diverged, Reject, RunError, UsageError

__all__ = [
    "ConvergenceWarning",
    "DataError",
    "Diverged",
    "PredictionWarning",
    "Reject",
    "RunError",
    "StoppedEarly",
    "UsageError",
]

for _error in (DataError, Diverged, Reject, RunError, UsageError):
    _error.__module__ = "quasar"  # where users find them, and what tracebacks show


class ConvergenceWarning(UserWarning):
    """A run whose numbers are not to be trusted as they are; the text says why and what to try."""


class StoppedEarly(UserWarning):
    """A run that has fewer draws than were asked for."""


class PredictionWarning(UserWarning):
    """Predictions that say less than they seem to: rows that were left out, infinite numbers, too few draws."""
