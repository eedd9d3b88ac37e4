"""The role of a wagon and its rows of routerd, as far as pages meet them."""

from dataclasses import dataclass, field

from saint_services.lib.api import Done, wagon
from saint_services.lib.api.endpoint import Nothing
from saint_services.lib.api.wagon import (
    WagonEvents,
    WagonGainsRequest,
    WagonInfo,
    wagon_info,
)
from saint_services.lib.errors import Code, SaintError
from saint_services.lib.generated.saint_msgs import WagonState
from saint_services.lib.ipc import Api, Call
from saint_services.routerd.wagon_history import WagonHistory


def at_rest() -> WagonState:
    """Return a wagon that stands, disarmed, with nothing against arming."""
    return WagonState(
        state="disarmed",
        mode="autonomous",
        why="the wagon is disarmed",
        pitch=2.0,
        battery_voltage=37.4,
        rssi=-61.0,
        receiver="first",
        receiver_rssi=(-61.0, -74.0),
        arm_switch=True,
        motors=("left", "right"),
        motor_current=(0.4, 0.5),
        motor_temperature=(31.0, float("nan")),
        controller_temperature=(36.0, 35.0),
        bus="active",
        bus_load=0.21,
    )


@dataclass
class FakeWagon:
    """Tests set `state`; `requests` is what was requested."""

    is_live: bool = False
    state: WagonState = field(default_factory=at_rest)
    refusal: str = ""
    requests: list[str] = field(default_factory=list)
    _history: WagonHistory = field(default_factory=WagonHistory)
    _now_s: float = 1_790_000_000.0

    def change(self, **values: object) -> None:
        """Change fields of the state."""
        for name, value in values.items():
            setattr(self.state, name, value)
        self._now_s += 2.0
        self._history.see(self.state, self._now_s)

    def add_to(self, api: Api) -> Api:
        """Answer requests."""
        api.bind(wagon.GET_STATUS, self._status)
        api.bind(wagon.GET_EVENTS, self._events)
        api.bind(wagon.ARM, self._arm)
        api.bind(wagon.DISARM, self._disarm)
        api.bind(wagon.SET_GAINS, self._set_gains)
        return api

    async def _status(self, _: Call[Nothing]) -> WagonInfo:
        return wagon_info(self.state)

    async def _events(self, _: Call[Nothing]) -> WagonEvents:
        return WagonEvents(events=self._history.events())

    async def _arm(self, _: Call[Nothing]) -> Done:
        self._requested("arm")
        self.change(state="armed", why="")
        return Done(message="the wagon is armed")

    async def _disarm(self, _: Call[Nothing]) -> Done:
        self._requested("disarm")
        self.change(state="disarmed", why="the wagon is disarmed")
        return Done(message="the wagon is disarmed")

    async def _set_gains(self, call: Call[WagonGainsRequest]) -> Done:
        gains = call.body
        self._requested(f"gains {gains.kp:g} {gains.ki:g} {gains.kd:g}")
        self.change(gains=(gains.kp, gains.ki, gains.kd))
        return Done(message="the gains were set")

    def _requested(self, what: str) -> None:
        self.requests.append(what)
        if self.refusal:
            raise SaintError(Code.REFUSED, f"the wagon refused: {self.refusal}")
