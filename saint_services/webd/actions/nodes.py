"""Nodes, their hardware and history, releases as the specification requests them, and the activity
log. Not here: what webd forwards to adoptiond and otad.
"""

from ...lib.api import firmware
from ...lib.api.adoption import GET_NODE_INFO, LIST_NODES, NodeList, NodeParams, NodeState
from ...lib.api.endpoint import Nothing
from ...lib.api.firmware import FirmwareCheck, RolloutPlan, RolloutRequest
from ...lib.api.hardware import GpioStatus, HeaderPinState, NodeFit, RoleFit
from ...lib.api.webd import nodes as rows
from ...lib.api.webd.nodes import ActivityReply, GetActivityLog, NodeHistory, TriggerUpdate
from ...lib.errors import Code, SaintError
from ...lib.generated import topics
from ...lib.generated.saint_msgs import GPIOPin, GPIOProbe_Request, NodeGPIOStatus
from ...lib.hw.pins.header import HEADER
from ...lib.role_config.hardware import compare, hardware
from ...lib.role_config.resources import conflict
from ...lib.update import firmware_check
from ..robot.context import RobotContext
from ..topics import views
from ..upkeep.wiring import now
from .act import Acts, Caller, Data

ACTS = Acts()

PROBE_LIMIT_S = 3.0
_FREE = (NodeState.BOOT, NodeState.UNADOPTED, NodeState.ADOPTING)


@ACTS.bind(rows.LIST_UNADOPTED)
async def list_unadopted(robot: RobotContext, _: Caller, __: Nothing) -> NodeList:
    return await _nodes(robot, is_adopted=False)


@ACTS.bind(rows.LIST_ADOPTED)
async def list_adopted(robot: RobotContext, _: Caller, __: Nothing) -> NodeList:
    return await _nodes(robot, is_adopted=True)


async def _nodes(robot: RobotContext, is_adopted: bool) -> NodeList:
    found = (await robot.daemons.adoptiond.request(LIST_NODES, Nothing())).nodes
    chosen = [n for n in found if (bool(n.role) and n.state not in _FREE) == is_adopted]
    return NodeList(nodes=chosen)


@ACTS.bind(rows.GET_GPIO_STATUS)
async def get_gpio_status(robot: RobotContext, _: Caller, params: NodeParams) -> GpioStatus:
    return await _probe(robot, params.node_id)


@ACTS.bind(rows.CHECK_NODE)
async def check_node(robot: RobotContext, _: Caller, params: NodeParams) -> NodeFit:
    node = await robot.daemons.adoptiond.request(GET_NODE_INFO, params)
    status = await _probe(robot, params.node_id)
    roles = robot.roles.by_target.values()
    names = {(each.role, each.instance) for each in node.roles} | {(node.role, node.instance)}
    held = [role for role in roles if (role.role, role.instance) in names]
    fits = [
        RoleFit(
            role=role.role,
            instance=role.instance,
            findings=compare(hardware(role), status.pins, status.peripherals),
            conflict=conflict(held, role),
        )
        for role in roles
    ]
    return NodeFit(status=status, roles=fits)


async def _probe(robot: RobotContext, node_id: str) -> GpioStatus:
    """Read the header of a node now, over its own service."""
    service = topics.NODE_GPIO_PROBE.at(node_id=node_id)
    found = await robot.bus.call(service, GPIOProbe_Request(node_id), PROBE_LIMIT_S)
    if not found.success:
        raise SaintError(Code.HARDWARE_FAULT, f"{node_id}: {found.message}")
    return _status(found.status)


def _status(status: NodeGPIOStatus) -> GpioStatus:
    data = views.plain(status)
    pins = [_pin(index, pin) for index, pin in enumerate(status.pins[: len(HEADER)])]
    return GpioStatus.model_validate({**data, "pins": pins})


def _pin(index: int, pin: GPIOPin) -> HeaderPinState:
    """Describe one pin; a node reports its pins in the order of the header."""
    place = HEADER[index]
    others = place.alternates if place.bcm == pin.pin_number else ()
    return HeaderPinState.model_validate(
        {**views.plain(pin), "number": place.number, "alternates": others}
    )


@ACTS.bind(rows.GET_NODE_HISTORY)
def get_node_history(robot: RobotContext, _: Caller, params: NodeParams) -> NodeHistory:
    return robot.newest.node_history.of(params.node_id)


@ACTS.bind(rows.FIRMWARE_CHECK)
async def check_firmware(robot: RobotContext, _: Caller, __: Nothing) -> FirmwareCheck:
    report = await robot.daemons.otad.request(firmware.STATUS, Nothing())
    return firmware_check.check(report, now())


@ACTS.bind(rows.TRIGGER_UPDATE)
async def trigger_update(robot: RobotContext, caller: Caller, params: TriggerUpdate) -> RolloutPlan:
    given = RolloutRequest(nodes=[params.node_id] if params.node_id else [])
    return await robot.daemons.forward(firmware.ROLLOUT, given, caller.person)


@ACTS.bind(rows.GET_ACTIVITY_LOG)
def get_activity_log(
    robot: RobotContext, _: Caller, params: GetActivityLog
) -> ActivityReply | Data:
    entries = robot.log.newest(
        params.limit, params.offset, params.level, params.source, params.about
    )
    return {"entries": entries}
