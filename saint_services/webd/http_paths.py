"""The HTTP requests that are no actions: uploads, downloads, documents. A row each, for the API's
document; what they do stands in the adapter that answers them.
"""

from dataclasses import dataclass

from pydantic import BaseModel

from ..lib.api.firmware import Release
from .levels import Level


@dataclass(frozen=True, slots=True)
class Described:
    """One request; `needs` is None where anyone may ask."""

    method: str
    path: str
    name: str
    tag: str
    text: str
    needs: Level | None = None
    answer: str = "Done."
    reply: type[BaseModel] | None = None
    answer_type: str = ""
    body_type: str = ""


OTHERS = (
    Described(
        "GET", "/api/v1/", "list_actions", "documents", "All actions with path, methods and level.",
        answer="The list.", answer_type="application/json",
    ),
    Described(
        "GET", "/api/openapi.json", "openapi", "documents", "This document.",
        answer="OpenAPI 3.1.", answer_type="application/json",
    ),
    Described(
        "GET", "/api/asyncapi.json", "asyncapi", "documents", "The WebSocket's document.",
        answer="AsyncAPI 3.0.", answer_type="application/json",
    ),
    Described(
        "GET", "/metrics", "metrics", "metrics", "Everything that is measured, for Prometheus.",
        Level.VIEWER, "Prometheus' text format.", answer_type="text/plain",
    ),
    Described(
        "GET", "/api/camera", "camera", "head", "The head's camera, for as long as it is read.",
        Level.VIEWER, "JPEG pictures one after the other.",
        answer_type="multipart/x-mixed-replace",
    ),
    Described(
        "GET", "/api/robot/model/{path}", "robot_model", "system",
        "How the robot looks: its URDF (`system describe` names it) and the meshes beside it.",
        Level.VIEWER, "The file.", answer_type="application/xml",
    ),
    Described(
        "POST", "/api/firmware", "upload_release", "management",
        "Brings a signed release to the server; the body is the bundle.",
        Level.ADMIN, "The release.", Release, body_type="application/octet-stream",
    ),
)  # fmt: skip
