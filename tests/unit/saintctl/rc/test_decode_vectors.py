"""`rc decode` against frames that are written down here bit by bit, from the protocols' documents.
Nothing of the product makes them: a mistake that decoder and encoder share would not show.
"""

import io
import json
from pathlib import Path
from typing import Any

import pytest

from saint_services.saintctl.rc.decode import Options, rc_decode

# Raw values and what they are in microseconds: (raw - 992) * 5/8 + 1500, half a microsecond up.
RAW = [172, 191, 992, 1792, 1811, 0, 1984, 2047, 993, 4, 12, 20, 28, 1000, 1500, 300]
US = [988, 999, 1500, 2000, 2012, 880, 2120, 2159, 1501, 883, 888, 893, 898, 1505, 1818, 1068]
STEPS = [200 + 100 * n for n in range(16)]


def packed(values: list[int], width: int = 11) -> bytes:
    """Least significant bit first, as a text of ones and zeros."""
    bits = "".join(f"{value:0{width}b}"[::-1] for value in values)
    bits += "0" * (-len(bits) % 8)
    return bytes(int(bits[at : at + 8][::-1], 2) for at in range(0, len(bits), 8))


def check_sum(data: bytes) -> int:
    """CRC-8, polynomial D5, start 0: one bit after the other."""
    register = 0
    for byte in data:
        for bit in range(7, -1, -1):
            falls_out = register >> 7
            register = (register << 1) & 0xFF
            if falls_out != byte >> bit & 1:
                register ^= 0xD5
    return register


def crsf(kind: int, payload: bytes, address: int = 0xC8) -> bytes:
    body = bytes([kind]) + payload
    return bytes([address, len(body) + 1]) + body + bytes([check_sum(body)])


def sbus(values: list[int], flags: int = 0, end: int = 0) -> bytes:
    return b"\x0f" + packed(values) + bytes([flags, end])


def ibus(words: list[int], second: int = 0x40) -> bytes:
    body = bytes([0x20, second])
    for word in words:
        body += bytes([word & 0xFF, word >> 8])
    rest = 0xFFFF - sum(body)
    return body + bytes([rest & 0xFF, rest >> 8])


CHANNELS = crsf(0x16, packed(RAW))


@pytest.fixture
def decode(tmp_path: Path) -> Any:
    def run(protocol: str, data: bytes, timed: bool = False) -> list[dict[str, Any]]:
        (tmp_path / "x").write_bytes(data)
        out = io.StringIO()
        assert rc_decode(Options(protocol, timed), str(tmp_path / "x"), out) == 0
        return [json.loads(line) for line in out.getvalue().splitlines()]

    return run


def counts(lines: list[dict[str, Any]]) -> tuple[int, int, int]:
    summary = lines[-1]
    assert summary["kind"] == "summary" and len(lines) == summary["frames"] + 1
    return summary["frames"], summary["rejected"], summary["discarded_bytes"]


def timed(*reads: tuple[int, bytes | None]) -> bytes:
    """Reads at their times; None is the port's closing and opening."""
    rows = [
        {"t_us": t, "reset": True} if data is None else {"t_us": t, "hex": data.hex()}
        for t, data in reads
    ]
    return "\n".join(map(json.dumps, rows)).encode()


def test_crsf_channels_are_printed_in_full(decode: Any) -> None:
    line, summary = decode("crsf", CHANNELS)
    assert line == {
        "kind": "rc", "protocol": "crsf", "t_us": 0, "raw": RAW, "us": US, "failsafe": False,
        "frame_lost": False, "address": 200, "type": 22,
    }  # fmt: skip
    assert summary == {"kind": "summary", "frames": 1, "rejected": 0, "discarded_bytes": 0}


def test_sbus_channels_are_printed_in_full(decode: Any) -> None:
    # The same line: (raw - 992) * 5/8 + 1500 is raw * 5/8 + 880.
    line, _ = decode("sbus", sbus(RAW, flags=0b0110))
    assert line == {
        "kind": "rc", "protocol": "sbus", "t_us": 0, "raw": RAW, "us": US, "failsafe": False,
        "frame_lost": True, "digital": [False, True],
    }  # fmt: skip


def test_ibus_channels_are_printed_in_full(decode: Any) -> None:
    words = [1500, 1500, 1000, 2000, 988, 2012, 0, 4095, 1, 1234, 1500, 1500, 1500, 1501]
    line, _ = decode("ibus", ibus(words))
    assert line == {
        "kind": "rc", "protocol": "ibus", "t_us": 0, "raw": words, "us": words, "failsafe": False,
        "frame_lost": False,
    }  # fmt: skip


@pytest.mark.parametrize("flags", range(16))
def test_sbus_flags_are_four_bits(decode: Any, flags: int) -> None:
    line = decode("sbus", sbus([992] * 16, flags))[0]
    expected = [*line["digital"], line["frame_lost"], line["failsafe"]]
    assert expected == [bool(int(bit)) for bit in f"{flags:04b}"[::-1]]


@pytest.mark.parametrize(
    ("code", "width", "raw", "us"),
    [
        (0, 10, [0, 1, 512, 1023], [988, 989, 1500, 2011]),
        (1, 11, [0, 820, 1959, 2047], [988, 1398, 1968, 2012]),
        (2, 12, [0, 2, 2048, 4095], [988, 989, 1500, 2012]),
        (3, 13, [0, 4, 4096, 8191], [988, 989, 1500, 2012]),
    ],
)
def test_crsf_subset_has_four_widths(
    decode: Any, code: int, width: int, raw: list[int], us: list[int]
) -> None:
    line, _ = decode("crsf", crsf(0x17, bytes([code << 5 | 3]) + packed(raw, width)))
    assert (line["raw"], line["us"]) == (raw, us)
    assert (line["kind"], line["first_channel"], line["type"]) == ("rc", 3, 0x17)


def test_crsf_telemetry_is_printed_in_units(decode: Any) -> None:
    link = bytes([60, 0, 100, 0xFE, 1, 5, 8, 50, 99, 0x80])
    battery = bytes.fromhex("00a5 00ff 0004d2 64")
    attitude = bytes.fromhex("7fff 8000 ffff")
    lines = decode(
        "crsf",
        crsf(0x14, link) + crsf(0x08, battery) + crsf(0x1E, attitude) + crsf(0x21, b"!ERR*\0x"),
    )
    assert lines[0] == {
        "kind": "link_statistics", "t_us": 0, "address": 200, "type": 20,
        "uplink_rssi_1_dbm": -60, "uplink_rssi_2_dbm": 0, "uplink_lq_percent": 100,
        "uplink_snr_db": -2, "antenna": 1, "rf_mode": 5, "tx_power_mw": 50,
        "downlink_rssi_dbm": -50, "downlink_lq_percent": 99, "downlink_snr_db": -128,
    }  # fmt: skip
    assert lines[1] == {
        "kind": "battery", "t_us": 0, "address": 200, "type": 8, "voltage_v": 16.5,
        "current_a": 25.5, "used_mah": 1234, "remaining_percent": 100,
    }  # fmt: skip
    assert lines[2] == {
        "kind": "attitude", "t_us": 0, "address": 200, "type": 30, "pitch_rad": 3.2767,
        "roll_rad": -3.2768, "yaw_rad": -0.0001,
    }  # fmt: skip
    assert (lines[3]["kind"], lines[3]["text"]) == ("flight_mode", "!ERR*")


@pytest.mark.parametrize(
    ("code", "milliwatts"),
    [*enumerate((0, 10, 25, 100, 500, 1000, 2000, 250, 50)), (9, None), (255, None)],
)
def test_crsf_transmitter_power_is_a_code(decode: Any, code: int, milliwatts: int | None) -> None:
    line = decode("crsf", crsf(0x14, bytes([1, 2, 3, 4, 5, 6, code, 8, 9, 10])))[0]
    assert line["tx_power_mw"] == milliwatts


@pytest.mark.parametrize(
    ("kind", "payload"),
    [
        (0x02, bytes(15)), (0x07, bytes(2)), (0x28, b"\xea\xee"), (0x29, bytes(40)),
        (0x32, b"\xc8\xea\x0a\x01\x55"), (0x80, b"x"), (0xFF, b""), (0x00, b"abc"),
        (0x16, bytes(21)), (0x16, b""), (0x17, b""), (0x17, b"\x00"), (0x17, b"\x10\xff\xff"),
        (0x14, bytes(9)), (0x08, bytes(7)), (0x1E, bytes(5)), (0x21, b""),
    ],
)  # fmt: skip
def test_crsf_frame_without_use_is_other(decode: Any, kind: int, payload: bytes) -> None:
    line, _ = decode("crsf", crsf(kind, payload))
    expected = {"kind": "other", "address": 200, "type": kind, "length": len(payload) + 2}
    assert line == expected


@pytest.mark.parametrize("address", [0xC8, 0xEA, 0xEC, 0xEE, 0x00])
def test_crsf_addresses_that_begin_a_frame(decode: Any, address: int) -> None:
    assert decode("crsf", crsf(0x16, packed(RAW), address))[0]["address"] == address


@pytest.mark.parametrize("address", [0x10, 0x80, 0xC0, 0xC2, 0xCC, 0x16, 0xFF])
def test_crsf_other_addresses_begin_none(decode: Any, address: int) -> None:
    assert counts(decode("crsf", crsf(0x16, packed(RAW), address))) == (0, 0, 26)


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b"", (0, 0, 0)),
        (b"\xc8", (0, 0, 1)),
        (b"\x11\x22\x33\x44" + CHANNELS, (1, 0, 4)),
        (CHANNELS * 3, (3, 0, 0)),
        (CHANNELS + CHANNELS[:20], (1, 0, 20)),  # the recording ends inside a frame
        (CHANNELS[:-1] + b"\0" + CHANNELS, (1, 1, 26)),
        (CHANNELS + CHANNELS[:12] + b"\x55\xaa\x37" + CHANNELS * 2, (3, 1, 15)),
        (b"\xc8\x00\x00" + CHANNELS, (1, 1, 3)),
        (b"\xc8\xff" + CHANNELS, (1, 1, 2)),
        (b"\xc8\x3f" + CHANNELS, (1, 1, 2)),
        (CHANNELS + b"\xc8\x3e\x16", (1, 0, 3)),
        (b"\xc8\x3e\x16" + CHANNELS, (1, 0, 3)),  # waits for bytes that never come
        (crsf(0xFE, bytes(60), 0xEA) + crsf(0xFE, bytes(59), 0xEA), (2, 0, 0)),  # the longest
        (CHANNELS + b"\0\x35\xa4" + CHANNELS, (2, 0, 3)),
    ],
)
def test_crsf_errors_are_counted_and_cost_no_good_frame(
    decode: Any, data: bytes, expected: tuple[int, int, int]
) -> None:
    assert counts(decode("crsf", data)) == expected


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b"\x11\x22\x33\xff\xab" + sbus(STEPS), (1, 0, 5)),
        (sbus(STEPS) * 3, (3, 0, 0)),
        (sbus(STEPS)[:20], (0, 1, 20)),
        (sbus(STEPS, end=0xFF) + sbus(STEPS), (1, 1, 25)),
        (sbus(STEPS, end=0x08), (0, 1, 25)),
        (sbus(STEPS) + sbus(STEPS)[:12] + b"\x55\xaa\x37\x91" + sbus(STEPS) * 2, (3, 1, 16)),
        (b"\x0f\x01\x02" + sbus(STEPS), (1, 1, 3)),
        (sbus(STEPS, end=4) + b"\x03\xc0\x2e" + sbus(STEPS, end=0x14), (2, 0, 0)),
        (sbus([0] * 16), (1, 0, 0)),
        (sbus([2047] * 16, flags=0xFF), (1, 0, 0)),
        (bytes(100), (0, 0, 100)),
    ],
)
def test_sbus_errors_are_counted_and_cost_no_good_frame(
    decode: Any, data: bytes, expected: tuple[int, int, int]
) -> None:
    assert counts(decode("sbus", data)) == expected


POLL = b"\x04\x81\x7a\xff"


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b"\x11\x22" + ibus([1500] * 14), (1, 0, 2)),
        (ibus([1500] * 14) * 3, (3, 0, 0)),
        (ibus([1500] * 14)[:20], (0, 0, 20)),
        (ibus([1500] * 14)[:-1] + b"\0" + ibus([1500] * 14), (1, 1, 32)),
        (ibus([1500] * 14) + POLL + ibus([1500] * 14, second=0), (2, 0, 0)),
        (b"\x20" + ibus([1500] * 14), (1, 1, 1)),
        (b"\x20\x40" + ibus([1500] * 14), (1, 1, 2)),
        (bytes(64), (0, 0, 64)),
    ],
)
def test_ibus_errors_are_counted_and_cost_no_good_frame(
    decode: Any, data: bytes, expected: tuple[int, int, int]
) -> None:
    assert counts(decode("ibus", data)) == expected


def test_ibus_high_nibbles_are_no_part_of_the_channels(decode: Any) -> None:
    line, _ = decode("ibus", ibus([0xF000 | 1234] * 14))
    assert line["raw"] == line["us"] == [1234] * 14


def test_frame_has_the_time_of_its_last_byte(decode: Any) -> None:
    frames = {
        "crsf": (CHANNELS, 24, 4_000), "sbus": (sbus(STEPS), 120, 14_000),
        "ibus": (ibus([1500] * 14), 87, 7_700),
    }  # fmt: skip
    for protocol, (frame, byte_us, period_us) in frames.items():
        reads = [
            (number * period_us + place * byte_us, bytes([byte]))
            for number in range(3)
            for place, byte in enumerate(frame)
        ]
        lines = decode(protocol, timed(*reads), timed=True)
        assert counts(lines) == (3, 0, 0), protocol
        last_us = (len(frame) - 1) * byte_us
        assert [line["t_us"] for line in lines[:-1]] == [
            number * period_us + last_us for number in range(3)
        ]


def test_pause_ends_a_started_frame(decode: Any) -> None:
    for protocol, frame in (("sbus", sbus(STEPS)), ("ibus", ibus([1500] * 14))):
        lines = decode(protocol, timed((0, frame[:10]), (6_000, frame)), timed=True)
        assert (lines[-1]["frames"], lines[-1]["discarded_bytes"]) == (1, 10), protocol
        assert lines[0]["t_us"] == 6_000


def test_pause_frees_the_good_frame_behind_a_false_start(decode: Any) -> None:
    lines = decode("crsf", timed((0, b"\xc8\x3e\x16" + CHANNELS), (20_000, CHANNELS)), timed=True)
    assert [line["t_us"] for line in lines[:-1]] == [0, 20_000]
    assert lines[-1]["discarded_bytes"] == 3


@pytest.mark.parametrize(
    ("protocol", "frame"),
    [("crsf", CHANNELS), ("sbus", sbus(STEPS)), ("ibus", ibus([1500] * 14))],
)
def test_reset_drops_half_a_frame(decode: Any, protocol: str, frame: bytes) -> None:
    reads = timed((0, frame[:20]), (50, None), (100, frame[20:]), (9_000, frame))
    lines = decode(protocol, reads, timed=True)
    assert (lines[-1]["frames"], lines[-1]["discarded_bytes"]) == (1, len(frame))
    assert lines[0]["t_us"] == 9_000
