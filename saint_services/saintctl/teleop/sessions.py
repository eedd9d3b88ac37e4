"""`saintctl teleop sessions`, `kick`, `control` and `test`: who operates the robot from afar."""

import typer

from ...lib.api import Done, teleop
from ...lib.api.teleop import (
    LinkTest,
    LiveKitRoom,
    OperatorReply,
    RemoteSessionInfo,
    RemoteSessionList,
)
from ..console import print_table
from ..row_command import row_command

_COLUMNS = ("session", "who", "from", "seat", "input loop", "delay", "refused", "connected")


def add_to(app: typer.Typer) -> None:
    """Add the commands to `saintctl teleop`."""
    row_command(app, "sessions", teleop.LIST_SESSIONS)(print_sessions)
    session = typer.Argument(metavar="SESSION", help="See `sessions`.")
    row_command(app, "kick", teleop.KICK, session=session)(print_done)
    row_command(app, "control", teleop.REQUEST_CONTROL, session=session)(print_operator)
    row_command(app, "grant", teleop.GRANT_CONTROL, session=session)(print_operator)
    row_command(app, "release", teleop.RELEASE_CONTROL, session=session)(print_operator)
    row_command(app, "test", teleop.TEST)(print_test)
    password = typer.Option(
        "--password", envvar="SAINT_TURN_PASSWORD",
        help="Password or shared secret, stored; better in SAINT_TURN_PASSWORD.",
    )  # fmt: skip
    row_command(app, "turn", teleop.SET_TURN_PASSWORD, password=password)(print_stored)
    token = typer.Option(
        "--token", envvar="SAINT_LIVEKIT_TOKEN",
        help="Access token of the room, stored; better in SAINT_LIVEKIT_TOKEN.",
    )  # fmt: skip
    row_command(app, "join", teleop.JOIN_ROOM, token=token)(print_room)
    row_command(app, "leave", teleop.LEAVE_ROOM)(print_left)


def print_sessions(reply: RemoteSessionList) -> None:
    """List the sessions of remote operation, and which one has control."""
    rows = [_row(each) for each in reply.sessions]
    print_table(_COLUMNS, rows, "Nobody is connected.")
    cameras = ", ".join(reply.cameras) or "none"
    print(f"Cameras: {cameras}; viewers at most: {reply.viewers_at_most}")
    if reply.encoded:
        print(f"Pictures encoded: {reply.encoded}, left out: {reply.dropped}")
    if reply.room.state != "off":
        print_room(reply.room)


def _delay(session: RemoteSessionInfo) -> str:
    return "-" if session.delay_ms is None else f"{session.delay_ms:.0f} ms"


def _row(session: RemoteSessionInfo) -> tuple[str, ...]:
    seat = session.seat + (" (requests control)" if session.is_requesting else "")
    age = session.beat_age_ms
    beat = "no link" if not session.is_linked else "-" if age is None else f"{age} ms ago"
    return (
        session.session,
        session.who,
        session.address or "-",
        seat,
        beat,
        _delay(session),
        str(session.refused),
        f"{session.connected_s:.0f} s",
    )


def print_done(reply: Done) -> None:
    """End a session at once; what it drives stops."""
    print(reply.message)


def print_stored(reply: Done) -> None:
    """Store the password of the TURN server of teleopd.yaml."""
    print(reply.message)


def print_operator(reply: OperatorReply) -> None:
    print(f"{reply.who} has control (session {reply.operator})." if reply.operator
          else "Nobody has control.")  # fmt: skip
    if reply.message:
        print(reply.message)


def print_room(reply: LiveKitRoom) -> None:
    """Join the LiveKit room of teleopd.yaml and stay until it is left or the server restarts."""
    who = reply.operator or "nobody"
    here = "in the room" if reply.is_operator_here else "not in the room"
    print(f"LiveKit room at {reply.url}: {reply.state}, {reply.participants} participants")
    print(f"May operate: {who}" + (f" ({here})" if reply.operator else ""))
    if reply.problem:
        print(reply.problem)


def print_left(reply: LiveKitRoom) -> None:
    """Leave the LiveKit room; what its operator drives stops."""
    print_room(reply)


def print_test(reply: LinkTest) -> None:
    """Connect the server with itself, and measure data channel and encoder."""
    print(f"Link open after {reply.connected_ms:.0f} ms")
    print(f"Message there and back: {reply.round_trip_ms:.1f} ms")
    print(f"One picture of 640 x 480: {reply.encode_ms:.1f} ms")
    print(f"Addresses that a peer is offered: {', '.join(reply.addresses) or 'none'}")
    if reply.relay:
        print(f"Of these at the TURN server: {reply.relay}")
    if reply.problem:
        print(reply.problem)
