"""The 40-pin header: BCM numbers 0 to 27 and what they are for when nobody drives them."""

PINS = 28
_FUNCTIONS = {
    **dict.fromkeys((0, 1, 2, 3), "i2c"),
    **dict.fromkeys((7, 8, 9, 10, 11), "spi"),
    **dict.fromkeys((14, 15), "uart"),
}


def pin_name(pin: int) -> str:
    """As in GPIOPin.pin_name."""
    return f"GPIO{pin}"


def function_of(pin: int) -> str:
    """Direction of a pin that no driver holds."""
    return _FUNCTIONS.get(pin, "input")
