"""The actions that webd itself carries out, as rows. Not here: the table that checks them and the
levels that they need (webd/actions).
"""

from typing import TypeVar

from pydantic import BaseModel

from ..lib.api import Done
from ..lib.api.adoption import NodeParams
from ..lib.api.backup import RestoreReply, RestoreState
from ..lib.api.endpoint import Endpoint, Nothing
from ..lib.api.firmware import FirmwareCheck
from ..lib.api.hardware import GpioStatus, NodeFit
from ..lib.api.logs import LogNames, LogPage, LogQuery
from ..lib.api.machine import (
    FactoryReset,
    Forced,
    JoinWifi,
    NameRobot,
    Reboot,
    SetHostname,
    SettingsInfo,
    TlsInfo,
)
from ..lib.api.routing import Confirming
from ..lib.api.users import (
    AddToken,
    AddUser,
    AuditReply,
    ClaimInfo,
    GetAuditLog,
    NewToken,
    SessionList,
    SessionParams,
    SetPassword,
    SetRole,
    TokenList,
    TokenParams,
    UserList,
    UserParams,
)

P = TypeVar("P", bound=BaseModel)
R = TypeVar("R", bound=BaseModel)


def webd_row(
    group: str, action: str, params: type[P], reply: type[R], text: str, limit_s: float = 30.0
) -> Endpoint[P, R]:
    """Return the row of an action: webd answers POST /api/v1/<group>/<action>."""
    path = f"/api/v1/{group}/{action}"
    return Endpoint(
        group=group, action=action, daemon="webd", method="POST", path=path, params=params,
        reply=reply, text=text, limit_s=limit_s,
    )  # fmt: skip


# fmt: off
LIST_USERS = webd_row("users", "list_users", Nothing, UserList, "List the users.")
ADD_USER = webd_row(
    "users", "add_user", AddUser, Done,
    "Add a user. The first user must be an admin and becomes the owner of the robot.",
)
REMOVE_USER = webd_row(
    "users", "remove_user", UserParams, Done, "Remove a user and sign out the user's browsers."
)
SET_PASSWORD = webd_row(
    "users", "set_password", SetPassword, Done,
    "Set the password of a user; the old one is not needed.",
)
SET_ROLE = webd_row("users", "set_role", SetRole, Done, "Change the role of a user, at once.")
LIST_SESSIONS = webd_row(
    "users", "list_sessions", Nothing, SessionList, "List the browsers that are signed in."
)
END_SESSION = webd_row("users", "end_session", SessionParams, Done, "Sign out a browser.")
GET_CLAIM_CODE = webd_row(
    "users", "get_claim_code", Nothing, ClaimInfo,
    "Show the code that makes the first admin on the page; only on the robot itself.",
)
LIST_TOKENS = webd_row(
    "users", "list_tokens", Nothing, TokenList, "List the tokens, without their secrets."
)
ADD_TOKEN = webd_row(
    "users", "add_token", AddToken, NewToken,
    "Make a token for a program. Its secret is printed once and stored nowhere.",
)
RENEW_TOKEN = webd_row(
    "users", "renew_token", TokenParams, NewToken,
    "Give a token a new secret; the old one is refused at once.",
)
REVOKE_TOKEN = webd_row("users", "revoke_token", TokenParams, Done, "Revoke a token, at once.")

GET_AUDIT_LOG = webd_row(
    "system", "get_audit_log", GetAuditLog, AuditReply, "List who did what, newest first."
)
GET_TLS = webd_row(
    "system", "get_tls", Nothing, TlsInfo,
    "Show whether encryption is on, and the fingerprint to compare before trusting the robot.",
)
ENABLE_TLS = webd_row(
    "system", "enable_tls", Nothing, TlsInfo,
    "Serve https:// too; make the certificate authority and the certificate if they are missing.",
)
DISABLE_TLS = webd_row(
    "system", "disable_tls", Nothing, TlsInfo, "Serve http:// only and delete the authority."
)
REBOOT = webd_row("system", "reboot", Reboot, Done, "Restart the server's machine, or one node's.")
SHUTDOWN = webd_row("system", "shutdown", Forced, Done, "Switch off the server's machine.")

GET_SETTINGS = webd_row(
    "settings", "get", Nothing, SettingsInfo,
    "Show names, release, networks, and how the last change of them ended.",
)
SET_NAME = webd_row(
    "settings", "set_name", NameRobot, SettingsInfo, "Set the robot's name on its pages."
)
SET_HOSTNAME = webd_row(
    "settings", "set_hostname", SetHostname, Done,
    "Set the server's name on the network: NAME.local.",
)
JOIN_WIFI = webd_row(
    "settings", "join_wifi", JoinWifi, Done,
    "Join a Wi-Fi network; without an address within a minute the old network is restored.",
)
LEAVE_WIFI = webd_row(
    "settings", "leave_wifi", Nothing, Done, "Leave the Wi-Fi network and open the hotspot."
)

RESTART = webd_row(
    "maintenance", "restart", Forced, Done,
    "Restart the server's programs; its machine and the nodes keep running.",
)
RESTORE_STATE = webd_row(
    "maintenance", "restore_state", Nothing, RestoreState, "Show the restore that is not finished."
)
UNDO_RESTORE = webd_row(
    "maintenance", "undo_restore", Confirming, RestoreReply,
    "Restore the state before the last restore or factory reset.", limit_s=180.0,
)
FACTORY_RESET = webd_row(
    "maintenance", "factory_reset", FactoryReset, RestoreReply,
    "Delete routes, presets, RC settings, subjects, nodes, names and users.",
)

GET_GPIO_STATUS = webd_row(
    "management", "get_gpio_status", NodeParams, GpioStatus,
    "Show the 40 pins of a node as they lie on the board, and the devices on its buses.",
)
CHECK_NODE = webd_row(
    "management", "check_node", NodeParams, NodeFit,
    "Show what each role needs and whether the node has it.",
)
FIRMWARE_CHECK = webd_row(
    "management", "firmware_check", Nothing, FirmwareCheck,
    "Show whether every machine runs the newest release on the server.",
)

QUERY_LOGS = webd_row("logs", "query", LogQuery, LogPage, "One page of log lines, newest first.")
LIST_LOG_NAMES = webd_row(
    "logs", "names", Nothing, LogNames, "List the programs and machines that have written."
)
