"""Formats releases, machines and roll-outs: as tables of 80 columns and as lines for a log."""

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from ...lib.api.firmware import (
    FirmwareReport,
    MachineFirmware,
    Release,
    RolloutPlan,
    RolloutState,
    RolloutStep,
    UpdateState,
    UpdateVerdict,
)
from ...lib.api.update_policy import (
    FetchState,
    OfferPolicy,
    RolloutPolicy,
    UpdatePolicy,
)
from ...lib.errors import SaintError
from ..console import print_facts

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.table import Table

_BAR = 10  # characters
_VERDICTS = {
    UpdateVerdict.HEALTHY: "healthy",
    UpdateVerdict.ROLLED_BACK: "rolled back",
    UpdateVerdict.FAILED: "failed",
    UpdateVerdict.REFUSED: "refused",
}
_FAILURES = {
    UpdateVerdict.ROLLED_BACK: "was rolled back",
    UpdateVerdict.FAILED: "could not be installed",
    UpdateVerdict.REFUSED: "was refused",
}
_ENDINGS = {
    RolloutState.RUNNING: "is running",
    RolloutState.PAUSED: "is paused",
    RolloutState.HALTED: "was halted",
    RolloutState.DONE: "is done",
    RolloutState.CANCELLED: "was cancelled",
}
_GOOD, _BAD, _BUSY, _CALM = "[green]●[/]", "[red]○[/]", "[bold]◐[/]", "·"


def headline(report: FirmwareReport) -> str:
    """Describe which release the robot runs."""
    count = sum(machine.is_online for machine in report.machines)
    machines = f"{count} machine{'' if count == 1 else 's'}"
    offline = len(report.machines) - count
    rest = f"; {offline} {'is' if offline == 1 else 'are'} offline." if offline else "."
    if report.robot_version:
        return f"The robot runs release {report.robot_version} on {machines}{rest}"
    if report.versions:
        versions = ", ".join(report.versions)
        return f"The robot's {machines} run different releases: {versions}{rest}"
    return "No machine has reported its release yet."


def rollout_line(plan: RolloutPlan) -> str:
    """Describe the roll-out, with the reason of a halt."""
    done = sum(step.step is RolloutStep.HEALTHY for step in plan.steps)
    what = "Rollback" if plan.is_rollback else f"Roll-out of {plan.version}"
    text = f"{what} {_ENDINGS[plan.state]}: {done} of {len(plan.steps)} machines healthy."
    return f"{text} {_sentence(plan.reason)}" if plan.reason else text


def overview(report: FirmwareReport) -> "RenderableType":
    """Return everything about releases, for a terminal."""
    from rich.console import Group
    from rich.text import Text

    parts: list[RenderableType] = [Text(headline(report), style="bold")]
    if report.plan:
        style = "red" if report.plan.state is RolloutState.HALTED else ""
        parts.append(Text(rollout_line(report.plan), style=style))
    if report.updates_off:
        parts.append(Text(f"Updates are off: {_sentence(report.updates_off)}", style="red"))
    if report.offers_closed and any(release.is_current for release in report.releases):
        parts.append(Text(f"A release is offered, but {_sentence(report.offers_closed)}"))
    if report.source.address:
        style = "red" if report.source.state is FetchState.FAILED else ""
        parts.append(Text(f"{report.source.address}: {report.source.text}.", style=style))
    parts += [Text(""), machines(report)]
    parts += [Text(f"\n{text}", style="red") for text in failures(report)]
    if report.releases:
        parts += [Text(""), releases(report.releases)]
    else:
        parts += [
            Text(""),
            Text("There is no release on the server yet: saintctl firmware upload FILE"),
        ]
    return Group(*parts)


def policy_facts(policy: UpdatePolicy) -> list[tuple[str, str]]:
    """Return the owner's settings, one row each."""
    takes = {
        OfferPolicy.AUTOMATIC: "by themselves, when they boot or rest",
        OfferPolicy.ASK: "by a roll-out that a user starts",
    }
    begins = {
        RolloutPolicy.BY_USER: "a user",
        RolloutPolicy.AUTOMATIC: "the server, one node first",
    }
    every = "hour" if policy.check_every_h == 1 else f"{policy.check_every_h} hours"
    own = ", by an authority of your own" if policy.has_authority else ""
    source = f"{policy.releases_from}, every {every}{own}" if policy.releases_from else "no address"
    return [
        ("machines take releases", takes[policy.offers]),
        ("a roll-out is begun by", begins[policy.roll_out]),
        ("maintenance window", f"{policy.window} UTC" if policy.window else "any time of day"),
        ("releases from", source),
        ("USB sticks", "their releases are stored" if policy.usb_stick else "are refused"),
    ]


def machines(report: FirmwareReport) -> "Table":
    """Return one row per machine."""
    from rich.markup import escape

    table = _table(("", "machine", "release", "slot", "update"), last="note")
    plan = report.plan
    is_going = plan is not None and plan.state in (RolloutState.RUNNING, RolloutState.PAUSED)
    steps = {each.node_id: each.step for each in plan.steps} if plan and is_going else {}
    for machine in report.machines:
        is_named_so = machine.is_server and machine.node_id != "server"
        name = f"{machine.node_id} (server)" if is_named_so else machine.node_id
        doing = _doing(machine, steps.get(machine.node_id))
        version = machine.version or "?"
        table.add_row(
            _mark(machine), name, version, machine.slot or "-", doing, escape(note(machine))
        )
    return table


def failures(report: FirmwareReport) -> list[str]:
    """Return the failures that the roll-out's reason does not already name."""
    reason = report.plan.reason if report.plan else ""
    return [
        f"{machine.node_id}: {text}"
        for machine in report.machines
        if (text := failure(machine)) and machine.reason not in reason
    ]


def releases(found: Iterable[Release]) -> "Table":
    """Return one row per release."""
    from rich.markup import escape

    table = _table(("", "release", "date", "size"), last="what is new")
    for release in found:
        first = release.changelog.strip().partition("\n")[0]
        news = [first or "-"] if not release.is_current else ["offered to nodes at boot", first]
        offered = "; ".join(text for text in news if text)
        table.add_row(
            _GOOD if release.is_current else _CALM, release.version,
            release.release_date[:10] or "-", size(release.size_bytes), escape(offered),
        )  # fmt: skip
    return table


def failure(machine: MachineFirmware) -> str:
    """Describe why the last update failed; empty when it did not, or while another one runs."""
    is_well = machine.verdict in (UpdateVerdict.NONE, UpdateVerdict.HEALTHY)
    if is_well or machine.state is not UpdateState.IDLE:
        return ""
    tried = machine.target_version or "the release"
    return f"{tried} {_FAILURES[machine.verdict]}: {machine.reason or 'no reason was given'}"


def note(machine: MachineFirmware) -> str:
    """Return a short remark about one machine."""
    if not machine.is_online:
        return "offline"
    if machine.state is not UpdateState.IDLE:
        return f"to {machine.target_version}" + (
            f", try {machine.attempt}" if machine.attempt > 1 else ""
        )
    if failure(machine):
        return machine.target_version
    return machine.blocked_by


def machine_of(report: FirmwareReport | SaintError, node_id: str) -> MachineFirmware | None:
    """Return the release of one machine; None when unknown."""
    if isinstance(report, SaintError):
        return None
    return next((each for each in report.machines if each.node_id == node_id), None)


def print_firmware(machine: MachineFirmware | None, problem: SaintError | None) -> None:
    """Print what `node show` says of releases, with the log lines of a failure."""
    if machine is None:
        print_facts([("release", problem.message if problem else "not reported yet")])
        return
    print_facts(_firmware_facts(machine))
    if machine.log_excerpt:
        print_facts([("log", machine.log_excerpt.rstrip())])


def _firmware_facts(machine: MachineFirmware) -> list[tuple[str, str]]:
    slot = f", slot {machine.slot}" if machine.slot else ""
    spare = f"; the other slot has {machine.spare_version}" if machine.spare_version else ""
    doing = "" if machine.state is UpdateState.IDLE else f"{machine.state} {machine.target_version}"
    if machine.state is UpdateState.INSTALLING:
        doing += f", {machine.progress} %"
    tries = f" after {machine.attempt} tries" if machine.attempt > 1 else ""
    verdict = ""
    if machine.verdict is not UpdateVerdict.NONE:
        verdict = f"{machine.target_version} {_VERDICTS[machine.verdict]}{tries}".strip()
    rows = [
        ("release", f"{machine.version or 'unknown'}{slot}{spare}"),
        ("update", doing),
        ("last update", verdict),
        ("reason", machine.reason),
        ("blocked by", machine.blocked_by),
    ]
    return [(label, text) for label, text in rows if text]


def size(count: int) -> str:
    """Format a number of bytes."""
    if count < 1_000_000:
        return f"{count / 1000:.0f} kB"
    return f"{count / 1_000_000:.1f} MB"


def changes(before: FirmwareReport | None, after: FirmwareReport) -> Iterator[str]:
    """Yield plain lines for a log: what has changed since `before`."""
    known = {machine.node_id: _summary(machine) for machine in before.machines} if before else {}
    for machine in after.machines:
        if known.get(machine.node_id) != (text := _summary(machine)):
            yield f"{machine.node_id}: {text}"
    old_plan = before.plan if before else None
    new = after.plan
    if new and (old_plan is None or (old_plan.state, old_plan.reason) != (new.state, new.reason)):
        yield rollout_line(new)


def _summary(machine: MachineFirmware) -> str:
    parts = [f"release {machine.version or '?'}"]
    if machine.state is UpdateState.INSTALLING:
        tens = machine.progress // 10 * 10  # one line for every percent would flood a log
        parts.append(f"installing {machine.target_version}, {tens} %")
    elif machine.state is not UpdateState.IDLE:
        parts.append(f"{machine.state} {machine.target_version}".rstrip())
    elif text := failure(machine) or note(machine):
        parts.append(text)
    elif machine.verdict is UpdateVerdict.HEALTHY:
        parts.append("healthy")
    return ", ".join(parts)


def _mark(machine: MachineFirmware) -> str:
    if not machine.is_online:
        return _BAD
    if machine.state is not UpdateState.IDLE:
        return _BUSY
    return _GOOD if machine.verdict in (UpdateVerdict.NONE, UpdateVerdict.HEALTHY) else _BAD


def _doing(machine: MachineFirmware, step: RolloutStep | None) -> str:
    if machine.is_online and machine.state is UpdateState.INSTALLING:
        full = round(machine.progress * _BAR / 100)
        return f"{'━' * full}[dim]{'─' * (_BAR - full)}[/] {machine.progress:3d} %"
    if machine.is_online and machine.state is not UpdateState.IDLE:
        return str(machine.state)
    if machine.verdict is UpdateVerdict.NONE or step in (RolloutStep.WAITING, RolloutStep.SKIPPED):
        return str(step) if step else "-"
    return _VERDICTS[machine.verdict]


def _sentence(text: str) -> str:
    return text if text.endswith((".", "!", "?")) else f"{text}."


def _table(columns: Iterable[str], last: str) -> "Table":
    from rich.table import Table

    table = Table(box=None, pad_edge=False, header_style="bold")
    for name in columns:
        table.add_column(name, no_wrap=True)
    table.add_column(last, overflow="fold")
    return table
