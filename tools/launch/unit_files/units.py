"""Units as checked data: the sockets, services and targets of a folder, drop-ins included."""

import re
import shlex
import signal
from dataclasses import dataclass, field
from pathlib import Path

from ..services.realtime import Limits
from . import directives, end_order, parsing, templates
from .parsing import Setting

_PART_OF_US = (".service", ".socket")
NO_REALTIME = Limits()
_UNITS_S = {"ms": 0.001, "s": 1.0, "sec": 1.0, "min": 60.0, "": 1.0}


@dataclass(frozen=True, slots=True)
class SocketUnit:
    """One .socket file: what to listen on, its name for the daemon, the service it starts."""

    name: str
    service: str
    streams: tuple[str, ...]
    datagrams: tuple[str, ...]
    fd_name: str
    wanted_by: tuple[str, ...] = ()
    passes_credentials: bool = False


@dataclass(frozen=True, slots=True)
class ServiceUnit:
    """One .service file. The defaults are systemd's."""

    name: str
    command: tuple[str, ...]
    after_end: tuple[str, ...] = ()  # runs after every end of the process, before the next start
    notifies: bool = False
    environment: dict[str, str] = field(default_factory=dict)
    sockets: tuple[str, ...] = ()
    state_directory: str = ""
    restarts: bool = False
    restart_s: float = 0.1
    restart_steps: int = 0
    restart_max_s: float = 0.1
    final_exit_codes: frozenset[int] = frozenset()
    start_s: float = 90.0
    stop_s: float = 90.0
    abort_s: float = 90.0
    watchdog_s: float = 0.0
    watchdog_signal: signal.Signals = signal.SIGABRT
    realtime: Limits = NO_REALTIME
    priority: int = 0  # real-time priority of all its processes from their start on
    wanted_by: tuple[str, ...] = ()
    after: tuple[str, ...] = ()  # these start before it, and end after it


@dataclass(frozen=True, slots=True)
class UnitFolder:
    """All units of a folder, by file name."""

    services: dict[str, ServiceUnit]
    sockets: dict[str, SocketUnit]
    targets: frozenset[str]

    def sockets_of(self, service: str) -> list[SocketUnit]:
        """In the order in which systemd passes them does not count: daemons go by name."""
        return [unit for _, unit in sorted(self.sockets.items()) if unit.service == service]


def load(folder: Path) -> UnitFolder:
    """Read and check the robot's units in `folder`. Raises SaintError naming file and line."""
    found: dict[str, list[Setting]] = templates.filled(
        {
            path.name: _settings(path)
            for path in sorted(folder.iterdir())
            if path.suffix == ".target" or (path.suffix in _PART_OF_US and _is_the_robots(path))
        }
    )
    targets = frozenset(name for name in found if name.endswith(".target"))
    units = UnitFolder(
        {
            name: _service(name, _Values(s))
            for name, s in found.items()
            if name.endswith(".service")
        },
        {name: _socket(name, _Values(s)) for name, s in found.items() if name.endswith(".socket")},
        targets,
    )
    _check_references(units, found)
    return units


def drop_ins(unit: Path) -> list[Path]:
    """Drop-in files by name; a file of a more specific folder hides its namesake of a wider one."""
    stem, suffix = unit.name.removesuffix(unit.suffix), unit.suffix
    cuts = [match.end() for match in re.finditer("-", stem)]
    by_name: dict[str, Path] = {}
    for prefix in [*(stem[:cut] for cut in cuts), stem]:  # "saint-", "saint-role-", the whole name
        for path in sorted((unit.parent / f"{prefix}{suffix}.d").glob("*.conf")):
            by_name[path.name] = path
    return [path for _, path in sorted(by_name.items())]


def _is_the_robots(unit: Path) -> bool:
    """Part of one of its targets; all others set up the device, which a laptop is not."""
    return any(setting.key == "PartOf" for setting in parsing.read(unit))


def _settings(path: Path) -> list[Setting]:
    settings = [s for file in (path, *drop_ins(path)) for s in parsing.read(file)]
    for setting in settings:
        directives.check(setting, path.suffix)
    return settings


class _Values:
    """Typed access to the settings of one unit."""

    def __init__(self, settings: list[Setting]) -> None:
        self._settings = settings

    def last(self, key: str) -> Setting | None:
        return next((s for s in reversed(self._settings) if s.key == key), None)

    def text(self, key: str, default: str = "") -> str:
        setting = self.last(key)
        return setting.value if setting else default

    def choice(self, key: str, allowed: tuple[str, ...], default: str) -> str:
        setting = self.last(key)
        if setting and setting.value not in allowed:
            raise setting.fault(f"tools/launch knows {key}= only as {' or '.join(allowed)}")
        return setting.value if setting else default

    def words(self, key: str) -> tuple[str, ...]:
        """A list: lines add up, an empty one starts again."""
        collected: list[str] = []
        for setting in self._settings:
            if setting.key == key:
                collected = [*collected, *shlex.split(setting.value)] if setting.value else []
        return tuple(collected)

    def number(self, key: str, default: int) -> int:
        setting = self.last(key)
        if setting and not re.fullmatch("[0-9]+", setting.value):
            raise setting.fault(f"{key}={setting.value} is not a number")
        return int(setting.value) if setting else default

    def seconds(self, key: str, default: float) -> float:
        setting = self.last(key)
        return default if setting is None else _seconds(setting, setting.value)

    def limits_s(self, key: str) -> tuple[float, float]:
        """Soft and hard, "1s:2s"; one value is both, none is without limit (0)."""
        setting = self.last(key)
        if setting is None:
            return 0.0, 0.0
        soft, _, hard = setting.value.partition(":")
        return _seconds(setting, soft), _seconds(setting, hard or soft)


def _seconds(setting: Setting, text: str) -> float:
    match = re.fullmatch(r"([0-9]+(?:\.[0-9]+)?)\s*(ms|s|sec|min|)", text)
    if match is None:
        raise setting.fault(f"{setting.key}={setting.value} is not a time, such as 100ms or 5s")
    return float(match[1]) * _UNITS_S[match[2]]


def _service(name: str, values: _Values) -> ServiceUnit:
    _never_gives_up(values)
    restart_s = values.seconds("RestartSec", 0.1)
    return ServiceUnit(
        name=name,
        command=values.words("ExecStart"),
        after_end=tuple(_filled(word, name) for word in values.words("ExecStopPost")),
        notifies=values.choice("Type", ("simple", "exec", "notify"), "simple") == "notify",
        environment=dict(word.split("=", 1) for word in values.words("Environment")),
        sockets=values.words("Sockets"),
        state_directory=values.text("StateDirectory"),
        restarts=values.choice("Restart", ("no", "on-failure"), "no") == "on-failure",
        restart_s=restart_s,
        restart_steps=values.number("RestartSteps", 0),
        restart_max_s=values.seconds("RestartMaxDelaySec", restart_s),
        final_exit_codes=frozenset(int(code) for code in values.words("RestartPreventExitStatus")),
        start_s=values.seconds("TimeoutStartSec", 90.0),
        stop_s=values.seconds("TimeoutStopSec", 90.0),
        abort_s=values.seconds("TimeoutAbortSec", 90.0),
        watchdog_s=values.seconds("WatchdogSec", 0.0),
        watchdog_signal=signal.Signals[
            values.choice("WatchdogSignal", ("SIGABRT", "SIGKILL"), "SIGABRT")
        ],
        priority=_priority(values),
        realtime=Limits(values.number("LimitRTPRIO", 0), *values.limits_s("LimitRTTIME")),
        wanted_by=values.words("WantedBy"),
        after=values.words("After"),
    )


def _priority(values: _Values) -> int:
    values.choice("CPUSchedulingPolicy", ("rr",), "other")
    return values.number("CPUSchedulingPriority", 0)


def _filled(word: str, unit: str) -> str:
    """%N is the unit's name without its type."""
    return word.replace("%N", unit.removesuffix(".service"))


def _never_gives_up(values: _Values) -> None:
    limit = values.last("StartLimitIntervalSec")
    if limit and limit.value != "0":
        raise limit.fault("tools/launch knows StartLimitIntervalSec= only as 0")


def _socket(name: str, values: _Values) -> SocketUnit:
    stem = name.removesuffix(".socket")
    return SocketUnit(
        name=name,
        service=values.text("Service", f"{stem}.service"),
        streams=values.words("ListenStream"),
        datagrams=values.words("ListenDatagram"),
        passes_credentials=values.text("PassCredentials", "no") == "yes",
        fd_name=values.text("FileDescriptorName", name),
        wanted_by=values.words("WantedBy"),
    )


def _check_references(units: UnitFolder, found: dict[str, list[Setting]]) -> None:
    """A unit that names another one which is not there would just not start: say it here."""
    for name, settings in found.items():
        for setting in settings:
            if setting.key in ("PartOf", "Service", "Sockets") or (
                setting.key == "WantedBy" and not name.endswith(".target")
            ):
                for other in setting.value.split():
                    if other not in found:
                        raise setting.fault(f"{setting.key} names {other}, which is not there")
    if circle := end_order.circle({name: unit.after for name, unit in units.services.items()}):
        raise found[circle[0]][0].fault(f"After= leads in a circle: {', '.join(circle)}")
    for name, unit in units.services.items():
        if not unit.command:
            raise found[name][0].fault("ExecStart is missing")
        _check_sockets(units, unit, found[name])
    for name, socket_unit in units.sockets.items():
        if socket_unit.service not in units.services:
            raise found[name][0].fault(f"there is no {socket_unit.service} for this socket")


def _check_sockets(units: UnitFolder, unit: ServiceUnit, settings: list[Setting]) -> None:
    """With several sockets, Sockets= must name all: else a start at boot would miss one."""
    listening = {s.name for s in units.sockets_of(unit.name)}
    implied = {unit.name.removesuffix(".service") + ".socket"}
    if listening - implied - set(unit.sockets):
        raise settings[0].fault(f"Sockets= must name all of {', '.join(sorted(listening))}")
