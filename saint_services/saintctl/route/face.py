"""`saintctl route face`: maps a person's face to the robot's parts step by step, in a terminal."""

from typing import Annotated

import typer

from ...lib.api import faces, livelink, routing
from ...lib.api.endpoint import Nothing
from ...lib.api.faces import FaceTemplate, FaceTemplates, ProposedFace, ProposeFace
from ...lib.api.livelink import MeasureSubject
from ...lib.api.measurement import Measurement
from ...lib.config.spelling import hint_or_all
from ...lib.errors import Code, SaintError
from ..connect import RobotAddress, request
from ..console import fail, print_table, run

_ANYBODY = "*"


_GIVEN_UP = SaintError(Code.REFUSED, "nothing was saved", fix="Start again when you are ready.")


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
    robot: RobotAddress = context.obj
    known = run(request(robot, faces.LIST_FACE_TEMPLATES, Nothing()))
    if not template:
        _print_templates(known)
        return
    chosen = next((each for each in known.templates if each.name == template), None)
    if chosen is None:
        words = f"template {template!r} is not known"
        names = [each.name for each in known.templates]
        raise fail(SaintError(Code.NOT_FOUND, words + hint_or_all(template, names)))
    measured = subject or _only_subject(robot)
    made = _lead(robot, chosen, measured, subject or _ANYBODY)
    routes = [part.route for part in made.parts if part.route is not None]
    for route in routes:
        run(request(robot, routing.SET_ROUTE, routing.SetRoute(route=route)))
    print(f"{len(routes)} routes were saved.")


def _only_subject(robot: RobotAddress) -> str:
    found = run(request(robot, livelink.LIST_SOURCES, Nothing())).sources
    names = [each.subject_name for each in found if each.subject_type == "face"]
    if len(names) == 1:
        return names[0]
    words = f"{len(names)} faces are received" if names else "no face is received"
    fix = "Name one with --subject." if names else "Start the capture app: saintctl livelink list."
    raise fail(SaintError(Code.NOT_FOUND, words, fix=fix))


def _lead(robot: RobotAddress, template: FaceTemplate, measured: str, subject: str) -> ProposedFace:
    """Lead a person through the steps of a template; the program ends if the person gives up."""
    print("Enter measures, s skips a step, q ends without a change.")
    steps: dict[str, Measurement] = {}
    made = ProposedFace(parts=[])
    for step in template.steps:
        while _answer(f"{step.title}. {step.text}") != "s":
            wanted = MeasureSubject(subject_name=measured, seconds=step.seconds, names=step.inputs)
            steps[step.name] = run(request(robot, livelink.MEASURE, wanted))
            given = ProposeFace(template=template.name, steps=steps, subject=subject)
            made = run(request(robot, faces.PROPOSE_FACE, given))
            if step.name not in made.refusals:
                break
            print(made.refusals[step.name])
    rows = [(each.part, each.output or "none", each.text) for each in made.parts]
    print_table(("part", "output", "how"), rows, "No step was measured.")
    for note in made.notes:
        print(note)
    if _answer("Save these routes? y saves them.") != "y":
        raise fail(_GIVEN_UP)
    return made


def _answer(text: str) -> str:
    """Return what a person types; the program ends with q, and at the end of the input."""
    try:
        typed = input(f"{text} ").strip().lower()
    except EOFError:
        typed = "q"
    if typed == "q":
        raise fail(_GIVEN_UP)
    return typed


def _print_templates(known: FaceTemplates) -> None:
    def outputs(template: FaceTemplate) -> str:
        return ", ".join(known.outputs.get(part.name, f"no {part.name}") for part in template.parts)

    rows = [(each.name, each.title, outputs(each)) for each in known.templates]
    print_table(("template", "", "outputs"), rows, "There are no templates.")
