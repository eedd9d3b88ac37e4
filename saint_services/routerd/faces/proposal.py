"""Proposes the routes of a face from what was measured step by step, and says which step must be
repeated. Pure. Not here: the rules of one mapping (rules.py).
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from ...lib.api.faces import (
    FaceStep,
    FaceTemplate,
    FaceTemplatePart,
    FaceTemplates,
    ProposedFace,
    ProposedFacePart,
    ProposeFace,
)
from ...lib.api.mapping import Mapping
from ...lib.api.measurement import Measurement
from ...lib.api.routing import Route
from ...lib.config.spelling import hint_or_all
from ...lib.errors import Code, SaintError
from ...lib.role_config.model import FieldSpec
from ..fields.targets import RobotTargets
from ..routes.checks import place
from .rules import InputNoise, Travel, hardly, mapping, travel, unseen
from .templates import PULLS, REST, STEPS, TEMPLATES, Pull, inputs_of, steps_of

Steps = dict[str, Measurement]
_AGAIN = "Do it again, more strongly, or skip this step."


def listed(robot: RobotTargets) -> FaceTemplates:
    """Return all templates, and the outputs that are named like their parts."""
    templates = [_template(name) for name in TEMPLATES]
    return FaceTemplates(templates=templates, outputs=usual_outputs(robot))


def _template(name: str) -> FaceTemplate:
    entry = TEMPLATES[name]
    steps = [
        FaceStep(
            name=step,
            title=STEPS[step].title,
            text=STEPS[step].text,
            seconds=STEPS[step].seconds,
            inputs=inputs_of(entry.parts, step),
        )
        for step in steps_of(entry.parts)
    ]
    parts = [
        FaceTemplatePart(
            name=part,
            inputs=[pull.input for pull in PULLS[part]],
            steps=[step for step in steps_of((part,)) if step != REST],
        )
        for part in entry.parts
    ]
    return FaceTemplate(name=name, title=entry.title, parts=parts, steps=steps)


def usual_outputs(robot: RobotTargets) -> dict[str, str]:
    """Return the first position of the robot that is named like a part, for each part."""
    found: dict[str, str] = {}
    for target, fields in robot.fields.items():
        for name, field in fields.items():
            if name in PULLS and field.kind == "position":
                found.setdefault(name, f"{target}.{name}")
    return found


@dataclass(frozen=True, slots=True)
class _ChosenPart:
    """A part of the template with the output that it drives."""

    name: str
    target: str
    field: str
    spec: FieldSpec

    @property
    def output(self) -> str:
        return f"{self.target}.{self.field}"


def propose(robot: RobotTargets, request: ProposeFace, routes: Sequence[Route]) -> ProposedFace:
    """Return the routes; raise SaintError request_invalid for an unknown template or output."""
    entry = TEMPLATES.get(request.template)
    if entry is None:
        words = f"template {request.template!r} is not known"
        raise SaintError(
            Code.REQUEST_INVALID, words + hint_or_all(request.template, list(TEMPLATES))
        )
    outputs = usual_outputs(robot) | request.outputs
    chosen = {name: _part(robot, name, outputs.get(name, "")) for name in entry.parts}
    used = [each for each in chosen.values() if each is not None]
    refusals = {
        step: why
        for step, seen in request.steps.items()
        if (why := _refusal(step, seen, request.steps, used))
    }
    parts = [
        ProposedFacePart(part=name, output="", text="This robot has no such output.")
        if part is None
        else _proposed(part, request, routes)
        for name, part in chosen.items()
    ]
    ours = {each.route.id for each in parts if each.route}
    notes = [_note(route) for route in routes if route.id not in ours and _competes(route, used)]
    return ProposedFace(parts=parts, refusals=refusals, notes=notes)


def _part(robot: RobotTargets, name: str, output: str) -> _ChosenPart | None:
    """Return the part with its output; None: it is left out."""
    if not output:
        return None
    target, _, field = output.rpartition(".")
    spec = robot.fields.get(target, {}).get(field)
    if spec is None or spec.kind != "position":
        known = [
            f"{each}.{name}"
            for each, fields in robot.fields.items()
            for name, found in fields.items()
            if found.kind == "position"
        ]
        words = f"{output!r} is no position of this robot{hint_or_all(output, known)}"
        raise SaintError(Code.REQUEST_INVALID, words)
    return _ChosenPart(name, target, field, spec)


def _refusal(step: str, seen: Measurement, steps: Steps, parts: Iterable[_ChosenPart]) -> str:
    """Return why a step must be repeated; empty: it need not."""
    if why := unseen(seen):
        return why
    rest = steps.get(REST)
    if step == REST or rest is None or unseen(rest):
        return ""
    for part in parts:
        pulls = [pull for pull in PULLS[part.name] if pull.step == step]
        if pulls and not any(_travel(pull, rest, seen) for pull in pulls):
            little = [
                hardly(pull, rest.values[pull.input], seen.values[pull.input])
                if pull.input in rest.values and pull.input in seen.values
                else f"the phone does not send {pull.input}"
                for pull in pulls
            ]
            return f"That hardly moves {part.field}: {', '.join(little)}. {_AGAIN}"
    return ""


def _travel(pull: Pull, rest: Measurement, moved: Measurement) -> Travel | None:
    a, b = rest.values.get(pull.input), moved.values.get(pull.input)
    return None if a is None or b is None else travel(pull, a, b)


def _proposed(part: _ChosenPart, request: ProposeFace, routes: Sequence[Route]) -> ProposedFacePart:
    missing = [step for step in steps_of((part.name,)) if step not in request.steps]
    found = _mappings(part, request.steps)
    if not found:
        text = (
            "Not measured yet." if missing else "It does not follow: its face values hardly move."
        )
        return ProposedFacePart(part=part.name, output=part.output, text=text, missing=missing)
    found[0] = found[0].model_copy(update={"offset": part.spec.neutral})
    route = Route.model_validate(
        {
            "id": _free_name(part.field, routes),
            "input": {"source": "livelink", "subject": request.subject, "type": "face"},
            "output": {"target": part.target},
            "mapping": found,
        }
    )
    text = "; ".join(_text(each, part.spec) for each in found)
    return ProposedFacePart(
        part=part.name, output=part.output, route=route, text=f"{text}.", missing=missing
    )


def _mappings(part: _ChosenPart, steps: Steps) -> list[Mapping]:
    """Return the mappings of all pulls that moved; those of one step share the way equally."""
    rest = steps.get(REST)
    if rest is None or unseen(rest):
        return []
    found: list[Mapping] = []
    for step in steps_of((part.name,)):
        moved = steps.get(step)
        if moved is None or unseen(moved):
            continue
        pulls = [pull for pull in PULLS[part.name] if pull.step == step]
        ways = [(pull, way) for pull in pulls if (way := _travel(pull, rest, moved))]
        for pull, way in ways:
            noise = InputNoise(rest.values[pull.input].noise, rest.rate_hz)
            shared = replace(pull, share=1.0 / len(ways))
            if made := mapping(shared, way, part.field, part.spec, noise):
                found.append(made)
    return found


def _free_name(field: str, routes: Iterable[Route]) -> str:
    """Return the part's name; with "face_" before it where a route of another input has that."""
    is_taken = any(each.id == field and each.input.source != "livelink" for each in routes)
    return f"face_{field}" if is_taken else field


def _text(mapping: Mapping, field: FieldSpec) -> str:
    (x0, y0), (x1, y1) = mapping.points[0], mapping.points[-1]
    ends = [field.neutral + mapping.scale * y for y in (y0, y1)]
    text = f"{mapping.from_} {x0:.2f} to {x1:.2f} makes {ends[0]:g} to {ends[1]:g} {field.unit}"
    return text if mapping.filter == "none" else f"{text}, one-euro {mapping.cutoff_hz:g} Hz"


def _competes(route: Route, parts: Sequence[_ChosenPart]) -> bool:
    """Return whether another route of a face drives one of the outputs."""
    if not route.enabled or route.input.source != "livelink" or route.mapping == "passthrough":
        return False
    driven = {place(route, each) for each in route.mapping}
    return any((part.target, part.field) in driven for part in parts)


def _note(route: Route) -> str:
    return f"Route {route.id} drives some of these outputs from a face too. Turn one of them off."
