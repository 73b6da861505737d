"""Exceptions with the library's own messages."""
from __future__ import annotations

import errno
import os


class VmafError(RuntimeError):
    """The base class. `code` is the library's errno value or the program's exit code."""

    def __init__(self, sentence: str, code: int = 0) -> None:
        super().__init__(sentence)
        self.code = code


class InvalidInput(VmafError, ValueError):
    """Arrays, files, models or options that cannot be scored."""


class BackendUnavailable(VmafError):
    """A backend selected by name is not built, or its driver or device is unavailable."""


class OutOfMemory(VmafError, MemoryError):
    """Not enough memory, or no thread available."""


def error_for(code: int, sentence: str) -> VmafError:
    """The exception for a positive errno value."""
    sentence = sentence or os.strerror(code)
    if code == errno.ENOMEM:
        return OutOfMemory(sentence, code)
    if code in (errno.ENOSYS, errno.ENODEV):
        return BackendUnavailable(sentence, code)
    if code == errno.EINVAL:
        return InvalidInput(sentence, code)
    return VmafError(sentence, code)
