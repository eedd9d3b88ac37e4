"""The commands of `saintctl wagon`."""

import time

import typer

from ...lib.api import Done, wagon
from ...lib.api.wagon import WagonBus, WagonEvents, WagonInfo, WagonMotor, WagonReceiver
from ...lib.wagon.meanings import BATTERY_CELLS, TILT_LIMIT_DEG
from ..console import print_table
from ..row_command import row_command

app = typer.Typer(help="CAN wagon: state, arm, disarm, gains.", no_args_is_help=True)
_MODES = {
    "rc": "the pilot (RC)", "assisted": "the computer (assisted)",
    "autonomous": "the computer (autonomous)",
}  # fmt: skip
_NAMES = {"first": "Crossfire", "second": "ELRS"}
_RECEIVERS = {"first": "Crossfire", "second": "ELRS (fail-over)", "none": "no signal"}


@row_command(app, "status", wagon.GET_STATUS)
def print_status(reply: WagonInfo) -> None:
    """Show state, who drives, and what prevents arming."""
    volts = reply.battery_voltage
    battery = "-" if volts is None else f"{volts:.1f} V ({volts / BATTERY_CELLS:.2f} V a cell)"
    rows = [
        ("state", reply.state),
        ("drives", _MODES.get(reply.mode, "-")),
        ("commands", reply.why or "count"),
        ("pitch", f"{_number(reply.pitch, 1)} of {TILT_LIMIT_DEG:g} degrees"),
        ("speed", f"{_number(reply.speed, 2)} m/s"),
        ("battery", battery),
        ("receiver", f"{_RECEIVERS.get(reply.receiver, '-')}, {_number(reply.rssi, 0)} dBm"),
        *((f"signal of {_NAMES[each.name]}", _signal(each)) for each in reply.receivers),
        *((f"motor {each.name}", _motor(each)) for each in reply.motors),
        ("bus", _bus(reply.bus)),
        ("fault", reply.fault or "none"),
        ("gains", " ".join(f"{each:g}" for each in reply.gains) or "not set since the start"),
    ]
    print_table(("wagon", ""), rows, "")
    for each in reply.prevents:
        print(f"Prevents arming: {each}")


@row_command(app, "events", wagon.GET_EVENTS)
def print_events(reply: WagonEvents) -> None:
    """List what stopped the wagon, and its faults and warnings."""
    rows = [
        (
            time.strftime("%m-%d %H:%M:%S", time.localtime(each.time)),
            "lasts" if each.until is None else f"{each.until - each.time:.1f} s",
            each.text,
            f"{_number(each.pitch, 1)} degrees",
        )
        for each in reply.events
    ]
    print_table(("began", "for", "what", "pitch"), rows, "No stop and no fault since the start.")


@row_command(app, "arm", wagon.ARM)
def print_armed(reply: Done) -> None:
    """Arm the wagon: its motors may turn afterwards. Stand clear, and hold the transmitter."""
    print(_sentence(reply))


@row_command(app, "disarm", wagon.DISARM)
def print_disarmed(reply: Done) -> None:
    """Disarm the wagon; also the way out of a stop of its board."""
    print(_sentence(reply))


@row_command(app, "gains", wagon.SET_GAINS)
def print_gains(reply: Done) -> None:
    """Set the gains of the balance controller; while armed in small steps only."""
    print(_sentence(reply))


def _signal(receiver: WagonReceiver) -> str:
    in_use = ", in use" if receiver.is_in_use else ""
    return "none" if receiver.rssi is None else f"{receiver.rssi:.0f} dBm{in_use}"


def _motor(motor: WagonMotor) -> str:
    heat = _number(motor.controller_temperature, 0)
    return (
        f"{_number(motor.current, 1)} A, motor {_number(motor.temperature, 0)} °C, "
        f"controller {heat} °C"
    )


def _bus(bus: WagonBus | None) -> str:
    if bus is None:
        return "-"
    load = "load unknown" if bus.load is None else f"{bus.load:.0%} load"
    return (
        f"{bus.state}, {load}, {bus.errors} errors, {bus.lost} lost, {bus.bus_offs} bus-offs, "
        f"{bus.foreign} foreign and {bus.damaged} damaged frames"
    )


def _sentence(reply: Done) -> str:
    return f"{reply.message[:1].upper()}{reply.message[1:]}."


def _number(value: float | None, digits: int) -> str:
    return "-" if value is None else f"{value:.{digits}f}"
