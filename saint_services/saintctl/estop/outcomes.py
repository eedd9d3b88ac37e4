"""Describes the outcome of a stop. Imports nothing, because `saintctl estop set` uses it before the
rest of saintctl is loaded. Not here: the request (urgent.py, commands.py).
"""

EXIT_UNCONFIRMED = 7  # a role has not confirmed the stop
ACTIVE = "E-stop is active: nothing moves until it is cleared."
_NO_ROLES = "No node holds a role: there is nothing to stop."
_LIVE = "Its outputs may still be live: cut its power."
_LIVE_MANY = "Their outputs may still be live: cut their power."


def target_name(target: str) -> str:
    """Return "left arm" for "arms.left"."""
    role, _, instance = target.partition(".")
    return f"{instance} {role[:-1] if role == 'arms' else role}" if instance else role


def sentences(outcomes: "list[dict[str, object]]") -> "list[str]":
    """Return a sentence for each kind of outcome that routerd has sent, confirmed stops first."""
    found: dict[str, list[dict[str, object]]] = {}
    for each in outcomes:
        found.setdefault(str(each["state"]), []).append(each)
    lines = [
        f"{text}: {_names(found[state])}{_longest(found[state])}."
        for state, text in (("stopped", "Stopped"), ("guard", "Stopped by the guard"))
        if state in found
    ]
    for each in found.get("stopping", []):
        detail = f" ({each['detail']})" if each.get("detail") else ""
        lines.append(f"Still stopping: {_names([each])}{detail}. {_LIVE}")
    if silent := found.get("silent"):
        lines.append(f"No answer: {_names(silent)}. {_LIVE if len(silent) == 1 else _LIVE_MANY}")
    if outcomes and not lines:
        lines.append(_NO_ROLES)
    return lines


def _names(outcomes: "list[dict[str, object]]") -> str:
    return ", ".join(target_name(str(each["target"])) for each in outcomes)


def _longest(outcomes: "list[dict[str, object]]") -> str:
    times = [each["after_ms"] for each in outcomes if isinstance(each["after_ms"], (int, float))]
    return f" ({max(times):.0f} ms)" if times else ""
