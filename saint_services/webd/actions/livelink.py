"""LiveLink subjects: livelinkd's socket."""

from typing import Any
from urllib.parse import quote

from ...lib.api.livelink import SubjectDetail, SubjectList
from .. import messages as m
from ..robot import Robot
from .caller import Caller

Data = dict[str, Any]


async def list_sources(robot: Robot, _: Caller, __: m.Nothing) -> Data:
    """All subjects."""
    return (await robot.daemons.livelinkd.get("/subjects", SubjectList)).model_dump(mode="json")


async def get_subject(robot: Robot, _: Caller, params: m.Subject) -> Data:
    """One subject with its newest values."""
    path = f"/subjects/{quote(params.subject_name, safe='')}"
    return (await robot.daemons.livelinkd.get(path, SubjectDetail)).model_dump(mode="json")
