"""The HTTP requests that are no actions: uploads, downloads, documents. A row each, for the API's
document; what they do stands in the adapter that answers them.
"""

from dataclasses import dataclass

from pydantic import BaseModel

from ...lib.access.levels import Level
from ...lib.api.backup import RestoreReply
from ...lib.api.firmware import Release


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
    Described(
        "GET", "/api/logs", "download_logs", "logs",
        "The log as text, newest last; with follow=1 one JSON object per line from now on. Filters "
        "as of the action query: level, source, node, search.",
        Level.VIEWER, "The lines.", answer_type="text/plain",
    ),
    Described(
        "GET", "/api/backup", "download_backup", "maintenance", "The whole robot in one file.",
        Level.ADMIN, "The file.", answer_type="application/zip",
    ),
    Described(
        "POST", "/api/backup", "restore_backup", "maintenance",
        "Restores a backup, the body; with check=1 only says what is in it and what would be left "
        "out, as BackupInfo.",
        Level.ADMIN, "What became of it.", RestoreReply, body_type="application/zip",
    ),
    Described(
        "POST", "/api/backup/sealed", "download_sealed_backup", "maintenance",
        "The whole robot in one file, with the server's key, sealed with the passphrase of the "
        "body. Over an encrypted connection only, or on the robot.",
        Level.ADMIN, "The file.", answer_type="application/zip", body_type="application/json",
    ),
    Described(
        "PUT", "/api/backup/sealed", "restore_sealed_backup", "maintenance",
        "Restores a backup and the server's key in it: passphrase, file (Base64), and confirm, the "
        "stops that it takes away. A wrong passphrase changes nothing.",
        Level.ADMIN, "What became of it.", RestoreReply, body_type="application/json",
    ),
    Described(
        "GET", "/api/diagnostics", "download_diagnostics", "maintenance",
        "How the robot is, in one zip: states, health, counters, the newest log lines.",
        Level.ADMIN, "The file.", answer_type="application/zip",
    ),
    Described(
        "GET", "/api/tls/ca.crt", "authority", "session",
        "The certificate of the robot's own authority, to be trusted by whoever wants to.",
        answer="PEM.", answer_type="application/x-x509-ca-cert",
    ),
    Described(
        "GET", "/api/session", "session", "session",
        "Who asks, and whether this robot has an owner yet.",
        answer="User, level, and how it is known.", answer_type="application/json",
    ),
    Described(
        "POST", "/api/claim", "claim", "session",
        "Makes the first admin with the code that the robot shows: code, name, password.",
        answer="As the session tells it; the cookie comes with it.",
        answer_type="application/json", body_type="application/json",
    ),
    Described(
        "POST", "/api/login", "login", "session", "Signs in with name and password, or a token.",
        answer="As the session tells it; the cookie comes with it.",
        answer_type="application/json", body_type="application/json",
    ),
    Described(
        "POST", "/api/logout", "logout", "session", "Signs this browser out.",
        answer="As the session tells it.", answer_type="application/json",
    ),
)  # fmt: skip
