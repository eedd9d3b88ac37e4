"""Models what a leader arm leads: its followers, how often it is read, and the clutch that lets it
take over. Not here: the role (role_leaderd), the lock that the clutch requests (routerd/fields).
"""

import re
from collections.abc import Iterator, Mapping
from typing import Annotated, Literal, Protocol

from pydantic import BaseModel, ConfigDict, Field

from .bus_servos import BUS_SERVO
from .devices import PinSpec

_NAME = re.compile(r"[a-z][a-z0-9_]{0,31}")


class _LeadModel(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)


class ButtonClutch(_LeadModel):
    """A push button: closed while it is held, or with `toggle` from one press to the next."""

    type: Literal["button"]
    button: str  # of gpio_mapping
    toggle: bool = False


class SqueezeClutch(_LeadModel):
    """Two squeezes of a joint, the gripper: each pair closes or opens the clutch."""

    type: Literal["squeeze"]
    joint: str = "gripper"
    below: float = Field(default=0.1, gt=0, lt=1)  # share of its range that counts as squeezed
    within_s: float = Field(default=1.0, gt=0.1, le=5)  # from the first squeeze to the second


class RequestClutch(_LeadModel):
    """A request of a person alone: page, saintctl, API."""

    type: Literal["request"] = "request"


Clutch = Annotated[ButtonClutch | SqueezeClutch | RequestClutch, Field(discriminator="type")]


class Lead(_LeadModel):
    """What a leader arm does with its joints, the bus servos of gpio_mapping. By LeRobot's
    convention a joint counts degrees from the middle of its `ticks`, and a gripper its range.
    """

    targets: list[str] = Field(min_length=1, max_length=8)  # followers: "parts.follower"
    rate_hz: float = Field(default=100, ge=10, le=200)
    shares: list[str] = ["gripper"]  # joints that are sent as 0 to 1 of their range
    clutch: Clutch = RequestClutch()


class LeadHardware(Protocol):
    """What counts of a role configuration."""

    @property
    def role(self) -> str: ...

    @property
    def instance(self) -> str: ...

    @property
    def lead(self) -> Lead | None: ...

    @property
    def fields(self) -> Mapping[str, object]: ...

    @property
    def gpio_mapping(self) -> Mapping[str, PinSpec]: ...


def problem(config: LeadHardware) -> str:
    """Return why a configuration is none of a leader, in a sentence; empty where it is, and for
    every other role without `lead`.
    """
    return next(_problems(config), "")


def _problems(config: LeadHardware) -> Iterator[str]:
    lead = config.lead
    if config.role != "leader":
        if lead is not None:
            yield f"lead is for the role leader, not for {config.role}"
        return
    if lead is None:
        yield "lead is missing: which targets the leader leads"
        return
    if not _NAME.fullmatch(config.instance):
        yield f"instance is {config.instance!r}; the role leader needs a name such as left"
    if config.fields:
        yield "fields: a leader drives nothing, so it has none"
    servos = {name for name, pin in config.gpio_mapping.items() if pin.type == BUS_SERVO}
    if not servos:
        yield "gpio_mapping has no bus_servo: a leader reads the servos of its joints"
    for name in sorted(servos):
        if config.gpio_mapping[name].on_stop == "limp":
            yield f"gpio_mapping.{name}.on_stop: the servos of a leader have no torque anyway"
    if len(set(lead.targets)) != len(lead.targets):
        yield "lead.targets names a target twice"
    clutch = lead.clutch
    if isinstance(clutch, SqueezeClutch) and clutch.joint not in lead.shares:
        yield f"lead.clutch.joint is {clutch.joint!r}, which is not among lead.shares"
    if isinstance(clutch, SqueezeClutch) and clutch.joint not in servos:
        yield f"lead.clutch.joint names {clutch.joint!r}, which is no bus_servo of gpio_mapping"
    if isinstance(clutch, ButtonClutch):
        pin = config.gpio_mapping.get(clutch.button)
        if pin is None or pin.type != "button" or pin.pin is None:
            yield f"lead.clutch.button names {clutch.button!r}, which is no button of gpio_mapping"
