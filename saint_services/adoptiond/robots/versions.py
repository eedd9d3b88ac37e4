"""Stores the versions of the owner's robot: one file each, the last 50. A version is written before
the robot that is in force is replaced, so that a power cut leaves the old or the new one. Not here:
what may be put in force (service.py).
"""

from dataclasses import dataclass

from pydantic import Field

from ...lib.api.robot import LONGEST_TEXT, MOST_BASE64
from ...lib.errors import Code, SaintError
from ...lib.robot.source import RobotPlaces
from ...lib.state import StateStore, last_good, write_atomic
from ...lib.strict import StrictModel

MOST_VERSIONS = 50
_READABLE = 0o644  # routerd and webd read the robot; it holds no secrets


class SavedVersion(StrictModel):
    """versions/0007.json"""

    note: str = Field(default="", max_length=200)
    person: str = Field(default="", max_length=120)
    saved: str = ""  # ISO 8601, UTC
    text: str = Field(default="", max_length=LONGEST_TEXT)


class SavedRobot(StrictModel):
    """The owner's robot in a backup; without a text there is none."""

    text: str = Field(default="", max_length=LONGEST_TEXT)
    figure: str = Field(default="", max_length=MOST_BASE64)  # the owner's: its zip in Base64


@dataclass(frozen=True, slots=True)
class NumberedVersion:
    """A stored version."""

    number: int
    saved: SavedVersion


class VersionStore:
    """The files of the owner's robot. Calls block: use asyncio.to_thread in coroutines."""

    def __init__(self, places: RobotPlaces) -> None:
        self._places = places
        self._folder = places.own / "versions"

    def open(self) -> None:
        """Make the folder readable for the daemons that read the robot."""
        self._places.own.mkdir(parents=True, exist_ok=True)
        self._places.own.chmod(0o755)

    def numbers(self) -> list[int]:
        """Return the numbers of the stored versions, oldest first."""
        names = (path.stem for path in self._folder.glob("*.json"))
        return sorted(int(name) for name in names if name.isascii() and name.isdigit())

    def read(self, number: int) -> NumberedVersion:
        """Read a version. Raises not_found, or what is wrong with its file."""
        store = self._store(number)
        if not store.path.exists():
            text = f"there is no version {number} of the robot"
            raise SaintError(Code.NOT_FOUND, text, fix="`saintctl robot versions` lists them.")
        saved = store.load()
        if store.problem:
            raise store.problem
        return NumberedVersion(number, saved)

    def all(self) -> list[NumberedVersion]:
        """Read every version that can be read, newest first."""
        found = []
        for number in reversed(self.numbers()):
            try:
                found.append(self.read(number))
            except SaintError:
                continue  # it is set aside, and its number stays used
        return found

    def add(self, saved: SavedVersion) -> int:
        """Store a version; return its number."""
        numbers = self.numbers()
        number = numbers[-1] + 1 if numbers else 1
        self._store(number).save(saved)
        for old in numbers[: max(0, len(numbers) + 1 - MOST_VERSIONS)]:
            self._store(old).forget()
        return number

    def put_in_force(self, text: str) -> None:
        """Replace the robot that daemons read when they start, then its last good copy. Raises
        SaintError, and the robot before stays in force.
        """
        try:
            write_atomic(self._places.file, text.encode(), _READABLE)
        except OSError as err:
            what = f"{self._places.file} cannot be written: {err.strerror}"
            fix = "Check that the disk is not full."
            raise SaintError(Code.INTERNAL, what, fix=fix) from err
        self.keep_copy(text)

    def forget(self) -> None:
        """Delete the owner's robot and its versions: the template is in force again."""
        for path in (last_good(self._places.file), self._places.file):
            path.unlink(missing_ok=True)
        for number in self.numbers():
            self._store(number).forget()
        self._places.figures.forget_all()

    def keep_copy(self, text: str) -> None:
        """Write the last good copy of a robot that was found sound."""
        copy = last_good(self._places.file)
        try:
            if copy.exists() and copy.read_bytes() == text.encode():
                return
            write_atomic(copy, text.encode(), _READABLE)
        except OSError:
            return  # the next start or change tries again

    def _store(self, number: int) -> StateStore[SavedVersion]:
        return StateStore(self._folder / f"{number:04}.json", SavedVersion, version=1)
