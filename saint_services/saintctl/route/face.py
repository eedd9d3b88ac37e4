"""`saintctl route face`: maps a person's face to the robot's parts step by step, in a terminal."""

from collections.abc import Callable
from typing import Annotated, Protocol

import typer

from ...lib.api import faces, livelink, routing
from ...lib.api.endpoint import Nothing
from ...lib.api.faces import FaceTemplate, FaceTemplates, ProposedFace, ProposeFace
from ...lib.api.livelink import Measurement, MeasureSubject
from ...lib.config.spelling import hint_or_all
from ...lib.errors import Code, SaintError
from ..connect import RobotAddress, request
from ..console import print_table, run

_ANYBODY = "*"


class Answers(Protocol):
    """Returns what a person types after a text, as input() does."""

    def __call__(self, text: str, /) -> str: ...


def add_to(app: typer.Typer) -> None:
    """Add the command to `saintctl route`."""
    app.command("face")(face)


def face(
    context: typer.Context,
    template: Annotated[
        str, typer.Argument(help="jaw, jaw_eyes, face12. Default: list them.")
    ] = "",
    subject: Annotated[str, typer.Option(help="LiveLink subject. Default: the only one.")] = "",
) -> None:
    """Map a captured face to the robot's parts: measures step by step, then saves a route for each
    part.
    """
    run(_face(context.obj, template, subject))


async def _face(robot: RobotAddress, name: str, subject: str) -> None:
    known = await request(robot, faces.LIST_FACE_TEMPLATES, Nothing())
    if not name:
        _print_templates(known)
        return
    template = next((each for each in known.templates if each.name == name), None)
    if template is None:
        words = f"template {name!r} is not known"
        names = [each.name for each in known.templates]
        raise SaintError(Code.NOT_FOUND, words + hint_or_all(name, names))
    measured = subject or await _only_subject(robot)
    made = await lead(robot, template, measured, subject or _ANYBODY)
    for part in made.parts:
        if part.route is not None:
            sent = routing.SetRoute(route=part.route)
            await request(robot, routing.SET_ROUTE, sent)
    print(f"{sum(part.route is not None for part in made.parts)} routes were saved.")


async def _only_subject(robot: RobotAddress) -> str:
    found = (await request(robot, livelink.LIST_SOURCES, Nothing())).sources
    faces_of = [each.subject_name for each in found if each.subject_type == "face"]
    if len(faces_of) == 1:
        return faces_of[0]
    words = f"{len(faces_of)} faces are received" if faces_of else "no face is received"
    fix = (
        "Name one with --subject." if faces_of else "Start the capture app: saintctl livelink list."
    )
    raise SaintError(Code.NOT_FOUND, words, fix=fix)


async def lead(
    robot: RobotAddress,
    template: FaceTemplate,
    measured: str,
    subject: str,
    answer: Answers = input,
    say: Callable[[str], None] = print,
) -> ProposedFace:
    """Lead a person through the steps of a template. Raises refused when the person gives up."""
    say("Enter measures, s skips a step, q ends without a change.")
    steps: dict[str, Measurement] = {}
    made = ProposedFace(parts=[])
    for step in template.steps:
        while True:
            typed = answer(f"{step.title}. {step.text} ").strip().lower()
            if typed == "q":
                raise SaintError(Code.REFUSED, "nothing was saved")
            if typed == "s":
                break
            wanted = MeasureSubject(subject_name=measured, seconds=step.seconds, names=step.inputs)
            steps[step.name] = await request(robot, livelink.MEASURE, wanted)
            given = ProposeFace(template=template.name, steps=steps, subject=subject)
            made = await request(robot, faces.PROPOSE_FACE, given)
            if step.name not in made.refusals:
                break
            say(made.refusals[step.name])
    rows = [(each.part, each.output or "none", each.text) for each in made.parts]
    print_table(("part", "output", "how"), rows, "")
    for note in made.notes:
        say(note)
    if answer("Save these routes? y saves them. ").strip().lower() != "y":
        raise SaintError(Code.REFUSED, "nothing was saved")
    return made


def _print_templates(known: FaceTemplates) -> None:
    def outputs(template: FaceTemplate) -> str:
        return ", ".join(known.outputs.get(part.name, f"no {part.name}") for part in template.parts)

    rows = [(each.name, each.title, outputs(each)) for each in known.templates]
    print_table(("template", "", "outputs"), rows, "There are no templates.")
