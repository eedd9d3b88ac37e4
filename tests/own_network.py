"""A network of a test's own: a namespace for this thread, and for the processes that it starts,
whose card changes its address. Needs root.
"""

import contextlib
import ctypes
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

_CLONE_NEWNET = 0x40000000
_LIBC = ctypes.CDLL(None, use_errno=True)
_OF_THREAD = Path("/proc/thread-self/ns/net")
CARD = "test0"
FIRST, SECOND = "198.51.100.1", "198.51.100.2"  # documentation addresses: nobody's network


def _ip(*words: str) -> None:
    subprocess.run(["ip", *words], check=True, capture_output=True, timeout=10)


def change_address(old: str = FIRST, new: str = SECOND) -> None:
    """The network gives this computer another address; the first one is gone."""
    _ip("address", "delete", f"{old}/24", "dev", CARD)
    _ip("address", "add", f"{new}/24", "dev", CARD)


@contextlib.contextmanager
def own_network() -> Iterator[None]:
    """Loopback and one card with the address FIRST, meanwhile."""
    before = os.open(_OF_THREAD, os.O_RDONLY)
    try:
        assert _LIBC.unshare(_CLONE_NEWNET) == 0, os.strerror(ctypes.get_errno())
        _ip("link", "set", "lo", "up")
        _ip("link", "add", CARD, "type", "veth", "peer", "name", f"{CARD}far")
        for card in (CARD, f"{CARD}far"):
            _ip("link", "set", card, "addrgenmode", "none")  # IPv4 alone
            _ip("link", "set", card, "up")
        _ip("address", "add", f"{FIRST}/24", "dev", CARD)
        yield
    finally:
        assert _LIBC.setns(before, _CLONE_NEWNET) == 0, os.strerror(ctypes.get_errno())
        os.close(before)
