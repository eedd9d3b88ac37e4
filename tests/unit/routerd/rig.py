"""A router on an invented clock, fed by hand: for the router's unit, safety and property tests."""

from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from saint_services.lib.api.routing import Blending, FieldOutput, Route, RouterStatus
from saint_services.lib.generated.saint_msgs import InputSample
from saint_services.routerd import adapters, report
from saint_services.routerd.estop.latch import Latch
from saint_services.routerd.fields.targets import RobotTargets
from saint_services.routerd.logic import Router

SHARE = Path(__file__).parents[3]
TWIST = ("linear", "angular")


@cache
def robot() -> RobotTargets:
    """Load SAINT's own targets from the shipped manifests."""
    return adapters.load_robot(SHARE, "saint")


def preset(name: str = "default") -> list[Route]:
    return adapters.load_preset(SHARE, name).routes


def route(
    name: str,
    source: str,
    target: str,
    mapping: Sequence[Mapping[str, Any]] | str = "passthrough",
    **more: Any,
) -> Route:
    """Make a route; `input` adds to its input part."""
    wanted = {"source": source, **more.pop("input", {})}
    data = {"id": name, "input": wanted, "output": {"target": target}, "mapping": mapping, **more}
    return Route.model_validate(data)


DRIVE = route("rc_drive", "rc", "tracks", [{"from": "stick", "to": "linear", "scale": 1.5}])
TURN = route("rc_turn", "rc", "tracks", [{"from": "wheel", "to": "angular", "scale": 3.0}])
STOP = route("rc_stop", "rc", "*", [{"from": "switch", "to": "estop", "mode": "switch"}])
DIRECT = route("web", "websocket", "*")
FACE = route("face", "livelink", "head", [{"from": "headYaw", "to": "pan", "scale": 57.2958}])


class Rig:
    """Time passes only in wait(), and every timer fires when it is due."""

    def __init__(self, *routes: Route, latch: Latch | None = None, **blending: Any) -> None:
        self.router = Router(robot(), routes, latch, Blending.model_validate(blending))
        self.now = 1000.0
        self.sequences: dict[str, int] = {}

    def send(
        self,
        source: str,
        target: str = "",
        /,
        *,
        failsafe: bool = False,
        sequence: int | None = None,
        origin: str = "a",
        **values: float,
    ) -> bool:
        """Send one sample; the sequence rises by itself."""
        self.sequences[source] = self.sequences.get(source, 0) + 1 if sequence is None else sequence
        message = InputSample(
            source=source,
            sequence=self.sequences[source],
            failsafe=failsafe,
            target=target,
            names=tuple(values),
            values=tuple(values.values()),
        )
        return self.router.sample(message, origin, self.now)

    def wait(self, seconds: float) -> None:
        end = self.now + seconds
        while self.router.wake_at <= end:
            self.now = max(self.now, self.router.wake_at)
            self.router.advance(self.now)
        self.now = end

    def clear(self, source: str, now: float, generation: int | None = None) -> None:
        """Clear with the generation of the newest press, or with `generation`."""
        seen = self.router.latch.generation if generation is None else generation
        self.router.clear_estop(source, seen, now)

    def stream(self, seconds: float, source: str, target: str = "", /, **values: float) -> None:
        """Send the same values every 10 ms, as new samples."""
        for _ in range(round(seconds * 100)):
            self.send(source, target, **values)
            self.wait(0.01)

    def value(self, name: str) -> float | None:
        target, _, field = name.rpartition(".")
        return self.router.by_name[target, field].value

    def is_driven(self, name: str) -> bool:
        target, _, field = name.rpartition(".")
        return self.router.by_name[target, field].is_driven

    def status(self) -> RouterStatus:
        return report.status(self.router, report.estop_info(self.router.latch, ""), self.now)

    def output(self, name: str) -> FieldOutput:
        target, _, field = name.rpartition(".")
        outputs = self.status().outputs
        return next(each for each in outputs if (each.target, each.field) == (target, field))
