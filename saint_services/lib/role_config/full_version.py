"""The version of a role configuration as a node reports it: the manifest's own, and of which text
it is. An owner's change leaves the manifest's version as it is. Pure.
"""

import hashlib
from functools import lru_cache

_MOST_VERSION = 22  # a report holds 32 characters
_DIGEST = 8


@lru_cache(maxsize=16)
def full_version(version: str, text: str) -> str:
    """Return the version with a digest of the text, as build metadata of semantic versioning."""
    digest = hashlib.sha256(text.encode()).hexdigest()[:_DIGEST]
    kept = version[:_MOST_VERSION]
    return f"{kept}{'.' if '+' in kept else '+'}{digest}"
