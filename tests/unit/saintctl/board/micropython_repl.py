"""MicroPython's raw REPL for mpremote itself: code is run by this Python, with the files of a
folder in place of the board's and the few names of MicroPython's os that mpremote uses.
"""

import builtins
import contextlib
import errno
import importlib
import io
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any, NoReturn

_BANNER = b"raw REPL; CTRL-B to exit\r\n>"
_RESTART = b"\r\nMPY: soft reboot\r\n" + _BANNER
_TRACEBACK = "Traceback (most recent call last):\r\n"
_MODULES = ("sys", "hashlib", "binascii", "gc", "errno", "io", "json", "struct")


class _ResetError(Exception):
    """Ends the code: the board starts again."""


class MicroPythonRepl:
    """`folder` holds the board's files. `is_reset` is set when the code resets the board."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(exist_ok=True)
        self.is_reset = False
        self._folder = folder
        self._held = b""
        self._output = io.StringIO()
        self._names: dict[str, Any] = {}

    def feed(self, data: bytes) -> bytes:
        """Return what it replies to these bytes."""
        reply = b""
        for byte in data:
            if byte == 3:
                reply, self._held = reply + b"\r\n>>> ", b""
            elif byte == 1:
                if self._held == b"\x05A":  # whether it knows raw paste: no
                    reply, self._held = reply + b"R\x00", b""
                else:
                    reply, self._held = reply + _BANNER, b""
            elif byte == 4:
                code, self._held = self._held.strip(), b""
                reply += (
                    b"OK" + self._run(code.decode())
                    if code
                    else b"OK\r\nMPY: soft reboot\r\n" + _BANNER
                )
            elif byte != 13:
                self._held += bytes((byte,))
        return reply

    def _run(self, code: str) -> bytes:
        self._output, trouble = io.StringIO(), ""
        given = {"__import__": self._import, "open": self._open, "print": self._print}
        self._names["__builtins__"] = vars(builtins) | given
        try:
            exec(code, self._names)  # what mpremote sends in a test
        except _ResetError:
            self.is_reset = True
            return b""
        except OSError as err:
            code_name = errno.errorcode.get(err.errno or 0, "")
            trouble = f"{_TRACEBACK}OSError: [Errno {err.errno}] {code_name}\r\n"
        except Exception as err:  # noqa: BLE001  as MicroPython reports it
            trouble = f"{_TRACEBACK}{type(err).__name__}: {err}\r\n"
        return self._output.getvalue().encode() + b"\x04" + trouble.encode() + b"\x04>"

    def _print(self, *values: object, **options: Any) -> None:
        print(*values, file=self._output, **options)

    def _place(self, name: str) -> Path:
        return self._folder / name.lstrip("/")

    def _open(self, name: str, *options: Any) -> Any:
        return self._place(name).open(*options)

    def _import(self, name: str, *_: Any) -> Any:
        if name in ("os", "uos"):
            return self._os()
        if name == "machine":
            return SimpleNamespace(reset=_reset)
        if name == "time":
            return SimpleNamespace(sleep_ms=lambda _ms: None)
        if name in _MODULES:
            return importlib.import_module(name)
        raise ImportError(f"no module named '{name}'")

    def _os(self) -> Any:
        place = self._place

        def entries(name: str = "") -> Iterator[tuple[str, int, int, int]]:
            for each in sorted(place(name).iterdir()):
                kind = 0x4000 if each.is_dir() else 0x8000
                yield each.name, kind, 0, each.stat().st_size

        return SimpleNamespace(
            ilistdir=entries,
            listdir=lambda name="": [each[0] for each in entries(name)],
            stat=lambda name: tuple(place(name).stat()),
            mkdir=lambda name: place(name).mkdir(),
            remove=lambda name: place(name).unlink(),
            rmdir=lambda name: place(name).rmdir(),
            rename=lambda name, other: place(name).rename(place(other)),
            getcwd=lambda: "/",
            chdir=lambda name: None,
        )


def _reset() -> NoReturn:
    raise _ResetError


def files_of(folder: Path) -> dict[str, bytes]:
    """Return what stands in a folder, by names as on the board."""
    with contextlib.suppress(FileNotFoundError):
        return {
            str(each.relative_to(folder)): each.read_bytes()
            for each in sorted(folder.rglob("*"))
            if each.is_file()
        }
    return {}
