"""Binds the rows of lib/api/robot.py."""

from collections.abc import Sequence

from ...lib.access.person import Person
from ...lib.api import robot as rows
from ...lib.api.endpoint import Nothing
from ...lib.api.robot import (
    ApplyRobot,
    ChangeRobot,
    CheckRobot,
    PartEdit,
    RemovePart,
    RobotApplied,
    RobotCatalog,
    RobotDocument,
    RobotParts,
    RobotReview,
    RobotTemplates,
    RobotVersions,
    SetPart,
    SetParts,
    TemplateParams,
    UndoRobot,
    UseTemplate,
    VersionParams,
)
from ...lib.ipc import Api, Call
from .catalog import catalog
from .edits import with_parts, without_part
from .parts import parts, template_view
from .service import RobotService, from_template


def answer_robot(api: Api, service: RobotService) -> None:
    """Bind the requests about the robot."""
    _answer_reads(api, service)
    _answer_changes(api, service)


def _answer_reads(api: Api, service: RobotService) -> None:
    async def get(_: Call[Nothing]) -> RobotDocument:
        return service.document()

    async def check(call: Call[CheckRobot]) -> RobotReview:
        if call.body.archive:
            return await service.review_archive(call.body.archive)
        return await service.review(call.body.text)

    async def versions(_: Call[Nothing]) -> RobotVersions:
        return await service.versions()

    async def version(call: Call[VersionParams]) -> RobotDocument:
        return await service.version(call.body.number)

    async def templates(_: Call[Nothing]) -> RobotTemplates:
        return await service.templates(template_view)

    async def template(call: Call[TemplateParams]) -> RobotDocument:
        return await service.template(call.body.name)

    async def list_parts(_: Call[Nothing]) -> RobotParts:
        return RobotParts(
            version=service.document().version,
            parts=parts(service.robot, service.holders()),
            configurations=service.configurations(),
        )

    async def list_kinds(_: Call[Nothing]) -> RobotCatalog:
        return catalog()

    api.bind(rows.GET_CATALOG, list_kinds)
    api.bind(rows.GET_ROBOT, get)
    api.bind(rows.CHECK_ROBOT, check)
    api.bind(rows.LIST_VERSIONS, versions)
    api.bind(rows.GET_VERSION, version)
    api.bind(rows.LIST_TEMPLATES, templates)
    api.bind(rows.GET_TEMPLATE, template)
    api.bind(rows.LIST_PARTS, list_parts)


def _answer_changes(api: Api, service: RobotService) -> None:
    async def apply(call: Call[ApplyRobot]) -> RobotApplied:
        body = call.body
        return await service.change(body, _name_of(call.person), lambda _: body.text)

    async def undo(call: Call[UndoRobot]) -> RobotApplied:
        return await service.undo(call.body, _name_of(call.person))

    async def use_template(call: Call[UseTemplate]) -> RobotApplied:
        body = call.body
        text = (await service.template(body.name)).text
        wanted = body.model_copy(update={"note": from_template(body.name)})
        return await service.change(wanted, _name_of(call.person), lambda _: text)

    async def set_part(call: Call[SetPart]) -> RobotApplied:
        return await put_parts(call.body, [call.body], _name_of(call.person))

    async def set_parts(call: Call[SetParts]) -> RobotApplied:
        return await put_parts(call.body, call.body.parts, _name_of(call.person))

    async def put_parts(
        wanted: ChangeRobot, edits: Sequence[PartEdit], person: str
    ) -> RobotApplied:
        note = ", ".join(each.full_name for each in edits)
        return await service.change(
            wanted, person, lambda robot: with_parts(robot.text, robot.description, edits), note
        )

    async def remove_part(call: Call[RemovePart]) -> RobotApplied:
        body, person = call.body, _name_of(call.person)
        note = f"{body.target}.{body.name} removed"
        return await service.change(
            body, person, lambda robot: without_part(robot.text, robot.description, body), note
        )

    api.bind(rows.APPLY_ROBOT, apply)
    api.bind(rows.UNDO_ROBOT, undo)
    api.bind(rows.USE_TEMPLATE, use_template)
    api.bind(rows.SET_PART, set_part)
    api.bind(rows.SET_PARTS, set_parts)
    api.bind(rows.REMOVE_PART, remove_part)


def _name_of(person: Person | None) -> str:
    return person.name if person else ""
