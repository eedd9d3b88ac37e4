"""What is tried first: sound input of each kind, from the tests' data and the manifests."""

import json
import struct
from pathlib import Path

from saint_services.lib.bus import cdr
from saint_services.lib.hw.can import log_line
from saint_services.lib.hw.can.frame import CanFrame
from saint_services.lib.hw.dynamixel import packets as dynamixel
from saint_services.lib.hw.feetech import packets
from saint_services.lib.hw.motors.roboclaw import (
    ACKNOWLEDGED,
    READ_CURRENTS,
    READ_ENCODERS,
    READ_STATUS,
    READ_VOLTAGE,
    crc16,
)
from saint_services.lib.hw.vesc import messages as vesc
from saint_services.lib.robot.figure.archive import zipped
from saint_services.lib.teleop.structs import COMMAND, STATE, TeleopCommand
from saint_services.lib.wagon import board_link
from saint_services.lib.wagon import can_frames as wagon
from saint_services.rcd.protocols import PARSERS
from tools.fuzz.menlo import MENLO_SEEDS
from tools.fuzz.targets import MESSAGES, PRESETS, SETTINGS

ROOT = Path(__file__).resolve().parents[2]
DATA = ROOT / "tests" / "data"


def seeds(name: str) -> list[bytes]:
    """Inputs in the form that the target takes."""
    makers = {
        **dict.fromkeys(PARSERS, _receiver),
        "cdr": _cdr,
        "yaml": _yaml,
        "can_recording": _can_recording,
        "can_frames": _can_frames,
        "board": _board,
        "teleop": _teleop,
        "teleop-channel": _teleop_channel,
    }
    return makers[name](name) if name in makers else _written(name)


def _receiver(name: str) -> list[bytes]:
    found = [path.read_bytes() for path in sorted(DATA.glob(f"{name}*.bin"))]
    for path in sorted(DATA.glob(f"{name}*.jsonl")):
        lines = [json.loads(line) for line in path.read_text().splitlines()]
        found.append(b"".join(bytes.fromhex(line["hex"]) for line in lines if "hex" in line))
    return [as_reads(data) for data in found]


def as_reads(data: bytes) -> bytes:
    """One read of a port after the other, 255 bytes at most."""
    parts = [data[at : at + 255] for at in range(0, len(data), 255)]
    return b"".join(bytes((len(part), 10)) + part for part in parts)


def as_pieces(*datagrams: bytes) -> bytes:
    """Datagrams behind their lengths."""
    return b"".join(len(data).to_bytes(2, "big") + data for data in datagrams)


def _cdr(_: str) -> list[bytes]:
    return [bytes((number,)) + cdr.encode(kind()) for number, kind in enumerate(MESSAGES)]


def _yaml(_: str) -> list[bytes]:
    routes = bytes((len(SETTINGS) - 1,))
    found = [routes + path.read_bytes() for path in sorted((ROOT / "manifests/routes").glob("*"))]
    texts = [
        b"auth: {required: false}\nnames: [robot]\n",
        b"rc_receiver:\n  protocol: sbus\n  channels:\n    - {channel: 1, name: a, min: 1000}\n",
        b"a: &b [1, 2]\nc: *b\n",
        b"? [x]\n: |\n  text\n--- !!float .nan\n",
    ]
    return found + [bytes((n,)) + text for n in range(len(SETTINGS)) for text in texts]


def _frames() -> list[CanFrame]:
    """One frame of each row, all zeros or with the magic byte."""
    found = [CanFrame(row.number << 8 | 10, bytes(row.layout.size), True) for row in vesc.TABLE]
    for row in wagon.TABLE:
        data = row.layout.constant + bytes(row.layout.size - len(row.layout.constant))
        found.append(CanFrame(row.id, data))
    return found


def _can_recording(_: str) -> list[bytes]:
    logged = [log_line.written(frame, 1000, "can0").encode() for frame in _frames()]
    line = b'{"t_us": 0, "id": 2314, "extended": true, "hex": "00003039ffcb036c"}'
    return [b"\n".join(logged), line, b"(0.0) can0 123#R\n(0.0) can0 20000004#0004000000000000"]


def _can_frames(_: str) -> list[bytes]:
    parts = [
        (frame.id | (frame.is_extended << 31)).to_bytes(4, "big")
        + bytes((len(frame.data),))
        + frame.data.ljust(8, b"\0")
        for frame in _frames()
    ]
    return [b"".join(parts), *parts]


def _board(_: str) -> list[bytes]:
    messages: list[object] = [
        board_link.BoardRcChannels((1500,) * 16, 1),
        board_link.BoardSensor(1, 0.5),
        board_link.BoardNfc(bytes(7), 4),
        board_link.BoardActuators(1, 2, 3, 4, 5),
        board_link.BoardStatus(1, 0.5, -0.5),
        board_link.BoardHeartbeat(1234),
        board_link.BoardOther(0x42, b"abc"),
    ]
    return [as_reads(b"".join(board_link.encode(each) for each in messages))]


def _teleop(_: str) -> list[bytes]:
    return [b"\0" + bytes(COMMAND.size), b"\1" + bytes(STATE.size)]


def _teleop_channel(_: str) -> list[bytes]:
    drive = b'{"v": 1, "seq": 1, "t": 20.5, "targets": {"tracks": {"linear": 0.3}}}'
    move = COMMAND.encode(TeleopCommand(2, 0.5, 0.0, -0.5, 0, 1, 0))
    beat = b'{"v": 1, "seq": 2, "t": 40.5}'
    return [b"".join(as_reads(each) for each in (drive, move, beat))]


_BONE = {"Name": "Head", "Parent": -1, "Location": [1, 2, 3], "Rotation": [0, 0, 0.3, 0.9],
         "Scale": [1, 1, 1]}  # fmt: skip
_LINE = {
    "subject_name": "P", "subject_type": "transform", "frame_number": 7, "property_names": ["a"],
    "property_values": [1.5], "transform": {"translation": {"x": 1, "y": 2, "z": 3}},
}  # fmt: skip


def _osc(address: bytes, types: bytes, arguments: bytes) -> bytes:
    def padded(text: bytes) -> bytes:
        return text + bytes(4 - len(text) % 4)

    return padded(address) + padded(b"," + types) + arguments


def _written(name: str) -> list[bytes]:
    if name == "llf":
        lines = (DATA / "live-link-face.jsonl").read_text().splitlines()
        return [as_pieces(bytes.fromhex(json.loads(line)["hex"])) for line in lines[:6]]
    if name == "json":
        both = {"Face": {"Parameter": [{"Name": "JawOpen", "Value": 1}], "Bone": [_BONE]}}
        return [
            as_pieces(json.dumps(both).encode()),
            as_pieces(json.dumps({"S": [_BONE]}).encode()),
        ]
    if name == "vmc":
        blend = _osc(b"/VMC/Ext/Blend/Val", b"sf", b"Joy\0" + struct.pack(">f", 0.5))
        bone = _osc(
            b"/VMC/Ext/Bone/Pos", b"sfffffff", b"Head\0\0\0\0" + struct.pack(">7f", *[0.5] * 7)
        )
        apply = _osc(b"/VMC/Ext/Blend/Apply", b"", b"")
        parts = b"".join(len(each).to_bytes(4, "big") + each for each in (blend, bone, apply))
        return [as_pieces(blend, bone, apply), as_pieces(b"#bundle\0" + bytes(8) + parts)]
    if name == "figure":
        return _figures()
    if name == "roboclaw":
        return [_controller()]
    if name == "servo_bus":
        return [bytes((series,)) + _servo_bus() for series in range(2)]
    if name == "dynamixel_bus":
        return [_dynamixel_bus()]
    return [*_TEXTS.get(name, ()), *_DOCUMENTS.get(name, ())]


def _figures() -> list[bytes]:
    plain = (ROOT / "manifests" / "robots" / "saint.urdf").read_bytes()
    mesh = b'<mesh filename="package://saint/meshes/head.stl"/>'
    facet = struct.pack("<12fH", 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0)
    files = {
        "saint/urdf/saint.urdf": plain.replace(b'<box size="0.18 0.16 0.18"/>', mesh),
        "saint/meshes/head.stl": bytes(80) + struct.pack("<I", 1) + facet,
    }
    return [plain, zipped(files)]


def _servo_bus() -> bytes:
    """One of each instruction, with the answers to the first three."""
    position = b"\x00\x08"
    sent = (
        packets.ping(1),
        packets.Packet(1, 0),
        packets.read(1, 56, 2),
        packets.Packet(1, 0, position),
        packets.sync_read(56, 2, (1, 2)),
        packets.Packet(1, 0, position),
        packets.Packet(2, packets.ErrorBit.OVERLOAD, position),
        packets.sync_write(42, {1: position, 2: position}),
        packets.reg_write(1, 31, b"\x05\x08"),
        packets.action(),
        packets.reset(3),
    )
    return b"".join(packet.encoded() for packet in sent)


def _dynamixel_bus() -> bytes:
    """One of each instruction, with answers: one stuffed, one with an alert, one refusal."""
    header = b"\xff\xff\xfd\x00"
    sent = (
        dynamixel.ping(1),
        dynamixel.status(1, 0, b"\xfc\x03\x30"),
        dynamixel.sync_read(132, 4, (1, 2)),
        dynamixel.status(1, 0, header),
        dynamixel.status(2, dynamixel.ALERT, bytes(4)),
        dynamixel.sync_write(116, {1: header, 2: bytes(4)}),
        dynamixel.write(1, 116, header),
        dynamixel.status(1, dynamixel.XRefusal.LIMIT),
        dynamixel.reboot(3),
    )
    return b"".join(packet.encoded() for packet in sent)


def _controller() -> bytes:
    """Acknowledges the time-out and the duties, then answers every question once."""
    answers = [ACKNOWLEDGED, ACKNOWLEDGED]
    for command, body in (
        (READ_ENCODERS, struct.pack(">II", 1000, 0xFFFFFF00)),
        (READ_CURRENTS, struct.pack(">hh", 250, -25)),
        (READ_STATUS, struct.pack(">I", 0x1040)),
        (READ_VOLTAGE, struct.pack(">H", 119)),
    ):
        answers.append(body + crc16(bytes((0x80, command)) + body).to_bytes(2, "big"))
    return b"".join(bytes((len(each), 10)) + each for each in answers)


_MANIFEST = (
    b"[update]\ncompatible=saint-os-rpi-arm64\nversion=1.2.3\n[bundle]\nformat=verity\n"
    b"verity-hash=" + b"ab" * 32 + b"\nverity-salt=" + b"cd" * 32 + b"\nverity-size=4096\n"
    b"[meta.saint]\nrelease-date=2026-01-15\nchangelog=a\\nb\n"
)


def _der(tag: int, content: bytes) -> bytes:
    size = len(content)
    length = bytes((size,)) if size < 128 else b"\x82" + size.to_bytes(2, "big")
    return bytes((tag,)) + length + content


def _signed(text: bytes) -> bytes:
    oids = [bytes.fromhex("2a864886f70d01070" + digit) for digit in "21"]
    inner = _der(0x30, _der(6, oids[1]) + _der(0xA0, _der(4, text)))
    body = _der(0x30, _der(2, b"\1") + _der(0x31, b"") + inner)
    return _der(0x30, _der(6, oids[0]) + _der(0xA0, body))


def _frame(opcode: int, payload: bytes) -> bytes:
    return bytes((0x80 | opcode, 0x80 | len(payload), 0, 0, 0, 0)) + payload


_TEXTS: dict[str, list[bytes]] = {
    "ifacialmocap": [
        as_pieces(
            b"mouthSmile_R-12|jawOpen-100|=head#-21.4,-6.0,-6.6,-0.03,-0.1,-0.65|rightEye#6,2,0|"
        ),
        as_pieces(b"trackingStatus&1|jawOpen&5|=head#1,2,3,4,5,6|leftEye#1,2,3|"),
    ],
    "lines": [as_pieces(json.dumps(_LINE).encode())],
    "capture": [
        as_pieces(
            b"\1\0\1\0x" + struct.pack("<ifiiH3H6f", 7, 0.5, 60, 1, 3, 0, 1, 65535, *[0.5] * 6)
        )
    ],
}
_LINES: list[dict[str, object]] = [
    {"t_ms": 0, "source": "rc", "values": {"channel_2": 1.0, "channel_1": -1, "channel_6": -1.0}},
    {"t_ms": 10, "source": "livelink", "subject": "Face", "values": {"headYaw": 0.5}},
    {
        "t_ms": 20,
        "source": "websocket",
        "client": "a",
        "target": "tracks",
        "values": {"linear": 1e9, "angular": -3},
    },
    {"t_ms": 20, "source": "rc", "values": {"channel_2": 0.5}, "failsafe": "hold"},
    {
        "t_ms": 25.5,
        "source": "autonomous",
        "name": "ros",
        "target": "head",
        "values": {"pan": 500, "speed": 0.1},
    },
    {"t_ms": 30, "estop": "set"},
    {"t_ms": 300, "estop": "clear"},
    {"t_ms": 99999, "tick": True},
]
_DOCUMENTS: dict[str, list[bytes]] = {
    **MENLO_SEEDS,
    "frames": [
        _frame(1, b"{}") + _frame(9, b"ping") + _frame(8, b"\x03\xe8bye"),
        bytes((1, 0x81, 0, 0, 0, 0)) + b"a" + _frame(0, b"b"),
        b"\x82\xfe\x01\0\0\0\0\0" + bytes(256),
    ],
    "messages": [
        b'{"id": "1", "type": "command", "target": "head", "action": "move", '
        b'"params": {"pan": 4.5}}',
        b'{"type": "tracks", "action": "drive", "params": {"linear": 1, "angular": -0.5}}',
        b'{"type": "input", "target": "tracks", "values": {"linear": 0.5}}',
        b'{"type": "subscribe", "topics": ["head", "arms"], "rate_hz": 10}',
        b'{"type": "auth", "token": "x", "client_id": "desk"}',
        b'{"type": "router", "action": "set_route", "params": {"route": {"id": "a", "input": '
        b'{"source": "rc"}, "output": {"target": "head"}, '
        b'"mapping": [{"from": "a", "to": "pan"}]}}}',
        b'{"type": "arms", "action": "move", "params": {"arm": "left", "positions": [1, null]}}',
    ],
    "remote": [
        b'{"type":"command","timestamp":"2024-01-15T10:30:00Z","sequence":1,"id":"a","data":'
        b'{"joints":[{"name":"Rotation","value":45,"speed":100}]}}\n'
        b'{"type":"command","timestamp":1705314600250,"sequence":2,"data":'
        b'{"joints":[{"name":"Jaw","value":50}]}}\n{"type":"heartbeat"}\n{"type":"command_ack"}',
        b'{"type":"slave_status","robot_id":"robot-1","data":{"joints":[{"name":"Elbow",'
        b'"virtual_value":45,"real_value":44.8}]}}\n{"type":"status_request"}\n{"type":"estop"}',
        b'{"type":"sequence","data":{"name":"wave","loop":true,"commands":[{"duration":500,'
        b'"joints":[{"name":"Elbow","value":1}]}]}}\n{"type":"error","message":"no"}',
    ],
    "rooms": [
        b'{"type":"joint_update","data":[{"name":"Rotation","value":-100,"speed":50},'
        b'{"name":"gripper","value":25}]}\n{"type":"heartbeat"}',
        b'{"type":"emergency_stop","reason":"x"}\n{"type":"status_update","status":"y"}',
    ],
    "replay": [
        bytes((number,)) + b"\n".join(json.dumps(line).encode() for line in _LINES)
        for number in range(len(PRESETS))
    ],
    "bundle": [_signed(_MANIFEST)],
    "manifest": [_MANIFEST],
    "address": [
        b'{"firmware": {"version": "1.2.0", "checksum_sha256": "' + b"a" * 64
        + b'", "size_bytes": 9000}, "configs": {}, "supported_roles": []}',
        b'{"firmware": null}',
    ],
    "redirect": [b"https://example.org/m.json", b"//a.org/", b"../m", b"http://a/", b"https://[::1]:8/"],
}  # fmt: skip
