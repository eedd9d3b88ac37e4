"""LiveLink subjects and recordings: livelinkd's socket."""

from typing import Any
from urllib.parse import quote

from ...lib.api import Done
from ...lib.api.livelink import (
    ListenerList,
    Play,
    Record,
    RecordingDetail,
    RecordingList,
    RecordingRef,
    RecordingState,
    Scale,
    SenderCode,
    SenderList,
    SenderRef,
    SetCheck,
    SetFormats,
    SubjectDetail,
    SubjectList,
    SubjectRef,
    Zero,
)
from .. import messages as m
from ..robot import Robot
from .caller import Caller

Data = dict[str, Any]

READ_LIMIT_S = 60.0  # a recording of the largest size, from a slow card


async def list_sources(robot: Robot, _: Caller, __: m.Nothing) -> Data:
    """All subjects."""
    return (await robot.daemons.livelinkd.get("/subjects", SubjectList)).model_dump(mode="json")


async def get_subject(robot: Robot, _: Caller, params: m.Subject) -> Data:
    """One subject with its newest values."""
    path = f"/subjects/{quote(params.subject_name, safe='')}"
    return (await robot.daemons.livelinkd.get(path, SubjectDetail)).model_dump(mode="json")


async def list_formats(robot: Robot, _: Caller, __: m.Nothing) -> Data:
    """Which formats are on, and where each is heard."""
    return (await robot.daemons.livelinkd.get("/formats", ListenerList)).model_dump(mode="json")


async def set_formats(robot: Robot, caller: Caller, params: SetFormats) -> Data:
    """Switches formats on or off, and sets how much one sender may send."""
    reply = await robot.daemons.livelinkd.post("/formats", params, ListenerList)
    on = ", ".join(each.format for each in reply.formats if each.enabled)
    robot.note("INFO", caller.source, f"LiveLink hears {on or 'nothing'}")
    return reply.model_dump(mode="json")


async def list_senders(robot: Robot, _: Caller, __: m.Nothing) -> Data:
    """Which senders wait for somebody to accept them, and which are accepted."""
    return (await robot.daemons.livelinkd.get("/senders", SenderList)).model_dump(mode="json")


async def accept_sender(robot: Robot, caller: Caller, params: SenderRef) -> Data:
    """Lets a sender drive through the routes from now on."""
    reply = await robot.daemons.livelinkd.post("/senders/accept", params, SenderList)
    who = f"{params.subject_name} of {params.ip} ({params.format})"
    robot.note("WARNING", caller.source, f"Sender {who} was accepted")
    return reply.model_dump(mode="json")


async def revoke_sender(robot: Robot, caller: Caller, params: SenderRef) -> Data:
    """Ends what a sender drives; it must be accepted again."""
    reply = await robot.daemons.livelinkd.post("/senders/revoke", params, SenderList)
    who = f"{params.subject_name} of {params.ip} ({params.format})"
    robot.note("WARNING", caller.source, f"Sender {who} was revoked")
    return reply.model_dump(mode="json")


async def get_sender_code(robot: Robot, _: Caller, __: m.Nothing) -> Data:
    """The code with which a sender is accepted by itself, at the end of its subject's name."""
    return (await robot.daemons.livelinkd.get("/senders/code", SenderCode)).model_dump(mode="json")


async def renew_sender_code(robot: Robot, caller: Caller, _: m.Nothing) -> Data:
    """Makes a new code; senders with the old one are no longer accepted."""
    reply = await robot.daemons.livelinkd.post("/senders/code", None, SenderCode)
    robot.note("WARNING", caller.source, "The code for LiveLink senders was renewed")
    return reply.model_dump(mode="json")


async def set_sender_check(robot: Robot, caller: Caller, params: SetCheck) -> Data:
    """Whether senders must be accepted; "all" is for a closed network."""
    reply = await robot.daemons.livelinkd.post("/senders/check", params, SenderList)
    what = "Every LiveLink sender" if params.accept == "all" else "Only known LiveLink senders"
    robot.note("WARNING", caller.source, f"{what} may drive from now on")
    return reply.model_dump(mode="json")


async def release(robot: Robot, caller: Caller, params: SubjectRef) -> Data:
    """Gives a subject to the next other sender."""
    reply = await robot.daemons.livelinkd.post("/release", params, Done)
    robot.note("INFO", caller.source, f"Subject {params.subject_name} was released")
    return reply.model_dump(mode="json")


async def zero(robot: Robot, caller: Caller, params: Zero) -> Data:
    """The subject looks straight ahead now."""
    reply = await robot.daemons.livelinkd.post("/zero", params, SubjectDetail)
    what = "has no zero any more" if params.clear else "got a new zero"
    robot.note("INFO", caller.source, f"Subject {params.subject_name} {what}")
    return reply.model_dump(mode="json")


async def scale(robot: Robot, caller: Caller, params: Scale) -> Data:
    """How much values count, and with which sign."""
    reply = await robot.daemons.livelinkd.post("/scale", params, SubjectDetail)
    robot.note("INFO", caller.source, f"Subject {params.subject_name} was scaled")
    return reply.model_dump(mode="json")


async def list_recordings(robot: Robot, _: Caller, __: m.Nothing) -> Data:
    """Recordings on the robot, and what is being recorded or played."""
    found = await robot.daemons.livelinkd.get("/recordings", RecordingList)
    return found.model_dump(mode="json")


async def get_recording(robot: Robot, _: Caller, params: RecordingRef) -> Data:
    """How long a recording is, and who sent what is in it."""
    path = f"/recordings/{params.name}"
    found = await robot.daemons.livelinkd.get(path, RecordingDetail, timeout_s=READ_LIMIT_S)
    return found.model_dump(mode="json")


async def delete_recording(robot: Robot, caller: Caller, params: RecordingRef) -> Data:
    """Removes it for good."""
    done = await robot.daemons.livelinkd.delete(f"/recordings/{params.name}", Done)
    robot.note("WARNING", caller.source, f"Recording {params.name} was deleted")
    return done.model_dump(mode="json")


async def record(robot: Robot, caller: Caller, params: Record) -> Data:
    """Begins to record what arrives."""
    reply = await robot.daemons.livelinkd.post("/recordings", params, RecordingState)
    robot.note("INFO", caller.source, f"Recording {params.name} was begun")
    return reply.model_dump(mode="json")


async def stop_recording(robot: Robot, caller: Caller, _: m.Nothing) -> Data:
    """Ends and keeps it."""
    reply = await robot.daemons.livelinkd.post("/recordings/stop", None, RecordingState)
    robot.note("INFO", caller.source, f"Recording {reply.name} was ended")
    return reply.model_dump(mode="json")


async def play(robot: Robot, caller: Caller, params: Play) -> Data:
    """Plays a recording as a source."""
    reply = await robot.daemons.livelinkd.post("/playback", params, Done)
    robot.note("INFO", caller.source, f"Recording {params.name} is played")
    return reply.model_dump(mode="json")


async def stop_playing(robot: Robot, _: Caller, __: m.Nothing) -> Data:
    """Ends what plays."""
    return (await robot.daemons.livelinkd.post("/playback/stop", None, Done)).model_dump(
        mode="json"
    )
