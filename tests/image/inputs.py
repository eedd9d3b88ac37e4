"""What goes into the image and its tests, as one hash: which build and which verdict still hold."""

import hashlib
from collections.abc import Iterator
from pathlib import Path

from tests.image.artefacts import FOLDER, ROOT
from tools.image.places import Places

_BUILT = (
    "image",
    "overlays",
    "systemd",
    "saint_services",
    "web",
    "manifests",
    "pi-gen.conf",
    "requirements.lock",
)
_TOOLS = ("tools/image", "tools/release")
_TESTED = ("tools/vm", "tools/powercut", "tests/image")
_IMAGE_TESTS = "tests/image/test_*.py"
# Never part of the image, nor of what judges it.
_IGNORED = ("__pycache__", "node_modules", "README.md")
_BUILT_MARK = FOLDER / "inputs.sha256"


def of_build() -> str:
    """Changes when the image would."""
    return _digest(*_BUILT, *_TOOLS)


def of_tests() -> str:
    """Changes when the image or what judges it does."""
    return _digest(*_BUILT, *_TOOLS, *_TESTED)


def is_built() -> bool:
    """True when build/image was made of what lies here now."""
    return _BUILT_MARK.is_file() and _BUILT_MARK.read_text().strip() == of_build()


def mark_built() -> None:
    _BUILT_MARK.write_text(of_build() + "\n")


def has_passed() -> bool:
    """True when these very files passed the usual tests on this computer before."""
    return (_passed_folder() / of_tests()).is_file()


def mark_passed() -> None:
    _passed_folder().mkdir(parents=True, exist_ok=True)
    (_passed_folder() / of_tests()).touch()


class EarlierPasses:
    """Which tests passed on this computer with the same image, helpers and file of tests; so a run
    of hours that was interrupted can go on.
    """

    def __init__(self) -> None:
        self._shared = _digest(*_BUILT, *_TOOLS, *_TESTED, but=_IMAGE_TESTS)

    def has(self, test: str) -> bool:
        """Return whether it passed. `test`: as pytest names it, "tests/image/test_a.py::test_b"."""
        return self._file(test).is_file()

    def add(self, test: str) -> None:
        """Remember that it passed now."""
        _passed_folder().mkdir(parents=True, exist_ok=True)
        self._file(test).touch()

    def _file(self, test: str) -> Path:
        path = test.partition("::")[0]
        named = f"{self._shared}\0{_digest(path)}\0{test}"
        return _passed_folder() / f"test-{hashlib.sha256(named.encode()).hexdigest()}"


def _passed_folder() -> Path:
    return Places.from_environment().cache / "image-tests-passed"


def _digest(*paths: str, but: str = "") -> str:
    """Names and content of all files there that matter, without those of the pattern `but`."""
    total = hashlib.sha256()
    for path in sorted(file for name in paths for file in _files(ROOT / name)):
        if but and path.relative_to(ROOT).match(but):
            continue
        content = str(path.readlink()).encode() if path.is_symlink() else path.read_bytes()
        total.update(f"{path.relative_to(ROOT)}\0{len(content)}\0".encode() + content)
    return total.hexdigest()


def _files(path: Path) -> Iterator[Path]:
    if path.is_symlink() or path.is_file():
        yield path
        return
    for inside in path.iterdir():
        if inside.name not in _IGNORED:
            yield from _files(inside)
