"""Hardware in a role configuration: pins, and chips on I2C, SPI and serial lines. Each driver is
named after its chip, and the keys that it needs are checked before anything is opened. Not here:
the drivers (lib/hw), the rest of the configuration (model.py).
"""

from collections.abc import Mapping
from typing import Any, Literal

from pydantic import Field, model_validator

from ..strict import StrictModel

Bcm = int | None
# The serial line of GPIO14 and GPIO15 where it has parity, the PL011: saint-uart.dts in image/boot,
# on Raspberry Pi OS with dtoverlay=disable-bt, there on a Pi 5 with dtparam=uart0=on.
HEADER_UART = "/dev/ttyAMA0"

# Keys that a driver needs. The older types are checked when they are opened.
_NEEDS = {
    "bts7960": ("pin", "reverse_pin"),
    "drv8833": ("pin", "reverse_pin"),
    "tb6612": ("pin", "direction_pins"),
    "roboclaw": ("device", "channel"),
    "roboclaw_encoder": ("device", "channel"),
    "vesc": ("device",),
    "vesc_encoder": ("device",),
    "stepper": ("pin", "direction_pin", "switch_pin", "switch_at", "homing_rate"),
    "pixels": ("device", "count", "colour"),
    "bus_servo": ("device", "servo_id"),
}
# Pulses on their `pwm_pins`.
WITH_PWM = ("servo", "hbridge", "bts7960", "drv8833", "tb6612", "dimmer")
BRIDGES = ("hbridge", "bts7960", "drv8833", "tb6612")  # those of one kind may share enable pins
MOTORS = (*BRIDGES, "roboclaw", "vesc")
ON_CAN = ("vesc", "vesc_encoder")  # their `device` is one of can_devices
SERVOS = ("servo", "pca9685")
# serial_devices with bus servos, and the protocols that each maker's servos speak, the usual first:
# sts is that of SMS servos too, x that of the X series (protocol 2.0).
SERVO_LINES: Mapping[str, tuple[str, ...]] = {"feetech": ("sts", "scs"), "dynamixel": ("x",)}
ON_PIN_OR_CHANNEL = ("switch", "dimmer")  # on a `pin`, or on a `channel` of a PCA9685
# Keys that only some types have.
_ONLY: dict[str, tuple[str, ...]] = {
    "enable_pins": (*BRIDGES, "stepper"),
    "centre_us": SERVOS,
    "sleep_after_s": SERVOS,
    "active_low": ("switch",),
    "longest_on_s": ("switch",),
    "most_duty": ("switch",),
    "full_duty": (*MOTORS, "dimmer"),
    "first": ("pixels",),
    "count": ("pixels",),
    "colour": ("pixels",),
    "servo_id": ("bus_servo",),
    "ticks": ("bus_servo",),
    "homing_offset": ("bus_servo",),
    "torque_limit": ("bus_servo",),
    "max_temperature_c": ("bus_servo",),
    "on_stop": ("bus_servo",),
}


class PinSpec(StrictModel):
    """A pin or a channel of a chip, and what it is connected to (specification: gpio_mapping)."""

    type: Literal[
        "servo",
        "pca9685",
        "hbridge",  # PWM on `pin`, direction on `direction_pin`
        "bts7960",  # IBT-2: PWM on `pin` (R_PWM) or `reverse_pin` (L_PWM), `enable_pins` R_EN, L_EN
        "drv8833",  # PWM on `pin` (IN1) or `reverse_pin` (IN2), `enable_pins` nSLEEP
        "tb6612",  # PWM on `pin`, `direction_pins` IN1, IN2, `enable_pins` STBY
        "roboclaw",  # `device` in serial_devices, `channel` 1 or 2
        "quadrature",
        "roboclaw_encoder",
        "vesc",  # `device` in can_devices
        "vesc_encoder",  # its tachometer: 6 counts for each pole pair in a turn of the motor
        # STEP on `pin`, DIR on `direction_pin` (high: up), EN on `enable_pins` (low: on)
        "stepper",
        "button",
        "switch",  # relay, solenoid, MOSFET on `pin`, or on `device` and `channel` of a PCA9685
        "dimmer",  # pulses of variable width on the same; nothing turns backwards
        "pixels",  # lights `first` to `first + count - 1` of the ws2812 `device`
        "bus_servo",  # servo `servo_id` of a feetech or dynamixel `device` in serial_devices
    ]
    pin: Bcm = Field(default=None, ge=0, le=27)
    pin_b: Bcm = Field(default=None, ge=0, le=27)
    direction_pin: Bcm = Field(default=None, ge=0, le=27)
    direction_pins: tuple[int, int] | None = None
    reverse_pin: Bcm = Field(default=None, ge=0, le=27)
    enable_pins: tuple[int, ...] = ()
    device: str = ""  # key in i2c_devices, serial_devices, spi_devices or can_devices
    channel: int | None = Field(default=None, ge=0, le=15)
    frequency: int = Field(default=50, gt=0, le=100_000)  # Hz
    pulse_us: tuple[int, int] = (1000, 2000)
    # Of the value 0, or of the middle where 0 is not between the limits: each side has its slope.
    # A continuous servo stands still there.
    centre_us: int | None = None
    sleep_after_s: float | None = Field(default=None, gt=0, le=3600)  # still for so long: no pulses
    reversed: bool = False
    active_low: bool = False  # a low level switches it on, as with most relay boards
    longest_on_s: float | None = Field(default=None, gt=0, le=86_400)
    most_duty: float | None = Field(default=None, gt=0, lt=1)  # time on, share of duty_window_s
    duty_window_s: float = Field(default=60.0, gt=0, le=3600)
    full_duty: float = Field(default=1.0, gt=0, le=1)  # at the field's limit
    first: int = Field(default=0, ge=0, le=999)
    count: int | None = Field(default=None, ge=1, le=1000)
    colour: Literal["", "red", "green", "blue", "brightness"] = ""
    own_supply: bool = False  # not fed by the 5 V of the computer (supply.py)
    current_device: str = ""  # key in i2c_devices: the meter in this motor's supply
    # For a servo with a meter: torque per ampere above the unloaded current.
    torque_nm_per_a: float | None = Field(default=None, gt=0)
    idle_current_a: float = Field(default=0.0, ge=0)
    # stepper
    steps_per_turn: int = Field(default=200, ge=4, le=10_000)  # of the motor, full steps
    microsteps: int = Field(default=1, ge=1, le=256)  # as set at the driver
    gear: float = Field(default=1.0, gt=0, le=10_000)  # turns of the motor per turn of the joint
    switch_pin: Bcm = Field(default=None, ge=0, le=27)  # closes to ground at `switch_at`
    switch_at: float | None = None  # in the unit of the field
    homing_rate: float | None = Field(default=None, gt=0)  # unit per second

    # bus_servo
    servo_id: int | None = Field(default=None, ge=0, le=253)
    ticks: tuple[int, int] = (0, 4095)  # its positions at the field's limits
    homing_offset: int | None = Field(default=None, ge=-2047, le=2047)  # None: as the servo has it
    torque_limit: float = Field(default=1.0, gt=0, le=1)  # share of its full torque
    max_temperature_c: int = Field(default=70, ge=30, le=100)  # it protects itself from here on
    on_stop: Literal["hold", "limp"] = "hold"  # after a stop, a crash, or without commands

    @property
    def steps_per_deg(self) -> float:
        """The steps of a stepper for one degree of its joint."""
        return self.steps_per_turn * self.microsteps * self.gear / 360.0

    @property
    def pwm_pins(self) -> tuple[int, ...]:
        """The PWM pins; without pulses on them a motor has no torque."""
        return tuple(pin for pin in (self.pin, self.reverse_pin) if pin is not None)

    @model_validator(mode="after")
    def _is_complete(self) -> "PinSpec":
        for key in _NEEDS.get(self.type, ()):
            if getattr(self, key) in (None, "", ()):
                raise ValueError(f"{key} is missing; {self.type} needs it")
        for key, types in _ONLY.items():
            usual = PinSpec.model_fields[key].default
            if self.type not in types and getattr(self, key) != usual:
                raise ValueError(f"{key} is for {', '.join(types)}, not for {self.type}")
        if self.centre_us is not None and not self._is_between(self.centre_us):
            message = f"centre_us is {self.centre_us}, not between {self.pulse_us[0]}"
            raise ValueError(f"{message} and {self.pulse_us[1]} of pulse_us")
        if self.type in ON_PIN_OR_CHANNEL and self._is_on_pin == bool(self.device):
            raise ValueError(f"{self.type} needs a pin, or a device and its channel")
        others = (*(self.direction_pins or ()), *self.enable_pins)
        for pin in others:
            if not 0 <= pin <= 27:
                raise ValueError(f"GPIO{pin} does not exist; BCM numbers are 0 to 27")
        more = (self.pin_b, self.direction_pin, self.switch_pin)
        used = [*self.pwm_pins, *others, *(pin for pin in more if pin is not None)]
        if len(set(used)) != len(used):
            raise ValueError(f"{self.type} names a pin twice: {used}")
        if self.torque_nm_per_a and not self.current_device:
            raise ValueError("torque_nm_per_a needs current_device, the meter in its supply")
        if self.type.startswith("roboclaw") and self.channel not in (1, 2):
            raise ValueError(f"channel is {self.channel}; a RoboClaw has 1 and 2")
        return self

    @property
    def _is_on_pin(self) -> bool:
        if self.device and self.channel is None:
            raise ValueError(f"channel is missing; {self.type} on {self.device} needs it")
        return self.pin is not None

    def _is_between(self, pulse_us: int) -> bool:
        return min(self.pulse_us) < pulse_us < max(self.pulse_us)


class Multiplexer(StrictModel):
    """A TCA9548A, and the channel behind which a chip is."""

    address: int = Field(default=0x70, ge=0x70, le=0x77)
    channel: int = Field(ge=0, le=7)


class I2cDevice(StrictModel):
    """A chip on an I2C bus. A chip that is not `required` may be missing."""

    bus: int = Field(ge=0, le=31)
    address: int = Field(ge=0x03, le=0x77)
    driver: Literal["pca9685", "ssd1306", "mpu6050", "bmp280", "vl53l0x", "ina219", "tsl2561"]
    mux: Multiplexer | None = None
    purpose: str = ""
    required: bool = False
    own_supply: bool = False  # pca9685: its servos are not fed by the 5 V of the computer
    rate_hz: float = Field(default=0.0, ge=0, le=200)  # read rate; 0: the driver's default
    gyro_range_dps: Literal[250, 500, 1000, 2000] = 500  # mpu6050
    accel_range_g: Literal[2, 4, 8, 16] = 4  # mpu6050
    axes: tuple[str, str, str] = ("x", "y", "z")  # mpu6050: the chip's axes along ours
    shunt_ohm: float = Field(default=0.1, gt=0, le=10)  # ina219: 0.1 on most modules
    max_current_a: float = Field(default=3.2, gt=0, le=1000)  # ina219

    @property
    def place(self) -> str:
        """Return bus and address: "1:0x40", behind a multiplexer "1:0x70/3:0x40"."""
        behind = f"0x{self.mux.address:02x}/{self.mux.channel}:" if self.mux else ""
        return f"{self.bus}:{behind}0x{self.address:02x}"

    @model_validator(mode="after")
    def _is_not_its_multiplexer(self) -> "I2cDevice":
        if self.mux and self.mux.address == self.address:
            raise ValueError(f"address 0x{self.address:02x} is that of its multiplexer")
        return self

    @model_validator(mode="after")
    def _axes_are_axes(self) -> "I2cDevice":
        if sorted(axis.removeprefix("-") for axis in self.axes) != ["x", "y", "z"]:
            raise ValueError(f"axes are {list(self.axes)}; name x, y and z once, with - if turned")
        return self


class SpiDevice(StrictModel):
    """A chip on an SPI bus; its presence cannot be detected."""

    bus: int = Field(ge=0, le=9)
    select: int = Field(ge=0, le=3)
    driver: Literal["ws2812", "st7789"]
    purpose: str = ""
    required: bool = False
    own_supply: bool = False  # ws2812: not fed by the 5 V of the computer
    speed_hz: int = Field(default=0, ge=0, le=125_000_000)  # 0: the driver's default
    count: int = Field(default=1, ge=1, le=1000)  # ws2812: lights in the strip
    order: Literal["grb", "rgb"] = "grb"  # ws2812
    size: tuple[int, int] = (240, 240)  # st7789: dots, width and height
    rotation: Literal[0, 90, 180, 270] = 0  # st7789
    data_pin: Bcm = Field(default=None, ge=0, le=27)  # st7789: high means data (D/C)
    reset_pin: Bcm = Field(default=None, ge=0, le=27)
    light_pin: Bcm = Field(default=None, ge=0, le=27)

    @model_validator(mode="after")
    def _is_complete(self) -> "SpiDevice":
        if self.driver == "st7789":
            if self.data_pin is None:
                raise ValueError("data_pin is missing; st7789 needs it")
            lines = [p for p in (self.data_pin, self.reset_pin, self.light_pin) if p is not None]
            if len(set(lines)) != len(lines):
                raise ValueError(f"st7789 names a pin twice: {lines}")
            if not all(1 <= side <= 320 for side in self.size):
                raise ValueError(
                    f"size is {list(self.size)}; an ST7789 has at most 320 dots a side"
                )
        return self


class SerialDevice(StrictModel):
    """A device on a serial line."""

    port: str = Field(pattern=r"^/dev/[\w./:-]+$")  # preferably of /dev/serial/by-id
    baud: int = Field(default=115_200, ge=1200, le=4_000_000)  # of bus servos: line_defaults()
    driver: Literal["roboclaw", "feetech", "dynamixel"]
    address: int = Field(default=0x80, ge=0x80, le=0x87)  # roboclaw
    protocol: Literal["sts", "scs", "x"] = "sts"
    purpose: str = ""
    required: bool = False

    @model_validator(mode="before")
    @classmethod
    def _as_usual(cls, data: Any) -> Any:
        return line_defaults(str(data.get("driver"))) | data if isinstance(data, dict) else data

    @model_validator(mode="after")
    def _speaks_its_protocol(self) -> "SerialDevice":
        spoken = SERVO_LINES.get(self.driver)
        if spoken and self.protocol not in spoken:
            raise ValueError(
                f"protocol is {self.protocol}; servos of a {self.driver} line speak "
                + " or ".join(spoken)
            )
        return self


def line_defaults(driver: str) -> dict[str, Any]:
    """Return the settings of a serial device that its driver makes other than the model's own."""
    spoken = SERVO_LINES.get(driver)
    return {"baud": 1_000_000, "protocol": spoken[0]} if spoken else {}


class CanDevice(StrictModel):
    """A device on a CAN bus: an interface of the kernel, or the serial port of an adapter."""

    port: str = Field(pattern=r"^(can\d{1,2}|/dev/[\w./:-]+)$")
    bit_rate: int = Field(default=500_000, ge=10_000, le=1_000_000)  # of a serial adapter
    driver: Literal["vesc", "wagon"]  # wagon: the BALANCE board, whose identifiers are fixed
    id: int = Field(ge=0, le=252)
    pole_pairs: int = Field(default=15, ge=1, le=100)  # magnets of the motor / 2
    gear: float = Field(default=1.0, gt=0, le=1000)  # turns of the motor per turn of the wheel
    brake_current_a: float = Field(default=0.0, ge=0, le=200)  # at rest; 0: it turns freely
    hottest_fet_c: float = Field(default=85.0, ge=40, le=120)
    hottest_motor_c: float = Field(default=100.0, ge=40, le=180)
    least_v: float = Field(default=0.0, ge=0, le=120)  # of the supply; 0: not looked at
    purpose: str = ""
    required: bool = False

    @model_validator(mode="before")
    @classmethod
    def _id_of_wagon(cls, data: Any) -> Any:
        is_wagon = isinstance(data, dict) and data.get("driver") == "wagon"
        return {"id": 0} | data if is_wagon else data
