"""The actions that look after the robot: logs, settings, maintenance. Part of the table of all
actions, in a module of its own for its length.
"""

from typing import Any

from ...lib.access.levels import Level
from ...lib.api import Done
from ...lib.api.backup import RestoreReply, RestoreState
from ...lib.api.logs import LogNames, LogPage, LogQuery
from ...lib.api.machine import FactoryReset, Forced, JoinWifi, NameRobot, SetHostname, SettingsInfo
from ...lib.api.routing import Confirming
from ..api import messages as m
from . import logs, machine, upkeep
from .action import Action, Quick

VIEWER, ADMIN = Level.VIEWER, Level.ADMIN

UPKEEP: dict[str, dict[str, Action[Any] | Quick[Any]]] = {
    "logs": {
        "query": Action(LogQuery, logs.query, LogPage, needs=VIEWER),
        "names": Action(m.Nothing, logs.names, LogNames, needs=VIEWER),
    },
    "settings": {
        "get": Action(m.Nothing, upkeep.get_settings, SettingsInfo, needs=VIEWER),
        "set_name": Action(
            NameRobot,
            upkeep.set_name,
            SettingsInfo,
            needs=ADMIN,
            log="The robot is now called {name}",
        ),
        "set_hostname": Action(
            SetHostname,
            machine.set_hostname,
            Done,
            needs=ADMIN,
            log="The server is to be called {hostname}",
            severity="WARNING",
        ),
        "join_wifi": Action(
            JoinWifi,
            machine.join_wifi,
            Done,
            needs=ADMIN,
            log="The server changes to Wi-Fi {ssid}",
            severity="WARNING",
        ),
        "leave_wifi": Action(
            m.Nothing,
            machine.leave_wifi,
            Done,
            needs=ADMIN,
            log="The server leaves its Wi-Fi",
            severity="WARNING",
        ),
    },
    "maintenance": {
        "restart": Action(
            Forced,
            upkeep.restart,
            Done,
            needs=ADMIN,
            log="The server's programs start anew",
            severity="WARNING",
        ),
        "restore_state": Action(m.Nothing, upkeep.restore_state, RestoreState, needs=VIEWER),
        "undo_restore": Action(
            Confirming,
            upkeep.undo_restore,
            RestoreReply,
            needs=ADMIN,
            log="The last restore was undone",
            severity="WARNING",
        ),
        "factory_reset": Action(
            FactoryReset,
            upkeep.factory_reset,
            RestoreReply,
            needs=ADMIN,
            log="The robot was reset to how it was shipped",
            severity="WARNING",
        ),
    },
}
