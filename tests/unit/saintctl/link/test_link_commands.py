"""`saintctl link list` and `status`: what they print."""

import pytest

from saint_services.lib.api.webd.links import (
    LinkInfo,
    LinkKind,
    LinkList,
    RemoteInfo,
    RemoteList,
    RemoteState,
)
from saint_services.saintctl.link import commands

ARM = "parts.follower"


def peer(name: str, state: RemoteState, kind: LinkKind = "slave", problem: str = "") -> RemoteInfo:
    return RemoteInfo(
        name=name, target=ARM, kind=kind, state=state, delay_ms=12.4, commands=7, problem=problem
    )


def link(name: str, found: RemoteInfo | None, problem: str = "") -> LinkInfo:
    return LinkInfo(
        name=name, kind="slave", url="ws://10.0.0.7", target=ARM, robot_id="far", has_token=True,
        is_connected=found is not None, problem=problem, connection=found,
    )  # fmt: skip


def words(text: str) -> list[str]:
    """Return the lines with one blank between words."""
    return [" ".join(line.split()) for line in text.splitlines()]


def test_each_link_is_listed_with_what_to_do(capsys: pytest.CaptureFixture[str]) -> None:
    made = [
        link("bench", peer("bench", "following")),
        link("new", peer("new", "disengaged")),
        link("away", None, "no answer within 5 s"),
    ]
    commands.print_links(LinkList(links=made))
    assert words(capsys.readouterr().out) == [
        "link kind target other side state",
        "bench slave parts.follower ws://10.0.0.7 far following",
        "new slave parts.follower ws://10.0.0.7 far "
        "disengaged; move it with: saintctl link engage new",
        "away slave parts.follower ws://10.0.0.7 far not connected: no answer within 5 s",
    ]


def test_status_shows_the_text_of_a_remote_side_as_it_is(
    capsys: pytest.CaptureFixture[str],
) -> None:
    found = peer("bench", "failed", problem="servo [/red] of [bold]elbow")
    commands.print_status(RemoteList(links=[link("bench", found)], connected=[found]))
    links, header, row = (words(text) for text in _parts(capsys.readouterr().out))
    assert links[-1].endswith("failed: servo [/red] of [bold]elbow")
    assert header == ["connected target kind state delay commands refused problem"]
    assert row == ["bench parts.follower slave failed 12 ms 7 0 servo [/red] of [bold]elbow"]


def _parts(text: str) -> tuple[str, str, str]:
    links, connected = text.split("\n\n")
    header, row = connected.rstrip("\n").split("\n")
    return links, header, row


def test_without_any_link_it_says_so(capsys: pytest.CaptureFixture[str]) -> None:
    commands.print_status(RemoteList(links=[], connected=[]))
    assert words(capsys.readouterr().out) == [
        "There are no links.", "", "Nobody is connected."
    ]  # fmt: skip
