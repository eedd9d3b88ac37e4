"""The two slots of a simulated machine and its boot loader's memory, as RAUC 1.13 and our boot
script treat them. Pure data and rules, kept in one file. Not here: installing (installer.py).
"""

import json
import os
from dataclasses import asdict, dataclass, field
from pathlib import Path

ATTEMPTS = 3
LETTERS = ("A", "B")
_FILE = "slots.json"


@dataclass(slots=True)
class Slot:
    """What is in it, and what RAUC's status file says of it (empty: it came with the card)."""

    version: str = ""
    breaks: str = ""  # how its release fails: boot, hang, health, role
    left: int = ATTEMPTS
    installed: dict[str, str | int] = field(default_factory=dict)


@dataclass(slots=True)
class Slots:
    """All that survives a power cut."""

    booted: str = "A"
    order: list[str] = field(default_factory=lambda: list(LETTERS))
    a: Slot = field(default_factory=Slot)
    b: Slot = field(default_factory=Slot)

    def slot(self, letter: str) -> Slot:
        return self.a if letter == "A" else self.b

    @property
    def other(self) -> str:
        """The one that does not run."""
        return "B" if self.booted == "A" else "A"

    @property
    def primary(self) -> str:
        """What the boot loader takes next; empty when there is nothing to take."""
        return next((x for x in self.order if self.is_good(x)), "")

    def is_good(self, letter: str) -> bool:
        """Whether RAUC calls its boot status good."""
        return letter in self.order and self.slot(letter).left > 0

    def mark_good(self, letter: str) -> None:
        """All its tries again; the order stays."""
        self.slot(letter).left = ATTEMPTS

    def mark_bad(self, letter: str) -> None:
        """Out of the order first: a power cut between the two leaves it unused."""
        if letter in self.order:
            self.order.remove(letter)
        self.slot(letter).left = 0

    def mark_active(self, letter: str) -> None:
        """First in the order, with all tries."""
        self.slot(letter).left = ATTEMPTS
        self.order = [letter, *(x for x in self.order if x != letter)]

    def boot(self) -> str:
        """One start of the boot loader: takes a try of the first slot that has one left."""
        letter = self.primary or self._last_resort()
        if not letter:  # image/boot/boot.cmd: rather try again than stand still
            self.order = self.order or list(LETTERS)
            for each in LETTERS:
                self.slot(each).left = ATTEMPTS
            letter = self.primary
        self.slot(letter).left -= 1
        self.booted = letter
        return letter

    def _last_resort(self) -> str:
        """A slot that the order does not name, for one start: the other one has its tries again."""
        letter = next((each for each in LETTERS if self.slot(each).left > 0), "")
        if letter:
            self.slot("B" if letter == "A" else "A").left = ATTEMPTS
        return letter


def load(folder: Path, version: str) -> Slots:
    """As they were left; `version` is what a new machine's card came with, in both slots."""
    try:
        kept = json.loads((folder / _FILE).read_text(encoding="utf-8"))
    except FileNotFoundError:
        return Slots(a=Slot(version), b=Slot(version))
    return Slots(kept["booted"], kept["order"], Slot(**kept["a"]), Slot(**kept["b"]))


def save(folder: Path, slots: Slots) -> None:
    """Whole or not at all."""
    folder.mkdir(parents=True, exist_ok=True)
    aside = folder / f"{_FILE}.new"
    with aside.open("w", encoding="utf-8") as file:
        json.dump(asdict(slots), file, indent=1)
        file.flush()
        os.fsync(file.fileno())
    aside.replace(folder / _FILE)
