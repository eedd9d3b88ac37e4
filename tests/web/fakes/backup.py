"""The other daemons' side of backups: each keeps one list of words."""

from pydantic import BaseModel, ConfigDict

from saint_services.lib.api.keys import SealedKey
from saint_services.lib.backup.sections import Backup, Section
from saint_services.lib.errors import Code, SaintError

SECTIONS = {
    "adoptiond": ("nodes", ["sim_head", "sim_tracks"]),
    "routerd": ("routes", ["rc_drive", "facecap_to_head"]),
    "rcd": ("receiver", ["crsf"]),
    "livelinkd": ("subjects", ["FaceCapture"]),
    "otad": ("policy", ["ask"]),
}


class Words(BaseModel):
    """What is kept."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    words: list[str] = []


class FakeKept:
    """One daemon's; a word "refused" is refused, "strange" is left out with a note."""

    def __init__(self, name: str) -> None:
        self.section, words = SECTIONS[name]
        self.words = Words(words=words)
        self.is_live = False  # refuses a reset

    def backup(self) -> Backup:
        """The paths."""
        own = Section(self.section, Words, 1, self._current, self._check, self._apply)
        return Backup(own, _key()) if self.section == "nodes" else Backup(own)

    async def _current(self) -> Words:
        return self.words

    async def _check(self, words: Words) -> list[str]:
        if self.is_live and words == Words():
            raise SaintError(Code.REFUSED, "outputs are live")
        if "refused" in words.words:
            raise SaintError(Code.REQUEST_INVALID, f"{self.section} does not fit this robot")
        return [f"{each} is left out." for each in words.words if each == "strange"]

    async def _apply(self, words: Words) -> None:
        self.words = words


def _key() -> Section[SealedKey]:
    """The server's key, which is there only when it was put in, and stays sealed."""

    async def current() -> SealedKey:
        return SealedKey()

    async def check(_: SealedKey) -> list[str]:
        return []

    async def use(_: SealedKey) -> None: ...

    return Section("key", SealedKey, 1, current, check, use, is_exported=False)
