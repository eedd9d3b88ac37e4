"""Builds ROS messages and replies about subjects and recordings."""

from ..lib.api.livelink import RecordingState, SubjectDetail, SubjectInfo
from ..lib.generated.geometry_msgs import Quaternion, Transform, Vector3
from ..lib.generated.saint_msgs import LiveLinkFrame, LiveLinkSubject
from .logic import Subject
from .recorder import Recording

_NO_TRANSFORM = Transform(rotation=Quaternion(w=1.0))
# A phone's frame number is a signed 32-bit time code and may be negative; the messages' is not.
_LARGEST = (1 << 64) - 1


def message(subject: Subject, values: tuple[float, ...], wall_s: float) -> LiveLinkFrame:
    """Build the message of /saint/livelink/frame."""
    frame = subject.frame
    names = subject.shaper.names if values else ()
    return LiveLinkFrame(
        subject_name=frame.subject,
        subject_type=frame.type,
        frame_number=frame.number & _LARGEST,
        timestamp=wall_s,
        property_names=names,
        property_values=values,
        transform=_transform(subject),
    )


def _transform(subject: Subject) -> Transform:
    place = subject.frame.transform
    if place is None:
        return _NO_TRANSFORM
    (x, y, z), (qx, qy, qz, qw) = place.position, place.rotation
    return Transform(Vector3(x, y, z), Quaternion(qx, qy, qz, qw))


def description(subject: Subject, now_s: float) -> LiveLinkSubject:
    """Build the message of /saint/livelink/subjects."""
    frame = subject.frame
    return LiveLinkSubject(
        subject_name=frame.subject,
        subject_type=frame.type,
        source_address=_shown(subject),
        frame_rate=subject.rate_hz(now_s),
        last_frame=frame.number & _LARGEST,
        lost=subject.loss.lost,
        tracked=frame.is_tracked,
        properties=subject.names,
    )


def _shown(subject: Subject) -> str:
    ip, port = subject.address
    return f"[{ip}]:{port}" if ":" in ip else f"{ip}:{port}"


def info(subject: Subject, now_s: float, wall_s: float) -> SubjectInfo:
    """Build one entry of GET /subjects."""
    frame = subject.frame
    age_s = max(0.0, now_s - subject.received_s)
    return SubjectInfo(
        subject_name=frame.subject,
        subject_type=frame.type,
        device=frame.device,
        source_ip=subject.address[0],
        source_address=_shown(subject),
        frame_rate=round(subject.rate_hz(now_s), 1),
        last_frame=wall_s - age_s,
        age_ms=int(age_s * 1000),
        frames=subject.frames,
        lost=subject.loss.lost,
        tracked=frame.is_tracked,
        properties=list(subject.names),
        format=subject.holder.format,
        is_open=subject.is_open,
        is_tuned=not subject.shaper.tuning.is_empty,
    )


def detail(subject: Subject, now_s: float, wall_s: float) -> SubjectDetail:
    """Build the reply of GET /subjects/{name}."""
    frame, shaper = subject.frame, subject.shaper
    output = shaper.values(frame)
    return SubjectDetail(
        subject=info(subject, now_s, wall_s),
        values=dict(zip(frame.names, frame.values, strict=True)),
        output=dict(zip(shaper.names, output, strict=True)) if output else {},
        zero=dict(shaper.tuning.zero),
        scale=dict(shaper.tuning.scale),
    )


def recording(state: Recording, now_s: float, is_on: bool) -> RecordingState:
    """Build the state of the current or last recording."""
    return RecordingState(
        name=state.name,
        recording=is_on,
        datagrams=state.datagrams,
        size_bytes=state.written_bytes + state.waiting_bytes,
        dropped=state.dropped,
        seconds=round(min(now_s, state.ends_s) - state.started_s, 1),
        problem=state.problem,
    )
