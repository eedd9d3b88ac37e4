"""Whatever receiver is on the line: silence is a loss within 120 ms, and so is each way in which
its protocol says that the transmitter is gone.
"""

import json
import struct
from pathlib import Path

import pytest

from saint_services.rcd.channels import Normalizer
from saint_services.rcd.config import Failsafe
from saint_services.rcd.logic import Receiver, SignalChange
from saint_services.rcd.protocols import CHECKED, PARSERS, Parser
from saint_services.rcd.protocols.crsf import crc8
from saint_services.rcd.protocols.mavlink import crc16

DATA = Path(__file__).parents[1] / "data"
PERIOD_S = 0.02
LOST_AFTER_S = 0.12  # the default of rcd.yaml


def _recorded(name: str) -> list[bytes]:
    lines = (DATA / f"{name}.jsonl").read_text().splitlines()
    return [bytes.fromhex(json.loads(line)["hex"]) for line in lines]


def _override(first: int) -> bytes:
    body = bytes([18, 0, 255, 190, 70]) + struct.pack("<8HBB", *[first] * 8, 1, 1)
    return b"\xfe" + body + struct.pack("<H", crc16(body + bytes([124])))


def _ghst(kind: int, *rest: int) -> bytes:
    body = bytes([kind, 0, 8, 128, 0, 8, 128, *rest])
    return bytes([0x82, 12]) + body + bytes([crc8(body)])


_CRSF_LINK = bytes([0x14, 100, 100, 0, 0, 0, 0, 0, 0, 0, 0])
STREAMS: dict[str, list[bytes]] = {
    "crsf": [(DATA / "crsf-receiver.bin").read_bytes()[:26]],
    "sbus": [(DATA / "sbus-single.bin").read_bytes()],
    "ibus": [(DATA / "ibus-single.bin").read_bytes()],
    "dsm": _recorded("dsmx-22ms"),
    "ghst": [(DATA / "ghst-published.bin").read_bytes()[:14]],
    "mavlink": [_override(1500)],
}
# How a protocol says it. IBUS and DSM cannot: their receivers are silent, or hold what
# `failsafe.channel` recognises.
SAID: dict[str, list[bytes]] = {
    "crsf": [bytes([0xC8, 12]) + _CRSF_LINK + bytes([crc8(_CRSF_LINK)])],
    "sbus": [STREAMS["sbus"][0][:23] + b"\x08\x00"],
    "ghst": [_ghst(0x33, 0, 120, 0, 0), _ghst(0x13, 0, 120, 0, 0)],
    "mavlink": [_override(0), _override(0xFFFF)],
}
every_protocol = pytest.mark.parametrize("protocol", sorted(PARSERS))


class Wire:
    """A parser and the judge of its signal, fed until the signal is live."""

    def __init__(self, protocol: str) -> None:
        self.parser: Parser = PARSERS[protocol]()
        self.receiver = Receiver(
            Normalizer([]), Failsafe(), needs_steady_start=protocol not in CHECKED
        )
        self.now_s = 1.0
        for n in range(30):
            self.send(STREAMS[protocol][n % len(STREAMS[protocol])])
        assert not self.receiver.failsafe

    def send(self, data: bytes) -> list[SignalChange]:
        self.now_s += PERIOD_S
        now_us = round(self.now_s * 1e6)
        found = self.parser.feed(data, now_us) + self.parser.flush()
        return [self.receiver.take(frame, self.now_s) for frame in found]


def test_every_protocol_is_here() -> None:
    assert set(STREAMS) == set(PARSERS)
    assert set(PARSERS) - set(SAID) == {"ibus", "dsm"}


@every_protocol
def test_silence_is_a_loss(protocol: str) -> None:
    wire = Wire(protocol)
    assert wire.receiver.check(wire.receiver.good_s + LOST_AFTER_S - 0.001) is SignalChange.NOTHING
    assert wire.receiver.check(wire.receiver.good_s + LOST_AFTER_S) is SignalChange.LOST
    assert wire.receiver.failsafe


@pytest.mark.parametrize(
    ("protocol", "data"), [(name, data) for name, each in SAID.items() for data in each]
)
def test_lost_transmitter_that_the_receiver_reports_is_a_loss(protocol: str, data: bytes) -> None:
    wire = Wire(protocol)
    assert SignalChange.LOST in wire.send(data)
    assert wire.receiver.failsafe


@every_protocol
def test_noise_keeps_no_signal_alive(protocol: str) -> None:
    wire, noise = Wire(protocol), bytes(range(7, 256, 8))
    for _ in range(10):
        wire.send(noise)
    assert wire.receiver.check(wire.now_s) is SignalChange.LOST


@every_protocol
def test_preset_position_is_a_loss(protocol: str) -> None:
    """For receivers that hold: the owner names the position."""
    wire = Wire(protocol)
    us = wire.receiver.us[3]
    rule = {"number": 3, "below": int(us) + 2}
    wire.receiver.rules = Failsafe.model_validate({"channel": rule})
    stream = STREAMS[protocol]
    outcomes = [change for n in range(4) for change in wire.send(stream[n % len(stream)])]
    assert SignalChange.LOST in outcomes and wire.receiver.failsafe
