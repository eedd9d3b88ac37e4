"""What each action of the API does. One table: group -> action -> params, handler, reply, level;
WebSocket messages and HTTP requests are checked against it, so what is not here does not exist.
"""

from typing import Any

from ...lib.api import Done, adoption, calibration
from ...lib.api import firmware as firmware_rows
from ...lib.api import rc as rc_rows
from ...lib.api.adoption import NodeList, NodeParams
from ...lib.api.firmware import FirmwareCheck, Plan
from ...lib.api.hardware import GpioStatus, NodeFit
from ...lib.api.livelink import (
    ListenerList,
    Play,
    Record,
    RecordingDetail,
    RecordingList,
    RecordingRef,
    RecordingState,
    Scale,
    SenderCode,
    SenderList,
    SenderRef,
    SetCheck,
    SetFormats,
    SubjectDetail,
    SubjectList,
    SubjectRef,
    Zero,
)
from ...lib.api.motion import Accepted
from ...lib.api.routing import (
    Blending,
    Curve,
    FieldOutput,
    PresetInfo,
    PresetList,
    Preview,
    RouteFile,
    RouteInfo,
    RouteList,
    RouterStatus,
    RoutesText,
)
from ...lib.api.tls import TlsInfo
from ...lib.api.upkeep import Forced, Reboot
from ...lib.api.users import AuditReply, GetAuditLog
from ...lib.levels import Level
from .. import messages as m
from .. import replies as r
from ..node_history import NodeHistory
from ..trends import GetHistory, HistoryReply
from . import (
    clients,
    firmware,
    livelink,
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
from .drill import DRILL
from .forward import forwarded_all
from .upkeep_table import UPKEEP
from .users_table import USERS

__all__ = ["ACTIONS", "MODELS", "Action", "Quick"]

VIEWER, OPERATOR, ADMIN = Level

ACTIONS: dict[str, dict[str, Action[Any] | Quick[Any]]] = {
    **UPKEEP,
    **DRILL,
    "head": {
        "move": Quick(m.HeadMove, motion.head_move, Accepted),
        "home": Quick(m.Nothing, motion.head_home, Accepted),
        "camera": Quick(m.Enable, motion.head_camera, r.CameraReply),
    },
    "arms": {
        "move": Quick(m.ArmMove, motion.arm_move, Accepted),
        "home": Quick(m.ArmHome, motion.arm_home, Accepted),
        "gripper": Quick(m.Gripper, motion.gripper, Accepted),
    },
    "tracks": {
        "drive": Quick(m.Drive, motion.drive, Accepted),
        "stop": Quick(m.Nothing, motion.stop, Accepted),
        "estop": Action(
            m.EStop, system.estop, r.LatchReply, needs=VIEWER, raises_to=system.estop_needs
        ),
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
        "estop": Action(
            m.EStop, system.estop, r.LatchReply, needs=VIEWER, raises_to=system.estop_needs
        ),
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
            m.TriggerUpdate, firmware.trigger, Plan, needs=ADMIN, row=firmware_rows.ROLLOUT
        ),
        "get_activity_log": Quick(
            m.ActivityLog, management.get_activity_log, r.ActivityReply, needs=VIEWER
        ),
    },
    "router": {
        "get_status": Action(m.Nothing, router.get_status, RouterStatus, needs=VIEWER),
        "list_routes": Action(m.Nothing, router.list_routes, RouteList, needs=VIEWER),
        "set_route": Action(m.SetRoute, router.set_route, RouteInfo, raises_to=router.level_of),
        "delete_route": Action(m.RouteParams, router.delete_route, Done, raises_to=router.level_of),
        "set_route_enabled": Action(
            m.RouteEnabled, router.set_route_enabled, RouteInfo, raises_to=router.level_of
        ),
        "set_route_priority": Action(
            p.RoutePriority, router.set_route_priority, RouteInfo, raises_to=router.level_of
        ),
        "set_blending": Action(
            p.SetBlending, router.set_blending, Blending, raises_to=router.level_of
        ),
        "preview_route": Action(p.PreviewRoute, router.preview_route, Preview, needs=VIEWER),
        "preview_curve": Action(p.PreviewCurve, router.preview_curve, Curve, needs=VIEWER),
        "get_output": Action(p.OutputParams, router.get_output, FieldOutput, needs=VIEWER),
        "list_presets": Action(m.Nothing, router.list_presets, PresetList, needs=VIEWER),
        "get_preset": Action(p.PresetParams, route_files.get_preset, RouteFile, needs=VIEWER),
        "load_preset": Action(
            p.LoadPreset, router.load_preset, RouteList, raises_to=router.level_of
        ),
        "save_preset": Action(p.SavePreset, router.save_preset, PresetInfo),
        "delete_preset": Action(p.PresetParams, router.delete_preset, Done),
        "export_routes": Action(m.Nothing, route_files.export_routes, RoutesText, needs=VIEWER),
        "import_routes": Action(
            p.ImportRoutes, route_files.import_routes, RouteFile, raises_to=router.level_of
        ),
        "take_control": Action(p.TakeControl, router.take_control, r.ControlReply),
        "release_control": Action(p.ReleaseControl, router.release_control, r.ControlReply),
        "list_livelink_sources": Action(
            m.Nothing, livelink.list_sources, SubjectList, needs=VIEWER
        ),
        "get_livelink_subject": Action(
            m.Subject, livelink.get_subject, SubjectDetail, needs=VIEWER
        ),
    },
    "rc": {
        **forwarded_all(rc_rows.ROWS.all),
        "get_protocol": Action(m.Nothing, rc.get_protocol, r.ProtocolReply, needs=VIEWER),
        "get_channel_config": Action(
            rc_params.Channels, rc.get_channel_config, r.ChannelReply, needs=VIEWER
        ),
    },
    "livelink": {
        "list_sources": Action(m.Nothing, livelink.list_sources, SubjectList, needs=VIEWER),
        "get_subject": Action(m.Subject, livelink.get_subject, SubjectDetail, needs=VIEWER),
        "list_formats": Action(m.Nothing, livelink.list_formats, ListenerList, needs=VIEWER),
        "set_formats": Action(SetFormats, livelink.set_formats, ListenerList, needs=ADMIN),
        "list_senders": Action(m.Nothing, livelink.list_senders, SenderList, needs=VIEWER),
        "accept_sender": Action(SenderRef, livelink.accept_sender, SenderList),
        "revoke_sender": Action(SenderRef, livelink.revoke_sender, SenderList),
        "get_sender_code": Action(m.Nothing, livelink.get_sender_code, SenderCode),
        "renew_sender_code": Action(m.Nothing, livelink.renew_sender_code, SenderCode, needs=ADMIN),
        "set_sender_check": Action(SetCheck, livelink.set_sender_check, SenderList, needs=ADMIN),
        "release": Action(SubjectRef, livelink.release, Done),
        "zero": Action(Zero, livelink.zero, SubjectDetail),
        "scale": Action(Scale, livelink.scale, SubjectDetail),
        "list_recordings": Action(m.Nothing, livelink.list_recordings, RecordingList, needs=VIEWER),
        "record": Action(Record, livelink.record, RecordingState),
        "get_recording": Action(
            RecordingRef, livelink.get_recording, RecordingDetail, needs=VIEWER
        ),
        "delete_recording": Action(RecordingRef, livelink.delete_recording, Done),
        "stop_recording": Action(m.Nothing, livelink.stop_recording, RecordingState),
        "play": Action(Play, livelink.play, Done),
        "stop_playing": Action(m.Nothing, livelink.stop_playing, Done),
    },
    "users": USERS,
}

MODELS = {g: {name: act.params for name, act in acts.items()} for g, acts in ACTIONS.items()}
