"""Explains why every output has its value: models of replies and the status message."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict
from math import isnan, nan
from typing import Literal

from ..lib.api.mapping import conditions_text
from ..lib.api.routing import (
    LONGEST_AGE_MS,
    UNKNOWN_AGE_MS,
    ControlInfo,
    EStopInfo,
    FieldOutput,
    PressInfo,
    RouteInfo,
    RouterStatus,
    SourceInfo,
    StopOutcomeInfo,
)
from ..lib.generated.builtin_interfaces import Time
from ..lib.generated.saint_msgs import EStop, FieldStatus, RivalStatus, RouteStatus
from ..lib.generated.saint_msgs import EStopPress as Pressed
from .estop.latch import Latch, Press
from .estop.outcomes import is_confirmed
from .fields.claims import Claim, OutputField
from .fields.motion import NEVER
from .inputs.sources import InputSource
from .logic import Router
from .routes import stops

FORGOTTEN_S = 60.0  # sources and claims without a sample for longer are not listed


def status(router: Router, estop: EStopInfo, now: float) -> RouterStatus:
    """Return the reply of GET /status."""
    return RouterStatus(
        state=_state(router, now),
        estop=estop,
        outputs=outputs(router, now),
        sources=[
            _source(source, now)
            for source in router.sources.values()
            if now - source.received < FORGOTTEN_S
        ],
        samples=router.samples,
        refused=dict(router.refused),
        control=[
            ControlInfo(
                target=lock.target,
                holder=lock.holder,
                remaining_ms=_ms(lock.until - now),
                held_ms=_ms(now - lock.since),
            )
            for lock in router.locks.held.values()
        ],
        stop_switches=stop_switches(router),
    )


def stop_switches(router: Router) -> list[str]:
    """Return every switch and button that stops the robot."""
    return [*stops.switches(router.routes), *router.robot.stop_buttons]


def outputs(router: Router, now: float) -> list[FieldOutput]:
    """Return every field with the reasons for its value."""
    return [_field_output(field_status(router, output, now)) for output in router.outputs]


def _field_output(status: FieldStatus) -> FieldOutput:
    """Convert the message into the model; unknown values become None."""
    data = asdict(status)
    for each in (data, *data["rivals"]):
        each["age_ms"] = None if each["age_ms"] == UNKNOWN_AGE_MS else each["age_ms"]
    data["value"] = None if isnan(status.value) else status.value
    return FieldOutput.model_validate(data)


def estop_info(latch: Latch, problem: str, outcomes: Sequence[StopOutcomeInfo] = ()) -> EStopInfo:
    """Return the latch as a model. `problem` is why it is not stored. Without outcomes no role has
    confirmed it.
    """
    first = latch.presses[0] if latch.active else Press(latch.source)
    return EStopInfo(
        active=latch.active,
        source=latch.source if latch.active else "",
        reason=latch.reason,
        since=first.since,
        generation=latch.generation,
        presses=[
            PressInfo(source=each.source, reason=each.reason, since=each.since)
            for each in latch.presses
        ],
        more=latch.more,
        stored=not problem,
        problem=problem,
        outcomes=list(outcomes),
        confirmed=bool(outcomes) and is_confirmed(outcomes),
    )


def estop_message(latch: Latch, now: Time) -> EStop:
    """Return the latch as a message."""
    return EStop(
        stamp=now,
        active=latch.active,
        source=latch.source,
        reason=latch.reason,
        generation=latch.generation,
        presses=[Pressed(each.source, each.reason, each.since) for each in latch.presses],
        presses_left_out=latch.more,
    )


def message(router: Router, now: float, fields: Sequence[FieldStatus] | None = None) -> RouteStatus:
    """Return the status as a message, which the caller stamps; it may pass the fields."""
    latch = router.latch
    if fields is None:
        fields = [field_status(router, output, now) for output in router.outputs]
    return RouteStatus(
        state=_state(router, now),
        estop=latch.active,
        estop_source=latch.source if latch.active else "",
        estop_reason=latch.reason,
        fields=fields,
        stop_switches=stop_switches(router),
    )


def route_list(router: Router, now: float) -> list[RouteInfo]:
    """Return every route with its status: active, standby or disabled."""
    winning = {output.winner.route for output in router.outputs if output.winner}
    guarding = {
        route
        for source in router.sources.values()
        for stream in source.streams.values()
        if stream.received + source.timeout_s > now
        for _, _, route in stream.stops
    }
    active = winning | guarding
    infos = []
    for route in router.routes:
        status: Literal["active", "standby", "disabled"]
        status = "disabled" if not route.enabled else "active" if route.id in active else "standby"
        infos.append(RouteInfo(route=route, status=status))
    return infos


def _state(router: Router, now: float) -> Literal["idle", "routing", "blending", "estop"]:
    if router.latch.active:
        return "estop"
    contenders = Counter(
        (claim.output.target, claim.output.field) for claim in router.claims if claim.may_drive(now)
    )
    if not contenders:
        return "idle"
    return "blending" if max(contenders.values()) > 1 else "routing"


def _is_listed(claim: Claim, now: float) -> bool:
    return claim.stream is not None and (
        claim.stream.received == NEVER or now - claim.stream.received < FORGOTTEN_S
    )


def _reason(router: Router, claim: Claim, now: float) -> str:
    """Return why a claim is not in control."""
    output = claim.output
    source = router.sources.get(claim.source)
    holder = router.locks.holder(claim)
    winner = output.winner
    # The first that applies is reported.
    reasons = {
        "failsafe": source is not None and source.failsafe,
        _unmet(claim, now): bool(_unmet(claim, now)),
        "timed out": not claim.is_live(now),
        "e-stop": router.latch.active,
        f"panel locked by {holder}": claim.is_locked and holder != "",
        "waits for its clutch": claim.is_locked,
        "must move first": not claim.is_armed,
        f"failsafe of {output.held_by.source if output.held_by else ''} holds": output.is_barred(
            claim
        ),
        "returned just now": claim.steady_at > now,
        "mixed in": output.members is not None and claim in output.members,
        "lower priority": winner is not None and winner.priority > claim.priority,
    }
    return next((reason for reason, holds in reasons.items() if holds), "came later")


def _unmet(claim: Claim, now: float) -> str:
    """Return why the conditions keep a claim from its field while its source is live."""
    stream, plan = claim.stream, claim.plan
    if stream is None or plan is None or plan.guide is None:
        return ""
    if stream.received + claim.timeout_s <= now or plan.guide.deadline > now:
        return ""
    unmet = dict.fromkeys(gate.condition for gate in plan.guide.unmet(now))
    return f"only while {conditions_text(unmet)}"


def _source(source: InputSource, now: float) -> SourceInfo:
    values: dict[str, float] = {}
    alive = False
    for stream in source.streams.values():
        is_live = stream.received + source.timeout_s > now
        alive = alive or is_live
        if is_live or stream is source.stream:
            prefix = f"{stream.target}." if stream.target else ""
            values |= {
                prefix + name: value
                for name, value in zip(stream.names, stream.values, strict=False)
            }
    return SourceInfo(
        source=source.name,
        age_ms=_ms(now - source.received),
        alive=alive and not source.failsafe,
        failsafe=source.failsafe,
        rate_hz=round(source.rate_hz, 1),
        values=values,
    )


def field_status(router: Router, output: OutputField, now: float) -> FieldStatus:
    """Return one field as the status message has it; replies are made of it."""
    winner = output.winner
    value = output.value if output.is_driven or output.is_velocity else None
    return FieldStatus(
        target=output.target,
        field=output.field,
        unit=output.unit,
        value=nan if value is None else value,
        winner=winner.route if winner else "",
        source=winner.source if winner else "",
        age_ms=_age_ms(winner, now) if winner else 0,
        policy=_policy(output),
        clamped=winner is not None and output.unbounded != value,
        changed_ms=_changed_ms(output, now),
        rivals=[
            RivalStatus(
                route=claim.route,
                source=claim.source,
                value=claim.value,
                age_ms=_age_ms(claim, now),
                reason=_reason(router, claim, now),
            )
            for claim in _contenders(output, now)
        ],
    )


def _policy(output: OutputField) -> str:
    """Return the policy in force; "none" if no command was sent that it could hold or change."""
    return output.policy if output.is_driven or output.policy == "estop" else "none"


def _changed_ms(output: OutputField, now: float) -> int:
    return _ms(now - output.changed_at) if output.changed_at != NEVER else 0


def _contenders(output: OutputField, now: float) -> list[Claim]:
    return [
        claim for claim in output.claims if claim is not output.winner and _is_listed(claim, now)
    ]


def _age_ms(claim: Claim, now: float) -> int:
    """Return the age of the newest sample; unknown if none came, or none counts any more."""
    if claim.stream is None or claim.stream.received == NEVER:
        return UNKNOWN_AGE_MS
    return _ms(now - claim.stream.received)


def _ms(seconds: float) -> int:
    return round(min(max(seconds * 1000, 0), LONGEST_AGE_MS))
