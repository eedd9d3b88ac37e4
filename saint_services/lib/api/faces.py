"""A face of the robot driven by the face of a person: templates, the steps in which a person's face
is measured, and the routes that follow. Not here: the measurement (livelink.py).
"""

from typing import Annotated

from pydantic import Field

from . import Reply, Request
from .endpoint import Nothing, Rows
from .measurement import Measurement
from .routing import Route

Word = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]{0,47}$")]
Output = Annotated[str, Field(pattern=r"^[A-Za-z0-9_.]{0,129}$")]


class FaceStep(Reply):
    """What a person does while a phone is measured."""

    name: str  # "open"
    title: str  # "Open your mouth"
    text: str
    seconds: float
    inputs: list[str]  # values that are measured


class FaceTemplatePart(Reply):
    """A part of a face and what moves it."""

    name: str  # as the parts of the robot are usually named: "jaw"
    inputs: list[str]
    steps: list[str]  # in which its inputs move


class FaceTemplate(Reply):
    """Which values of a captured face move which parts. The first step is the face at rest."""

    name: str
    title: str
    parts: list[FaceTemplatePart]
    steps: list[FaceStep]


class FaceTemplates(Reply):
    """The templates, with the outputs of this robot that have the names of their parts."""

    templates: list[FaceTemplate]
    outputs: dict[str, str]  # by part: "parts.face.jaw"


class ProposeFace(Request):
    """Which routes make the parts follow a face that was measured step by step."""

    template: Word = Field(description="jaw, jaw_eyes or face12.")
    steps: dict[Word, Measurement] = Field(max_length=32)  # those that were measured so far
    outputs: dict[Word, Output] = Field(default={}, max_length=32)  # other than usual; empty: none
    subject: str = Field(
        default="*", min_length=1, max_length=100, description="LiveLink subject; * is any."
    )


class ProposedFacePart(Reply):
    """What became of one part."""

    part: str
    output: str  # "parts.face.jaw"; empty: the robot has none
    route: Route | None = None  # named like the part; None: not measured yet, or refused
    text: str  # what moves it, how far, and how it is filtered
    missing: list[str] = []  # steps that are not measured yet


class ProposedFace(Reply):
    """The routes of a face. Nothing is saved."""

    parts: list[ProposedFacePart]
    refusals: dict[str, str] = {}  # by step: why it must be repeated
    notes: list[str] = []  # other routes from a face to the same outputs


ROWS = Rows("router", "routerd")

# fmt: off
LIST_FACE_TEMPLATES = ROWS.row(
    "face_templates", "GET", "/faces", Nothing, FaceTemplates,
    "List the templates that map a captured face to the robot's parts, with their steps.",
)
PROPOSE_FACE = ROWS.row(
    "propose_face", "POST", "/faces/propose", ProposeFace, ProposedFace,
    "Propose routes from a captured face to the robot's parts by what was measured.",
)
