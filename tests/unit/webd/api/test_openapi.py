"""The documents of the API: whole, of all actions and topics, of every request that is served."""

import re
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web

from saint_services.lib.api.states import STATES
from saint_services.webd.actions import table
from saint_services.webd.api import asyncapi, openapi
from saint_services.webd.websocket.frames import CloseCode
from tests.web.fakes.robot import fake_robot

# Pages, the WebSocket, the form of all actions, and the daemons' own requests for saintctl.
NOT_DESCRIBED = {
    "/{path}",
    "/saint",
    "/api/ws",
    "/api/v1/{group}/{action}",
    "/api/v1/daemon/{daemon}/{path}",
}


@pytest.mark.parametrize("made", [openapi.document(), asyncapi.document()], ids=["http", "socket"])
def test_every_reference_leads_somewhere(made: dict[str, Any]):
    def walk(part: Any) -> None:
        if isinstance(part, dict):
            if isinstance(ref := part.get("$ref"), str):
                found = made
                for key in ref.removeprefix("#/").split("/"):
                    found = found[key]
            for each in part.values():
                walk(each)
        elif isinstance(part, list):
            for each in part:
                walk(each)

    walk(made)
    assert not re.search("saint_services", str(made)), "a module's name shows"


def test_all_actions_and_topics_are_described():
    http, socket = openapi.document(), asyncapi.document()
    for each in table.every():
        operation = http["paths"][each.path]["post"]
        assert operation["x-needs"] == each.level.word
        assert f"{each.group}_{each.action}" in socket["operations"]
    assert {f"state_{topic}" for topic in STATES} <= set(socket["components"]["messages"])


def test_operations_have_names_of_their_own():
    paths = openapi.document()["paths"].values()
    names = [operation["operationId"] for path in paths for operation in path.values()]
    assert len(names) == len(set(names))


async def test_every_request_that_is_served_is_described(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    served: list[web.Application] = []
    runner = web.AppRunner

    def kept(app: web.Application, **options: Any) -> web.AppRunner:
        served.append(app)
        return runner(app, **options)

    monkeypatch.setattr(web, "AppRunner", kept)
    async with fake_robot(tmp_path):
        webd = served[-1]  # the fake robot's uploads are first
        routes = [(r.method.lower(), r.resource) for r in webd.router.routes()]
    paths = openapi.document()["paths"]
    missing = [
        f"{method} {resource.canonical}"
        for method, resource in routes
        if resource and resource.canonical not in NOT_DESCRIBED and method != "head"
        if method not in paths.get(resource.canonical, {})
    ]
    assert missing == [], "describe them in webd/http_paths.py"


def test_document_names_why_the_robot_ends_a_connection() -> None:
    channel = asyncapi.document()["channels"]["socket"]
    named = {int(code) for code in channel["x-close-codes"]}
    assert named == set(CloseCode) == {1000, 1001, 1002, 1007, 1008, 1009, 1013}
    assert all(channel["x-close-codes"].values())
