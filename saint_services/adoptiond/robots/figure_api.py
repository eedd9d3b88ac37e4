"""Binds the rows of lib/api/robot_figure.py."""

from ...lib.access.person import Person
from ...lib.api import robot_figure as rows
from ...lib.api.endpoint import Nothing
from ...lib.api.robot import RobotApplied
from ...lib.api.robot_figure import (
    AddFigure,
    FigureParams,
    OpenArchive,
    OpenedArchive,
    RemoveFigure,
    RobotArchive,
    RobotFigure,
    SetFigure,
)
from ...lib.ipc import Api, Call
from .figures import FigureService


def answer_figure(api: Api, service: FigureService) -> None:
    """Bind the requests about the robot's figure."""

    async def show(call: Call[FigureParams]) -> RobotFigure:
        return await service.show(call.body.digest)

    async def add(call: Call[AddFigure]) -> RobotFigure:
        return await service.add(call.body.archive)

    async def put(call: Call[SetFigure]) -> RobotApplied:
        return await service.put_in_force(call.body, _name_of(call.person))

    async def remove(call: Call[RemoveFigure]) -> RobotApplied:
        return await service.remove(call.body, _name_of(call.person))

    async def archive(_: Call[Nothing]) -> RobotArchive:
        return await service.archive()

    async def open_archive(call: Call[OpenArchive]) -> OpenedArchive:
        return await service.open_archive(call.body.archive)

    api.bind(rows.GET_FIGURE, show)
    api.bind(rows.ADD_FIGURE, add)
    api.bind(rows.SET_FIGURE, put)
    api.bind(rows.REMOVE_FIGURE, remove)
    api.bind(rows.EXPORT_ARCHIVE, archive)
    api.bind(rows.OPEN_ARCHIVE, open_archive)


def _name_of(person: Person | None) -> str:
    return person.name if person else ""
