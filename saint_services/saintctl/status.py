"""`saintctl status`: the robot on one screen."""

import asyncio
import json
from typing import Any

import typer
from pydantic import BaseModel

from ..lib.api import adoption, firmware, livelink, rc, routing
from ..lib.api.adoption import NodeList, NodeState
from ..lib.api.endpoint import Endpoint, Nothing
from ..lib.api.firmware import FirmwareReport, RolloutState
from ..lib.api.livelink import SubjectList
from ..lib.api.rc import RcStatus
from ..lib.api.routing import RouterStatus
from ..lib.errors import SaintError
from .connect import RobotAddress, request_or_error
from .console import AsJson, dot, fail, print_table, run
from .estop.outcomes import sentences
from .firmware.view import rollout_line

_SECTIONS: dict[str, Endpoint[Nothing, Any]] = {
    "nodes": adoption.LIST_NODES,
    "router": routing.GET_STATUS,
    "rc": rc.GET_STATUS,
    "livelink": livelink.LIST_SOURCES,
    "firmware": firmware.STATUS,
}


def show(context: typer.Context, as_json: AsJson = False) -> None:
    """Show the robot on one screen: e-stop, nodes, inputs, outputs in control."""
    replies = run(_request_all(context.obj), as_json)
    faults = [reply for reply in replies.values() if isinstance(reply, SaintError)]
    if len(faults) == len(replies):
        raise fail(faults[0], as_json)
    if as_json:
        print(json.dumps({name: _as_data(reply) for name, reply in replies.items()}, indent=2))
        return
    rows = [_row(name, reply) for name, reply in replies.items()]
    if _is_without_roles(replies["nodes"]):
        rows.append((dot(False), "roles", "no node is active in a role: nothing can move"))
    print_table(("", "part", "state"), rows, "")


def _is_without_roles(reply: BaseModel | SaintError) -> bool:
    """Return True when no node is active, so that no input has an effect. False when unknown."""
    return isinstance(reply, NodeList) and not any(
        node.state is NodeState.ACTIVE for node in reply.nodes
    )


async def _request_all(robot: RobotAddress) -> dict[str, BaseModel | SaintError]:
    requests = [request_or_error(robot, row, Nothing()) for row in _SECTIONS.values()]
    return dict(zip(_SECTIONS, await asyncio.gather(*requests), strict=True))


def _as_data(reply: BaseModel | SaintError) -> object:
    if isinstance(reply, SaintError):
        return {"error": {"code": str(reply.code), "message": reply.message}}
    return reply.model_dump(mode="json", by_alias=True)


def _row(name: str, reply: BaseModel | SaintError) -> tuple[str, str, str]:
    good, text = _summary(reply)
    return dot(good), name, text


def _summary(reply: BaseModel | SaintError) -> tuple[bool, str]:
    """Return whether a reply reports no fault, and its summary."""
    match reply:
        case NodeList(nodes=nodes):
            counts = {state: sum(n.state is state for n in nodes) for state in NodeState}
            text = ", ".join(f"{count} {state}" for state, count in counts.items() if count)
            return not counts[NodeState.OFFLINE], text or "no node was seen yet"
        case RouterStatus(estop=estop) if estop.active:
            cause = f"E-STOP by {estop.source}: {estop.reason or 'no reason given'}"
            done = sentences([each.model_dump() for each in estop.outcomes])
            return False, " ".join([f"{cause}.", *done])
        case RouterStatus():
            live = [out for out in reply.outputs if out.policy == "live"]
            count = f"{len(live)} of {len(reply.outputs)} outputs have an input now"
            return True, f"{reply.state}, {count}"
        case RcStatus(connected=False):
            return not reply.enabled, reply.reason or "no receiver"
        case RcStatus():
            signal = "signal lost" if reply.failsafe else f"{reply.frame_rate_hz:.0f} frames/s"
            return not reply.failsafe, f"{reply.protocol}, {signal}"
        case SubjectList(sources=sources):
            names = ", ".join(f"{s.subject_name} ({s.frame_rate:.0f} fps)" for s in sources)
            return True, names or "no subjects"
        case FirmwareReport(plan=plan, robot_version=version, versions=versions):
            text = version or " and ".join(versions) or "no release was reported yet"
            if plan and plan.state not in (RolloutState.DONE, RolloutState.CANCELLED):
                return plan.state is not RolloutState.HALTED, f"{text}, {rollout_line(plan)}"
            return len(versions) <= 1, text
        case SaintError():
            return False, reply.message
    return True, ""
