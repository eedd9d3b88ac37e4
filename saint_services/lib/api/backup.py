"""Backups: what each daemon exports and restores, and what webd reports about backup files."""

from typing import Annotated, Any

from pydantic import Field, StringConstraints

from . import Reply, Request
from .keys import Passphrase

LARGEST_FILE_BYTES = 1 << 20  # a robot with every setting changed needs 20 KB

LARGEST_BASE64 = 4 * ((LARGEST_FILE_BYTES + 2) // 3)
SectionName = Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9-]{0,31}$")]


class SectionData(Request):
    """One part of a daemon's state, in the format of its `version`."""

    version: int = Field(ge=0, le=10_000)
    data: dict[str, Any]


class DaemonBackup(Request):
    """GET and PUT /backup of a daemon, POST /backup/check. Sections that are not named stay
    unchanged.
    """

    sections: dict[SectionName, SectionData] = Field(max_length=16)


class RestoreNotes(Reply):
    """What a restore leaves out, in sentences. `confirm` names the stops that the restore removes;
    the request must confirm them.
    """

    notes: list[str] = []
    confirm: list[str] = []


class FileSum(Reply):
    """A file of a backup."""

    bytes: int = Field(ge=0)
    sha256: str = Field(pattern=r"^[0-9a-f]{64}$")


class BackupManifest(Reply):
    """manifest.json, the first file of a backup."""

    format: int = Field(ge=1)
    robot: str = Field(max_length=120)
    version: str = Field(max_length=64)  # of the SAINT.OS that wrote the backup
    created: str = Field(max_length=40)  # ISO 8601, UTC
    files: dict[str, FileSum] = Field(max_length=256)
    outside: list[str] = Field(default=[], max_length=64)  # what it does not contain


class BackupContent(Reply):
    """A section of a backup."""

    daemon: str
    section: str
    entries: int
    bytes: int


class BackupInfo(Reply):
    """What a backup file holds, and whether this robot accepts it."""

    robot: str
    version: str
    created: str
    contents: list[BackupContent]
    outside: list[str]
    notes: list[str] = []
    confirm: list[str] = []  # stops that a restore removes and must confirm


class RestoreReply(Reply):
    """The result of a restore. `waiting`: daemons that did not respond; their sections follow
    later.
    """

    restored: list[str]
    waiting: list[str] = []
    notes: list[str] = []


class SealedRestore(Passphrase):
    """A backup in Base64, and the passphrase of its server key."""

    file: str = Field(max_length=LARGEST_BASE64, repr=False)
    confirm: list[str] = Field(default=[], max_length=256)


class ConfirmStops(Request):
    """The names of stops that the change may remove."""

    confirm: list[str] = Field(default=[], max_length=256)


class RestoreState(Reply):
    """The restore in progress, if any."""

    waiting: list[str] = []
    since: str = ""
