"""A ROS 2 domain that nobody else on this computer uses, held until we end."""

import contextlib
import fcntl
import os
import random
import socket
import tempfile
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from saint_services.lib.errors import Code, SaintError

_USUAL = 42  # the same on every start, so that `ros2` commands can be kept
# Above it the ports of a domain meet those that systems give to clients.
_LAST = 101
# DDS-RTPS 9.6.1.1: 7400 + 250 x domain; +10 + 2 x index is a participant's discovery port.
_BASE, _PER_DOMAIN, _FIRST_PARTICIPANT = 7400, 250, 10


@dataclass(frozen=True, slots=True)
class Domain:
    """A domain's number and the lock that keeps another launcher off it."""

    number: int
    lock: IO[str]


def choose(wanted: int | None) -> Domain:
    """`wanted`, or ROS_DOMAIN_ID, or a free one."""
    given = os.environ.get("ROS_DOMAIN_ID", "")
    if wanted is None and given.isdigit():
        wanted = int(given)
    candidates: Iterable[int] = [wanted] if wanted is not None else _candidates()
    for number in candidates:
        if _is_free(number) and (lock := _lock(number)):
            return Domain(number, lock)
    if wanted is None:
        raise SaintError(Code.CONFIG_INVALID, f"all ROS 2 domains from 1 to {_LAST} are in use")
    raise SaintError(
        Code.CONFIG_INVALID,
        f"ROS 2 domain {wanted} is in use on this computer",
        fix="End the other ROS 2 programs, or choose another one with --domain.",
    )


def join(number: int) -> Domain:
    """A domain that another robot uses already: two robots on one network."""
    return Domain(number, Path(os.devnull).open("a", encoding="utf-8"))


def _candidates() -> Iterable[int]:
    yield _USUAL
    yield from random.sample(range(1, _LAST), _LAST - 1)


def _is_free(number: int) -> bool:
    """The first participant's port stands for all: indices are handed out from 0."""
    port = _BASE + _PER_DOMAIN * number + _FIRST_PARTICIPANT
    if port > 65_535:
        raise SaintError(Code.CONFIG_INVALID, f"ROS 2 domain {number} is too high, up to 232 exist")
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.bind(("", port))
        except OSError:
            return False
    return True


def _lock(number: int) -> IO[str] | None:
    path = Path(tempfile.gettempdir()) / f"saint-domain-{number}.lock"
    try:
        file = path.open("a", encoding="utf-8")
    except PermissionError:  # another user's
        return None
    with contextlib.suppress(BlockingIOError):
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        return file
    file.close()
    return None
