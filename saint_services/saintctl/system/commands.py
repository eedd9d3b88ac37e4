"""`saintctl system`: the names of robot and server, and the server's network outside the robot. Not
here: restarts, history and clients (machine.py).

A Wi-Fi password is prompted for or read from SAINT_WIFI_PASSWORD: other users can read arguments.
"""

import asyncio
from typing import Annotated

import typer

from ...lib import clock
from ...lib.api import Done
from ...lib.api.endpoint import Endpoint, Nothing
from ...lib.api.machine import JoinWifi, MachineChange, SetHostname, SettingsInfo
from ...lib.api.webd.upkeep import GET_SETTINGS, JOIN_WIFI, LEAVE_WIFI, SET_HOSTNAME, SET_NAME
from ...lib.errors import Code, SaintError
from ..connect import RobotAddress, checked_params, request
from ..console import AsJson, fail, print_facts, print_json, run
from ..row_command import P, help_of, row_command

app = typer.Typer(help="The server: names, networks, restart, history.", no_args_is_help=True)

_LIMIT_S, _PERIOD_S = 90.0, 1.0
Password = Annotated[
    str,
    typer.Option(
        prompt="Password (empty for an open network)", hide_input=True, prompt_required=True,
        envvar="SAINT_WIFI_PASSWORD", help="Prompted for when left out.",
    ),
]  # fmt: skip


@row_command(app, "show", GET_SETTINGS)
def print_settings(settings: SettingsInfo) -> None:
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


@row_command(app, "rename", SET_NAME, name=typer.Argument())
def print_renamed(settings: SettingsInfo) -> None:
    print(f"The robot is now called {settings.name}.")


@app.command("hostname", help=SET_HOSTNAME.text)
def hostname(
    context: typer.Context,
    name: Annotated[str, typer.Argument(help=help_of(SetHostname, "hostname"))],
    as_json: AsJson = False,
) -> None:
    params = checked_params(SetHostname, as_json, hostname=name)
    _change(context.obj, SET_HOSTNAME, params, as_json)


@app.command("wifi", help=JOIN_WIFI.text)
def wifi(
    context: typer.Context,
    ssid: Annotated[str, typer.Argument(metavar="NAME", help=help_of(JoinWifi, "ssid"))],
    password: Password,
    country: Annotated[str, typer.Option(help=help_of(JoinWifi, "country"))] = "",
    hidden: Annotated[bool, typer.Option("--hidden", help=help_of(JoinWifi, "hidden"))] = False,
    as_json: AsJson = False,
) -> None:
    fields = {"ssid": ssid, "password": password, "country": country or None, "hidden": hidden}
    params = checked_params(JoinWifi, as_json, **fields)
    _change(context.obj, JOIN_WIFI, params, as_json)


@app.command("hotspot", help=LEAVE_WIFI.text)
def hotspot(context: typer.Context, as_json: AsJson = False) -> None:
    _change(context.obj, LEAVE_WIFI, Nothing(), as_json)


def _change(robot: RobotAddress, row: Endpoint[P, Done], params: P, as_json: bool) -> None:
    """Request a change of the network, wait for its outcome and print it."""
    ended = run(_changed(robot, row, params), as_json)
    if ended.state in ("refused", "taken_back"):
        raise fail(SaintError(Code.REFUSED, ended.message.rstrip(".")), as_json)
    print_json(ended) if as_json else print(ended.message)


async def _changed(robot: RobotAddress, row: Endpoint[P, Done], params: P) -> MachineChange:
    before = (await request(robot, GET_SETTINGS, Nothing())).change
    accepted = await request(robot, row, params)
    end_s = clock.monotonic_s() + _LIMIT_S
    while clock.monotonic_s() < end_s:
        await asyncio.sleep(_PERIOD_S)
        try:
            now = (await request(robot, GET_SETTINGS, Nothing())).change
        except SaintError:  # the connection may use the network that is being changed
            continue
        if now != before and now.state != "trying":
            return now
    return MachineChange(
        state="trying", message=f"{accepted.message} Look again: saintctl system show"
    )
