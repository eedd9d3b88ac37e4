"""Rows of lib/api on a socket: where parameters may be, and what a stop does not wait for."""

import asyncio
import contextlib
import pkgutil
import pwd
from collections.abc import AsyncIterator, Callable
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from saint_services.lib import api
from saint_services.lib.access.audit import AuditRecord
from saint_services.lib.access.levels import Level
from saint_services.lib.api import Done
from saint_services.lib.api.endpoint import Rows, rows_of
from saint_services.lib.api.routing import Confirming, EStopRequest, Route
from saint_services.lib.ipc import Api, Call, Client
from saint_services.lib.ipc.connection import ApiConnection
from saint_services.lib.machine import service_manager
from tests.unit.lib.ipc.ipc_rig import raw
from tests.unit.routerd.rig import route
from tests.waiting import until


class Switch(Confirming):
    """A change of one thing."""

    name: str
    enabled: bool = True


class Replace(Confirming):
    """A change whose body is one parameter."""

    route: Route


ROWS = Rows("test", "test")
SWITCH = ROWS.row(
    "switch", "POST", "/things/{name}", Switch, Done, "",
    level=Level.OPERATOR, log="Thing {name} was switched", query=("confirm",),
)  # fmt: skip
REPLACE = ROWS.row(
    "replace", "PUT", "/routes/{route.id}", Replace, Done, "",
    log="Route {route.id} was saved", body="route", query=("confirm",),
)  # fmt: skip
STOP = ROWS.row("stop", "POST", "/stop", EStopRequest, Done, "", log=lambda *_: "")


class Bench:
    """A daemon that serves these rows and records its steps."""

    def __init__(self, client: Client, socket: Path) -> None:
        self.client = client
        self.socket = socket
        self.is_slow = False
        self.steps: list[str] = []
        self.seen: list[Any] = []
        self.entries: list[AuditRecord] = []
        self.on_entry: Callable[[AuditRecord], None] = self.entries.append

    async def handle(self, call: Call[Any]) -> Done:
        self.steps.append("done")
        self.seen.append(call.body)
        if self.is_slow:
            await asyncio.Event().wait()
        return Done()

    async def until(self, step: str) -> None:
        await until(lambda: step in self.steps)

    def note(self, entry: AuditRecord) -> None:
        self.steps.append("entry")
        self.on_entry(entry)

    async def raw(self, method: str, target: str, body: bytes) -> tuple[int, bytes]:
        head = f"{method} {target} HTTP/1.1\r\nHost: test\r\nContent-Length: {len(body)}\r\n\r\n"
        return await raw(self.socket, head.encode() + body)


@contextlib.asynccontextmanager
async def serving(folder: Path) -> AsyncIterator[Bench]:
    listening = service_manager.bind(folder, "test")
    async with Client(folder / "test.sock") as client:
        bench, api = Bench(client, folder / "test.sock"), Api()
        for row in ROWS.all:
            api.bind(row, bench.handle)
        api.on_entry = bench.note
        server = await api.serve([listening])
        try:
            yield bench
        finally:
            await server.close()


async def test_a_confirmation_counts_in_the_query_alone(tmp_path: Path) -> None:
    """webd looks in the query to decide whether an admin is needed."""
    async with serving(tmp_path) as bench:
        status, reply = await bench.raw("POST", "/things/a", b'{"confirm": ["rc_estop:channel_6"]}')
        assert (status, bench.seen) == (400, [])
        assert b"confirm belongs in the query" in reply
        await bench.client.request(SWITCH, Switch(name="a", confirm=["rc_estop:a%2Cb", "c"]))
        assert bench.seen == [Switch(name="a", confirm=["rc_estop:a%2Cb", "c"])]


async def test_a_parameter_that_is_the_body_agrees_with_the_path(tmp_path: Path) -> None:
    async with serving(tmp_path) as bench:
        wanted = Replace(route=route("web", "websocket", "*", []), confirm=["x"])
        await bench.client.request(REPLACE, wanted)
        assert bench.seen == [wanted]
        raw = wanted.route.model_dump_json(by_alias=True).encode()
        for target, body in (("/routes/b", raw), ("/routes/web", b"[]"), ("/routes/web", b"{}")):
            assert (await bench.raw("PUT", target, body))[0] == 400
        assert len(bench.seen) == 1


UNSOUND = {
    "torn": b'{"source": "we',
    "no JSON": b"\xff\xfe stop",
    "another form": b'["stop"]',
    "nothing": b"",
    "oversized": b'{"source": "' + b"x" * 500_000 + b'", "reason": 1}',
    "a number without end": b'{"source": ' + b"9" * 100_000 + b"}",
    "deep": b"[" * 10_000,
    "lone surrogate": b'{"source": "\\ud800", "reason": "\\udfff"}',
    "unknown field": b'{"source": "web", "robot": "mine"}',
}


@pytest.mark.parametrize("body", UNSOUND.values(), ids=UNSOUND)
@pytest.mark.parametrize("query", ["", "?source=%ff", "?" + "&" * 500 + "a=b&" * 500])
async def test_a_stop_is_obeyed_however_it_is_written(
    tmp_path: Path, body: bytes, query: str
) -> None:
    async with serving(tmp_path) as bench:
        assert (await bench.raw("POST", f"/stop{query}", body))[0] == 200
        assert bench.steps == ["done", "entry"]


async def test_a_stop_waits_neither_for_the_list_of_users_nor_for_its_entry(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from saint_services.lib.access import person

    def looked_up(uid: int) -> pwd.struct_passwd:
        bench.steps.append("user")
        raise KeyError(uid)

    def answered(connection: ApiConnection, status: int, body: bytes) -> None:
        bench.steps.append("answer")
        answer(connection, status, body)

    def failing(_: AuditRecord) -> None:
        raise ValueError("the disk is gone")

    person._user_name.cache_clear()
    answer = ApiConnection.reply
    monkeypatch.setattr(ApiConnection, "reply", answered)
    monkeypatch.setattr(pwd, "getpwuid", looked_up)
    async with serving(tmp_path) as bench:
        bench.on_entry = failing
        assert await bench.client.request(STOP, EStopRequest(source="web")) == Done()
        assert bench.steps == ["done", "answer", "user", "entry"]
    person._user_name.cache_clear()


async def test_a_change_whose_client_disconnects_is_logged(tmp_path: Path) -> None:
    async with serving(tmp_path) as bench:
        bench.is_slow = True
        _, writer = await asyncio.open_unix_connection(str(bench.socket))
        writer.write(b"POST /things/a HTTP/1.1\r\nHost: test\r\nContent-Length: 0\r\n\r\n")
        await bench.until("done")
        writer.close()
        await bench.until("entry")
    (entry,) = bench.entries
    assert (entry.what, entry.detail, entry.text) == ("test switch", "name: a", "")
    assert "the client left before the reply" in entry.refused


def test_every_row_of_lib_api_is_in_the_table_of_its_daemon() -> None:
    found = []
    for module in pkgutil.iter_modules(api.__path__):
        values = vars(import_module(f"{api.__name__}.{module.name}")).values()
        found += [row for each in values if isinstance(each, Rows) for row in each.all]
    assert found and all(row in rows_of(row.daemon) for row in found)
