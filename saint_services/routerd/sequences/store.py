"""Stores sequences, each in a file of its own. Calls block: use asyncio.to_thread."""

from pathlib import Path
from typing import Final

from pydantic import BaseModel, ConfigDict

from ...lib.api.sequences import JointSequence, SequenceInfo
from ...lib.config.spelling import hint
from ...lib.errors import Code, SaintError
from ...lib.state import StateStore

MOST_SEQUENCES: Final = 64
SEQUENCE_VERSION: Final = 1


class SavedSequence(BaseModel):
    """sequences/<name>.json. Without a sequence the file is damaged or gone."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    sequence: JointSequence | None = None


class SequenceStore:
    """Sequences by name, in the folder of the router's state."""

    def __init__(self, state: Path) -> None:
        self._folder = state / "sequences"

    def names(self) -> list[str]:
        """Return the names of all sequences."""
        return sorted(path.stem for path in self._folder.glob("*.json"))

    def read(self, name: str) -> JointSequence:
        """Read a sequence. Raises SaintError not_found, or what is wrong with its file."""
        store = self._store(name)
        if not store.path.exists():
            meant = hint(name, self.names())
            raise SaintError(Code.NOT_FOUND, f"there is no sequence {name!r}{meant}")
        saved = store.load()
        if store.problem:
            raise store.problem
        if saved.sequence is None:
            raise SaintError(Code.STATE_DAMAGED, f"{store.path.name} has no sequence")
        return saved.sequence

    def write(self, name: str, sequence: JointSequence) -> SequenceInfo:
        """Store a sequence. Raises SaintError refused when there are too many."""
        store = self._store(name)
        if not store.path.exists() and len(self.names()) >= MOST_SEQUENCES:
            raise SaintError(
                Code.REFUSED,
                f"there are {MOST_SEQUENCES} sequences already, the most that can be stored",
                fix="Delete a sequence that is not needed any more.",
            )
        store.save(SavedSequence(sequence=sequence))
        return info_of(name, sequence)

    def delete(self, name: str) -> None:
        """Delete a sequence. Raises SaintError not_found."""
        store = self._store(name)
        if not store.path.exists():
            meant = hint(name, self.names())
            raise SaintError(Code.NOT_FOUND, f"there is no sequence {name!r}{meant}")
        store.forget()

    def infos(self) -> list[SequenceInfo]:
        """Return all sequences; one that cannot be read has its fault."""
        return [self._info(name) for name in self.names()]

    def _info(self, name: str) -> SequenceInfo:
        try:
            return info_of(name, self.read(name))
        except SaintError as err:
            return SequenceInfo(name=name, fault=err.message)

    def _store(self, name: str) -> StateStore[SavedSequence]:
        return StateStore(self._folder / f"{name}.json", SavedSequence, SEQUENCE_VERSION)


def info_of(name: str, sequence: JointSequence) -> SequenceInfo:
    """Return what lists show of a sequence."""
    return SequenceInfo(
        name=name, joints=sequence.joints, duration_s=sequence.duration_s,
        frames=len(sequence.frames), source=sequence.source,
    )  # fmt: skip
