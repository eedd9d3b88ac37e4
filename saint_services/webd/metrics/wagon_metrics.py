"""Metrics of a wagon, from the state that its role publishes."""

import math

from ...lib.api.wagon import WagonInfo, wagon_info
from ..topics.newest import Newest
from .page import MetricsPage

STATES = ("disarmed", "armed", "failsafe", "estop", "tilt", "fault", "silent")
_BUS_STATES = ("active", "warning", "passive", "bus-off")


def wagon(page: MetricsPage, newest: Newest) -> None:
    """Add the wagon, where there is one that reports."""
    if newest.wagon is None:
        return
    found = wagon_info(newest.wagon)
    for state in STATES:
        text = "1 in the state that the wagon's board is in."
        page.gauge("wagon_state", text, found.state == state, state=state)
    page.gauge("wagon_battery_volts", "Voltage of the wagon's battery.", found.battery_voltage)
    page.gauge("wagon_speed_meters_per_second", "Speed of the wagon.", found.speed)
    pitch = None if found.pitch is None else math.radians(found.pitch)
    page.gauge("wagon_pitch_radians", "Pitch of the wagon, nose down positive.", pitch)
    for receiver in found.receivers:
        text = "Signal strength at a receiver of the pilot."
        page.gauge("wagon_signal_dbm", text, receiver.rssi, receiver=receiver.name)
    _motors(page, found)
    _bus(page, found)


def _motors(page: MetricsPage, found: WagonInfo) -> None:
    for motor in found.motors:
        text = "Current of a motor."
        page.gauge("wagon_motor_amperes", text, motor.current, motor=motor.name)
        text = "Temperature of a motor."
        page.gauge("wagon_motor_celsius", text, motor.temperature, motor=motor.name)
        text, celsius = "Temperature of a motor controller.", motor.controller_temperature
        page.gauge("wagon_controller_celsius", text, celsius, motor=motor.name)


def _bus(page: MetricsPage, found: WagonInfo) -> None:
    if (bus := found.bus) is None:
        return
    for state in _BUS_STATES:
        text = "1 in the state of the wagon's CAN bus."
        page.gauge("wagon_bus_state", text, bus.state == state, state=state)
    page.gauge("wagon_bus_load_ratio", "Share of the bus's time that frames take.", bus.load)
    page.counter("wagon_bus_errors_total", "Errors of the bus.", bus.errors)
    page.counter("wagon_bus_lost_frames_total", "Frames that the computer dropped.", bus.lost)
    page.counter("wagon_bus_offs_total", "How often the controller left the bus.", bus.bus_offs)
    for kind, count in (("foreign", bus.foreign), ("damaged", bus.damaged)):
        text = "Frames that are none of the wagon's."
        page.counter("wagon_bus_odd_frames_total", text, count, kind=kind)
