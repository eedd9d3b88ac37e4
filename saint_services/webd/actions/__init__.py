"""What each action of the API does. One table: group -> action -> params, handler, reply, level;
WebSocket messages and HTTP requests are checked against it, so what is not here does not exist.
"""

from typing import Any

from ...lib.access.levels import Level
from ...lib.api import Done, adoption, calibration, drill, presets, routing
from ...lib.api import firmware as firmware_rows
from ...lib.api import livelink as livelink_rows
from ...lib.api import rc as rc_rows
from ...lib.api.adoption import NodeList, NodeParams
from ...lib.api.firmware import FirmwareCheck, RolloutPlan
from ...lib.api.hardware import GpioStatus, NodeFit
from ...lib.api.machine import Forced, Reboot, TlsInfo
from ...lib.api.routing import CommandReply, RouteFile, RoutesText
from ...lib.api.users import AuditReply, GetAuditLog
from ..api import messages as m
from ..api import replies as r
from ..topics.node_history import NodeHistory
from ..topics.trends import GetHistory, HistoryReply
from . import (
    clients,
    firmware,
    management,
    motion,
    node_hardware,
    rc,
    rc_params,
    route_files,
    router,
    system,
    tls,
    upkeep,
    users,
)
from . import router_params as p
from .action import Action, Quick
from .forward import forwarded, forwarded_all
from .upkeep_table import UPKEEP
from .users_table import USERS

__all__ = ["ACTIONS", "MODELS", "Action", "Quick"]

VIEWER, OPERATOR, ADMIN = Level

ESTOP = Action(
    m.EStop,
    system.estop,
    r.LatchReply,
    needs=VIEWER,
    raises_to=system.estop_needs,
    row=routing.ESTOP,
)

ACTIONS: dict[str, dict[str, Action[Any] | Quick[Any]]] = {
    **UPKEEP,
    "drill": forwarded_all(drill.ROWS.all),
    "head": {
        "move": Quick(m.HeadMove, motion.head_move, CommandReply),
        "home": Quick(m.Nothing, motion.head_home, CommandReply),
        "camera": Quick(m.Enable, motion.head_camera, r.CameraReply),
    },
    "arms": {
        "move": Quick(m.ArmMove, motion.arm_move, CommandReply),
        "home": Quick(m.ArmHome, motion.arm_home, CommandReply),
        "gripper": Quick(m.Gripper, motion.gripper, CommandReply),
    },
    "tracks": {
        "drive": Quick(m.Drive, motion.drive, CommandReply),
        "stop": Quick(m.Nothing, motion.stop, CommandReply),
        "estop": ESTOP,
    },
    "system": {
        "status": Action(m.Nothing, system.status, r.SystemReply, needs=VIEWER),
        "describe": Quick(m.Nothing, system.describe, r.Description, needs=VIEWER),
        "get_audit_log": Action(GetAuditLog, users.get_audit_log, AuditReply, needs=ADMIN),
        "get_tls": Action(m.Nothing, tls.get_tls, TlsInfo, needs=VIEWER),
        "enable_tls": Action(
            m.Nothing,
            tls.enable_tls,
            TlsInfo,
            needs=ADMIN,
            log="Encryption was switched on",
            severity="WARNING",
        ),
        "disable_tls": Action(
            m.Nothing,
            tls.disable_tls,
            TlsInfo,
            needs=ADMIN,
            log="Encryption was switched off",
            severity="WARNING",
        ),
        "get_history": Quick(GetHistory, system.get_history, HistoryReply, needs=VIEWER),
        "list_clients": Quick(m.Nothing, clients.list_clients, r.ClientList, needs=VIEWER),
        "disconnect_client": Quick(
            m.ClientParams,
            clients.disconnect_client,
            Done,
            needs=ADMIN,
            log="Client {client_id} was disconnected",
            severity="WARNING",
        ),
        "reboot": Action(
            Reboot, upkeep.reboot, Done, needs=ADMIN, log=upkeep.rebooted, severity="WARNING"
        ),
        "shutdown": Action(
            Forced,
            upkeep.shutdown,
            Done,
            needs=ADMIN,
            log="The server switches itself off",
            severity="WARNING",
        ),
        "estop": ESTOP,
    },
    "management": {
        **forwarded_all(adoption.ROWS.all),
        **forwarded_all(calibration.ROWS.all),
        **forwarded_all(firmware_rows.ROWS.all),
        "list_unadopted": Action(m.Nothing, management.list_unadopted, NodeList, needs=VIEWER),
        "list_adopted": Action(m.Nothing, management.list_adopted, NodeList, needs=VIEWER),
        "get_gpio_status": Action(
            NodeParams, node_hardware.get_gpio_status, GpioStatus, needs=VIEWER
        ),
        "check_node": Action(NodeParams, node_hardware.check_node, NodeFit, needs=VIEWER),
        "get_node_history": Quick(
            NodeParams, node_hardware.get_node_history, NodeHistory, needs=VIEWER
        ),
        "firmware_check": Action(m.Nothing, firmware.check, FirmwareCheck, needs=VIEWER),
        "trigger_update": Action(
            m.TriggerUpdate, firmware.trigger, RolloutPlan, needs=ADMIN, row=firmware_rows.ROLLOUT
        ),
        "get_activity_log": Quick(
            m.ActivityLog, management.get_activity_log, r.ActivityReply, needs=VIEWER
        ),
    },
    "router": {
        **forwarded_all(routing.ROWS.all),
        **forwarded_all(presets.ROWS.all),
        "export_routes": Action(m.Nothing, route_files.export_routes, RoutesText, needs=VIEWER),
        "import_routes": Action(
            p.ImportRoutes,
            route_files.import_routes,
            RouteFile,
            raises_to=routing.REPLACE_ROUTES.level_for,
            row=routing.REPLACE_ROUTES,
        ),
        "take_control": Action(
            p.TakeControl, router.take_control, r.ControlReply, row=routing.TAKE_CONTROL
        ),
        "release_control": Action(
            p.ReleaseControl, router.release_control, r.ControlReply, row=routing.RELEASE_CONTROL
        ),
        "list_livelink_sources": forwarded(livelink_rows.LIST_SOURCES),
        "get_livelink_subject": forwarded(livelink_rows.GET_SUBJECT),
    },
    "rc": {
        **forwarded_all(rc_rows.ROWS.all),
        "get_protocol": Action(m.Nothing, rc.get_protocol, r.ProtocolReply, needs=VIEWER),
        "get_channel_config": Action(
            rc_params.Channels, rc.get_channel_config, r.ChannelReply, needs=VIEWER
        ),
    },
    "livelink": forwarded_all(livelink_rows.ROWS.all),
    "users": USERS,
}

MODELS = {g: {name: act.params for name, act in acts.items()} for g, acts in ACTIONS.items()}
