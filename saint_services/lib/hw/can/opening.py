"""Opens a CAN bus by its name: an interface of the kernel (can0), the serial port of an adapter
(/dev/ttyACM0), or a bus of a simulated robot.
"""

from collections.abc import Sequence
from typing import Final

from ...simulation import load_simulation, simulated_directory
from .port import CanFilter, CanPort

BIT_RATE: Final = 500_000


def open_can(
    interface: str,
    hardware: str = "real",
    bit_rate: int = BIT_RATE,
    filters: Sequence[CanFilter] = (),
) -> CanPort:
    """Open a bus; `hardware` as SAINT_HW. The bit rate of an interface is set where it is brought
    up, that of a serial adapter here. Raises SaintError.
    """
    if directory := simulated_directory(hardware):
        return load_simulation().open_can(directory, interface)
    if interface.startswith("/"):
        from ..buses.serial import open_serial
        from .slcan import BAUD, SlcanPort

        return SlcanPort(open_serial(interface, BAUD), interface, bit_rate)
    from .socketcan import SocketCan

    return SocketCan(interface, filters)
