"""Logs, settings and maintenance of the robot."""

from ...access.levels import Level
from .. import Done
from ..backup import RestoreReply, RestoreState
from ..endpoint import Nothing
from ..logs import LogNames, LogPage, LogQuery
from ..machine import FactoryReset, Forced, JoinWifi, NameRobot, SetHostname, SettingsInfo
from ..routing import Confirming
from . import WebRows

LOGS, SETTINGS, MAINTENANCE = WebRows("logs"), WebRows("settings"), WebRows("maintenance")
_ADMIN = {"level": Level.ADMIN}
_RESTORE_S = 180.0  # each daemon restores its part in turn
_WARNING = {**_ADMIN, "severity": "WARNING"}

# fmt: off
QUERY_LOGS = LOGS.read(
    "query", LogQuery, LogPage,
    "Get a page of log lines, newest first; `older` of the reply is `before` of the next.",
)
LOG_NAMES = LOGS.read(
    "names", Nothing, LogNames,
    "List programs and machines with log lines, and what these logs cover.",
)
GET_SETTINGS = SETTINGS.read(
    "get", Nothing, SettingsInfo,
    "Get names of robot and server, the server's network, and problems that its setup reports.",
)
SET_NAME = SETTINGS.change(
    "set_name", NameRobot, SettingsInfo, "Rename the robot.",
    log="The robot is now called {name}", **_ADMIN,
)
SET_HOSTNAME = SETTINGS.change(
    "set_hostname", SetHostname, Done,
    "Change the server's name on the network, NAME.local. It applies within seconds.",
    log="Change of the server's host name to {hostname} was requested", **_WARNING,
)
JOIN_WIFI = SETTINGS.change(
    "join_wifi", JoinWifi, Done,
    "Join a wireless network; without an address within a minute the server returns to the "
    "network before.",
    log="Change of the server's Wi-Fi to {ssid} was requested", **_WARNING,
)
LEAVE_WIFI = SETTINGS.change(
    "leave_wifi", Nothing, Done, "Leave the wireless network and open the server's own hotspot.",
    log="Change of the server's Wi-Fi to its own hotspot was requested", **_WARNING,
)
RESTART = MAINTENANCE.change(
    "restart", Forced, Done,
    "Restart the server's programs; its machine and the nodes keep running.",
    log="The server's programs restart", **_WARNING,
)
RESTORE_STATE = MAINTENANCE.read(
    "restore_state", Nothing, RestoreState,
    "List daemons whose part of the last restore is pending.",
)
UNDO_RESTORE = MAINTENANCE.change(
    "undo_restore", Confirming, RestoreReply,
    "Return to the state before the last restore or reset.",
    log="The last restore was undone", limit_s=_RESTORE_S, **_WARNING,
)
FACTORY_RESET = MAINTENANCE.change(
    "factory_reset", FactoryReset, RestoreReply,
    "Delete routes, presets, RC settings, subjects, nodes, names and users of the server.",
    log="The robot was reset to factory settings", limit_s=_RESTORE_S, **_WARNING,
)
