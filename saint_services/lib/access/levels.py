"""What somebody may do here, from looking to administering. Not here: who has which level
(webd/accounts/access.py), which request needs which (the rows of lib/api).
"""

from enum import IntEnum


class Level(IntEnum):
    """Each may do all that the ones below it may. Anyone may stop the robot."""

    VIEWER = 1
    OPERATOR = 2
    ADMIN = 3

    @property
    def word(self) -> str:
        """As people and files write it: "viewer"."""
        return self.name.lower()

    @classmethod
    def of(cls, word: str) -> "Level":
        """The level of that word; raises ValueError for any other."""
        for level in cls:
            if level.word == word:
                return level
        raise ValueError(f"{word!r} is no level; there are {', '.join(each.word for each in cls)}")
