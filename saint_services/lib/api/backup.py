"""What each daemon gives to a backup and takes back, and what webd tells about backup files."""

from typing import Annotated, Any

from pydantic import Field, StringConstraints

from . import Reply, Request
from .keys import Passphrase

LARGEST_FILE_BYTES = 1 << 20  # a robot with everything set by hand takes 20 KB

LARGEST_BASE64 = 4 * ((LARGEST_FILE_BYTES + 2) // 3)
SectionName = Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9-]{0,31}$")]


class SectionData(Request):
    """One part of a daemon's state, in the format of that version."""

    version: int = Field(ge=0, le=10_000)
    data: dict[str, Any]


class DaemonBackup(Request):
    """GET and PUT /backup of a daemon, POST /backup/check. What is not named stays as it is."""

    sections: dict[SectionName, SectionData] = Field(max_length=16)


class RestoreNotes(Reply):
    """What a restore did not take over, or would not, in sentences. `confirm`: what would stop the
    robot no longer, by the names that a restore must confirm."""

    notes: list[str] = []
    confirm: list[str] = []


class FileSum(Reply):
    """One file of a backup."""

    bytes: int = Field(ge=0)
    sha256: str = Field(pattern=r"^[0-9a-f]{64}$")


class BackupManifest(Reply):
    """manifest.json, the first file of a backup."""

    format: int = Field(ge=1)
    robot: str = Field(max_length=120)
    version: str = Field(max_length=64)  # of SAINT.OS, that wrote it
    created: str = Field(max_length=40)  # ISO 8601, UTC
    files: dict[str, FileSum] = Field(max_length=256)
    outside: list[str] = Field(default=[], max_length=64)  # what is not in it, in sentences


class BackupContent(Reply):
    """One part of it."""

    daemon: str
    section: str
    entries: int
    bytes: int


class BackupInfo(Reply):
    """What a backup file holds, and whether this robot takes it."""

    robot: str
    version: str
    created: str
    contents: list[BackupContent]
    outside: list[str]
    notes: list[str] = []
    confirm: list[str] = []  # what would stop the robot no longer; a restore must name it


class RestoreReply(Reply):
    """What became of a restore. `waiting`: daemons that did not answer; theirs follows later."""

    restored: list[str]
    waiting: list[str] = []
    notes: list[str] = []


class SealedRestore(Passphrase):
    """A backup in Base64, and the passphrase of its key."""

    file: str = Field(max_length=LARGEST_BASE64, repr=False)
    confirm: list[str] = Field(default=[], max_length=256)


class Confirm(Request):
    """What may stop the robot no longer, by name."""

    confirm: list[str] = Field(default=[], max_length=256)


class RestoreState(Reply):
    """A restore that has not come to its end, or nothing."""

    waiting: list[str] = []
    since: str = ""
