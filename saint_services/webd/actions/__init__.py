"""What each action of the WebSocket API does. One table: group -> action -> params and handler;
messages are checked against it, so an action that is not here does not exist.
"""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from pydantic import BaseModel

from ...lib.api.firmware import ImportRequest, RolloutControl, RolloutRequest
from ...lib.api.livelink import Play, Record, Scale, SubjectRef, Zero
from ...lib.api.rc import CalibrationStep, DetectRequest, ResetRequest, SetFailsafe, SetProtocol
from .. import messages as m
from ..robot import Robot
from . import firmware, livelink, management, motion, rc, rc_params, router, system
from . import router_params as p
from .caller import Caller

P = TypeVar("P", bound=BaseModel)
Data = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Action(Generic[P]):
    """It asks another daemon."""

    params: type[P]
    handler: Callable[[Robot, Caller, P], Awaitable[Data]]


@dataclass(frozen=True, slots=True)
class Quick(Generic[P]):
    """It waits for nobody, so it is done before the client's next message is read."""

    params: type[P]
    handler: Callable[[Robot, Caller, P], Data]


ACTIONS: dict[str, dict[str, Action[Any] | Quick[Any]]] = {
    "head": {
        "move": Quick(m.HeadMove, motion.head_move),
        "home": Quick(m.Nothing, motion.head_home),
        "camera": Quick(m.Enable, motion.head_camera),
    },
    "arms": {
        "move": Quick(m.ArmMove, motion.arm_move),
        "home": Quick(m.ArmHome, motion.arm_home),
        "gripper": Quick(m.Gripper, motion.gripper),
    },
    "tracks": {
        "drive": Quick(m.Drive, motion.drive),
        "stop": Quick(m.Nothing, motion.stop),
        "estop": Action(m.EStop, system.estop),
    },
    "system": {
        "status": Action(m.Nothing, system.status),
        "describe": Quick(m.Nothing, system.describe),
        "reboot": Quick(m.Reboot, system.reboot),
        "shutdown": Quick(m.Nothing, system.shutdown),
        "estop": Action(m.EStop, system.estop),
    },
    "management": {
        "list_nodes": Action(m.Nothing, management.list_nodes),
        "list_unadopted": Action(m.Nothing, management.list_unadopted),
        "list_adopted": Action(m.Nothing, management.list_adopted),
        "list_roles": Action(m.Nothing, management.list_roles),
        "get_node_info": Action(m.NodeParams, management.get_node_info),
        "get_gpio_status": Action(m.NodeParams, management.get_gpio_status),
        "adopt_node": Action(m.AdoptNode, management.adopt_node),
        "reset_node": Action(m.ResetNode, management.reset_node),
        "set_node_name": Action(m.NameNode, management.set_node_name),
        "replace_node": Action(m.ReplaceNode, management.replace_node),
        "ignore_node": Action(m.IgnoreNode, management.ignore_node),
        "firmware_status": Action(m.Nothing, firmware.status),
        "firmware_rollout": Action(RolloutRequest, firmware.begin),
        "firmware_control": Action(RolloutControl, firmware.control),
        "firmware_import": Action(ImportRequest, firmware.take),
        "firmware_delete": Action(m.FirmwareParams, firmware.remove),
        "trigger_update": Action(m.TriggerUpdate, firmware.trigger),
        "get_activity_log": Quick(m.ActivityLog, management.get_activity_log),
    },
    "router": {
        "get_status": Action(m.Nothing, router.get_status),
        "list_routes": Action(m.Nothing, router.list_routes),
        "set_route": Action(m.SetRoute, router.set_route),
        "delete_route": Action(m.RouteParams, router.delete_route),
        "set_route_enabled": Action(m.RouteEnabled, router.set_route_enabled),
        "set_route_priority": Action(p.RoutePriority, router.set_route_priority),
        "set_blending": Action(p.SetBlending, router.set_blending),
        "preview_route": Action(p.PreviewRoute, router.preview_route),
        "get_output": Action(p.OutputParams, router.get_output),
        "list_presets": Action(m.Nothing, router.list_presets),
        "load_preset": Action(p.PresetParams, router.load_preset),
        "save_preset": Action(p.SavePreset, router.save_preset),
        "delete_preset": Action(p.PresetParams, router.delete_preset),
        "take_control": Action(p.TakeControl, router.take_control),
        "release_control": Action(p.ReleaseControl, router.release_control),
        "list_livelink_sources": Action(m.Nothing, livelink.list_sources),
        "get_livelink_subject": Action(m.Subject, livelink.get_subject),
    },
    "rc": {
        "get_status": Action(m.Nothing, rc.get_status),
        "get_protocol": Action(m.Nothing, rc.get_protocol),
        "set_enabled": Action(m.Enabled, rc.set_enabled),
        "get_channel_config": Action(rc_params.Channels, rc.get_channel_config),
        "set_channel_config": Action(rc_params.ChannelConfig, rc.set_channel_config),
        "calibrate_channel": Action(rc_params.ChannelPosition, rc.calibrate_channel),
        "get_failsafe": Action(m.Nothing, rc.get_failsafe),
        "set_failsafe": Action(SetFailsafe, rc.set_failsafe),
        "set_protocol": Action(SetProtocol, rc.set_protocol),
        "reset": Action(ResetRequest, rc.reset),
        "get_calibration": Action(m.Nothing, rc.get_calibration),
        "calibration": Action(CalibrationStep, rc.calibration),
        "detect_protocol": Action(DetectRequest, rc.detect_protocol),
    },
    "livelink": {
        "list_sources": Action(m.Nothing, livelink.list_sources),
        "get_subject": Action(m.Subject, livelink.get_subject),
        "list_formats": Action(m.Nothing, livelink.list_formats),
        "release": Action(SubjectRef, livelink.release),
        "zero": Action(Zero, livelink.zero),
        "scale": Action(Scale, livelink.scale),
        "list_recordings": Action(m.Nothing, livelink.list_recordings),
        "record": Action(Record, livelink.record),
        "stop_recording": Action(m.Nothing, livelink.stop_recording),
        "play": Action(Play, livelink.play),
        "stop_playing": Action(m.Nothing, livelink.stop_playing),
    },
}

MODELS = {g: {name: act.params for name, act in acts.items()} for g, acts in ACTIONS.items()}
