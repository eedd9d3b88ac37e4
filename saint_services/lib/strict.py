"""The base of models of what comes from outside or from a file: unknown fields are errors, numbers
are finite, values do not change.

What checks a model is built when it is first used: a daemon imports many more models than it
checks, and most are parts of others, which contain their checks.
"""

import re

from pydantic import BaseModel, ConfigDict

_NUL = re.compile(rb"(?<!\\)(?:\\\\)*\\u0000")


def has_nul(raw: bytes) -> bool:
    """Return whether a text of this JSON holds the character NUL, which no message of the bus and
    no path can hold.
    """
    return b"\\u0000" in raw and _NUL.search(raw) is not None


class StrictModel(BaseModel):
    """Accepts exactly its fields."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False, defer_build=True)
