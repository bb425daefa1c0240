"""Exceptions: every one has a stable ``code`` and, where there is a next step, a ``hint``."""

from __future__ import annotations

__all__ = [
    "CrowdwiseError",
    "DataError",
    "FileError",
    "InterruptedFit",
    "InterruptedWarning",
    "NotFittedError",
    "ParameterError",
    "UnknownNameError",
    "UnsupportedError",
]


class CrowdwiseError(Exception):
    """What can go wrong. ``code`` is a promise, the message may improve."""

    code: str
    hint: str | None

    def __init__(self, message: str, code: str = "usage", hint: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.code = code
        self.hint = hint

    def __str__(self) -> str:
        return f"{self.message}\n  hint: {self.hint}" if self.hint else self.message

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), (self.message, self.code, self.hint)


class ParameterError(CrowdwiseError, ValueError):
    """A parameter has a wrong value, or there is none of that name."""


class UnknownNameError(CrowdwiseError, ValueError):
    """There is no method, model or other thing of that name."""


class DataError(CrowdwiseError, ValueError):
    """The data cannot be used as they are."""


class FileError(CrowdwiseError, OSError):
    """A file could not be read or written."""


class UnsupportedError(CrowdwiseError, ValueError):
    """Something that this method or this data cannot do."""


class NotFittedError(CrowdwiseError, ValueError, AttributeError):
    """Asked before ``fit``."""

    def __init__(self, message: str, code: str = "not-fitted", hint: str | None = None) -> None:
        super().__init__(message, code, hint)


class InterruptedFit(CrowdwiseError, KeyboardInterrupt):
    """Interrupted before there was anything to give back."""


class InterruptedWarning(UserWarning):
    """A fit was interrupted; what it had by then is its result."""


_CLASSES: dict[str, type[CrowdwiseError]] = {
    "missing-column": DataError,
    "bad-parameter": ParameterError,
    "unknown-parameter": ParameterError,
    "unknown-name": UnknownNameError,
    "wrong-label-kind": DataError,
    "bad-rows": DataError,
    "no-data": DataError,
    "bad-data": DataError,
    "not-finite": DataError,
    "too-large": DataError,
    "unreadable": FileError,
    "unwritable": FileError,
    "unsupported": UnsupportedError,
    "interrupted": InterruptedFit,
}


def from_code(code: str, message: str, hint: str | None) -> CrowdwiseError:
    """The exception for an error of the library."""
    return _CLASSES.get(code, CrowdwiseError)(message, code, hint)
