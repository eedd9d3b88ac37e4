"""Subjects as others see them: ROS messages and answers on the socket."""

from ..lib.api.livelink import SubjectDetail, SubjectInfo
from ..lib.generated.saint_msgs import LiveLinkFrame
from .logic import Subject


def message(subject: Subject, values: tuple[float, ...], wall_s: float) -> LiveLinkFrame:
    """Topic /saint/livelink/frame."""
    frame = subject.frame
    return LiveLinkFrame(
        subject_name=frame.subject,
        subject_type=frame.type,
        frame_number=frame.number,
        timestamp=wall_s,
        property_names=frame.names,
        property_values=values,
    )


def info(subject: Subject, now_s: float, wall_s: float) -> SubjectInfo:
    """One line of GET /subjects."""
    frame, (ip, port) = subject.frame, subject.address
    age_s = max(0.0, now_s - subject.received_s)
    host = f"[{ip}]" if ":" in ip else ip
    return SubjectInfo(
        subject_name=frame.subject,
        subject_type=frame.type,
        device=frame.device,
        source_ip=ip,
        source_address=f"{host}:{port}",
        frame_rate=round(subject.rate_hz(now_s), 1),
        last_frame=wall_s - age_s,
        age_ms=int(age_s * 1000),
        frames=subject.frames,
        lost=subject.loss.lost,
        tracked=frame.is_tracked,
        properties=list(subject.names),
    )


def detail(subject: Subject, now_s: float, wall_s: float) -> SubjectDetail:
    """GET /subjects/{name}"""
    values = dict(zip(subject.frame.names, subject.frame.values, strict=True))
    return SubjectDetail(subject=info(subject, now_s, wall_s), values=values)
