"""Finds kernel modules and what must be loaded before each of them. It loads and writes nothing."""

from collections.abc import Iterable
from pathlib import Path

from saint_services.lib.errors import Code, SaintError


def name_of(file: str) -> str:
    """gpio-regulator.ko.xz -> gpio_regulator, as the kernel calls it."""
    return Path(file).name.partition(".ko")[0].replace("-", "_")


class Index:
    """modules.dep, modules.softdep and modules.builtin of one kernel."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._files: dict[str, str] = {}
        self._needs: dict[str, list[str]] = {}
        for line in _lines(folder / "modules.dep"):
            file, _, needed = line.partition(":")
            self._files[name_of(file)] = file
            self._needs[file] = needed.split()
        self._builtin = {name_of(line) for line in _lines(folder / "modules.builtin")}
        self._before: dict[str, list[str]] = {}
        for line in _lines(folder / "modules.softdep"):
            self._read_softdep(line.split())

    def load_order(self, wanted: Iterable[str]) -> list[Path]:
        """Files of the wanted modules and all they need, each after what it needs."""
        order: list[str] = []
        for name in wanted:
            self._add(name.replace("-", "_"), order)
        return [self.folder / file for file in order]

    def _add(self, name: str, order: list[str]) -> None:
        if name in self._builtin:
            return
        if name not in self._files:
            raise SaintError(
                Code.CONFIG_INVALID,
                f"this kernel ({self.folder.name}) has no module {name}",
                fix="Correct image/initrd/modules.",
            )
        for other in self._before.get(name, []):
            if other in self._files:  # else it is built in, or an alias
                self._add(other, order)
        file = self._files[name]
        for needed in [*reversed(self._needs[file]), file]:
            if needed not in order:
                order.append(needed)

    def _read_softdep(self, words: list[str]) -> None:
        """softdep NAME pre: A B post: C"""
        if words[:1] != ["softdep"] or "pre:" not in words:
            return
        for word in words[words.index("pre:") + 1 :]:
            if word.endswith(":"):
                break
            self._before.setdefault(words[1].replace("-", "_"), []).append(word.replace("-", "_"))


def _lines(path: Path) -> list[str]:
    return path.read_text(encoding="utf-8").splitlines() if path.exists() else []
