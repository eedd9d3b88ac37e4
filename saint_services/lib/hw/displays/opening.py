"""Opens the displays and LED strips of a role manifest. Not here: what they show (role daemons)."""

from ...errors import Code, SaintError
from ...role_config.devices import SpiDevice
from ...role_config.model import RoleConfig
from ..buses.multiplexer import open_i2c
from ..ports import Board, DigitalOut, Display, LedStrip


def open_display(board: Board, config: RoleConfig) -> Display | None:
    """Open the first display of the manifest; None where it names none. Raises SaintError when it
    does not answer. Blocks: call it in a thread.
    """
    for name, device in config.i2c_devices.items():
        if device.driver == "ssd1306":
            from .ssd1306 import Ssd1306

            return Ssd1306(open_i2c(board, device), device.address, name)
    for name, panel in config.spi_devices.items():
        if panel.driver == "st7789":
            return _panel(board, name, panel)
    return None


def open_leds(board: Board, config: RoleConfig) -> dict[str, LedStrip]:
    """Open the LED strips of the manifest, by name. Raises SaintError, with none left open."""
    strips: dict[str, LedStrip] = {}
    for name, device in config.spi_devices.items():
        if device.driver == "ws2812":
            from .ws2812 import SPEED_HZ, Ws2812

            try:
                bus = board.spi(device.bus, device.select, device.speed_hz or SPEED_HZ)
            except SaintError:
                for opened in strips.values():
                    opened.close()
                raise
            strips[name] = Ws2812(bus, device)
    return strips


def _panel(board: Board, name: str, device: SpiDevice) -> Display:
    from .st7789 import SPEED_HZ, St7789

    def output(pin: int | None) -> DigitalOut | None:
        return None if pin is None else board.output(pin, name)

    bus = board.spi(device.bus, device.select, device.speed_hz or SPEED_HZ)
    try:
        assert device.data_pin is not None  # the model wants it
        data_pin = board.output(device.data_pin, name)
        return St7789(bus, device, data_pin, output(device.reset_pin), output(device.light_pin))
    except OSError as err:
        bus.close()
        raise SaintError(
            Code.HARDWARE_MISSING, f"{name}: writing to the display failed ({err.strerror or err})"
        ) from err
    except SaintError:
        bus.close()
        raise
