"""The server of the control plane, with a real client over a unix socket."""

import asyncio
import contextlib
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from saint_services.lib import ipc
from saint_services.lib.api import Done, Reply, Request
from saint_services.lib.api.endpoint import Rows
from saint_services.lib.errors import Code, SaintError
from tests.unit.lib.ipc.ipc_rig import (
    Adopt,
    Empty,
    raw,
    request,
    served,
)


async def test_get_is_answered_with_its_query(path: Path) -> None:
    async with served(path) as (_, client):
        assert (await client.get("/status", Done)).message == ""
        answer = await client.get("/status", Done, query={"b": "2", "a": "x y&"})
        assert answer.message == "a=x y&,b=2"


async def test_every_method_carries_path_and_body(path: Path) -> None:
    async with served(path) as (_, client):
        adopted = await client.post("/nodes/pi_1/adopt", Adopt(role="head"), Done)
        assert adopted.message == "pi_1 is head"
        assert (await client.put("/empty", Empty(force=True), Done)).message == "True"
        assert (await client.patch("/empty", Empty(), Done)).message == "False"
        assert (await client.delete("/nodes/pi%201", Done)).message == "pi 1"


async def test_missing_body_counts_as_one_without_fields(path: Path) -> None:
    async with served(path) as (_, client):
        assert (await client.put("/empty", None, Done)).message == "False"
        with pytest.raises(SaintError, match="role is missing"):
            await client.post("/nodes/a/adopt", None, Done)


async def test_text_that_spells_an_escape_is_no_escape(path: Path) -> None:
    async with served(path) as (_, client):
        adopted = await client.post("/nodes/pi_1/adopt", Adopt(role="\\u0000"), Done)
        assert adopted.message == "pi_1 is \\u0000"


async def test_error_arrives_as_it_was_raised(path: Path) -> None:
    async with served(path) as (_, client):
        with pytest.raises(SaintError) as caught:
            await client.get("/nodes/pi_9", Done)

    error = caught.value
    assert (error.code, error.message, error.fix) == (
        Code.NOT_FOUND,
        "node pi_9 is not known",
        "look",
    )


@pytest.mark.parametrize(
    ("method", "target", "body", "status", "code", "message"),
    [
        ("GET", "/nodes/x", b"", 404, "not_found", "node x is not known"),
        ("GET", "/stauts", b"", 404, "not_found", "/stauts is not a path of this daemon"),
        (
            "PUT",
            "/status",
            b"",
            405,
            "request_invalid",
            "PUT is not supported at /status, only GET",
        ),
        ("POST", "/nodes/a/adopt", b"{", 400, "request_invalid", "the body is not JSON"),
        (
            "POST",
            "/nodes/a/adopt",
            b'{"role": "a\\u0000"}',
            400,
            "request_invalid",
            "a text of the request holds the character NUL",
        ),
        ("POST", "/nodes/a/adopt", b"\xff", 400, "request_invalid", "the body is not JSON"),
        (
            "POST",
            "/nodes/a/adopt",
            b"[]",
            400,
            "request_invalid",
            "the request must be a group of 'key: value' pairs, not an empty list",
        ),
        (
            "POST",
            "/nodes/a/adopt",
            b'{"role":"a","instanze":"l"}',
            400,
            "request_invalid",
            "instanze is not a known field; did you mean 'instance'?",
        ),
        (
            "POST",
            "/nodes/a/adopt",
            b'{"role":3}',
            400,
            "request_invalid",
            "role must be text, not 3",
        ),
        (
            "POST",
            "/nodes/a/adopt",
            b'{"role":"a","share":NaN}',
            400,
            "request_invalid",
            "share must be a finite number, not nan",
        ),
        ("POST", "/nodes/a/adopt", b"[" * 9999, 400, "request_invalid", "the body is not JSON"),
        (
            "PUT",
            "/empty",
            b" " * (ipc.LARGEST_BODY_BYTES + 1),
            413,
            "too_large",
            "the body is longer than 1048576 bytes",
        ),
        ("POST", "/ticks", b'{"role":"refused"}', 409, "conflict", "taken"),
        ("POST", "/ticks", b"{}", 400, "request_invalid", "role is missing"),
    ],
)
async def test_refusal_has_status_code_and_sentence(
    path: Path, method: str, target: str, body: bytes, status: int, code: str, message: str
) -> None:
    async with served(path):
        got, answer = await raw(path, request(method, target, body))

    reply = json.loads(answer)
    assert (got, reply["code"], reply["message"]) == (status, code, message)
    assert reply["fix"]


async def test_fault_in_a_handler_is_internal_counted_and_survived(path: Path) -> None:
    async with served(path) as (daemon, client):
        with pytest.raises(SaintError, match="see its log") as caught:
            await client.get("/fault", Done)
        assert "secret" not in str(caught.value)
        assert caught.value.code is Code.INTERNAL
        assert daemon.api.counters["ipc_faults"] == 1
        await client.get("/status", Done)


async def test_handler_that_takes_too_long_is_cancelled(path: Path) -> None:
    async with served(path) as (daemon, client):
        with pytest.raises(SaintError, match="timed out") as caught:
            await client.get("/slow", Done)
        assert caught.value.code is Code.INTERNAL
        assert daemon.ended.is_set()


async def test_many_clients_at_once_are_all_answered(path: Path) -> None:
    async with served(path) as (_, client):
        requests = [client.get("/status", Done, query={"n": str(n)}) for n in range(50)]
        answers = await asyncio.gather(*requests)

    assert [answer.message for answer in answers] == [f"n={n}" for n in range(50)]


async def test_connection_without_a_request_disturbs_nobody(path: Path) -> None:
    async with served(path) as (_, client):
        _, writer = await asyncio.open_unix_connection(str(path))
        await client.get("/status", Done)
        writer.close()


@settings(max_examples=20)
@given(bodies=st.lists(st.binary(max_size=60) | st.text(max_size=40).map(str.encode), min_size=8))
def test_random_bodies_never_fault(tmp_path_factory: Any, bodies: list[bytes]) -> None:
    path = tmp_path_factory.mktemp("ipc") / "s"

    async def request_status() -> None:
        async with served(path) as (daemon, client):
            for body in bodies:
                for target in ("/nodes/a/adopt", "/ticks"):
                    status, _ = await raw(path, request("POST", target, body))
                    assert status == 400
            assert daemon.api.counters["ipc_faults"] == 0
            await client.get("/status", Done)

    asyncio.run(request_status())


@settings(max_examples=20)
@given(lines=st.lists(st.binary(max_size=80), min_size=5))
def test_random_bytes_instead_of_http_disturb_nobody(
    tmp_path_factory: Any, lines: list[bytes]
) -> None:
    path = tmp_path_factory.mktemp("ipc") / "s"

    async def request_status() -> None:
        async with served(path) as (daemon, client):
            for line in lines:
                reader, writer = await asyncio.open_unix_connection(str(path))
                with contextlib.suppress(ConnectionError):
                    writer.write(line + b"\r\n\r\n")
                    writer.write_eof()
                    async with asyncio.timeout(3):
                        await reader.read()
                writer.close()
            assert daemon.api.counters["ipc_faults"] == 0
            await client.get("/status", Done)

    asyncio.run(request_status())


async def test_curl_gets_an_answer(path: Path) -> None:
    async with served(path):
        try:
            curl = await asyncio.create_subprocess_exec(
                *("curl", "-s", "--unix-socket", str(path), "http://localhost/status?a=1"),
                stdout=asyncio.subprocess.PIPE,
            )
        except FileNotFoundError:
            pytest.skip("curl is not installed")
        out, _ = await asyncio.wait_for(curl.communicate(), 5)

    assert json.loads(out) == {"message": "a=1"}


def test_the_models_of_a_bound_row_are_built_before_the_first_request() -> None:
    class Sum(Request):
        numbers: tuple[int, ...]

    class Total(Reply):
        total: int

    row = Rows("sums", "routerd").row("add", "POST", "/sums", Sum, Total, "Add numbers.")

    async def add(call: ipc.Call[Sum]) -> Total:
        return Total(total=sum(call.body.numbers))

    assert not (Sum.__pydantic_complete__ or Total.__pydantic_complete__)
    ipc.Api().bind(row, add)
    assert Sum.__pydantic_complete__ and Total.__pydantic_complete__
