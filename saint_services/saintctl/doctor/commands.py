"""`saintctl doctor`: checks the whole robot and names the remedy for each fault."""

import json
from typing import Annotated

import typer

from ..console import AsJson, print_table, run
from . import can_checks, machine_checks, robot_checks
from .facts import DAEMONS, gather
from .result import Check, CheckResult, CheckState

_MARKS = {
    CheckState.GOOD: "[green]good[/]",
    CheckState.WARN: "[yellow]look[/]",
    CheckState.BAD: "[red]bad[/]",
    CheckState.NOT_HERE: "[dim]n/a[/]",
}
_ORDER = [CheckState.BAD, CheckState.WARN, CheckState.GOOD, CheckState.NOT_HERE]

# In the order of the list that --all prints.
CHECKS: dict[str, Check] = {
    **{name: robot_checks.answers(name) for name in DAEMONS},
    "webd": robot_checks.webd,
    **{f"{name} health": robot_checks.is_well(name) for name in DAEMONS},
    "restore": robot_checks.restore,
    "nodes online": robot_checks.nodes_online,
    "nodes well": robot_checks.nodes_well,
    "nodes fresh": robot_checks.nodes_fresh,
    "node restarts": robot_checks.nodes_restarts,
    "node heat": robot_checks.nodes_heat,
    "node memory": robot_checks.nodes_memory,
    "nodes waiting": robot_checks.nodes_waiting,
    "node keys": robot_checks.nodes_keys,
    "unknown participants": robot_checks.unknown_participants,
    "e-stop": robot_checks.estop,
    "stop switches": robot_checks.stop_switches,
    "stop drill": robot_checks.stop_drill,
    "lost inputs": robot_checks.lost_sources,
    "refused inputs": robot_checks.refused_samples,
    "RC link": robot_checks.rc,
    "RC line": robot_checks.rc_line,
    "LiveLink": robot_checks.livelink,
    "LiveLink senders": robot_checks.senders,
    "versions": robot_checks.versions,
    "verdicts": robot_checks.verdicts,
    "roll-out": robot_checks.rollout,
    "updates": robot_checks.updates,
    "wagon": can_checks.wagon,
    "CAN adapters": can_checks.interfaces,
    "settings files": machine_checks.settings_files,
    "state files": machine_checks.state_files,
    "log": machine_checks.errors,
    "clock": machine_checks.clock,
    "time source": machine_checks.time_sync,
    "memory": machine_checks.memory,
    "load": machine_checks.load,
    "temperature": machine_checks.temperature,
    "power supply": machine_checks.power,
    "disk": machine_checks.disk,
    "units": machine_checks.failed_units,
    "daemon restarts": machine_checks.unit_restarts,
    "firewall": machine_checks.unit(
        "nftables.service", "the firewall is loaded", "systemctl restart nftables"
    ),
    "network service": machine_checks.unit(
        "systemd-networkd.service", "runs", "systemctl start systemd-networkd"
    ),
    "time service": machine_checks.unit("chrony.service", "runs", "systemctl start chrony"),
    "inside network": machine_checks.inside,
    "addresses": machine_checks.addresses,
    "address": machine_checks.address,
    "root": machine_checks.root,
    "data partition": machine_checks.data,
    "board": machine_checks.board,
    "setup": machine_checks.setup,
    "crashes": machine_checks.crashes,
    "requests": machine_checks.requests,
}


def doctor(
    context: typer.Context,
    every: Annotated[
        bool, typer.Option("--all", help="Also list good and not applicable checks.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Check the whole robot. Exit code 1: something is bad."""
    facts = run(gather(context.obj), as_json)
    found = {name: check(facts) for name, check in CHECKS.items()}
    if as_json:
        rows = [
            {"check": name, "state": str(f.state), "text": f.text, "fix": f.fix}
            for name, f in found.items()
        ]
        print(json.dumps({"checks": rows}, indent=2))
    else:
        _print(found, every)
    if any(result.state is CheckState.BAD for result in found.values()):
        raise typer.Exit(1)


def _print(found: dict[str, CheckResult], every: bool) -> None:
    shown = [
        (name, result)
        for name, result in found.items()
        if every or result.state in (CheckState.BAD, CheckState.WARN)
    ]
    shown.sort(key=lambda each: _ORDER.index(each[1].state))
    rows = [(_MARKS[f.state], name, _text(f)) for name, f in shown]
    print_table(("", "check", "what, and what to do"), rows, "Nothing is wrong.")
    counts = {state: sum(f.state is state for f in found.values()) for state in _ORDER}
    good, warn, bad, other = (counts[state] for state in CheckState)
    summary = f"{good} good, {warn} to look at, {bad} bad"
    print(f"{len(found)} checks: {summary}, {other} not applicable.")


def _text(result: CheckResult) -> str:
    text = result.text.replace("[", "\\[")
    return f"{text}\n[dim]{result.fix}[/]" if result.fix else text
