"""Runs a daemon: settings, sockets, one task group, readiness, watchdog, signals, a graceful
shutdown and its exit code. Not here: anything specific to one daemon.
"""

import asyncio
import contextlib
import os
import signal
import socket
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Generic, NoReturn, TypeVar

from pydantic import BaseModel

from . import log
from .clock import monotonic_s
from .config.last_good import in_force
from .errors import Code, SaintError
from .health import Health
from .machine import realtime, service_manager
from .machine.service_manager import bind as bind
from .update import boot

if TYPE_CHECKING:
    from .bus import Bus
    from .ipc import Api, ApiServer

C = TypeVar("C", bound=BaseModel)

_STOP_LIMIT_S = 5.0  # for run() to reach its safe state and return
_CLOSE_LIMIT_S = 2.0  # for the bus and the servers
_PULSE_S = 0.5  # interval in which the loop shows that it runs
_LAG_LIMIT_S = 0.1
_BACKLOG = 128
_MOST_WAITING = 4096
_NO_RESTART = 2  # exit code: it ends like this each time (RestartPreventExitStatus=)
_AGAIN = 75  # exit code, EX_TEMPFAIL of sysexits.h: no fault, start me again


@dataclass(slots=True, kw_only=True)
class Context(Generic[C]):
    """What a daemon's run() receives."""

    name: str
    config: C
    directories: service_manager.Directories
    sockets: dict[str, list[socket.socket]]
    health: Health
    tasks: asyncio.TaskGroup
    stopping: asyncio.Event
    is_ready: asyncio.Event = field(default_factory=asyncio.Event)
    keep_settings: Callable[[], None] | None = None  # they have proven to be good
    restart_reason: str = ""  # why the service manager is to start this daemon again
    _bus: "Bus | None" = None
    _closing: contextlib.AsyncExitStack = field(default_factory=contextlib.AsyncExitStack)

    def ready(self, status: str = "") -> None:
        """Report that everything is open and requests are served."""
        self.is_ready.set()
        if self.keep_settings is not None:
            self.spawn(asyncio.to_thread(self.keep_settings), "keep settings")
            self.keep_settings = None
        realtime.raise_priority()
        fields: dict[str, str | int] = {"READY": 1} | ({"STATUS": status} if status else {})
        service_manager.notify(**fields)
        log.get(self.name).info("ready", **({"status": status} if status else {}))

    def restart(self, reason: str) -> None:
        """Stop this daemon, for the service manager to start it again with what has changed."""
        self.restart_reason = reason
        self.stopping.set()

    def status(self, text: str) -> None:
        """Set the status line of `systemctl status`."""
        service_manager.notify(STATUS=text)

    def spawn(self, work: Coroutine[Any, Any, Any], name: str) -> asyncio.Task[Any]:
        """Start a task of this daemon; if it raises, the daemon ends."""
        return self.tasks.create_task(work, name=name)

    async def open_bus(self, node_name: str | None = None) -> "Bus":
        """Open this daemon's ROS node, which is closed at the end."""
        if self._bus is not None:
            return self._bus
        from .bus.open import open_bus

        self._bus = await open_bus(node_name or self.name.replace("-", "_"))
        self._closing.push_async_callback(_limited, self._bus.close)
        return self._bus

    async def serve_ipc(self, api: "Api", socket_name: str = "api") -> "ApiServer":
        """Serve requests on the socket passed in; without one, on <runtime>/<daemon>.sock."""
        from .access import audit
        from .api.endpoint import rows_of

        api.get("/health", self._health)
        api.check(rows_of(self.name))
        api.counters = self.health.counters
        reporter = audit.AuditReporter(self.directories.runtime)
        self._closing.callback(reporter.close)
        api.on_entry = reporter.add
        passed = self.sockets.get(socket_name) or [
            service_manager.bind(self.directories.runtime, self.name)
        ]
        server = await api.serve(passed)
        self._closing.push_async_callback(_limited, server.close)
        return server

    async def _health(self, _: object) -> BaseModel:
        return self.health.report()


Run = Callable[[Context[C]], Coroutine[Any, Any, None]]


def bind_tcp(address: str, port: int) -> socket.socket:
    """Bind a TCP port; 0 is any free port."""
    try:
        bound = socket.create_server((address, port), backlog=_BACKLOG)
    except OSError as err:
        text = f"port {port} of {address} cannot be opened: {err.strerror}"
        raise SaintError(
            Code.CONFIG_INVALID, text, fix="Set another port, or end what uses this one."
        ) from err
    bound.setblocking(False)
    return bound


def main(name: str, config: type[C], run: Run[C]) -> NoReturn:
    """Run a daemon until stopped, then exit with its exit code."""
    import uvloop  # needed by running daemons only

    here = service_manager.process_name(name)
    log.setup(here)
    code = 0
    sockets: dict[str, list[socket.socket]] = {}
    try:
        sockets = service_manager.listen_sockets()
        directories = service_manager.Directories.from_environment()
        file = directories.config / f"{name}.yaml"
        found = in_force(config, file, directories.state, is_on_trial=boot.is_on_trial())
        context = _context(here, found.settings, directories, sockets)
        context.keep_settings = found.keep
        if found.problem:
            context.health.raise_issue(Code.CONFIG_INVALID, found.problem, file.name)
        uvloop.run(_run_daemon(context, run, with_signals=True))
    except Exception as err:
        code = _explained(here, err)
        if code == _NO_RESTART:
            _reject_waiting(sockets)
    for stream in (sys.stdout, sys.stderr):
        stream.flush()
    # Everything is closed. The interpreter's own cleanup takes 60 ms, most of the time to stop.
    os._exit(code)


def _reject_waiting(sockets: Mapping[str, list[socket.socket]]) -> None:
    """Close waiting connections of a daemon that cannot start like this: a waiting request would
    start it again at once, without end.
    """
    for passed in (each for several in sockets.values() for each in several):
        with contextlib.suppress(OSError):  # none is waiting any more
            for _ in range(_MOST_WAITING):
                if passed.type == socket.SOCK_STREAM:
                    passed.accept()[0].close()
                else:
                    passed.recv(1)


@contextlib.asynccontextmanager
async def running(
    name: str,
    config: C,
    run: Run[C],
    directories: service_manager.Directories,
    sockets: Mapping[str, list[socket.socket]] | None = None,
    bus: "Bus | None" = None,
) -> AsyncIterator[Context[C]]:
    """Run a daemon inside a test's loop: entered when it is ready, stopped on exit. Raises the
    fault that ends it early.
    """
    context = _context(name, config, directories, dict(sockets or {}))
    context._bus = bus
    task = asyncio.create_task(_run_daemon(context, run), name=name)
    started = asyncio.create_task(context.is_ready.wait())
    try:
        await asyncio.wait({task, started}, timeout=10.0, return_when=asyncio.FIRST_COMPLETED)
        if task.done():
            task.result()
        yield context
    finally:
        started.cancel()
        context.stopping.set()
        await task


def _context(
    name: str,
    config: C,
    directories: service_manager.Directories,
    sockets: dict[str, list[socket.socket]],
) -> Context[C]:
    return Context(
        name=name,
        config=config,
        directories=directories,
        sockets=sockets,
        health=Health(name),
        tasks=asyncio.TaskGroup(),
        stopping=asyncio.Event(),
    )


class _FinishedError(Exception):
    """Ends the task group from inside: run() has returned."""


async def _run_daemon(context: Context[C], run: Run[C], *, with_signals: bool = False) -> None:
    """Run the daemon once. Raises the fault that ended it early."""
    if with_signals:
        loop = asyncio.get_running_loop()
        for number in (signal.SIGTERM, signal.SIGINT):
            loop.add_signal_handler(number, context.stopping.set)
    finished = asyncio.Event()
    async with context._closing:
        group = asyncio.create_task(_hold(context, finished), name="tasks")
        await asyncio.sleep(0)  # open the group before run() uses it
        work = asyncio.create_task(run(context), name="run")
        stop = asyncio.create_task(context.stopping.wait(), name="stop")
        try:
            await asyncio.wait({group, work, stop}, return_when=asyncio.FIRST_COMPLETED)
            is_requested = context.stopping.is_set()
            context.stopping.set()
            service_manager.notify(STOPPING=1)
            await _end(work)
            finished.set()
            await _end(group)
        finally:
            for task in (stop, work, group):
                task.cancel()
    _judge(group, work, is_requested)
    if context.restart_reason:
        raise RestartWantedError(context.restart_reason)


async def _hold(context: Context[C], finished: asyncio.Event) -> None:
    """Keep the task group open. A task that raises ends the group, and with it the daemon."""
    try:
        async with context.tasks:
            context.tasks.create_task(_pulse(context), name="pulse")
            await finished.wait()
            raise _FinishedError
    except* _FinishedError:
        pass


async def _end(task: asyncio.Task[None]) -> None:
    done, _ = await asyncio.wait({task}, timeout=_STOP_LIMIT_S)
    if not done:
        task.cancel()
        await asyncio.wait({task}, timeout=_CLOSE_LIMIT_S)


def _judge(group: asyncio.Task[None], work: asyncio.Task[None], is_requested: bool) -> None:
    """Raise the fault that ended the daemon; a fault in run() takes precedence over one in a
    task.
    """
    for task in (work, group):
        if not task.done():
            raise SaintError(Code.INTERNAL, f"{task.get_name()} ignored the request to stop")
        if task.cancelled():
            message = f"{task.get_name()} did not stop within {_STOP_LIMIT_S:g} s"
            raise SaintError(Code.INTERNAL, message)
    if error := work.exception():
        raise error
    if error := group.exception():
        raise TaskFailedError(_first(error)) from error
    if not is_requested:
        raise SaintError(Code.INTERNAL, "run() ended without a request to stop")


class TaskFailedError(Exception):
    """A task of the daemon raised."""


class RestartWantedError(Exception):
    """The daemon ended by itself, to be started again."""


def _first(error: BaseException) -> BaseException:
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return error


def _explained(name: str, error: Exception) -> int:
    """Log the fault as one sentence and return the exit code."""
    logger = log.get(name)
    if isinstance(error, RestartWantedError):
        logger.info("restarts", reason=str(error))
        return _AGAIN
    logger.trace(error)
    code = 1
    cause: BaseException = error
    if isinstance(error, TaskFailedError):
        cause = error.args[0]
    elif isinstance(error, SaintError):
        code = error.exit_code
    if isinstance(cause, SaintError):
        logger.error(str(cause), fix=cause.fix)
    else:
        logger.error("stopped by a fault", error=type(cause).__name__, text=cause)
    return code


async def _limited(close: Callable[[], Awaitable[None]]) -> None:
    try:
        async with asyncio.timeout(_CLOSE_LIMIT_S):
            await close()
    except TimeoutError:
        log.get("daemon").warning("something did not close in time", what=close.__qualname__)


async def _pulse(context: Context[C]) -> None:
    """Feed the watchdog from the loop, and count when the loop was blocked."""
    feed_s = service_manager.watchdog_interval_s()
    pulse_s = min(_PULSE_S, feed_s or _PULSE_S)
    next_feed_s = monotonic_s()
    while True:
        before_s = monotonic_s()
        if feed_s and before_s >= next_feed_s:
            service_manager.notify(WATCHDOG=1)
            next_feed_s = before_s + feed_s
        await asyncio.sleep(pulse_s)
        lag_s = monotonic_s() - before_s - pulse_s
        if lag_s > _LAG_LIMIT_S:
            context.health.counters["loop_lags"] += 1
            log.get(context.name).debug("loop was blocked", lag_ms=round(lag_s * 1000))
