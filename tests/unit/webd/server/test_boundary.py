"""What nobody foresaw: the client gets the documented error, the log the stack trace, /metrics a
count; and what aiohttp itself refuses has the same form.
"""

import asyncio
import dataclasses
import json
import logging
import re
from pathlib import Path
from typing import Any

import pytest

from saint_services.lib.generated import topics
from saint_services.lib.generated.saint_msgs import HeadState
from saint_services.webd.actions.table import ACTIONS
from saint_services.webd.topics import views
from tests.unit.webd.raw_http import answer_to
from tests.unit.webd.web_rig import Rig
from tests.waiting import turns

SECRET = "/var/lib/saint/secret"


@pytest.fixture(params=["quick", "waiting"])
def broken(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """The name of an action of the group `system` that raises what it must not."""

    def at_once(*_: object) -> Any:
        raise LookupError(SECRET)

    async def later(*_: object) -> Any:
        await turns(1)
        raise LookupError(SECRET)

    is_quick = request.param == "quick"
    actions = ACTIONS["system"]
    name = next(n for n, entry in actions.items() if entry.is_quick is is_quick)
    handler = at_once if is_quick else later
    monkeypatch.setitem(actions, name, dataclasses.replace(actions[name], handler=handler))
    return name


def reported(records: list[logging.LogRecord]) -> list[str]:
    """The stack traces in the log."""
    return [logging.Formatter().format(each) for each in records if each.exc_info]


async def test_fault_of_a_request_is_a_json_error_and_logged_with_its_trace(
    rig: Rig, broken: str, caplog: pytest.LogCaptureFixture
) -> None:
    async with rig.http.post(f"{rig.url}/api/v1/system/{broken}", json={}) as answer:
        text = await answer.text()
    assert (answer.status, answer.content_type) == (500, "application/json")
    found = json.loads(text)
    assert found["code"] == "internal" and found["message"] and found["fix"]
    assert SECRET not in text and "LookupError" not in text
    assert [SECRET in trace and "test_boundary.py" in trace for trace in reported(caplog.records)]
    assert "saint_web_faults_total 1" in await rig.counters()


async def test_fault_of_a_message_is_an_error_reply_and_the_connection_lives(
    rig: Rig, broken: str, caplog: pytest.LogCaptureFixture
) -> None:
    chat = await rig.chat()
    error = await chat.fail("system", broken)
    assert error["code"] == "internal" and error["fix"]
    assert SECRET not in str(error) and "LookupError" not in str(error)
    assert len(reported(caplog.records)) == 1
    assert (await chat.request({"type": "auth"}))["status"] == "ok"
    assert "saint_web_faults_total 1" in await rig.counters()


async def test_same_fault_again_and_again_is_counted_and_has_one_trace(
    rig: Rig, broken: str, caplog: pytest.LogCaptureFixture
) -> None:
    chat = await rig.chat()
    for _ in range(5):
        await chat.fail("system", broken)
    assert len(reported(caplog.records)) == 1
    assert "saint_web_faults_total 5" in await rig.counters()


async def test_fault_within_an_answer_ends_the_connection_so_that_half_does_not_look_whole(
    rig: Rig, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    from saint_services.webd.upkeep import log_files

    def unwritable(_: object) -> str:
        raise LookupError(SECRET)

    monkeypatch.setattr(log_files, "as_text", unwritable)
    found = await answer_to(rig.address, b"GET /api/logs HTTP/1.1\r\nHost: localhost\r\n\r\n")
    assert found.status == 200 and not found.is_whole
    assert len(reported(caplog.records)) == 1


@pytest.mark.parametrize(
    ("request_bytes", "status", "code"),
    [
        (b"NOT HTTP\r\n\r\n", 400, "request_invalid"),
        (b"GET /api/session HTTP/9.9\r\n\r\n", 400, "request_invalid"),
        (b"GET /api/session HTTP/1.1\r\nHost: localhost\r\nX: \0\r\n\r\n", 400, "request_invalid"),
        (b"GET /api/" + b"x" * 9000 + b" HTTP/1.1\r\n\r\n", 400, "request_invalid"),
        (b"GET /api/nothing HTTP/1.1\r\nHost: localhost\r\n\r\n", 404, "not_found"),
        (b"PUT /api/session HTTP/1.1\r\nHost: localhost\r\n\r\n", 405, "request_invalid"),
        (
            b"POST /api/login HTTP/1.1\r\nHost: localhost\r\nExpect: tea\r\n"
            b"Content-Length: 2\r\n\r\n{}", 417, "request_invalid",
        ),
        (
            b"POST /api/login HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n"
            b"zz\r\n", 400, "request_invalid",
        ),
        (
            b"POST /api/backup HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n"
            b"zz\r\n", 400, "request_invalid",
        ),
        (
            b"POST /api/v1/daemon/rcd/reset HTTP/1.1\r\nHost: localhost\r\n"
            b"Transfer-Encoding: chunked\r\n\r\nzz\r\n", 400, "request_invalid",
        ),
    ],
)  # fmt: skip
async def test_what_the_web_server_refuses_is_a_json_error_too(
    rig: Rig, request_bytes: bytes, status: int, code: str, caplog: pytest.LogCaptureFixture
) -> None:
    found = await answer_to(rig.address, request_bytes)
    assert (found.status, found.headers["content-type"].split(";")[0]) == (
        status, "application/json",
    )  # fmt: skip
    problem = json.loads(found.body)
    assert problem["code"] == code and problem["message"] and problem["fix"]
    assert found.headers["x-content-type-options"] == "nosniff"
    assert "aiohttp" not in str(found.headers).lower()
    assert caplog.records == []


async def test_method_that_is_not_possible_is_answered_with_those_that_are(rig: Rig) -> None:
    async with rig.http.post(rig.url + "/api/session") as answer:
        assert (answer.status, answer.headers["Allow"]) == (405, "GET,HEAD")


CUT = [
    "/api/v1/head/move",
    "/api/backup",
    "/api/firmware",
    "/api/login",
    "/api/v1/daemon/rcd/reset",
]


@pytest.mark.parametrize("path", CUT)
async def test_upload_that_is_cut_off_is_no_fault(
    rig: Rig, path: str, caplog: pytest.LogCaptureFixture
) -> None:
    host, _, port = rig.address.partition(":")
    _, writer = await asyncio.open_connection(host, int(port))
    head = f"POST {path} HTTP/1.1\r\nHost: {rig.address}\r\nContent-Length: 5000\r\n\r\n"
    writer.write(head.encode() + b"{" * 100)
    await writer.drain()
    await rig.counters()  # it has been read by then
    writer.close()
    await writer.wait_closed()
    async with asyncio.timeout(5):
        while 'reason="cut_off"} 1' not in await rig.counters():
            pass
    assert reported(caplog.records) == []
    assert "saint_web_faults_total" not in await rig.counters()


def test_exceptions_are_caught_whole_in_two_files_only() -> None:
    services = Path(__file__).resolve().parents[4] / "saint_services"
    caught = re.compile(r"except (Exception|BaseException)\b|except:")
    found = {
        path.relative_to(services).as_posix()
        for path in services.rglob("*.py")
        if caught.search(path.read_text(encoding="utf-8"))
    }
    assert found == {"lib/daemon.py", "webd/server/boundary.py"}


async def test_state_that_fails_keeps_no_other_topic_back(
    rig: Rig, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def untold(_: object) -> Any:
        raise LookupError(SECRET)

    monkeypatch.setattr(views, "head", untold)
    publisher = rig.domain.bus("head").publisher(topics.HEAD_STATE)
    chat = await rig.chat()
    await chat.subscribe("head", "system", rate_hz=50)
    for n in range(10):
        publisher.publish(HeadState(float(n)))
        await chat.state("system")
    assert (await chat.request({"type": "auth"}))["status"] == "ok"
    assert len(reported(caplog.records)) == 1
    assert "saint_web_faults_total" in await rig.counters()
