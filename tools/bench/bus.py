"""How fast the bus is by itself: real processes, nothing of ours between publisher and subscriber.

`python -m tools.bench.bus [--samples 5000] [--json]`. The chain (`measure_chain`) is the baseline
for measurements of the robot: an input sample of 16 values goes to a second process, which answers
with a Twist to a third. The round trip is a Twist to another process and back.
"""

import argparse
import asyncio
import json
import subprocess
import sys
import time
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import median
from typing import Any

import uvloop  # as in the daemons

from tools.launch.domain import choose as choose_domain

_PAUSE_S = 0.001
_WARM_UP_S = 0.02
_LIMIT_S = 60.0
_SILENCE_S = 1.0
_STARTS = 5
_IMPORTS = """
import time
started = time.perf_counter()
{imports}
print((time.perf_counter() - started) * 1e3)
"""
_BUS = (
    "import asyncio; from saint_services.lib.bus import dds, open; "
    "import saint_services.lib.bus.dds.bus; "
    "from saint_services.lib.generated.geometry_msgs import Twist"
)


@dataclass(frozen=True, slots=True)
class Latency:
    """Of one measurement."""

    p50_ms: float
    p99_ms: float
    samples: int
    lost: int


@dataclass(frozen=True, slots=True)
class Process:
    """What one process with the bus costs."""

    import_ms: float
    import_asyncio_ms: float  # of it
    rss_mb: float
    rss_asyncio_mb: float  # of it
    threads: int


def measure_chain(samples: int = 5000) -> Latency:
    """Publisher -> subscriber, publisher -> subscriber: three processes, two hops."""
    return _latency(chain_delays_ms(samples), samples)


def chain_delays_ms(samples: int, pause_s: float = _PAUSE_S) -> list[float]:
    """Every delay of the chain, for those who compare; `pause_s` lies between two samples."""
    return _run(samples, ["source", "relay", "sink"], pause_s)


def measure_round_trip(samples: int = 5000) -> Latency:
    """There and back: two processes, two hops."""
    return _latency(_run(samples, ["echo", "ping"], _PAUSE_S), samples)


def measure_process() -> Process:
    """Import time is the median of a few fresh processes."""
    costs = _part("cost", 0, 0)
    with costs as process:
        output, _ = process.communicate(timeout=_LIMIT_S)
    found: dict[str, Any] = json.loads(output)
    return Process(
        import_ms=median(_import_ms(_BUS) for _ in range(_STARTS)),
        import_asyncio_ms=median(_import_ms("import asyncio") for _ in range(_STARTS)),
        **found,
    )


def _import_ms(imports: str) -> float:
    command = [sys.executable, "-c", _IMPORTS.format(imports=imports)]
    done = subprocess.run(command, capture_output=True, check=True, timeout=_LIMIT_S, text=True)
    return float(done.stdout)


def _run(samples: int, parts: list[str], pause_s: float) -> list[float]:
    """The last part prints a line when it is connected, and at the end its latencies."""
    domain = choose_domain(None)  # a robot on the same one would be measured with us
    processes = [_part(name, samples, domain.number, pause_s) for name in parts]
    try:
        first, last = processes[0], processes[-1]
        assert first.stdin and last.stdin and last.stdout
        last.stdout.readline()
        for process in {first, last}:
            assert process.stdin
            process.stdin.write("go\n")
            process.stdin.flush()
        found = [float(value) for value in json.loads(last.stdout.readline())]
    finally:
        for process in processes:
            process.terminate()
        for process in processes:
            process.communicate(timeout=_LIMIT_S)
        domain.lock.close()
    return found


def _part(
    name: str, samples: int, domain: int, pause_s: float = _PAUSE_S
) -> "subprocess.Popen[str]":
    command = [sys.executable, "-m", "tools.bench.bus", "--part", name]
    command += ["--samples", str(samples), "--domain", str(domain), "--pause", str(pause_s)]
    pipe = subprocess.PIPE
    return subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True)


def _latency(found: list[float], sent: int) -> Latency:
    ordered = sorted(found)
    if not ordered:
        return Latency(float("nan"), float("nan"), 0, sent)
    p99 = ordered[min(len(ordered) - 1, int(len(ordered) * 0.99))]
    return Latency(median(ordered), p99, len(ordered), sent - len(ordered))


async def _be_source(samples: int, domain: int, pause_s: float) -> None:
    """Send until the start is requested, then the samples that count, with the time in them."""
    from saint_services.lib.bus.open import open_bus
    from saint_services.lib.generated import topics
    from saint_services.lib.generated.saint_msgs import InputSample

    bus = await open_bus("bench_source", backend="dds", domain_id=domain)
    publisher = bus.publisher(topics.INPUT_RC)
    names = tuple(f"channel_{number}" for number in range(1, 17))
    values = tuple(number / 16 for number in range(16))
    started = _start_requested()

    def sample(sequence: int) -> InputSample:
        return InputSample(source="rc", sequence=sequence, names=names, values=values)

    while not started.done():
        publisher.publish(sample(0))
        await asyncio.sleep(_WARM_UP_S)
    for _ in range(samples):
        publisher.publish(sample(time.monotonic_ns()))
        await asyncio.sleep(pause_s)
    await asyncio.sleep(_LIMIT_S)


async def _be_relay(_samples: int, domain: int, _pause_s: float) -> None:
    from saint_services.lib.bus import Sample
    from saint_services.lib.bus.open import open_bus
    from saint_services.lib.generated import topics
    from saint_services.lib.generated.geometry_msgs import Twist, Vector3
    from saint_services.lib.generated.saint_msgs import InputSample

    bus = await open_bus("bench_relay", backend="dds", domain_id=domain)
    publisher = bus.publisher(topics.TRACKS_CMD_VEL)

    def pass_on(sample: Sample[InputSample]) -> None:
        publisher.publish(Twist(linear=Vector3(x=float(sample.message.sequence))))

    bus.subscribe(topics.INPUT_RC, pass_on)
    await asyncio.sleep(_LIMIT_S)


async def _be_sink(samples: int, domain: int, _pause_s: float) -> None:
    from saint_services.lib.bus import Sample
    from saint_services.lib.bus.open import open_bus
    from saint_services.lib.generated import topics
    from saint_services.lib.generated.geometry_msgs import Twist

    found: list[float] = []
    connected, finished = asyncio.Event(), asyncio.Event()

    def take(sample: Sample[Twist]) -> None:
        now_ns = time.monotonic_ns()
        connected.set()
        if sample.message.linear.x:  # a float holds nanoseconds of monotonic time exactly
            found.append((now_ns - sample.message.linear.x) * 1e-6)
            if len(found) == samples:
                finished.set()

    bus = await open_bus("bench_sink", backend="dds", domain_id=domain)
    bus.subscribe(topics.TRACKS_CMD_VEL, take)
    await connected.wait()
    await _report(found, finished)


async def _be_echo(_samples: int, domain: int, _pause_s: float) -> None:
    from saint_services.lib.bus.open import open_bus

    there, back = _round_trip_topics()
    bus = await open_bus("bench_echo", backend="dds", domain_id=domain)
    publisher = bus.publisher(back)
    bus.subscribe(there, lambda sample: publisher.publish(sample.message))
    await asyncio.sleep(_LIMIT_S)


async def _be_ping(samples: int, domain: int, pause_s: float) -> None:
    """One Twist at a time."""
    from saint_services.lib.bus.open import open_bus

    there, back = _round_trip_topics()
    arrived = asyncio.Event()
    bus = await open_bus("bench_ping", backend="dds", domain_id=domain)
    publisher = bus.publisher(there)
    bus.subscribe(back, lambda _sample: arrived.set())
    message = there.type()
    while not arrived.is_set():
        publisher.publish(message)
        await asyncio.sleep(_WARM_UP_S)
    started = _start_requested()
    print("ready", flush=True)
    await started
    found: list[float] = []
    for _ in range(samples):
        await asyncio.sleep(pause_s)
        arrived.clear()
        sent = time.monotonic_ns()
        publisher.publish(message)
        async with asyncio.timeout(_LIMIT_S):
            await arrived.wait()
        found.append((time.monotonic_ns() - sent) * 1e-6)
    print(json.dumps(found), flush=True)


def _round_trip_topics() -> tuple[Any, Any]:
    from saint_services.lib.bus import Qos, Topic
    from saint_services.lib.generated.geometry_msgs import Twist

    return Topic("/bench/there", Twist, Qos()), Topic("/bench/back", Twist, Qos())


async def _be_cost(_samples: int, domain: int, _pause_s: float) -> None:
    """Prints what the process costs with one publisher and one subscriber."""
    asyncio_mb = _rss_mb()
    from saint_services.lib.bus.open import open_bus

    there, back = _round_trip_topics()
    bus = await open_bus("bench_cost", backend="dds", domain_id=domain)
    bus.publisher(there).publish(there.type())
    bus.subscribe(back, lambda _sample: None)
    await asyncio.sleep(0.1)
    threads = _threads()
    cost = {"rss_mb": _rss_mb(), "rss_asyncio_mb": asyncio_mb, "threads": threads}
    print(json.dumps(cost), flush=True)
    await bus.close()


def _threads() -> int:
    return len(list(Path("/proc/self/task").iterdir()))


def _rss_mb() -> float:
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    return pages * 4096 / 1e6


async def _report(found: list[float], finished: asyncio.Event) -> None:
    """When all have come, or none for a while: some of a best-effort stream may be lost."""
    print("ready", flush=True)
    seen = -1
    while not finished.is_set() and len(found) != seen:
        seen = len(found) if found else -1
        with suppress(TimeoutError):
            await asyncio.wait_for(finished.wait(), _SILENCE_S)
    print(json.dumps(found), flush=True)


def _start_requested() -> "asyncio.Future[str]":
    loop = asyncio.get_running_loop()
    return loop.run_in_executor(None, sys.stdin.readline)


_PARTS = {
    "source": _be_source, "relay": _be_relay, "sink": _be_sink,
    "echo": _be_echo, "ping": _be_ping, "cost": _be_cost,
}  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description="Measure the bus by itself.")
    parser.add_argument("--samples", type=int, default=5000)
    parser.add_argument("--json", action="store_true", help="print JSON instead of a table")
    parser.add_argument("--part", choices=_PARTS, help=argparse.SUPPRESS)
    parser.add_argument("--domain", type=int, default=0, help=argparse.SUPPRESS)
    parser.add_argument("--pause", type=float, default=_PAUSE_S, help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    if chosen.part:
        uvloop.run(_PARTS[chosen.part](chosen.samples, chosen.domain, chosen.pause))
        return
    latencies = {
        "chain of two hops": measure_chain(chosen.samples),
        "round trip": measure_round_trip(chosen.samples),
    }
    process = measure_process()
    if chosen.json:
        rows = {name: asdict(one) for name, one in latencies.items()}
        print(json.dumps({**rows, "process": asdict(process)}))
        return
    print(f"{'':20}{'p50 ms':>9}{'p99 ms':>9}{'samples':>9}{'lost':>6}")
    for name, one in latencies.items():
        print(f"{name:20}{one.p50_ms:9.3f}{one.p99_ms:9.3f}{one.samples:9}{one.lost:6}")
    print(
        f"import {process.import_ms:.0f} ms (asyncio alone {process.import_asyncio_ms:.0f}), "
        f"memory {process.rss_mb:.1f} MB (asyncio alone {process.rss_asyncio_mb:.1f}), "
        f"{process.threads} threads"
    )


if __name__ == "__main__":
    main()
