"""Checks of what the daemons report: nodes, router, inputs, releases. Not here: the computer
(machine_checks.py).
"""

from datetime import UTC, datetime
from typing import TypeVar

from ...lib.api.adoption import NodeList, NodeState
from ...lib.api.backup import RestoreState
from ...lib.api.drill import DrillInfo
from ...lib.api.firmware import FirmwareReport, RolloutState, UpdateVerdict
from ...lib.api.livelink import SenderList, SubjectList
from ...lib.api.rc import RcStatus
from ...lib.api.routing import RouterStatus
from ...lib.errors import SaintError
from ...lib.update import no_slots
from .facts import DoctorFacts
from .result import Check, CheckResult, about, bad, good, not_here, warn

T = TypeVar("T")

HOT = 70.0  # a Pi slows down at 80 degrees Celsius
LOST_S = 3.0
OLD_DAYS = 90  # of a stop drill
MOST_RESTARTS = 3


def _known(answer: T | SaintError | None) -> T | None:
    """Return the reply; None for an error, which only the check of the daemon itself reports."""
    return None if isinstance(answer, SaintError) else answer


_of_restores = about("webd does not answer", lambda facts: _known(facts.restore))
_of_nodes = about("adoptiond does not answer", lambda facts: _known(facts.nodes))
_of_router = about("routerd does not answer", lambda facts: _known(facts.router))
_of_drills = about("routerd does not answer", lambda facts: _known(facts.drills))
_of_receiver = about("rcd does not answer", lambda facts: _known(facts.rc))
_of_subjects = about("livelinkd does not answer", lambda facts: _known(facts.subjects))
_of_senders = about("livelinkd does not answer", lambda facts: _known(facts.senders))
_of_releases = about("otad does not answer", lambda facts: _known(facts.firmware))


def answers(name: str) -> Check:
    def check(facts: DoctorFacts) -> CheckResult:
        answer = facts.health.get(name)
        if answer is None:
            return not_here("it was not queried")
        if isinstance(answer, SaintError):
            return bad(answer.message, answer.fix)
        return good(f"answers, up for {answer.uptime_s:.0f} s")

    return check


def is_well(name: str) -> Check:
    def check(facts: DoctorFacts) -> CheckResult:
        answer = _known(facts.health.get(name))
        if answer is None:
            return not_here(f"{name} does not answer")
        if answer.issues:
            first = answer.issues[0]
            more = f" (and {len(answer.issues) - 1} more)" if len(answer.issues) > 1 else ""
            return bad(f"{first.title}: {first.text}{more}", first.fix)
        return good("reports no issue")

    return check


def webd(facts: DoctorFacts) -> CheckResult:
    if facts.restore is None:
        return not_here("it was not queried")
    if isinstance(facts.restore, SaintError):
        return bad(facts.restore.message, facts.restore.fix)
    return good("the pages are served")


@_of_restores
def restore(state: RestoreState) -> CheckResult:
    if state.waiting:
        names = ", ".join(state.waiting)
        fix = f"Find out why they do not answer: saintctl log show --source {state.waiting[0]}"
        return bad(f"a restore since {state.since} waits for {names}", fix)
    return good("no restore is unfinished")


@_of_nodes
def nodes_online(nodes: NodeList) -> CheckResult:
    gone = [node.node_id for node in nodes.nodes if node.role and node.state is NodeState.OFFLINE]
    if gone:
        fix = "Check power and network cable. To replace a dead node: saintctl node replace"
        return bad(f"offline: {', '.join(gone)}", fix)
    return good(f"{sum(bool(node.role) for node in nodes.nodes)} nodes with a role are online")


@_of_nodes
def nodes_well(nodes: NodeList) -> CheckResult:
    faulty = [n for n in nodes.nodes if n.reason and n.role and n.state is not NodeState.OFFLINE]
    if faulty:
        fix = f"saintctl node show {faulty[0].node_id}"
        return warn(f"{faulty[0].node_id}: {faulty[0].reason}", fix)
    return good("no node reports a fault")


@_of_nodes
def nodes_restarts(nodes: NodeList) -> CheckResult:
    shaky = [node for node in nodes.nodes if node.role_restarts > MOST_RESTARTS]
    if shaky:
        first = shaky[0]
        text = f"the role of {first.node_id} was restarted {first.role_restarts} times"
        return warn(
            text, f"Log in there and find out why: saintctl log show --source role-{first.role}d"
        )
    return good("roles run without restarts")


@_of_nodes
def nodes_heat(nodes: NodeList) -> CheckResult:
    hot = [node for node in nodes.nodes if node.cpu_temp >= HOT]
    if hot:
        return warn(
            f"{hot[0].node_id} has {hot[0].cpu_temp:.0f} °C", "Improve cooling: air or a heat sink."
        )
    return good("all nodes are below 70 °C")


@_of_nodes
def nodes_memory(nodes: NodeList) -> CheckResult:
    full = [node for node in nodes.nodes if node.memory_usage >= 92.0]
    if full:
        text = f"{full[0].node_id} uses {full[0].memory_usage:.0f} % of its memory"
        return warn(text, "Restart the node; saintctl log show there shows which program grew.")
    return good("all nodes have spare memory")


@_of_nodes
def nodes_fresh(nodes: NodeList) -> CheckResult:
    online = [node for node in nodes.nodes if node.state is not NodeState.OFFLINE]
    late = [node for node in online if node.seen_age_s > LOST_S / 2]
    if late:
        text = f"the last heartbeat of {late[0].node_id} is {late[0].seen_age_s:.1f} s old"
        return warn(text, "Check its network: a switch or a cable loses packets.")
    return good(f"all {len(online)} nodes that are online send a heartbeat every second")


@_of_nodes
def nodes_waiting(nodes: NodeList) -> CheckResult:
    free = [node.node_id for node in nodes.nodes if node.is_offered]
    if free:
        fix = f"saintctl node adopt {free[0]} ROLE, or: saintctl node ignore {free[0]}"
        return warn(f"waiting for a role: {', '.join(free)}", fix)
    return good("no node waits for a role")


@_of_nodes
def nodes_keys(nodes: NodeList) -> CheckResult:
    open_ = [n.node_id for n in nodes.nodes if n.role and not n.is_ours and n.state != "offline"]
    if open_:
        fix = "Reset the node and adopt it again, so that it accepts orders of this server only."
        return warn(f"not bound to this server by a key: {', '.join(open_)}", fix)
    return good("every node with a role accepts orders of this server only")


@_of_nodes
def unknown_participants(nodes: NodeList) -> CheckResult:
    if nodes.strangers:
        first = nodes.strangers[0]
        fix = "Identify it: another robot on the same network needs another network.domain_id."
        return warn(
            f"{first.name} is on the robot's network but is no node of it: {first.reason}", fix
        )
    return good("no unknown participant on the robot's network")


@_of_router
def estop(router: RouterStatus) -> CheckResult:
    if router.estop.active:
        why = router.estop.reason or "no reason given"
        fix = "Check the robot, then: saintctl estop clear"
        return warn(f"pressed by {router.estop.source}: {why}", fix)
    return good("not pressed")


@_of_router
def stop_switches(router: RouterStatus) -> CheckResult:
    if not router.stop_switches:
        text = "no switch and no button stops this robot: only pages and programs do"
        fix = "Add a route from a switch of the transmitter to estop: saintctl route set FILE"
        return bad(text, fix)
    return good(f"it is stopped by {', '.join(router.stop_switches)}")


@_of_drills
def stop_drill(info: DrillInfo) -> CheckResult:
    fix = "Test every way to stop the robot: saintctl drill"
    if not info.reports:
        return warn("the stop was never tested on this robot", fix)
    report = info.reports[0]
    days = (datetime.now(UTC) - datetime.fromisoformat(report.ended)).days
    when = f"the stop was last tested {days} days ago"
    failed = [step.way for step in report.steps if step.state == "failed"]
    if failed:
        return bad(f"{when}, and failed by {', '.join(failed)}", fix)
    left_out = [step.way for step in report.steps if step.state != "passed"]
    if days > OLD_DAYS or left_out:
        not_tried = f", without {', '.join(left_out)}" if left_out else ""
        return warn(f"{when}{not_tried}", fix)
    return good(when)


@_of_router
def refused_samples(router: RouterStatus) -> CheckResult:
    refused = sum(router.refused.values())
    if refused > max(100, router.samples // 20):
        most = max(router.refused, key=lambda reason: router.refused[reason])
        fix = "Find the source that sends them: saintctl input list"
        return warn(f"{refused} samples were refused, mostly: {most}", fix)
    return good("inputs are accepted")


@_of_router
def lost_sources(router: RouterStatus) -> CheckResult:
    lost = [source.source for source in router.sources if source.failsafe]
    if lost:
        return warn(f"signal lost: {', '.join(lost)}", "Switch its transmitter on.")
    return good("no input has lost its signal")


@_of_receiver
def rc(status: RcStatus) -> CheckResult:
    if not status.enabled:
        return not_here("the RC receiver is switched off")
    if not status.connected:
        fix = "Check wiring and protocol: saintctl rc detect"
        return bad(status.reason or "no receiver answers", fix)
    if status.failsafe:
        return warn(status.reason or "the signal is lost", "Switch the transmitter on.")
    return good(f"{status.protocol}, {status.frame_rate_hz:.0f} frames a second")


@_of_receiver
def rc_line(status: RcStatus) -> CheckResult:
    if not status.enabled:
        return not_here("no RC receiver is in use")
    if status.rejected > max(20, status.frames // 50):
        text = f"{status.rejected} of {status.frames} frames were damaged"
        return warn(text, "Check wire, ground and protocol.")
    return good("frames arrive undamaged")


@_of_subjects
def livelink(subjects: SubjectList) -> CheckResult:
    refused = sum(subjects.refused.values())
    if refused > 1000:
        most = max(subjects.refused, key=lambda reason: subjects.refused[reason])
        return warn(f"{refused} datagrams were refused, mostly: {most}", "saintctl livelink list")
    return good(f"{len(subjects.sources)} subjects, few datagrams refused")


@_of_senders
def senders(found: SenderList) -> CheckResult:
    if found.accept == "all":
        text = "every capture sender in the network may move the robot: the check is off"
        return warn(text, "saintctl livelink check known")
    if found.waiting:
        first = found.waiting[0]
        text = f"{first.subject_name} of {first.ip} sends but is not accepted and moves nothing"
        return warn(text, f"If it is yours: saintctl livelink accept {first.subject_name}")
    return good("only known capture senders may move the robot")


@_of_releases
def versions(report: FirmwareReport) -> CheckResult:
    if len(report.versions) > 1:
        text = f"machines run different releases: {', '.join(report.versions)}"
        return bad(text, f"saintctl firmware rollout {report.versions[0]}")
    return good(f"all machines run {report.robot_version or 'the same release'}")


@_of_releases
def verdicts(report: FirmwareReport) -> CheckResult:
    poor = [
        m for m in report.machines if m.verdict in (UpdateVerdict.FAILED, UpdateVerdict.ROLLED_BACK)
    ]
    if poor:
        text = f"{poor[0].node_id} rejected release {poor[0].target_version}: {poor[0].reason}"
        return warn(text, "saintctl firmware status shows the reason; upload a corrected release.")
    left = [
        m
        for m in report.machines
        if m.verdict is UpdateVerdict.HEALTHY and m.target_version not in ("", m.version)
    ]
    if left:
        version = left[0].target_version
        why = left[0].reason or f"it runs {left[0].version}, although {version} passed there"
        fix = f"saintctl firmware rollout {version}; check the supply, and replace a failing card."
        return warn(f"{left[0].node_id}: {why}", fix)
    return good("no machine has rejected a release")


@_of_releases
def rollout(report: FirmwareReport) -> CheckResult:
    if report.plan and report.plan.state is RolloutState.HALTED:
        fix = "saintctl firmware status shows where; then resume or roll back"
        return bad("a roll-out has halted", fix)
    return good("no roll-out has halted")


@_of_releases
def updates(report: FirmwareReport) -> CheckResult:
    if report.updates_off == no_slots.REASON:
        return not_here(report.updates_off)
    if report.updates_off:
        return warn(report.updates_off, "Until this is fixed, no release can be installed.")
    return good("releases can be installed")
