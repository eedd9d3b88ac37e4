"""Commands that are made of rows: their options, and the requests that they send."""

import json
from typing import Literal

import pytest
import typer
from pydantic import Field
from typer.testing import CliRunner

from saint_services.lib.api import Reply, Request
from saint_services.lib.api.endpoint import Endpoint
from saint_services.saintctl import row_command as made
from saint_services.saintctl.connect import RobotAddress
from saint_services.saintctl.row_command import row_command
from tests.unit.saintctl.conftest import RunSaintctl


class Read(Request):
    channel: int = Field(ge=1, le=18, description="Number of the channel.")


class Change(Read):
    mode: Literal["fast", "slow"] | None = Field(default=None, description="How it moves.")
    share: float | None = Field(default=None, ge=0, le=1)
    names: list[str] = Field(default=["all"])
    force: bool = False


class Outcome(Reply):
    sent: str


def row(action: str, params: type[Request]) -> Endpoint[Request, Outcome]:
    return Endpoint(
        group="test", action=action, daemon="rcd", method="POST", path=f"/{action}", params=params,
        reply=Outcome, text=f"The text of {action}.",
    )  # fmt: skip


READ, CHANGE = row("read", Read), row("change", Change)


@pytest.fixture
def app(monkeypatch: pytest.MonkeyPatch) -> typer.Typer:
    async def request(_: RobotAddress, row: Endpoint[Request, Outcome], params: Request) -> Outcome:
        return Outcome(sent=f"{row.action} {params.model_dump_json(exclude_unset=True)}")

    monkeypatch.setattr(made, "request", request)
    app = typer.Typer()

    def show(outcome: Outcome) -> None:
        print(outcome.sent)

    channel = typer.Argument(metavar="CHANNEL")
    row_command(app, "channel", CHANGE, reads=READ, channel=channel)(show)
    row_command(
        app, "slow", CHANGE, fixed={"mode": "slow"}, defaults={"share": 0.5}, channel=channel
    )(show)

    @row_command(app, "hello", READ)
    def hello(outcome: Outcome, params: Read) -> None:
        """Greet a channel."""
        print(f"{params.channel}: {outcome.sent}")

    return app


def sent(app: typer.Typer, *words: str) -> tuple[str, dict[str, object]]:
    result = CliRunner().invoke(app, list(words))
    assert result.exit_code == 0, result.output
    action, _, params = result.stdout.partition(" ")
    return action, json.loads(params)


def test_options_are_sent_as_parameters(app: typer.Typer) -> None:
    words = ("channel", "3", "--mode", "fast", "--names", "a", "--names", "b", "--force")
    given = {"channel": 3, "mode": "fast", "names": ["a", "b"], "force": True}
    assert sent(app, *words) == ("change", given)


def test_command_without_options_only_reads(app: typer.Typer) -> None:
    assert sent(app, "channel", "3") == ("read", {"channel": 3})


def test_fixed_and_default_parameters_are_sent(app: typer.Typer) -> None:
    given = {"channel": 3, "mode": "slow", "share": 0.5, "force": False}
    assert sent(app, "slow", "3") == ("change", given)


def test_view_gets_the_parameters(app: typer.Typer) -> None:
    result = CliRunner().invoke(app, ["hello", "--channel", "4"])
    assert result.stdout == '4: read {"channel":4}\n'


def test_json_is_the_reply(app: typer.Typer) -> None:
    result = CliRunner().invoke(app, ["channel", "3", "--json"])
    assert json.loads(result.stdout) == {"sent": 'read {"channel":3}'}


@pytest.mark.parametrize(
    "words",
    [
        ["channel"],
        ["channel", "0"],
        ["channel", "19"],
        ["channel", "3", "--mode", "other"],
        ["channel", "3", "--share", "1.5"],
        ["slow", "3", "--mode", "fast"],
    ],
)
def test_value_outside_the_row_is_wrong_usage(app: typer.Typer, words: list[str]) -> None:
    assert CliRunner().invoke(app, words).exit_code == 2


def test_help_comes_from_the_row_or_the_view(app: typer.Typer) -> None:
    lines = " ".join(CliRunner().invoke(app, ["channel", "--help"]).stdout.split())
    assert "The text of change." in lines
    assert "Number of the channel." in lines and "How it moves." in lines
    assert "Greet a channel." in CliRunner().invoke(app, ["hello", "--help"]).stdout


def test_type_without_an_option_is_an_error() -> None:
    class Nested(Request):
        inner: Read

    with pytest.raises(TypeError, match="no option of the type"):
        row_command(typer.Typer(), "x", row("x", Nested))(print)


async def test_reboot_of_a_node_needs_its_name(saintctl: RunSaintctl) -> None:
    """Without a name webd would restart the server."""
    result = await saintctl("node", "reboot")
    assert result.exit_code == 2 and "NODE" in result.output
