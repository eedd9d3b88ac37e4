"""Handles the requests of the control plane and the ROS services; both use the same operations."""

import asyncio
from collections.abc import AsyncIterator, Callable

from ..lib.access import audit
from ..lib.access.audit import AuditRecord
from ..lib.access.person import ROS_PROGRAM, Person
from ..lib.api import Done, Request, calibration, logs, orders, selftest
from ..lib.api import adoption as rows
from ..lib.api.adoption import (
    AdoptNode,
    AdoptReply,
    IgnoreNode,
    NameNode,
    NodeInfo,
    NodeList,
    NodeParams,
    ReplaceNode,
    ResetNode,
    RobotNodes,
    RoleList,
    ScanReport,
)
from ..lib.api.calibration import Calibrate, CalibrationReply, GetCalibration
from ..lib.api.endpoint import Endpoint, Nothing, WatchRequest
from ..lib.api.logs import LogPage, LogQuery
from ..lib.api.orders import (
    KillOrder,
    KillReply,
    KillRole,
    PowerCommand,
    RobotPower,
    SignedOffer,
    SignOffer,
    UpdateNode,
    UpdateOrder,
    config_parts,
    offer_parts,
)
from ..lib.api.selftest import RunNodeSelfTest, SelfTestOrder, SelfTestReport
from ..lib.bus import Bus
from ..lib.clock import monotonic_s
from ..lib.errors import Code, SaintError
from ..lib.generated import saint_msgs as msgs
from ..lib.generated import topics
from ..lib.ipc import Api, Call, updates
from . import logic, membership, power, views
from .registry import LONGEST_NAME, PendingAdoption, RoleKey
from .registry_service import RegistryService

_SCAN_S = 3.0  # nodes announce themselves each second


class _Command(Request):
    """A request of /saint/system/shutdown as it came."""

    command: str
    node_id: str


def _powered_by_ros(params: _Command, _: object) -> str:
    word = "restarts" if params.command == PowerCommand.REBOOT else "shuts down"
    return f"{params.node_id or 'The robot'} {word}, as a ROS program requested"


# Over ROS it is no part of another daemon's request, so it is logged here.
_POWER = Endpoint(
    group=orders.POWER.group,
    action=orders.POWER.action,
    daemon=orders.POWER.daemon,
    method=orders.POWER.method,
    path=orders.POWER.path,
    params=_Command,
    reply=Done,
    text=orders.POWER.text,
    log=_powered_by_ros,
    severity="WARNING",
)


def answer_ipc(api: Api, service: RegistryService) -> None:
    """Bind the rows of lib/api: adoption.py, calibration.py, orders.py, logs.py."""
    _answer_looks(api, service)
    _answer_membership(api, service)
    _answer_orders(api, service)
    _answer_calibration(api, service)


def _answer_looks(api: Api, service: RegistryService) -> None:
    """Bind the rows that read nodes and roles."""

    def all_nodes() -> NodeList:
        found = [_info(service, node_id) for node_id in sorted(service.registry.nodes)]
        return NodeList(nodes=found, strangers=service.unknown_devices.recent(monotonic_s()))

    def all_roles() -> RoleList:
        registry, catalog, now_s = service.registry, service.catalog, monotonic_s()
        choices = [views.role_choice(registry, catalog, key, now_s) for key in catalog.roles]
        return RoleList(robot=catalog.robot, roles=choices)

    def robot_nodes() -> RobotNodes:
        found = all_nodes()
        return RobotNodes(
            nodes=found.nodes,
            strangers=found.strangers,
            roles=all_roles(),
            robot_mark=service.robot_mark(),
            robot_edition=service.robot_edition(),
        )

    async def list_nodes(_: Call[Nothing]) -> NodeList:
        return all_nodes()

    async def scan(_: Call[Nothing]) -> ScanReport:
        before = frozenset(service.registry.nodes)
        await asyncio.sleep(_SCAN_S)
        return views.scanned(all_nodes(), before, _SCAN_S)

    async def get_node_info(call: Call[NodeParams]) -> NodeInfo:
        return _info(service, call.body.node_id)

    async def list_roles(_: Call[Nothing]) -> RoleList:
        return all_roles()

    def watch_nodes(call: Call[WatchRequest]) -> AsyncIterator[RobotNodes]:
        return updates(robot_nodes, service.changed, call.body)

    api.bind(rows.LIST_NODES, list_nodes)
    api.bind(rows.SCAN, scan)
    api.bind(rows.GET_NODE_INFO, get_node_info)
    api.bind(rows.LIST_ROLES, list_roles)
    api.bind_stream(rows.WATCH_NODES, watch_nodes)


def _info(service: RegistryService, node_id: str) -> NodeInfo:
    registry = service.registry
    return views.node_info(registry, service.catalog, registry.known(node_id), monotonic_s())


def _name_of(person: Person | None) -> str:
    return person.name if person else ""


def _answer_membership(api: Api, service: RegistryService) -> None:
    """Bind the rows that change a node's role, name or membership."""

    async def adopt_node(call: Call[AdoptNode]) -> AdoptReply:
        body = call.body
        key = RoleKey(body.role, body.instance)
        wanted = PendingAdoption(key, body.display_name, body.add, _name_of(call.person))
        return await service.operations.adopt(body.node_id, wanted)

    async def replace_node(call: Call[ReplaceNode]) -> AdoptReply:
        body = call.body
        who = _name_of(call.person)
        return await service.operations.replace(body.node_id, body.by, body.display_name, who)

    async def reset_node(call: Call[ResetNode]) -> Done:
        body = call.body
        key = RoleKey(body.role, body.instance) if body.role else None
        return await service.operations.reset(body.node_id, body.factory_reset, key)

    async def ignore_node(call: Call[IgnoreNode]) -> NodeInfo:
        service.operations.ignore(call.body.node_id, call.body.is_ignored)
        return _info(service, call.body.node_id)

    async def set_node_name(call: Call[NameNode]) -> NodeInfo:
        service.operations.rename(call.body.node_id, call.body.display_name)
        return _info(service, call.body.node_id)

    api.bind(rows.ADOPT_NODE, adopt_node)
    api.bind(rows.REPLACE_NODE, replace_node)
    api.bind(rows.RESET_NODE, reset_node)
    api.bind(rows.IGNORE_NODE, ignore_node)
    api.bind(rows.SET_NODE_NAME, set_node_name)


def _answer_orders(api: Api, service: RegistryService) -> None:
    """Bind the rows for other daemons: only adoptiond has the key that signs orders."""

    async def set_power(call: Call[RobotPower]) -> Done:
        by = call.person.source if call.person else "adoptiond"
        return await power.carry_out(call.body, service, by)

    async def update(call: Call[UpdateNode]) -> Done:
        order = UpdateOrder.model_validate(call.body.model_dump(exclude={"node_id"}))
        return await service.operations.update(call.body.node_id, order)

    async def sign_offer(call: Call[SignOffer]) -> SignedOffer:
        sender = service.order_sender
        if call.body.server_key != sender.public:
            raise SaintError(Code.NOT_FOUND, f"{call.body.node_id} belongs to another server")
        return SignedOffer(signature=sender.sign(*offer_parts(call.body)))

    async def kill(call: Call[KillRole]) -> KillReply:
        order = KillOrder.model_validate(call.body.model_dump(exclude={"node_id"}))
        return await service.operations.kill(call.body.node_id, order)

    async def query_node(call: Call[LogQuery]) -> LogPage:
        query = call.body.model_copy(
            update={"node": ""}
        )  # on the node it would name another machine
        return await service.operations.log(call.body.node, query)

    async def self_test(call: Call[RunNodeSelfTest]) -> SelfTestReport:
        order = SelfTestOrder.model_validate(call.body.model_dump(exclude={"node_id"}))
        return await service.operations.self_test(call.body.node_id, order)

    async def last_self_test(call: Call[NodeParams]) -> SelfTestReport:
        order = SelfTestOrder(only_last=True)
        return await service.operations.self_test(call.body.node_id, order)

    api.bind(selftest.RUN, self_test)
    api.bind(selftest.LAST, last_self_test)
    api.bind(orders.POWER, set_power)
    api.bind(orders.KILL, kill)
    api.bind(orders.UPDATE, update)
    api.bind(orders.SIGN_OFFER, sign_offer)
    api.bind(logs.QUERY_NODE, query_node)


def _answer_calibration(api: Api, service: RegistryService) -> None:
    """Bind the rows of the roles' calibration."""

    async def get_calibration(call: Call[GetCalibration]) -> CalibrationReply:
        return service.calibrations.show(call.body.target)

    async def calibrate(call: Call[Calibrate]) -> CalibrationReply:
        return await service.calibrations.change(call.body, service.operations.refresh)

    api.bind(calibration.GET_CALIBRATION, get_calibration)
    api.bind(calibration.CALIBRATE, calibrate)


def serve_ros(bus: Bus, service: RegistryService, add_entry: Callable[[AuditRecord], None]) -> None:
    """Serve the ROS services of the specification. Adoption and reset leave an entry each in the
    audit log."""

    async def adopt(request: msgs.AdoptNode_Request) -> msgs.AdoptNode_Response:
        node_id, key = request.node_id, RoleKey(request.role, request.instance)
        shown = AdoptNode.model_construct(
            node_id=_shown(node_id), role=_shown(key.role), instance=_shown(key.instance)
        )
        try:
            wanted = PendingAdoption(key, "", person=ROS_PROGRAM.name)
            work = service.operations.adopt(node_id, wanted)
            reply = await audit.recorded(add_entry, rows.ADOPT_NODE, ROS_PROGRAM, shown, work)
        except SaintError as err:
            return msgs.AdoptNode_Response(success=False, message=err.message)
        return msgs.AdoptNode_Response(
            success=True, message=reply.message, assigned_topic_prefix=reply.topic_prefix
        )

    async def reset(request: msgs.ResetNode_Request) -> msgs.ResetNode_Response:
        node_id, factory = request.node_id, request.factory_reset
        shown = ResetNode.model_construct(node_id=_shown(node_id), factory_reset=factory)
        try:
            work = service.operations.reset(node_id, factory)
            done = await audit.recorded(add_entry, rows.RESET_NODE, ROS_PROGRAM, shown, work)
        except SaintError as err:
            return msgs.ResetNode_Response(success=False, message=err.message)
        return msgs.ResetNode_Response(success=True, message=done.message)

    async def shutdown(request: msgs.SystemCommand_Request) -> msgs.SystemCommand_Response:
        shown = _Command(command=_shown(request.command), node_id=_shown(request.node_id))
        try:
            work = _powered(service, request)
            done = await audit.recorded(add_entry, _POWER, ROS_PROGRAM, shown, work)
        except SaintError as err:
            return msgs.SystemCommand_Response(success=False, message=err.message)
        return msgs.SystemCommand_Response(success=True, message=done.message)

    async def config(request: msgs.GetRoleConfig_Request) -> msgs.GetRoleConfig_Response:
        return role_config(service, request)

    async def status(_: msgs.GetSystemStatus_Request) -> msgs.GetSystemStatus_Response:
        registry, now_s = service.registry, monotonic_s()
        nodes = [
            views.node_status(registry, service.catalog, node, now_s)
            for node in registry.nodes.values()
        ]
        return msgs.GetSystemStatus_Response(status=service.system_status(), nodes=nodes)

    bus.serve(topics.NODES_ADOPT, adopt)
    bus.serve(topics.NODES_RESET, reset)
    bus.serve(topics.NODES_CONFIG, config)
    bus.serve(topics.SYSTEM_SHUTDOWN, shutdown)
    bus.serve(topics.SYSTEM_STATUS_QUERY, status)


async def _powered(service: RegistryService, request: msgs.SystemCommand_Request) -> Done:
    """Carry out a request of the ROS service, which nobody can force."""
    if request.command not in {each.value for each in PowerCommand}:
        given = _shown(request.command)
        fix = f"Use {' or '.join(PowerCommand)}."
        raise SaintError(Code.REQUEST_INVALID, f"{given!r} is no command", fix=fix)
    wanted = RobotPower(
        command=PowerCommand(request.command), node_id=request.node_id[:LONGEST_NAME]
    )
    return await power.carry_out(wanted, service, ROS_PROGRAM.name)


def _shown(text: str) -> str:
    """Return text of a ROS request as the audit log stores it."""
    return logic.clean(text, LONGEST_NAME)


def role_config(
    service: RegistryService, request: msgs.GetRoleConfig_Request
) -> msgs.GetRoleConfig_Response:
    """Answer a node's request for the configuration of its role, or, with an empty role, for the
    list of its roles. The answer is signed for this very request, so that the node recognises its
    own server."""
    public = service.order_sender.public
    answer = _role_text(service, request) if request.role else _held_roles(service, request)
    answer.server = service.catalog.robot
    answer.server_key = public
    if public:
        answer.signature = service.order_sender.sign(*config_parts(request, answer))
    return answer


def _role_text(
    service: RegistryService, request: msgs.GetRoleConfig_Request
) -> msgs.GetRoleConfig_Response:
    """Return the configuration; its text only if the node does not have it already."""
    role = service.catalog.roles.get(RoleKey(request.role, request.instance))
    if role is None:
        known = ", ".join(sorted(str(key) for key in service.catalog.keys))
        message = f"this robot has no such role; it has {known}"
        return msgs.GetRoleConfig_Response(success=False, message=message)
    known_there = (request.known_version, request.known_checksum)
    is_changed = known_there != (role.config.version, role.checksum)
    return msgs.GetRoleConfig_Response(
        success=True,
        changed=is_changed,
        version=role.config.version,
        checksum=role.checksum,
        config_yaml=role.text if is_changed else "",
        display_name=service.registry.display_name(request.node_id),
        server_address=service.address,
    )


def _held_roles(
    service: RegistryService, request: msgs.GetRoleConfig_Request
) -> msgs.GetRoleConfig_Response:
    held = membership.roles_of(
        service.registry, request.node_id, monotonic_s(), service.order_sender.public
    )
    return msgs.GetRoleConfig_Response(
        success=True, held_roles=[str(key) for key in held], server_address=service.address
    )
