"""Daemons' own requests through webd: levels, and that they come through as they are."""

import asyncio
import io
from collections.abc import AsyncIterator

import pytest
from yarl import URL

from saint_services.lib.access.levels import Level
from saint_services.webd.api import daemon_requests
from saint_services.webd.api.daemon_requests import needs
from tests.unit.webd.web_rig import Rig


@pytest.mark.parametrize(
    ("level", "daemon", "method", "path"),
    [
        (Level.VIEWER, "routerd", "GET", "/status"),
        (Level.VIEWER, "adoptiond", "GET", "/nodes/sim_head"),
        (Level.VIEWER, "routerd", "POST", "/estop"),
        (Level.OPERATOR, "routerd", "POST", "/estop/clear"),
        (Level.OPERATOR, "routerd", "PUT", "/routes/mine"),
        (Level.OPERATOR, "rcd", "PATCH", "/channels/3"),
        (Level.OPERATOR, "adoptiond", "POST", "/nodes/sim_head/adopt"),
        (Level.ADMIN, "adoptiond", "POST", "/nodes/sim_head/reset"),
        (Level.VIEWER, "adoptiond", "GET", "/roles/arms.left/calibration"),
        (Level.ADMIN, "adoptiond", "POST", "/roles/arms.left/calibration"),
        (Level.ADMIN, "adoptiond", "POST", "/nodes/sim_head/update"),
        (Level.ADMIN, "otad", "POST", "/rollout"),
        (Level.ADMIN, "otad", "DELETE", "/releases/1.0.0"),
        (Level.VIEWER, "livelinkd", "GET", "/senders"),
        (Level.OPERATOR, "livelinkd", "GET", "/senders/code"),
        (Level.OPERATOR, "livelinkd", "POST", "/senders/accept"),
        (Level.OPERATOR, "livelinkd", "POST", "/senders/revoke"),
        (Level.ADMIN, "livelinkd", "POST", "/senders/check"),
        (Level.ADMIN, "livelinkd", "POST", "/senders/code"),
        (Level.VIEWER, "livelinkd", "GET", "/recordings/wave"),
        (Level.OPERATOR, "livelinkd", "DELETE", "/recordings/wave"),
        (Level.VIEWER, "routerd", "POST", "/routes/check"),
        (Level.VIEWER, "routerd", "GET", "/outputs/head.pan"),
        (Level.OPERATOR, "routerd", "POST", "/control/take"),
        (Level.OPERATOR, "routerd", "POST", "/drill/begin"),
        (Level.ADMIN, "routerd", "POST", "/drill/kill"),
        (Level.ADMIN, "routerd", "POST", "/writers"),
        (Level.ADMIN, "routerd", "GET", "/backup"),
        (Level.ADMIN, "routerd", "GET", "/%62ackup"),
        (Level.ADMIN, "routerd", "GET", "/nodes/../backup"),
        (Level.ADMIN, "rcd", "POST", "/estop"),
        (Level.ADMIN, "routerd", "DELETE", "/something/new"),
        (Level.ADMIN, "noded", "POST", "/reset"),
    ],
)
def test_level_of_a_request(level: Level, daemon: str, method: str, path: str):
    assert needs(daemon, method, path) is level


@pytest.mark.parametrize(
    "path",
    [
        "routerd/writers",
        "routerd/%77riters",
        "adoptiond/router/credential",
        "adoptiond/router/role%2dproof",
        "adoptiond/power",
        "adoptiond/offers/sign",
        "adoptiond/nodes/sim_head/kill",
        "adoptiond/nodes/sim_head/%6bill",
        "adoptiond/nodes/sim%5fhead/update",
    ],
)
async def test_what_daemons_ask_of_each_other_is_passed_on_for_nobody(rig: Rig, path: str):
    url = URL(f"{rig.url}/api/v1/daemon/{path}", encoded=True)
    async with rig.http.post(url, json={"daemon": "webd", "origin": "0a" * 12}) as answer:
        assert answer.status == 403


async def test_answer_and_refusal_come_back_as_they_are(rig: Rig):
    root = f"{rig.url}/api/v1/daemon"
    async with rig.http.get(f"{root}/adoptiond/nodes/sim_head") as answer:
        assert (answer.status, (await answer.json())["display_name"]) == (200, "Head")
    async with rig.http.get(f"{root}/adoptiond/nodes/nobody") as answer:
        assert (answer.status, (await answer.json())["code"]) == (404, "not_found")
    body = {"source": "test", "reason": "proxy"}
    async with rig.http.post(f"{root}/routerd/estop", json=body) as answer:
        assert (answer.status, (await answer.json())["reason"]) == (200, "proxy")


async def test_daemon_that_is_gone_or_not_offered(rig: Rig):
    await rig.robot.stop("rcd")
    async with rig.http.get(f"{rig.url}/api/v1/daemon/rcd/status") as answer:
        assert (answer.status, (await answer.json())["code"]) == (503, "daemon_unreachable")
    for name in ("webd", "otad-files", "..", "x" * 300):
        async with rig.http.get(f"{rig.url}/api/v1/daemon/{name}/status") as answer:
            assert answer.status == 404


async def test_without_a_token_nothing_is_passed_on(locked: Rig):
    async with locked.http.get(f"{locked.url}/api/v1/daemon/adoptiond/nodes") as answer:
        assert answer.status == 401
    async with locked.http.post(f"{locked.url}/api/v1/daemon/routerd/estop", json={}) as answer:
        assert answer.status == 401


async def test_body_longer_than_a_daemon_takes_is_refused(rig: Rig):
    url = f"{rig.url}/api/v1/daemon/routerd/routes/check"
    async with rig.http.post(url, data=io.BytesIO(b"x" * 1_100_000)) as answer:
        assert (answer.status, (await answer.json())["code"]) == (413, "too_large")


async def test_request_whose_body_is_not_over_counts_and_only_an_estop_passes_it(
    rig: Rig, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(daemon_requests, "MOST_AT_ONCE", 1)
    root, has_begun, may_end = f"{rig.url}/api/v1/daemon", asyncio.Event(), asyncio.Event()

    async def slowly() -> AsyncIterator[bytes]:
        yield b"{"
        has_begun.set()
        await may_end.wait()
        yield b"}"

    slow = asyncio.create_task(rig.http.post(f"{root}/rcd/enabled", data=slowly()))
    await has_begun.wait()
    async with asyncio.timeout(10):
        while True:  # until webd has seen it
            async with rig.http.get(f"{root}/rcd/status") as answer:
                if answer.status != 200:
                    reported = await answer.json()
                    break
    assert (answer.status, reported["code"]) == (409, "refused")
    async with rig.http.post(f"{root}/routerd/estop", json={"source": "test"}) as answer:
        assert (answer.status, (await answer.json())["active"]) == (200, True)
    may_end.set()
    (await slow).close()


CONFIRMING = "confirm=rc_estop%3Achannel_6"


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("DELETE", "/routes/rc_estop"),
        ("PUT", "/routes"),
        ("PUT", "/blending"),
        ("POST", "/presets/bare/load"),
        ("POST", "/routes/rc_estop/enabled"),
    ],
)
def test_change_of_routes_that_confirms_anything_needs_an_admin(method: str, path: str) -> None:
    assert needs("routerd", method, path) is Level.OPERATOR
    for query in (CONFIRMING, "%63onfirm=x", "x"):
        assert needs("routerd", method, path, query) is Level.ADMIN


def test_stop_with_a_query_needs_no_more_than_one_without() -> None:
    assert needs("routerd", "POST", "/estop", CONFIRMING) is Level.VIEWER


@pytest.mark.parametrize("path", ["wagon/arm", "daemon/routerd/wagon/arm"])
async def test_operators_token_does_not_arm_by_any_way(locked: Rig, path: str) -> None:
    first = (locked.robot.runtime.parent / "state" / "token").read_text().strip()
    own = {"Authorization": f"Bearer {first}"}
    url = f"{locked.url}/api/v1/users/add_token"
    body = {"name": "bench", "role": "operator"}
    async with locked.http.post(url, json=body, headers=own) as answer:
        secret = (await answer.json())["secret"]
    theirs = {"Authorization": f"Bearer {secret}"}
    arm = f"{locked.url}/api/v1/{path}"
    async with locked.http.post(arm, json={}, headers=theirs) as answer:
        assert (answer.status, (await answer.json())["code"]) == (403, "forbidden")
    assert locked.robot.wagon.requests == []
    async with locked.http.post(arm, json={}, headers=own) as answer:
        assert answer.status == 200
    assert locked.robot.wagon.requests == ["arm"]
