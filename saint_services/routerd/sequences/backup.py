"""The stored sequences in a backup: each is compressed, since one of minutes has a megabyte. Not
here: routes and presets (routerd/backup.py).
"""

import asyncio
import base64
import zlib
from typing import Final

from pydantic import Field, ValidationError

from ...lib.api.sequences import LONGEST_S, MOST_FRAMES, JointSequence, SequenceName
from ...lib.backup.sections import Section
from ...lib.errors import Code, SaintError
from ...lib.strict import StrictModel
from .store import MOST_SEQUENCES, SequenceStore

MOST_CHARACTERS: Final = 640 << 10  # of all sequences: a backup has a megabyte
_LARGEST_BYTES: Final = MOST_FRAMES * 33 * 26  # a sequence as text, with the most joints
_VERSION: Final = 1


class SavedSequences(StrictModel):
    """All sequences by name, each as base64 of its compressed JSON."""

    sequences: dict[SequenceName, str] = Field(default={}, max_length=MOST_SEQUENCES)


class SequencesBackup:
    """Exports and restores the sequences."""

    def __init__(self, store: SequenceStore) -> None:
        self._store = store

    def section(self) -> Section[SavedSequences]:
        return Section("sequences", SavedSequences, _VERSION, self._current, self._check, self._use)

    async def _current(self) -> SavedSequences:
        return await asyncio.to_thread(self._read)

    def _read(self) -> SavedSequences:
        found: dict[str, str] = {}
        for name in self._store.names():
            try:
                found[name] = packed(self._store.read(name))
            except SaintError:
                continue  # a damaged one is left out; the list of sequences shows it
        if (total := sum(map(len, found.values()))) > MOST_CHARACTERS:
            largest = max(found, key=lambda name: len(found[name]))
            raise SaintError(
                Code.TOO_LARGE,
                f"the sequences need {total} bytes in a backup, {MOST_CHARACTERS} at most; "
                f"{largest} is the largest",
                fix="Export the largest sequences as files, and delete them.",
            )
        return SavedSequences(sequences=found)

    async def _check(self, saved: SavedSequences) -> list[str]:
        await asyncio.to_thread(self._unpack, saved)
        return []

    async def _use(self, saved: SavedSequences) -> None:
        await asyncio.to_thread(self._write, saved)

    def _write(self, saved: SavedSequences) -> None:
        wanted = self._unpack(saved)
        for name in self._store.names():
            if name not in wanted:
                self._store.delete(name)
        for name, sequence in wanted.items():
            self._store.write(name, sequence)

    def _unpack(self, saved: SavedSequences) -> dict[str, JointSequence]:
        return {name: unpacked(name, text) for name, text in saved.sequences.items()}


def packed(sequence: JointSequence) -> str:
    """Return a sequence as a section holds it."""
    return base64.b64encode(zlib.compress(sequence.model_dump_json().encode(), 9)).decode()


def unpacked(name: str, text: str) -> JointSequence:
    """Return a sequence of a section. Raises request_invalid."""
    try:
        stream = zlib.decompressobj()
        data = stream.decompress(base64.b64decode(text, validate=True), _LARGEST_BYTES)
        if stream.unconsumed_tail or not stream.eof:
            raise _damaged(name, f"it is no sequence of {LONGEST_S:g} s at most")
        return JointSequence.model_validate_json(data)
    except ValidationError as err:
        raise _damaged(name, str(err.errors()[0]["msg"])) from err
    except (zlib.error, ValueError) as err:
        raise _damaged(name, str(err)) from err


def _damaged(name: str, sentence: str) -> SaintError:
    return SaintError(Code.REQUEST_INVALID, f"sequence {name} of the backup: {sentence}")
