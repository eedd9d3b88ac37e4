"""A node's header, buses and load: what it has now, and which roles would fit on it. The node is
asked itself. Not here: the registry of nodes (management.py).
"""

from typing import Any

from ...lib.api.adoption import GET_NODE_INFO, NodeParams
from ...lib.api.hardware import GpioStatus, HeaderPinState, NodeFit, RoleFit
from ...lib.errors import Code, SaintError
from ...lib.generated import topics
from ...lib.generated.saint_msgs import GPIOPin, GPIOProbe_Request, NodeGPIOStatus
from ...lib.hw.pins.header import HEADER
from ...lib.role_config.hardware import compare, hardware
from ...lib.role_config.resources import conflict
from ..robot.context import Robot
from ..topics import views
from .caller import Caller

Data = dict[str, Any]

PROBE_LIMIT_S = 3.0


async def get_gpio_status(robot: Robot, _: Caller, params: NodeParams) -> Data:
    """All pins of a node's header and what answers on its buses. The node is asked itself, now."""
    return (await _probe(robot, params.node_id)).model_dump(mode="json")


async def check_node(robot: Robot, _: Caller, params: NodeParams) -> Data:
    """What a node has, and for each role of the robot what it would miss there."""
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
    return NodeFit(status=status, roles=fits).model_dump(mode="json")


def get_node_history(robot: Robot, _: Caller, params: NodeParams) -> Data:
    """Load and temperature of a node in the last ten minutes."""
    return robot.newest.node_history.of(params.node_id).model_dump(mode="json")


async def _probe(robot: Robot, node_id: str) -> GpioStatus:
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
    """A node tells its pins in the order of the header."""
    place = HEADER[index]
    others = place.alternates if place.bcm == pin.pin_number else ()
    return HeaderPinState.model_validate(
        {**views.plain(pin), "number": place.number, "alternates": others}
    )
