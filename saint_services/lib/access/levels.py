"""Access levels, from viewer to admin. Not here: which user has which level (webd/accounts), which
request needs which level (the rows of lib/api).
"""

from enum import IntEnum


class Level(IntEnum):
    """Each level includes those below it. Everyone may stop the robot."""

    VIEWER = 1
    OPERATOR = 2
    ADMIN = 3

    @property
    def word(self) -> str:
        """The name in files and messages: "viewer"."""
        return self.name.lower()

    @classmethod
    def of(cls, word: str) -> "Level":
        """Parse the name of a level; raises ValueError if it is unknown."""
        for level in cls:
            if level.word == word:
                return level
        raise ValueError(
            f"{word!r} is not an access level; known: {', '.join(each.word for each in cls)}"
        )
