"""Schedules requests for a phone's stream: at once, and again when it is silent. Pure. Not here:
the request (protocols/ifacialmocap.py).
"""

from dataclasses import dataclass

from ..config import Config
from .acceptance import EVERY, SenderKey

SILENT_S = 1.0  # a phone sends 60 a second
FIRST_PAUSE_S = 1.0
LONGEST_PAUSE_S = 5.0  # a phone whose app has just been opened is found after this at the latest


@dataclass(slots=True)
class _Phone:
    address: tuple[str, int]
    received_s: float = float("-inf")
    next_s: float = float("-inf")
    pause_s: float = FIRST_PAUSE_S


class PhonePolling:
    """Schedule of the requests to all phones."""

    def __init__(self, phones: list[tuple[str, int]]) -> None:
        self._phones = {ip: _Phone((ip, port)) for ip, port in phones}

    def received(self, ip: str, now_s: float) -> None:
        """Record that a phone has sent."""
        if phone := self._phones.get(ip):
            phone.received_s, phone.pause_s = now_s, FIRST_PAUSE_S

    def due(self, now_s: float) -> list[tuple[str, int]]:
        """Return the phones to send a request now, and schedule their next ones."""
        found = []
        for phone in self._phones.values():
            if now_s - phone.received_s < SILENT_S or now_s < phone.next_s:
                continue
            found.append(phone.address)
            phone.next_s = now_s + phone.pause_s
            phone.pause_s = min(phone.pause_s * 2, LONGEST_PAUSE_S)
        return found


def known_senders(config: Config) -> frozenset[SenderKey]:
    """Return the senders of the settings, which need no acceptance."""
    formats = config.formats
    listed = {(str(each.format), each.address, each.subject) for each in config.senders}
    phones = [
        *(("vmc", address) for address in formats.vmc.names),
        *(("ifacialmocap", address) for address in formats.ifacialmocap.names),
        *(("ifacialmocap", address) for address in formats.ifacialmocap.phones),
        *(("capture", address) for address in formats.capture.phones),
    ]
    listed |= {(format, address, EVERY) for format, address in phones}
    return frozenset(SenderKey(f, split_address(at, 0)[0], name) for f, at, name in listed)


def split_address(text: str, port: int) -> tuple[str, int]:
    """Split "192.168.1.60" or "192.168.1.60:50000" into IP and port."""
    host, colon, given = text.partition(":")
    if not colon or ":" in given:  # none, or IPv6
        return text, port
    return host, int(given)
