"""The command tree of saintctl, and the options of all commands."""

import platform
from typing import Annotated

import typer

from ..lib.errors import SaintError
from ..lib.machine import computer
from . import inputs, legs, motion, sim, status
from .access import tls, tokens, users
from .arm import commands as arm
from .backup import commands as backup
from .board import commands as board
from .can import commands as can
from .connect import existing_directory
from .console import EXIT_CODES, fail
from .doctor import commands as doctor
from .estop import commands as estop
from .estop import drill
from .firmware import commands as firmware
from .image import commands as image
from .link import commands as link
from .livelink import commands as livelink
from .log import audit
from .log import commands as log
from .node import commands as node
from .program import commands as program
from .rc import commands as rc
from .remote import RemoteRobot
from .robot import commands as robot
from .robot import figure, part
from .route import commands as route
from .selftest import commands as selftest
from .sequence import commands as sequence
from .system import commands as system
from .system import machine as system_machine
from .teleop import commands as teleop
from .wagon import commands as wagon

app = typer.Typer(
    help="Monitor and control a SAINT.OS robot.",
    epilog=EXIT_CODES,
    no_args_is_help=True,
    rich_markup_mode="markdown",
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command("status")(status.show)
app.add_typer(node.app, name="node")
robot.app.add_typer(figure.app, name="figure")
app.add_typer(robot.app, name="robot")
app.add_typer(part.app, name="part")
app.add_typer(part.pins, name="pin")
app.add_typer(route.app, name="route")
app.add_typer(inputs.app, name="input")
app.add_typer(estop.app, name="estop")
app.add_typer(motion.head, name="head")
app.add_typer(motion.arms, name="arms")
app.add_typer(arm.app, name="arm")
app.add_typer(sequence.app, name="sequence")
app.add_typer(motion.parts, name="parts")
app.add_typer(motion.tracks, name="tracks")
app.add_typer(motion.base, name="base")
app.add_typer(wagon.app, name="wagon")
app.add_typer(legs.app, name="legs")
app.add_typer(firmware.app, name="firmware")
app.add_typer(image.app, name="image")
app.add_typer(program.app, name="program")
app.add_typer(rc.app, name="rc")
app.add_typer(livelink.app, name="livelink")
app.add_typer(can.app, name="can")
app.add_typer(board.app, name="board")
app.add_typer(teleop.app, name="teleop")
app.add_typer(link.app, name="link")
app.command("sim", context_settings=sim.SETTINGS)(sim.simulate)
system_machine.add_to(system.app)
app.add_typer(system.app, name="system")
app.add_typer(log.app, name="log")
app.add_typer(backup.app, name="backup")
app.command("doctor")(doctor.doctor)
app.command("drill")(drill.drill)
app.command("selftest")(selftest.selftest)
app.add_typer(users.app, name="user")
app.add_typer(tokens.app, name="token")
app.add_typer(audit.app, name="audit")
app.add_typer(tls.app, name="tls")


def _print_version(is_requested: bool) -> None:
    """Print this program's release, which may differ from the robot's."""
    if is_requested:
        print(f"saintctl {computer.version() or _image_version()}")
        raise typer.Exit


def _image_version() -> str:
    """Return the release of the image, where saintctl is not installed as a package."""
    return platform.freedesktop_os_release().get("IMAGE_VERSION", "of an unknown release")


@app.callback()
def options(
    context: typer.Context,
    run: Annotated[
        str,
        typer.Option(
            envvar="SAINT_RUN",
            help="Folder of the daemons' sockets. Default: found automatically.",
        ),
    ] = "",
    server: Annotated[
        str,
        typer.Option(
            envvar="SAINT_SERVER",
            help="Address of another robot: http://saint-server.local. Default: this machine.",
        ),
    ] = "",
    token: Annotated[
        str, typer.Option(envvar="SAINT_TOKEN", help="Token for --server; better in SAINT_TOKEN.")
    ] = "",
    ca: Annotated[
        str, typer.Option(envvar="SAINT_CA", help="File with the CA of --server https://...")
    ] = "",
    _version: Annotated[
        bool,
        typer.Option(
            "--version",
            is_eager=True,
            callback=_print_version,
            help="Print the release of this program.",
        ),
    ] = False,
) -> None:
    """Monitor and control a SAINT.OS robot."""
    try:
        # A simulated node makes the folder.
        folder = run if context.invoked_subcommand == "sim" else existing_directory(run)
        context.obj = RemoteRobot.at(server, token, ca) if server else folder
    except SaintError as err:
        raise fail(err) from None
