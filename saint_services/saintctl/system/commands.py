"""`saintctl system`: how robot and server are called, and the server's way to other networks.

A Wi-Fi password is asked for, or comes from SAINT_WIFI_PASSWORD: arguments can be read by others.
"""

import asyncio
from typing import Annotated

import typer
from pydantic import BaseModel

from ...lib import clock
from ...lib.api import Done
from ...lib.api.machine import JoinWifi, MachineChange, NameRobot, SetHostname, SettingsInfo
from ...lib.errors import Code, SaintError
from ..access.users import NOTHING
from ..connect import Place, tell, wish
from ..console import AsJson, fail, print_facts, print_json, run

app = typer.Typer(help="The server: names, networks, restart, history.", no_args_is_help=True)

_WATCH_S, _LOOK_S = 90.0, 1.0
Password = Annotated[
    str,
    typer.Option(
        prompt="Password (empty for an open network)", hide_input=True, prompt_required=True,
        envvar="SAINT_WIFI_PASSWORD", help="Asked for when it is left out.",
    ),
]  # fmt: skip


@app.command("show")
def show(context: typer.Context, as_json: AsJson = False) -> None:
    """Names, release, networks, and how the last change of them ended."""
    settings = run(_settings(context.obj), as_json)
    if as_json:
        print_json(settings)
        return
    outside = settings.wifi or (f"{settings.hotspot} (own hotspot)" if settings.hotspot else "none")
    facts = [("robot", settings.name), ("host name", settings.hostname), ("Wi-Fi", outside)]
    facts += [
        (card.name, f"{card.place}, {'up' if card.is_up else 'down'}, {' '.join(card.addresses)}")
        for card in settings.interfaces
        if card.place != "own"
    ]
    facts += [("release", settings.version), *(("problem", each) for each in settings.problems)]
    if settings.change.message:
        facts.append(("last change", settings.change.message))
    print_facts(facts)


@app.command("rename")
def rename(context: typer.Context, name: str, as_json: AsJson = False) -> None:
    """How the robot is called on its pages."""
    body = wish(NameRobot, as_json, name=name)
    settings = run(tell(context.obj, "webd", _path("set_name"), body, SettingsInfo), as_json)
    print_json(settings) if as_json else print(f"The robot is now called {settings.name}.")


@app.command("hostname")
def hostname(context: typer.Context, name: str, as_json: AsJson = False) -> None:
    """How the server is found on the network: NAME.local."""
    body = wish(SetHostname, as_json, hostname=name)
    _change(context.obj, "set_hostname", body, as_json)


@app.command("wifi")
def wifi(
    context: typer.Context,
    ssid: Annotated[str, typer.Argument(metavar="NAME", help="Of the wireless network.")],
    password: Password,
    country: Annotated[str, typer.Option(help="Which channels are allowed: GB")] = "",
    hidden: Annotated[bool, typer.Option("--hidden", help="It does not tell its name.")] = False,
    as_json: AsJson = False,
) -> None:
    """Join a wireless network; without an address within a minute the one before comes back."""
    given = {"ssid": ssid, "password": password, "country": country or None, "hidden": hidden}
    body = wish(JoinWifi, as_json, **given)
    _change(context.obj, "join_wifi", body, as_json)


@app.command("hotspot")
def hotspot(context: typer.Context, as_json: AsJson = False) -> None:
    """Leave the wireless network, and open the server's own."""
    _change(context.obj, "leave_wifi", NOTHING, as_json)


def _change(place: Place, action: str, body: BaseModel, as_json: bool) -> None:
    """Ask for it, then wait for what came of it."""
    ended = run(_changed(place, action, body), as_json)
    if ended.state in ("refused", "taken_back"):
        raise fail(SaintError(Code.REFUSED, ended.message.rstrip(".")), as_json)
    print_json(ended) if as_json else print(ended.message)


async def _changed(place: Place, action: str, body: BaseModel) -> MachineChange:
    before = (await _settings(place)).change
    asked = await tell(place, "webd", _path(action), body, Done)
    limit_s = clock.monotonic_s() + _WATCH_S
    while clock.monotonic_s() < limit_s:
        await asyncio.sleep(_LOOK_S)
        try:
            now = (await _settings(place)).change
        except SaintError:  # over the network that is being changed
            continue
        if now != before and now.state != "trying":
            return now
    return MachineChange(
        state="trying", message=f"{asked.message} Look again: saintctl system show"
    )


async def _settings(place: Place) -> SettingsInfo:
    return await tell(place, "webd", _path("get"), NOTHING, SettingsInfo)


def _path(action: str) -> str:
    return f"/api/v1/settings/{action}"
