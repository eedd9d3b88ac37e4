"""Marks the outputs of a role as the router knows them, so that a role recognises a router that has
another robot. Pins, chips and a calibration are no part of it. Pure.
"""

import hashlib
import json

from .model import RoleConfig

_KNOWN_TO_THE_ROUTER = {"role", "instance", "commands", "fields"}


def outputs_mark(role: RoleConfig) -> int:
    """Return a number, never 0, that changes with limits, rates, units, names and messages of what
    the role drives. It is made of the robot's text, before a calibration narrows limits."""
    known = role.model_dump(mode="json", include=_KNOWN_TO_THE_ROUTER, exclude_defaults=True)
    digest = hashlib.sha256(json.dumps(known, sort_keys=True).encode()).digest()
    return int.from_bytes(digest[:4], "big") or 1
