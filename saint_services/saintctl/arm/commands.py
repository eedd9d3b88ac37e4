"""Commands of `saintctl arm`: servos on a serial line of this machine. Not here: moving an arm
(`saintctl arms`).
"""

import sys
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ...lib.errors import Code, SaintError
from ...lib.hw.bus_servos.dialects import LineProtocol
from ..console import AsJson, fail, print_table

if TYPE_CHECKING:
    from ...lib.hw.bus_servos.setup import ServoSetup
    from ...lib.hw.feetech.calibration import MotorCalibration

app = typer.Typer(
    help="Servos on a serial bus: status, setup, restart, calibrate, parts, decode.",
    no_args_is_help=True,
)
Port = Annotated[str, typer.Argument(metavar="PORT", help="The line: /dev/serial/by-id/...")]
Protocol = Annotated[
    LineProtocol,
    typer.Option(
        "--protocol", help="Feetech: sts (STS, SMS) or scs; x: Dynamixel X series (protocol 2.0)"
    ),
]


_TURN_HORN = "Turn its horn, so that its range is within one turn, then calibrate again."


@app.command()
def decode(
    file: Annotated[str, typer.Argument(metavar="FILE", help="A file, or - for standard input.")],
    protocol: Protocol = LineProtocol.STS,
) -> None:
    """Print every packet in a recording of a servo bus, one JSON object per line."""
    from .decode import arm_decode  # no other command needs it

    try:
        code = arm_decode(protocol, file, sys.stdout)
    except SaintError as err:
        raise fail(err) from None
    raise typer.Exit(code)


@app.command()
def status(
    port: Port,
    protocol: Protocol = LineProtocol.STS,
    most: Annotated[int, typer.Option(min=1, max=253, help="The last id to look for")] = 20,
    as_json: AsJson = False,
) -> None:
    """Show the servos that answer on a line that no role uses."""
    from . import servos  # hardware libraries

    try:
        found = servos.states(port, protocol, most)
    except SaintError as err:
        raise fail(err, as_json) from None
    if as_json:
        import json

        print(json.dumps({"servos": [asdict(each) for each in found]}, indent=2))
        return
    rows = [
        (
            each.id, each.model, each.position, f"{each.load:.0%}", f"{each.voltage_v:.1f} V",
            f"{each.temperature_c} \u00b0C", "on" if each.has_torque else "off",
            "-" if each.homing_offset is None else each.homing_offset,
        )
        for each in found
    ]  # fmt: skip
    columns = ("id", "model", "position", "load", "supply", "temperature", "torque", "homing")
    print_table(columns, [tuple(map(str, row)) for row in rows], "No servo answers.")


@app.command()
def setup(
    port: Port,
    servo_id: Annotated[int, typer.Option("--id", min=0, max=253, help="The id that it gets")],
    protocol: Protocol = LineProtocol.STS,
) -> None:
    """Give the only servo on a line its id, and 1,000,000 baud."""
    from . import servos

    try:
        before = servos.give_id(port, protocol, servo_id)
    except SaintError as err:
        raise fail(err) from None
    print(f"Servo {before} has the id {servo_id} now. Connect the next one alone.")


@app.command()
def restart(
    port: Port,
    servo_id: Annotated[int, typer.Option("--id", min=0, max=252, help="The servo")],
    protocol: Protocol = LineProtocol.X,
) -> None:
    """Restart a Dynamixel that has shut itself down; it has no torque after it."""
    from . import servos

    try:
        servos.restart(port, protocol, servo_id)
    except SaintError as err:
        raise fail(err) from None
    print(f"Servo {servo_id} has started again, without torque.")


@app.command()
def calibrate(
    port: Port,
    file: Annotated[Path, typer.Argument(metavar="FILE", help="LeRobot's calibration file")],
    protocol: Protocol = LineProtocol.STS,
    motor: Annotated[
        list[str] | None, typer.Option(help="NAME=ID; default: the six of an SO-101")
    ] = None,
    restore: Annotated[
        bool, typer.Option("--restore", help="Write what FILE has into the servos.")
    ] = False,
) -> None:
    """Calibrate an arm by hand, as LeRobot does, and write its file. The arm goes limp. Dynamixels
    get ranges alone: they cannot make every pose the middle of their turn."""
    try:
        _restore(port, file, protocol) if restore else _calibrate(port, file, motor, protocol)
    except SaintError as err:
        raise fail(err) from None


@app.command()
def parts(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="LeRobot's calibration file")],
    device: Annotated[str, typer.Option(help="Key of the line in serial_devices")] = "arm",
) -> None:
    """Print what a role configuration says of the motors of a calibration file, as YAML."""
    from ...lib.hw.feetech import calibration

    try:
        found = {n: calibration.part_of(each) for n, each in _calibration(file).items()}
    except SaintError as err:
        raise fail(err) from None
    print("fields:  # limits in degrees")
    for name, part in found.items():
        print(f"  {name}: {{limits: [{part.limits[0]:.4f}, {part.limits[1]:.4f}]}}")
    print("gpio_mapping:")
    for name, part in found.items():
        place = f"device: {device}, servo_id: {part.servo_id}, ticks: {list(part.ticks)}"
        print(f"  {name}: {{type: bus_servo, {place}, homing_offset: {part.homing_offset}}}")


def _calibration(file: Path) -> "dict[str, MotorCalibration]":
    from ...lib.hw.feetech import calibration

    try:
        return calibration.read(file.read_bytes(), str(file))
    except OSError as err:
        raise SaintError(Code.REQUEST_INVALID, f"{file}: {err.strerror}") from err


def _restore(port: str, file: Path, protocol: LineProtocol) -> None:
    from . import servos

    found = _calibration(file)
    if protocol is LineProtocol.X:
        servos.check_offsets(found)
    with servos.opened(port, protocol) as line:
        servos.save(line, found)
    print(f"The servos have the calibration of {file}.")


def _calibrate(port: str, file: Path, named: list[str] | None, protocol: LineProtocol) -> None:
    from ...lib.hw.feetech import calibration
    from . import servos

    motors = _motors(named or []) or calibration.SO_ARM
    with servos.opened(port, protocol) as line:
        offsets = _without_torque(line, motors, protocol)
        print("Move every joint from end to end, then press Enter.")
        ranges = calibration.ranges(
            servos.record(line, motors),
            _TURN_HORN if protocol is LineProtocol.X else calibration.HOME_AGAIN,
        )
        found = {
            name: calibration.MotorCalibration(
                id=servo, drive_mode=0, homing_offset=offsets[name],
                range_min=ranges[name][0], range_max=ranges[name][1],
            )
            for name, servo in motors.items()
        }  # fmt: skip
        servos.save(line, found)
    try:
        file.write_text(calibration.written(found), encoding="utf-8")
    except OSError as err:
        raise SaintError(Code.REQUEST_INVALID, f"{file}: {err.strerror}") from err
    print(f"The calibration is in the servos and in {file}.")


def _without_torque(
    line: "ServoSetup", motors: dict[str, int], protocol: LineProtocol
) -> dict[str, int]:
    """Have the arm go limp; return the offsets that its servos have then."""
    from . import servos

    if protocol is LineProtocol.X:
        print("Hold the arm: it goes limp. Then press Enter.")
        sys.stdin.readline()
        return servos.unhome(line, motors)
    print("Hold the arm: it goes limp. Move every joint to the middle of its range, then Enter.")
    sys.stdin.readline()
    return servos.home(line, motors)


def _motors(named: list[str]) -> dict[str, int]:
    found: dict[str, int] = {}
    for text in named:
        name, _, number = text.partition("=")
        if not name or not number.isdecimal() or int(number) > 253:
            raise typer.BadParameter(f"{text!r} is no NAME=ID")
        if (servo := int(number)) in found.values():
            raise typer.BadParameter(f"{text!r}: another motor has this id")
        found[name] = servo
    return found
