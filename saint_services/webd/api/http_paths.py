"""The HTTP requests that are no actions: uploads, downloads, documents, sign-in. One row each, for
the API's document and the audit log; the handlers are where `Described` rows are imported.
"""

from dataclasses import dataclass

from pydantic import BaseModel

from ...lib.access.levels import Level
from ...lib.api.backup import RestoreReply
from ...lib.api.endpoint import Severity
from ...lib.api.firmware import FirmwareReport, Release
from ...lib.api.programs import ProgramInfo
from ...lib.api.robot_figure import OpenedArchive, RobotFigure


@dataclass(frozen=True, slots=True)
class Described:
    """One request; `needs` is None where anyone may send it. `log` is its sentence for the activity
    log; a request without one changes nothing.
    """

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
    log: str = ""
    severity: Severity = "INFO"

    @property
    def what(self) -> str:
        """Name of the request in the audit log."""
        return f"{self.tag} {self.name}"


LIST_RELEASES = Described(
    "GET", "/api/firmware", "firmware", "management",
    "List the releases on the server, and which release each machine runs.",
    Level.VIEWER, "Releases, machines and the roll-out.", FirmwareReport,
)  # fmt: skip
UPLOAD_RELEASE = Described(
    "POST", "/api/firmware", "upload_release", "management",
    "Upload a signed release to the server; the body is the bundle.",
    Level.ADMIN, "The release.", Release, body_type="application/octet-stream",
    log="A release was uploaded",
)  # fmt: skip
ADD_PROGRAM = Described(
    "POST", "/api/programs", "add", "programs",
    "Add a program of the owner's, or replace it; the body is its archive (saintctl program pack).",
    Level.ADMIN, "The program.", ProgramInfo, body_type="application/zip",
    log="A program was added", severity="WARNING",
)  # fmt: skip
UPLOAD_FIGURE = Described(
    "POST", "/api/robot/figures", "upload_figure", "robot",
    "Upload a figure, a URDF or a zip of a URDF and its meshes, which is not in force yet.",
    Level.ADMIN, "The figure, with proposals of which joint shows which part.", RobotFigure,
    body_type="application/zip", log="A figure was uploaded",
)  # fmt: skip
DOWNLOAD_ROBOT = Described(
    "GET", "/api/robot/archive", "download_robot", "robot",
    "Download the robot and its figure as one file.",
    Level.VIEWER, "The file.", answer_type="application/zip",
)  # fmt: skip
UPLOAD_ROBOT = Described(
    "POST", "/api/robot/archive", "upload_robot", "robot",
    "Upload a robot's file: its figure is stored, its text is replied and not in force yet.",
    Level.ADMIN, "The text.", OpenedArchive, body_type="application/zip",
    log="A robot's zip was opened",
)  # fmt: skip
DOWNLOAD_BACKUP = Described(
    "GET", "/api/backup", "download_backup", "maintenance",
    "Download the robot's settings as one file.",
    Level.ADMIN, "The file.", answer_type="application/zip",
    log="A backup of the robot was downloaded",
)  # fmt: skip
RESTORE_BACKUP = Described(
    "POST", "/api/backup", "restore_backup", "maintenance",
    "Restore a backup, the body; with check=1 only report its content and what would be left "
    "out, as BackupInfo.",
    Level.ADMIN, "The outcome.", RestoreReply, body_type="application/zip",
    log="A backup was restored", severity="WARNING",
)  # fmt: skip
DOWNLOAD_SEALED_BACKUP = Described(
    "POST", "/api/backup/sealed", "download_sealed_backup", "maintenance",
    "Download the robot's settings as one file with the server's key, sealed with the passphrase "
    "of the body. Over an encrypted connection only, or on the robot.",
    Level.ADMIN, "The file.", answer_type="application/zip", body_type="application/json",
    log="A backup with the server's sealed key was downloaded", severity="WARNING",
)  # fmt: skip
RESTORE_SEALED_BACKUP = Described(
    "PUT", "/api/backup/sealed", "restore_sealed_backup", "maintenance",
    "Restore a backup and the server's key in it: passphrase, file (Base64), and confirm, the "
    "stops that it removes. A wrong passphrase changes nothing.",
    Level.ADMIN, "The outcome.", RestoreReply, body_type="application/json",
    log="A backup was restored, with the server's key", severity="WARNING",
)  # fmt: skip
_LAB = "/robotics/workspaces/{workspace_id}/rooms"
_OPERATOR = Level.OPERATOR


def _room(
    method: str, path: str, name: str, text: str, needs: Level = Level.VIEWER, body: bool = False
) -> Described:
    kind = "application/json"
    return Described(
        method, path, name, "rooms", text, needs, "As RobotHub.", answer_type=kind,
        body_type=kind if body else "",
    )  # fmt: skip


# Remote masters and slaves, and RobotHub's rooms (webd/remote).
REMOTE = (
    Described(
        "GET", "/ws/master/{robot_id}", "remote_master", "remote",
        "A WebSocket that sends what a target is commanded, to a robot that follows it; a program "
        "may command on it too. Messages of LeRobot Arena.", _OPERATOR, "The WebSocket.",
    ),
    Described(
        "GET", "/ws/slave/{robot_id}", "remote_slave", "remote",
        "A WebSocket that commands a target, and gets its joints. Messages of LeRobot Arena.",
        _OPERATOR, "The WebSocket.",
    ),
    _room("GET", _LAB, "list_rooms", "List the rooms of a workspace."),
    _room("POST", _LAB, "create_room", "Create a room: room_id.", _OPERATOR, body=True),
    _room("GET", _LAB + "/{room_id}", "get_room", "Describe a room."),
    _room("DELETE", _LAB + "/{room_id}", "delete_room", "Delete a room.", _OPERATOR),
    _room("GET", _LAB + "/{room_id}/state", "room_state", "Get the newest values of a room."),
    _room(
        "POST", _LAB + "/{room_id}/command", "room_command",
        "Command joints of a room that has no producer: joints.", _OPERATOR, body=True,
    ),
    Described(
        "GET", _LAB + "/{room_id}/ws", "room_socket", "rooms",
        "The WebSocket of a participant: producer or consumer.", _OPERATOR, "The WebSocket.",
    ),
    _room("GET", "/robotics/status", "rooms_status", "Count rooms and participants."),
    _room("GET", "/robotics/health", "rooms_health", "Report that the service answers."),
)  # fmt: skip

OTHERS = (
    *REMOTE,
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
        "GET", "/metrics", "metrics", "metrics", "All metrics, for Prometheus.",
        Level.VIEWER, "Prometheus' text format.", answer_type="text/plain",
    ),
    Described(
        "GET", "/api/camera", "camera", "head", "The picture of the head's camera as a stream.",
        Level.VIEWER, "JPEG pictures, one after another.",
        answer_type="multipart/x-mixed-replace",
    ),
    Described(
        "GET", "/api/robot/model/{path}", "robot_model", "system",
        "The robot's URDF (`system describe` names it) and its meshes.",
        Level.VIEWER, "The file.", answer_type="application/xml",
    ),
    LIST_RELEASES,
    UPLOAD_RELEASE,
    ADD_PROGRAM,
    UPLOAD_FIGURE,
    DOWNLOAD_ROBOT,
    UPLOAD_ROBOT,
    Described(
        "GET", "/api/logs", "download_logs", "logs",
        "The log as text, newest last; with follow=1 one JSON object per line from now on. Filters "
        "as of the action query: level, source, node, search.",
        Level.VIEWER, "The lines.", answer_type="text/plain",
    ),
    DOWNLOAD_BACKUP,
    RESTORE_BACKUP,
    DOWNLOAD_SEALED_BACKUP,
    RESTORE_SEALED_BACKUP,
    Described(
        "GET", "/api/diagnostics", "download_diagnostics", "maintenance",
        "The robot's state in one zip: states, health, counters, the newest log lines.",
        Level.ADMIN, "The file.", answer_type="application/zip",
    ),
    Described(
        "GET", "/api/tls/ca.crt", "authority", "session",
        "The certificate of the robot's own authority, to be installed by users who trust it.",
        answer="PEM.", answer_type="application/x-x509-ca-cert",
    ),
    Described(
        "GET", "/api/session", "session", "session",
        "The signed-in user, and whether this robot has an owner yet.",
        answer="User, level, and how the user is identified.", answer_type="application/json",
    ),
    Described(
        "POST", "/api/claim", "claim", "session",
        "Create the first admin with the code that the robot shows: code, name, password.",
        answer="The session; the cookie comes with it.",
        answer_type="application/json", body_type="application/json",
    ),
    Described(
        "POST", "/api/login", "login", "session", "Sign in with name and password, or a token.",
        answer="The session; the cookie comes with it.",
        answer_type="application/json", body_type="application/json",
    ),
    Described(
        "POST", "/api/logout", "logout", "session", "Sign this browser out.",
        answer="The session.", answer_type="application/json",
    ),
)  # fmt: skip
