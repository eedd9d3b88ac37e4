"""One function per parser: takes any bytes, raises when the parser does what it must not (an
exception of its own, a value out of range). Not here: where the bytes come from (run.py), what is
tried first (corpus.py).
"""

import io
import json
import math
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

from pydantic import BaseModel

from saint_services.lib import config
from saint_services.lib.api.routing import RouteFile
from saint_services.lib.bus import cdr
from saint_services.lib.errors import SaintError
from saint_services.lib.generated.topics import BY_TYPE
from saint_services.lib.hw.can.frame import CanFrame
from saint_services.lib.hw.dynamixel.packets import XPacketFinder
from saint_services.lib.hw.feetech.registers import Series
from saint_services.lib.hw.motors.roboclaw import RoboClaw
from saint_services.lib.remote import messages as remote
from saint_services.lib.remote import rooms
from saint_services.lib.remote.joints import JointMap
from saint_services.lib.remote.order import CommandOrder
from saint_services.lib.robot import urdf
from saint_services.lib.robot.figure.archive import received
from saint_services.lib.robot.figure.bindings import proposed
from saint_services.lib.robot.manifest import RobotDescription, load
from saint_services.lib.teleop.velocity import VelocityTarget
from saint_services.lib.wagon import board_link
from saint_services.livelinkd.config import Config as LiveLinkConfig
from saint_services.livelinkd.logic import Subject, SubjectRegistry
from saint_services.livelinkd.protocols import Frame, make_decoder
from saint_services.livelinkd.protocols.names import range_of
from saint_services.livelinkd.reports import message
from saint_services.otad.releases import bundle
from saint_services.otad.releases.verity import BLOCK_BYTES
from saint_services.otad.sources import address, remote_manifest
from saint_services.rcd.channels import Normalizer
from saint_services.rcd.config import Config as RcConfig
from saint_services.rcd.protocols import PARSERS, CrsfFrame, LinkFrame
from saint_services.rcd.protocols.crsf_telemetry import telemetry
from saint_services.rcd.protocols.ibus import IbusParser
from saint_services.rcd.protocols.ibus_telemetry import IbusSensors
from saint_services.routerd import adapters
from saint_services.routerd.config import Config as RouterConfig
from saint_services.routerd.fields.targets import RobotTargets
from saint_services.routerd.logic import Router
from saint_services.saintctl import recordings
from saint_services.saintctl.arm.decode import BusReader
from saint_services.saintctl.arm.decode_x import XBusReader
from saint_services.saintctl.board.decode import described as board_line
from saint_services.saintctl.can.decode import decoded_line
from saint_services.saintctl.can.lines import described as can_line
from saint_services.saintctl.can.lines import frame_of
from saint_services.saintctl.livelink.decode import described
from saint_services.saintctl.route.replay import Replay
from saint_services.saintctl.teleop.decode import STRUCTS, hex_line
from saint_services.saintctl.teleop.decode import described as teleop_line
from saint_services.teleopd.commands import CommandStream
from saint_services.webd import logic
from saint_services.webd.actions.table import MODELS
from saint_services.webd.config import Config as WebConfig
from saint_services.webd.topics.hub import encoded
from saint_services.webd.websocket import frames
from tools.fuzz.menlo import MENLO_TARGETS

Target = Callable[[bytes], None]

MESSAGES = [BY_TYPE[name] for name in sorted(BY_TYPE)]
SETTINGS: list[type[BaseModel]] = [LiveLinkConfig, RcConfig, RouterConfig, WebConfig, RouteFile]
SHARE = Path(__file__).resolve().parents[2]
PRESETS = ("default", "rc_manual", "ue_fullbody", "manual_override")
_LONGEST_US = 4095
_SENSOR_VALUES = (0xFFFF, 0, 100, 1, 1)
_LARGEST_MESSAGE = 64 * 1024


def reads(data: bytes) -> Iterator[tuple[bytes, int]]:
    """Bytes as reads of a port: length, pause in units of 100 us, content; and so on."""
    at = 0
    while at + 2 <= len(data):
        length, pause = data[at], data[at + 1] * 100
        yield data[at + 2 : at + 2 + length], pause
        at += 2 + length


def pieces(data: bytes) -> Iterator[bytes]:
    """Bytes as datagrams: length in two bytes, content; and so on."""
    at = 0
    while at + 2 <= len(data):
        length = int.from_bytes(data[at : at + 2], "big")
        yield data[at + 2 : at + 2 + length]
        at += 2 + length


def receiver(protocol: str) -> Target:
    """One of rcd's wire formats."""

    def run(data: bytes) -> None:
        parser, normalizer, now_us, found = PARSERS[protocol](), Normalizer([]), 0, []
        sensors = IbusSensors()
        for chunk, pause_us in reads(data):
            now_us += pause_us
            found += parser.feed(chunk, now_us)
            if isinstance(parser, IbusParser):
                _check_replies(parser, sensors, now_us)
        found += parser.flush()
        assert parser.frames == len(found)
        for frame in found:
            if isinstance(frame, LinkFrame):
                assert 0 <= frame.uplink_lq_percent <= 100
                continue
            if isinstance(frame, CrsfFrame):
                telemetry(frame)
                continue
            assert all(-1.0 <= value <= 1.0 for value in normalizer.values(frame))
            assert all(0 <= us <= _LONGEST_US for us in frame.us)

    return run


def _check_replies(parser: IbusParser, sensors: IbusSensors, now_us: int) -> None:
    """Whatever is polled, a reply is one frame with its check sum, or nothing."""
    for poll in parser.take_polls():
        reply = sensors.reply(poll, _SENSOR_VALUES, now_us)
        assert not reply or len(reply) == reply[0]
        assert not reply or sum(reply[:-2]) + int.from_bytes(reply[-2:], "little") == 0xFFFF


def roboclaw(data: bytes) -> None:
    """What a motor controller answers."""
    sent: list[bytes] = []
    core, now_s = RoboClaw(0x80, sent.append), 0.0
    for chunk, pause_us in reads(data):
        core.step(now_s)
        core.received(chunk, now_s)
        now_s += pause_us / 1e6
        readings = core.readings
        assert len(core._buffer) <= 256
        assert all(-327.68 <= current <= 327.67 for current in readings.currents_a)
        assert all(abs(count) < len(data) << 31 for count in readings.counts)
        assert 0.0 <= readings.voltage_v <= 6553.5
        assert isinstance(core.problem, str)
    assert all(len(order) <= 8 for order in sent)


def can_recording(data: bytes) -> None:
    """Lines of recorded CAN frames; a printed message is encoded to a frame that says the same."""
    for raw in data.splitlines():
        try:
            line = decoded_line(raw, "fuzz")
        except SaintError as err:
            assert err.exit_code == 2
            continue
        json.dumps(line, allow_nan=False)
        if line["kind"] != "refused":
            assert can_line(frame_of(line)) == line


def can_frames(data: bytes) -> None:
    """Frames: four bytes of identifier, one of length, data; and so on."""
    for at in range(0, len(data) - 12, 13):
        identifier, size = int.from_bytes(data[at : at + 4], "big"), data[at + 4] % 9
        is_extended = bool(identifier >> 31)
        identifier &= 0x1FFFFFFF if is_extended else 0x7FF
        frame = CanFrame(identifier, data[at + 5 : at + 5 + size], is_extended)
        line = can_line(frame)
        json.dumps(line, allow_nan=False)
        if line["kind"] != "refused":
            assert can_line(frame_of(line)) == line


def board_bytes(data: bytes) -> None:
    """The link between the wagon's boards: each byte is in a message, or counted as discarded."""
    parser, carried, total = board_link.BoardLinkParser(), 0, 0
    found = []
    for chunk, _ in reads(data):
        total += len(chunk)
        found += parser.feed(chunk)
    for each in [*found, *parser.flush()]:
        json.dumps(board_line(each), allow_nan=False)
        carried += len(board_link.encode(each))
    assert carried + parser.discarded_bytes == total


def teleop_structs(data: bytes) -> None:
    """The struct that the first byte names."""
    kind = ("command", "state")[data[0] % 2] if data else "command"
    line = teleop_line(kind, data[1:])
    json.dumps(line, allow_nan=False)
    if line["kind"] in STRUCTS:
        assert hex_line(line)["hex"] == data[1:].hex()


def teleop_messages(data: bytes) -> None:
    """Nothing that a viewer sends commands anything, and every message of the operator's has finite
    values.
    """
    velocity = VelocityTarget("tracks", {"vx": "linear", "vyaw": "angular"})
    for is_operator in (False, True):
        stream = CommandStream(velocity)
        for number, (chunk, _) in enumerate(reads(data)):
            decide = stream.binary if number % 2 else stream.named
            decision = decide(chunk, number * 0.02, is_operator=is_operator)
            assert is_operator or not decision.values
            assert all(
                math.isfinite(each) for values in decision.values.values()
                for each in values.values()
            )  # fmt: skip


def servo_bus(data: bytes) -> None:
    """A recording of a servo bus: each packet has one line, and no byte is lost."""
    series = tuple(Series)[data[0] % len(Series)] if data else Series.STS
    whole, cut = BusReader(series), BusReader(series)
    lines = whole.feed(data[1:]) + whole.flush()
    pieces_of = [line for at in range(1, len(data), 7) for line in cut.feed(data[at : at + 7])]
    assert pieces_of + cut.flush() == lines
    assert whole.summary() == cut.summary() or whole.summary()["frames"] == len(lines)
    json.dumps(lines, allow_nan=False)
    low, high = -0x7FFF, 0xFFFF
    assert all(low <= line["value"] <= high for line in lines if "value" in line)


def dynamixel_bus(data: bytes) -> None:
    """A recording of a Dynamixel bus: each packet has one line, and no byte is lost."""
    whole, cut = XBusReader(), XBusReader()
    lines = whole.feed(data) + whole.flush()
    pieces_of = [line for at in range(0, len(data), 7) for line in cut.feed(data[at : at + 7])]
    assert pieces_of + cut.flush() == lines
    assert whole.summary()["frames"] == cut.summary()["frames"] == len(lines)
    json.dumps(lines, allow_nan=False)
    finder = XPacketFinder()
    found = finder.feed(data) + finder.flush()
    carried = sum(len(packet.encoded()) for packet in found)
    assert carried + finder.discarded_bytes == len(data)


def capture(format: str) -> Target:
    """One of livelinkd's formats."""

    def run(data: bytes) -> None:
        decoder, registry = make_decoder(format), SubjectRegistry()
        for datagram in pieces(data):
            for outcome in decoder(datagram, "10.0.0.1"):
                json.dumps(described(outcome), allow_nan=False)
                if isinstance(outcome, Frame):
                    _check_frame(outcome, registry, format)

    return run


def _check_frame(frame: Frame, registry: SubjectRegistry, format: str) -> None:
    assert len(frame.names) == len(frame.values)
    assert all(math.isfinite(value) for value in frame.values)
    subject = registry.take(frame, ("10.0.0.1", 1), 1.0, format)
    if not isinstance(subject, Subject):
        return
    values = subject.shaper.values(frame)
    for name, value in zip(subject.shaper.names, values, strict=bool(values)):
        low, high = range_of(name)
        assert low <= value <= high, f"{name} is {value}"
    cdr.encode(message(subject, values, 1.0))


def websocket_frames(data: bytes) -> None:
    """Any cutting of the bytes gives the same messages."""
    whole = _messages([data])
    chunks = [chunk for chunk, _ in reads(data)]
    assert whole == _messages([data[:1], data[1:7], data[7:]])
    _messages(chunks)


def _messages(chunks: list[bytes]) -> list[object]:
    reader, found = frames.Frames(1000), []
    try:
        for chunk in chunks:
            reader.feed(chunk)
            while (each := reader.next()) is not None:
                assert len(each[1]) <= 1000
                found.append(each)
                if each[0] is frames.Opcode.CLOSE:
                    frames.close_code(each[1])
    except frames.FrameError as err:
        assert err.code in (1002, 1007, 1009)
        return [*found, err.code]
    return [*found]


def websocket_messages(data: bytes) -> None:
    """What a client says is understood, or refused with a sentence that can be sent."""
    try:
        text = data[:_LARGEST_MESSAGE].decode()
    except UnicodeDecodeError:
        return
    try:
        parsed = logic.parse(text, MODELS)
    except logic.BadMessageError as err:
        encoded({"id": err.id, "message": err.message})
        return
    encoded({"id": parsed.id})


@cache
def _follower() -> JointMap:
    return JointMap(load(SHARE / "manifests", "so101_pair").roles["parts.follower"])


def remote_messages(data: bytes) -> None:
    """What a remote side says is understood, or refused with a reason: lines of one connection."""
    order, joints, newest = CommandOrder(), _follower(), -1
    for number, line in enumerate(data[:_LARGEST_MESSAGE].splitlines()):
        try:
            found = remote.parse(line)
            if isinstance(found, remote.RemoteCommand):
                order.check(found.sequence, found.timestamp, number / 50)
                if found.sequence is not None:
                    assert found.sequence > newest
                    newest = found.sequence
                values = joints.values(found.data.joints)
                assert all(math.isfinite(value) for value in values.values())
            elif isinstance(found, remote.SlaveStatus | remote.JointStates):
                joints.reported(found.data.joints)
            assert remote.parse(remote.encoded(found)) == found
        except remote.RemoteMessageError as err:
            assert err.reason and str(err)


def room_messages(data: bytes) -> None:
    """What a participant of a room says; values stay within the limits of the target."""
    role = _follower().role
    for line in data[:_LARGEST_MESSAGE].splitlines():
        try:
            found = rooms.parse(line)
            if isinstance(found, rooms.JointUpdate):
                for name, value in rooms.field_values(role, found.data).items():
                    low, high = role.fields[name].limits
                    assert low <= value <= high, f"{name} is {value}"
        except remote.RemoteMessageError as err:
            assert err.reason and str(err)


def messages(data: bytes) -> None:
    """CDR of the message type that the first byte names."""
    kind = MESSAGES[data[0] % len(MESSAGES)] if data else MESSAGES[0]
    try:
        found = cdr.decode(kind, data[1:])
    except cdr.CdrError:
        return
    assert cdr.encode(cdr.decode(kind, cdr.encode(found))) == cdr.encode(found)


def settings(data: bytes) -> None:
    """YAML of the daemon that the first byte names, or of a routes file."""
    model = SETTINGS[data[0] % len(SETTINGS)] if data else SETTINGS[0]
    try:
        config.parse(model, data[1:].decode(errors="replace"), "fuzz.yaml")
    except SaintError as err:
        assert err.message


def bundle_header(data: bytes) -> None:
    """The signed end of a release."""
    file = io.BytesIO(bytes(BLOCK_BYTES) + data + len(data).to_bytes(8, "big"))
    try:
        bundle.read_parts(file)
    except SaintError as err:
        assert err.message


def manifest(data: bytes) -> None:
    """The text inside it."""
    try:
        bundle.read_manifest(data.decode(errors="replace"))
    except SaintError as err:
        assert err.message


def address_manifest(data: bytes) -> None:
    """manifest.json of the owner's address: whatever it says, no request leaves its folder."""
    folder = "https://example.org/robots"
    try:
        found = remote_manifest.read(data, "manifest.json")
    except SaintError as err:
        assert err.message.isprintable()
        return
    if found is not None:
        parts = address.bundle(folder, found.version).removeprefix(folder).split("/")
        assert len(parts) == 4 and ".." not in parts
        assert found.size_bytes > 0


def redirect(data: bytes) -> None:
    """Where the address's server sends the job to: to HTTPS, or nowhere."""
    try:
        target = address.redirected("https://example.org/r", data.decode(errors="replace"))
    except ValueError:
        return
    assert target.startswith("https://") and target.isprintable() and target.isascii()


def figure(data: bytes) -> None:
    """An owner's figure: refused with a sentence, or a model that stays the same when stored."""
    try:
        found = received(data)
    except SaintError as err:
        assert err.message
        return
    assert received(found.packed()).digest == found.digest
    page = urdf.parse(found.page_text().encode(), "page")
    assert page.links == urdf.parse(found.urdf, "figure").links
    proposed(page, _described().roles)


@cache
def _described() -> RobotDescription:
    return load(SHARE / "manifests", "saint")


@cache
def _robot() -> RobotTargets:
    return adapters.load_robot(SHARE, "saint")


@cache
def _preset(name: str) -> RouteFile:
    return adapters.load_preset(SHARE, name)


def replay(data: bytes) -> None:
    """Lines for `route test`, on the preset that the first byte names: whatever they ask, no output
    leaves its limits.
    """
    robot, preset = _robot(), _preset(PRESETS[data[0] % len(PRESETS)] if data else PRESETS[0])
    router = Replay(Router(robot, preset.routes, blending=preset.blending))
    try:
        for number, line in recordings.lines(io.BytesIO(data[1:]), "fuzz"):
            shown = router.feed(line, f"line {number}")
            json.dumps(shown, allow_nan=False)
            for target, fields in shown["outputs"].items():
                for name, value in fields.items():
                    if value is None:  # not commanded
                        continue
                    low, high = robot.fields[target][name].limits
                    assert low <= value <= high, f"{target}.{name} is {value}"
    except SaintError as err:
        assert err.message and err.exit_code == 2


TARGETS: dict[str, Target] = {
    **{name: receiver(name) for name in PARSERS},
    **{name: capture(name) for name in ("llf", "json", "vmc", "ifacialmocap", "lines", "capture")},
    "roboclaw": roboclaw,
    "can_recording": can_recording,
    "can_frames": can_frames,
    "board": board_bytes,
    "teleop": teleop_structs,
    "teleop-channel": teleop_messages,
    "servo_bus": servo_bus,
    "dynamixel_bus": dynamixel_bus,
    "frames": websocket_frames,
    "messages": websocket_messages,
    "remote": remote_messages,
    "rooms": room_messages,
    "cdr": messages,
    "yaml": settings,
    "replay": replay,
    "bundle": bundle_header,
    "manifest": manifest,
    "address": address_manifest,
    "redirect": redirect,
    "figure": figure,
    **MENLO_TARGETS,
}
