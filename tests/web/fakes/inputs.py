"""A receiver and a capture service for the page "Inputs": what they answer is set by the tests. Not
here: what they send on the bus (robot.py).
"""

import time
from dataclasses import dataclass, field
from typing import Literal

from saint_services.lib.api import Done, livelink, rc
from saint_services.lib.api.endpoint import Nothing
from saint_services.lib.api.livelink import (
    Acceptance,
    FormatInfo,
    FormatList,
    MeasureSubject,
    PlayRecording,
    RecordingInfo,
    RecordingList,
    RecordingRef,
    RecordingState,
    SenderCode,
    SenderInfo,
    SenderList,
    SenderRef,
    SetCheck,
    SetFormats,
    SetScale,
    SetZero,
    StartRecording,
    SubjectDetail,
    SubjectInfo,
    SubjectList,
    SubjectRef,
)
from saint_services.lib.api.measurement import MeasuredValue, Measurement
from saint_services.lib.api.rc import (
    CalibrationFinding,
    CalibrationInfo,
    CalibrationStep,
    DetectedSettings,
    DetectReport,
    DetectRequest,
    FailsafeInfo,
    ProtocolInfo,
    RcChannel,
    RcChannelConfig,
    RcChannelList,
    RcLine,
    RcStatus,
    SeenRange,
    SetChannel,
    SetEnabled,
    SetFailsafe,
    SetProtocol,
)
from saint_services.lib.errors import Code, SaintError
from saint_services.lib.ipc import Api, Call

NAMES = {1: "steering", 2: "throttle", 3: "head tilt", 4: "head pan", 5: "gripper", 6: "stop"}
CHANNELS = 16
Step = Literal["idle", "center", "ends", "directions", "done"]
_TEXTS: dict[Step, str] = {
    "idle": "No calibration runs.",
    "center": "Centre all sticks, put all switches in their rest position, then continue.",
    "ends": "Move every stick and switch to all of its ends several times, then continue.",
    "directions": "Move steering (CH 1) to the right or up, and hold it.",
    "done": "Look at what was found; save or cancel.",
}


def _configs() -> dict[int, RcChannelConfig]:
    return {
        n: RcChannelConfig(
            channel=n, name=NAMES.get(n, ""), min=1000, max=2000, center=1500, reversed=False
        )
        for n in range(1, CHANNELS + 1)
    }


@dataclass
class FakeReceiver:
    """rcd's socket."""

    is_enabled: bool = True
    is_live: bool = True
    armed: bool | None = True
    protocol: str = "crsf"
    pins: list[int] = field(default_factory=list)
    device: str = "/dev/ttyAMA0"
    channels: dict[int, RcChannelConfig] = field(default_factory=_configs)
    failsafe: FailsafeInfo = field(
        default_factory=lambda: FailsafeInfo(
            action="hold", timeout_ms=120, lost_frames=10, recovery_ms=200
        )
    )
    step: Step = "idle"
    refusal: str = ""  # of the next step
    ranges: list[SeenRange] = field(default_factory=list)
    asked: list[str] = field(default_factory=list)

    def api(self) -> Api:
        api = Api()
        api.bind(rc.GET_STATUS, self._status)
        api.bind(rc.SET_ENABLED, self._enable)
        api.bind(rc.LIST_CHANNELS, self._channels)
        api.bind(rc.SET_CHANNEL_CONFIG, self._set_channel)
        api.bind(rc.GET_FAILSAFE, self._failsafe)
        api.bind(rc.SET_FAILSAFE, self._set_failsafe)
        api.bind(rc.SET_PROTOCOL, self._set_protocol)
        api.bind(rc.DETECT_PROTOCOL, self._detect)
        api.bind(rc.GET_CALIBRATION, self._calibration)
        api.bind(rc.CALIBRATION, self._go)
        return api

    async def _status(self, _: Call[Nothing]) -> RcStatus:
        return self._now()

    def _now(self) -> RcStatus:
        line = RcLine(
            receiver="primary", protocol=self.protocol, device=self.device,
            connected=True, failsafe=not self.is_live, rssi=-61.0, link_quality=99,
            frame_rate_hz=50.0, frames=100, rejected=2, discarded_bytes=14, lost_frames=3, losses=1,
            reason="" if self.is_live else "no frame for 120 ms", pins=self.pins,
        )  # fmt: skip
        found = [
            RcChannel(
                channel=n,
                name=each.name,
                raw=992,
                us=1000 if n in (5, 6) else 1500,
                normalized=-1.0 if n in (5, 6) else 0.0,
            )
            for n, each in self.channels.items()
        ]
        return RcStatus(
            **line.model_dump(exclude={"receiver"}),
            enabled=self.is_enabled, channels=found, receivers=[line],
            failsafe_action=self.failsafe.action,
            told=None if self.is_live else self.failsafe.action,
            armed=self.armed, arm_channel=None if self.armed is None else 5,
            calibrating=self.step != "idle",
        )  # fmt: skip

    async def _enable(self, call: Call[SetEnabled]) -> RcStatus:
        self.is_enabled = call.body.enabled
        return self._now()

    async def _channels(self, _: Call[Nothing]) -> RcChannelList:
        return RcChannelList(channels=list(self.channels.values()))

    async def _set_channel(self, call: Call[SetChannel]) -> RcChannelConfig:
        number = call.body.channel
        if number not in self.channels:
            message = f"there is no channel {number}; there are 1 to {CHANNELS}"
            raise SaintError(Code.NOT_FOUND, message)
        changes = call.body.model_dump(exclude_none=True)
        self.channels[number] = self.channels[number].model_copy(update=changes)
        return self.channels[number]

    async def _failsafe(self, _: Call[Nothing]) -> FailsafeInfo:
        return self.failsafe

    async def _set_failsafe(self, call: Call[SetFailsafe]) -> FailsafeInfo:
        changes = call.body.model_dump(exclude_none=True)
        self.failsafe = self.failsafe.model_copy(update=changes)
        return self.failsafe

    async def _set_protocol(self, call: Call[SetProtocol]) -> ProtocolInfo:
        body = call.body
        if body.pins and max(body.pins) > 27:
            raise SaintError(Code.REQUEST_INVALID, f"there is no GPIO{max(body.pins)}")
        self.protocol = body.protocol
        usual = {"ppm": [18], "pwm": [16, 19, 20, 21]}.get(body.protocol, [])
        self.pins = body.pins or usual
        return ProtocolInfo(protocol=body.protocol, device="/dev/ttyAMA0", baud_rate=None)

    async def _detect(self, _: Call[DetectRequest]) -> DetectReport:
        seen = DetectedSettings(
            protocol="sbus", baud_rate=100_000, bytes=500, frames=20, rejected=0, discarded_bytes=0
        )
        text = "SBUS speaks on this line, at 100000 baud."
        return DetectReport(protocol="sbus", baud_rate=100_000, text=text, seen=[seen])

    async def _calibration(self, _: Call[Nothing]) -> CalibrationInfo:
        return self._info()

    def _info(self) -> CalibrationInfo:
        found, proposal = [], []
        if self.step == "done":
            text = "CH 1 falls when it is moved to the right or up"
            found = [CalibrationFinding(channel=1, kind="reversed", text=text)]
            proposal = [self.channels[1].model_copy(update={"min": 1010, "reversed": True})]
        return CalibrationInfo(
            step=self.step, text=_TEXTS[self.step], seen=self.ranges, findings=found,
            channel=1 if self.step == "directions" else None, proposal=proposal,
        )  # fmt: skip

    async def _go(self, call: Call[CalibrationStep]) -> CalibrationInfo:
        self.asked.append(call.body.step)
        if self.refusal:
            refusal, self.refusal = self.refusal, ""
            raise SaintError(Code.REFUSED, refusal, fix="Leave the sticks alone.")
        self.step = self._after(call.body.step)
        return self._info()

    def _after(self, step: str) -> Step:
        """Return the next step, or refuse as rcd does."""
        if step == "start":
            return "center"
        if self.step == "idle":
            raise SaintError(Code.REFUSED, "no calibration runs", fix="Start one first.")
        if step == "cancel":
            return "idle"
        if step == "save":
            if self.step != "done":
                raise SaintError(Code.REFUSED, "the calibration is not complete yet")
            return "idle"
        if step == "skip" and self.step != "directions":
            raise SaintError(Code.REFUSED, "this step cannot be skipped")
        order: list[Step] = ["center", "ends", "directions", "done", "done"]
        return order[order.index(self.step) + 1]


_ADDRESSES = {
    "llf": "udp 0.0.0.0:11111",
    "json": "udp 0.0.0.0:54321",
    "vmc": "udp 0.0.0.0:39539",
    "ifacialmocap": "udp 0.0.0.0:49983",
    "lines": "tcp 0.0.0.0:54322",
    "capture": "udp 0.0.0.0:14786",
}


@dataclass
class FakeCapture:
    """livelinkd's socket."""

    properties: tuple[str, ...]
    is_open: bool = False
    zeros: list[bool] = field(default_factory=list)
    scale: dict[str, float] = field(default_factory=dict)
    recordings: list[str] = field(default_factory=lambda: ["greeting"])
    formats: dict[str, bool] = field(
        default_factory=lambda: {name: name != "capture" for name in _ADDRESSES}
    )
    limit: int = 500
    accept: Acceptance = "known"
    waiting: list[SenderInfo] = field(default_factory=list)
    accepted: list[SenderInfo] = field(default_factory=list)
    code: str = "k7m2pq9xab"
    current: RecordingState | None = None
    playing: str = ""
    measured: list[MeasureSubject] = field(default_factory=list)
    lazy: set[str] = field(default_factory=set)  # values that hardly move while measured
    is_seen: bool = True  # the phone sees a face

    def api(self) -> Api:
        api = Api()
        api.bind(livelink.LIST_SOURCES, self._subjects)
        api.bind(livelink.GET_SUBJECT, self._subject)
        api.bind(livelink.LIST_FORMATS, self._formats)
        api.bind(livelink.SET_FORMATS, self._set_formats)
        api.bind(livelink.LIST_SENDERS, self._senders)
        api.bind(livelink.ACCEPT_SENDER, self._accept)
        api.bind(livelink.REVOKE_SENDER, self._revoke)
        api.bind(livelink.SET_SENDER_CHECK, self._check)
        api.bind(livelink.GET_SENDER_CODE, self._code)
        api.bind(livelink.RENEW_SENDER_CODE, self._new_code)
        api.bind(livelink.RELEASE, self._release)
        api.bind(livelink.MEASURE, self._measure)
        api.bind(livelink.ZERO, self._zero)
        api.bind(livelink.SCALE, self._scale)
        api.bind(livelink.LIST_RECORDINGS, self._recordings)
        api.bind(livelink.RECORD, self._record)
        api.bind(livelink.STOP_RECORDING, self._stop)
        api.bind(livelink.DELETE_RECORDING, self._remove)
        api.bind(livelink.PLAY, self._play)
        api.bind(livelink.STOP_PLAYING, self._stop_playing)
        return api

    def _face(self) -> SubjectInfo:
        return SubjectInfo(
            subject_name="FaceCapture", subject_type="face", device="phone",
            source_ip="192.168.1.50", source_address="192.168.1.50:50000", frame_rate=60.0,
            last_frame=time.time(), age_ms=5, frames=100, lost=0, tracked=True,
            properties=list(self.properties), format="llf", is_open=self.is_open,
            is_tuned=bool(self.scale),
        )  # fmt: skip

    def _detail(self) -> SubjectDetail:
        return SubjectDetail(subject=self._face(), values={"jawOpen": 0.25}, scale=self.scale)

    async def _subjects(self, _: Call[Nothing]) -> SubjectList:
        return SubjectList(sources=[self._face()], refused={"not_a_frame": 3})

    async def _subject(self, call: Call[SubjectRef]) -> SubjectDetail:
        if call.body.subject_name != "FaceCapture":
            raise SaintError(Code.NOT_FOUND, f"there is no subject {call.body.subject_name}")
        return self._detail()

    async def _formats(self, _: Call[Nothing]) -> FormatList:
        return self._listeners()

    def _listeners(self) -> FormatList:
        found = [
            FormatInfo(format=name, enabled=is_on, addresses=[_ADDRESSES[name]] if is_on else [])
            for name, is_on in self.formats.items()
        ]
        return FormatList(formats=found, datagrams_per_second=self.limit)

    async def _set_formats(self, call: Call[SetFormats]) -> FormatList:
        if call.body.formats.get("capture"):
            raise SaintError(Code.REFUSED, "UDP port 14786 cannot be opened: already in use")
        self.formats |= {str(name): is_on for name, is_on in call.body.formats.items()}
        self.limit = call.body.datagrams_per_second or self.limit
        return self._listeners()

    def _listed(self) -> SenderList:
        return SenderList(accept=self.accept, waiting=self.waiting, accepted=self.accepted)

    async def _senders(self, _: Call[Nothing]) -> SenderList:
        return self._listed()

    async def _accept(self, call: Call[SenderRef]) -> SenderList:
        (found,) = [e for e in self.waiting if e.subject_name == call.body.subject_name]
        self.waiting.remove(found)
        self.accepted.append(found.model_copy(update={"accepted_by": "person"}))
        return self._listed()

    async def _revoke(self, call: Call[SenderRef]) -> SenderList:
        self.accepted = [e for e in self.accepted if e.subject_name != call.body.subject_name]
        return self._listed()

    async def _check(self, call: Call[SetCheck]) -> SenderList:
        self.accept = call.body.accept
        return self._listed()

    async def _code(self, _: Call[Nothing]) -> SenderCode:
        return SenderCode(code=self.code)

    async def _new_code(self, _: Call[Nothing]) -> SenderCode:
        self.code = "abcdefgh23"
        return SenderCode(code=self.code)

    async def _release(self, _: Call[SubjectRef]) -> Done:
        self.is_open = True
        return Done()

    async def _measure(self, call: Call[MeasureSubject]) -> Measurement:
        """Answer at once: the first measurement is of a face at rest, the next ones of moves."""
        self.measured.append(call.body)
        top = 0.6 if len(self.measured) > 1 else 0.08
        values = {
            name: MeasuredValue(
                low=-top, middle=0.05, high=0.1 if name in self.lazy else top, noise=0.002
            )
            for name in call.body.names
        }
        frames = 120
        return Measurement(
            frames=frames, tracked=frames if self.is_seen else 0, rate_hz=60, values=values
        )

    async def _zero(self, call: Call[SetZero]) -> SubjectDetail:
        self.zeros.append(call.body.clear)
        return self._detail()

    async def _scale(self, call: Call[SetScale]) -> SubjectDetail:
        self.scale |= call.body.scale
        return self._detail()

    async def _recordings(self, _: Call[Nothing]) -> RecordingList:
        kept = [
            RecordingInfo(name=each, size_bytes=1_400_000, made=1.76e9) for each in self.recordings
        ]
        return RecordingList(recordings=kept, current=self.current, playing=self.playing)

    async def _record(self, call: Call[StartRecording]) -> RecordingState:
        self.current = RecordingState(name=call.body.name, recording=True, seconds=1.0)
        return self.current

    async def _stop(self, _: Call[Nothing]) -> RecordingState:
        if self.current is None:
            raise SaintError(Code.NOT_FOUND, "no recording is in progress")
        self.recordings.append(self.current.name)
        self.current = self.current.model_copy(update={"recording": False})
        return self.current

    async def _remove(self, call: Call[RecordingRef]) -> Done:
        self.recordings.remove(self._existing(call.body.name))
        return Done()

    async def _play(self, call: Call[PlayRecording]) -> Done:
        self.playing = self._existing(call.body.name)
        return Done()

    async def _stop_playing(self, _: Call[Nothing]) -> Done:
        self.playing = ""
        return Done()

    def _existing(self, name: str) -> str:
        if name not in self.recordings:
            raise SaintError(Code.NOT_FOUND, f"there is no recording {name!r}")
        return name
