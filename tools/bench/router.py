"""Samples per second through the router, beside copying the same sample into a dictionary in the
same run. `python -m tools.bench.router [--json]`. With the wide robot a sample is one of RC and one
of a subject, 64 values in all, and drives 128 outputs.
"""

import argparse
import itertools
import json
import statistics
import tempfile
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path

from saint_services.lib.api.routing import Route
from saint_services.lib.bus import cdr
from saint_services.lib.generated.geometry_msgs import Twist
from saint_services.lib.generated.saint_msgs import InputSample
from saint_services.routerd import adapters
from saint_services.routerd.fields.command_messages import CommandWriter
from saint_services.routerd.fields.targets import RobotTargets
from saint_services.routerd.logic import Router
from tools.bench import wide

SHARE = Path(__file__).parents[2]
ROUNDS = 5
SAMPLES = 4000  # per round
PERIOD_S = 0.004  # between samples, as of a receiver with 250 Hz
CHANNELS = tuple(f"channel_{number}" for number in range(1, 17))
ROUTES = 10
_FADED_IN = 100  # samples, until the cross-fade is over


@dataclass(frozen=True, slots=True)
class Result:
    """One row."""

    name: str
    samples_per_s: int
    us_per_sample: float
    times_baseline: float  # how many dictionary copies it costs


def main() -> None:
    """Print the table, or JSON."""
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--json", action="store_true", help="one JSON array")
    results = measure()
    if arguments.parse_args().json:
        print(json.dumps([asdict(result) for result in results]))
        return
    for result in results:
        print(
            f"{result.name:<52}{result.samples_per_s:>9}/s{result.us_per_sample:>9.2f} us"
            f"{result.times_baseline:>8.1f} x copy"
        )


def measure() -> list[Result]:
    """All rows; the first one is the baseline."""
    robot = adapters.load_robot(SHARE, "saint")
    preset = adapters.load_preset(SHARE, "default").routes
    many = _many_routes(robot)
    mappings = sum(len(route.mapping) for route in many)
    base = _time(_copy())
    rows = [
        ("baseline: 16 channels into a dictionary", base),
        (
            f"16 channels x {ROUTES} routes ({mappings} mappings), all move",
            _time(_route(robot, many)),
        ),
        (f"16 channels x {ROUTES} routes, one channel moves", _time(_route(robot, many, moving=1))),
        (f"16 channels x {ROUTES} routes, nothing moves", _time(_route(robot, many, moving=0))),
        ("default preset, all channels move", _time(_route(robot, preset))),
        ("sample decode -> default preset -> Twist encode", _time(_whole_path(robot, preset))),
        *_wide_rows(),
    ]
    return [Result(name, round(1 / took), took * 1e6, round(took / base, 1)) for name, took in rows]


def _wide_rows() -> list[tuple[str, float]]:
    """64 values and 128 outputs, all of which move; by itself, and down to the commands' bytes."""
    with tempfile.TemporaryDirectory() as folder:
        share = wide.share(Path(folder) / "share")
        robot = adapters.load_robot(share, "saint")
        routes = adapters.load_preset(share, "default").routes
    values = wide.SUBJECT_VALUES + len(CHANNELS)
    filtered = wide.filtered(routes)
    title = f"{values} values -> {wide.OUTPUTS} outputs, all move"
    return [
        (title, _time(_wide(robot, routes, is_encoding=False))),
        (f"{title}, {len(robot.commands)} messages", _time(_wide(robot, routes, is_encoding=True))),
        (f"{title} through filters", _time(_wide(robot, filtered, is_encoding=False))),
        (
            f"16 channels -> 16 of {wide.OUTPUTS} outputs through filters",
            _time(_route(robot, wide.by_sticks(filtered, CHANNELS))),
        ),
    ]


def _wide(robot: RobotTargets, routes: list[Route], *, is_encoding: bool) -> Callable[[], object]:
    router = Router(robot, routes)
    writers = [CommandWriter(command, router.by_name) for command in robot.commands]
    names = tuple(f"v{number:02}" for number in range(wide.SUBJECT_VALUES))
    stick = InputSample(source="rc", names=CHANNELS)
    subject = InputSample(source=f"livelink:{wide.SUBJECT}", names=names)
    sticks = itertools.cycle(_values(len(CHANNELS)))
    poses = itertools.cycle([(value,) * len(names) for value in (0.500, 0.505)])
    now = 0.0

    def feed() -> None:
        nonlocal now
        now += wide.PERIOD_S
        for sample, values in ((stick, next(sticks)), (subject, next(poses))):
            sample.sequence += 1
            sample.values = values
            if not router.sample(sample, "bench", now):
                raise RuntimeError(f"refused: {router.refused}")

    def step() -> None:
        feed()
        if len(router.dirty) != len(writers):
            raise RuntimeError(f"{len(router.dirty)} of {len(writers)} commands have changed")
        for index in router.dirty if is_encoding else ():
            cdr.encode(writers[index].message())
        router.dirty.clear()

    for _ in range(_FADED_IN):
        feed()
        router.advance(now)
    router.dirty.clear()
    return step


def _many_routes(robot: RobotTargets) -> list[Route]:
    """Every route drives all fields of one target; contenders by priority."""
    routes = []
    targets = itertools.cycle(robot.fields)
    channels = itertools.cycle(CHANNELS)
    for number, target in zip(range(ROUTES), targets, strict=False):
        arrows = [
            {"from": channel, "to": field, "deadzone": 0.05, "curve": "exponential", "expo": 0.3}
            for field, channel in zip(robot.fields[target], channels, strict=False)
        ]
        routes.append(
            Route.model_validate(
                {
                    "id": f"route_{number}",
                    "priority": 300 + number,
                    "input": {"source": "rc"},
                    "output": {"target": target},
                    "mapping": arrows,
                }
            )
        )
    return routes


def _values(moving: int) -> list[tuple[float, ...]]:
    """Two frames in which so many channels differ; channel 6, the stop switch, stays low."""
    first = [0.2] * len(CHANNELS)
    second = [0.21 if index < moving else 0.2 for index in range(len(CHANNELS))]
    first[5] = second[5] = -1.0
    return [tuple(first), tuple(second)]


def _copy() -> Callable[[], object]:
    frames = itertools.cycle(_values(len(CHANNELS)))
    return lambda: dict(zip(CHANNELS, next(frames), strict=True))


def _route(
    robot: RobotTargets, routes: list[Route], moving: int = len(CHANNELS)
) -> Callable[[], object]:
    router = Router(robot, routes)
    frames = itertools.cycle(_values(moving))
    message = InputSample(source="rc", names=CHANNELS)
    now = 0.0

    def step() -> None:
        nonlocal now
        now += PERIOD_S
        message.sequence += 1
        message.values = next(frames)
        if not router.sample(message, "bench", now):
            raise RuntimeError(f"refused: {router.refused}")

    return step


def _whole_path(robot: RobotTargets, routes: list[Route]) -> Callable[[], object]:
    """What routerd does from the bytes of a sample to the bytes of a command."""
    router = Router(robot, routes)
    command = next(c for c in robot.commands if c.topic.type == Twist.TYPE)
    writer = CommandWriter(command, router.by_name)
    frames = itertools.cycle(_values(len(CHANNELS)))
    wire = iter(
        [
            cdr.encode(InputSample(source="rc", sequence=n, names=CHANNELS, values=next(frames)))
            for n in range(1, ROUNDS * SAMPLES + 1)
        ]
    )
    now = 0.0

    def step() -> None:
        nonlocal now
        now += PERIOD_S
        if not router.sample(cdr.decode(InputSample, next(wire)), "bench", now):
            raise RuntimeError(f"refused: {router.refused}")
        cdr.encode(writer.message())
        router.dirty.clear()

    return step


def _time(step: Callable[[], object]) -> float:
    """Median seconds per call."""
    return statistics.median(_round(step) for _ in range(ROUNDS)) / SAMPLES


def _round(step: Callable[[], object]) -> float:
    started = time.perf_counter()
    for _ in range(SAMPLES):
        step()
    return time.perf_counter() - started


if __name__ == "__main__":
    main()
