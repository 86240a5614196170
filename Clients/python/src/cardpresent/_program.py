"""The program `cardpresent simulate serve` as a child process."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import IO

from .errors import ProgramError

VARIABLE = "CARDPRESENT_PROGRAM"
INTERVAL = 0.02
"""The seconds between two looks at a process that starts or ends."""


def found(program: str | os.PathLike[str] | None) -> str:
    """Returns the path of the program: the given one, that of `CARDPRESENT_PROGRAM`, or the one on the `PATH`."""
    name = os.fspath(program) if program is not None else os.environ.get(VARIABLE) or "cardpresent"
    path = shutil.which(name)
    if path is None:
        raise ProgramError(f"there is no program '{name}': put cardpresent on the PATH, or set {VARIABLE} to its path")
    return str(Path(path).absolute())


class ServiceProcess:
    """A process that serves on a free port of this machine."""

    def __init__(
        self, program: str | os.PathLike[str] | None, *, token: str | None, sessions_limit: int | None
    ) -> None:
        arguments = [found(program), "simulate", "serve", "--port", "0", "--json"]
        if sessions_limit is not None:
            arguments += ["--sessions-limit", str(sessions_limit)]
        environment: Mapping[str, str] | None = None
        if token is not None:
            arguments += ["--token-env", "CARDPRESENT_SERVICE_TOKEN"]
            environment = os.environ | {"CARDPRESENT_SERVICE_TOKEN": token}
        # Files, unlike pipes, never fill up. In a group of its own, the process does not get the Ctrl-C of the tests.
        self._output, self._errors = tempfile.TemporaryFile(), tempfile.TemporaryFile()
        try:
            self._process = subprocess.Popen(
                arguments,
                stdin=subprocess.DEVNULL,
                stdout=self._output,
                stderr=self._errors,
                env=environment,
                process_group=0,
            )
        except OSError as error:
            self._close()
            raise ProgramError(f"{arguments[0]} can't be started: {error.strerror}") from error

    @property
    def pid(self) -> int:
        """The number of the process."""
        return self._process.pid

    def address(self) -> str | None:
        """Returns the address as soon as the process listens.

        Raises:
            ProgramError: when the process ended.
        """
        ended = self._process.poll() is not None
        try:
            return str(json.loads(self._text(self._output))["address"])
        except (ValueError, TypeError, KeyError):
            if not ended:
                return None
        reason = self._text(self._errors).strip() or self._text(self._output).strip() or "without a message"
        raise ProgramError(f"the service ended with exit code {self._process.returncode}: {reason[-2000:]}")

    def end(self) -> None:
        """Asks the process to end."""
        if self._process.poll() is None:
            self._process.terminate()

    def has_ended(self) -> bool:
        """Whether the process is gone."""
        return self._process.poll() is not None

    def remove(self) -> None:
        """Kills what is left of the process, and removes its files."""
        if self._process.poll() is None:
            self._process.kill()
            self._process.wait()
        self._close()

    def _close(self) -> None:
        self._output.close()
        self._errors.close()

    @staticmethod
    def _text(file: IO[bytes]) -> str:
        # The process writes to the same open file, so the position must stay where it is.
        return os.pread(file.fileno(), 1 << 20, 0).decode(errors="replace")
