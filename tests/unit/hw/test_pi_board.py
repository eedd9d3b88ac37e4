"""The real ports against what the kernel and the libraries show of themselves."""

import errno
import struct
import sys
import types
from pathlib import Path
from typing import Any

import pytest

from saint_services.lib.errors import Code, SaintError
from saint_services.lib.guard.ports import carry_out
from saint_services.lib.hw import will_of
from saint_services.lib.hw.pi_board import PiBoard
from saint_services.lib.hw.pwm import pigpio_pwm
from saint_services.lib.hw.pwm.pigpio_pwm import PigpioPwm
from saint_services.lib.hw.pwm.sysfs_pwm import SysfsPwm, duties, find_chip
from tests.unit.role.role_rig import load_role


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """/sys/class/pwm of a Pi 5, with its channels exported."""
    for number, channels in ((0, 1), (2, 4)):
        chip = tmp_path / f"pwmchip{number}"
        chip.mkdir()
        (chip / "npwm").write_text(f"{channels}\n")
        (chip / "export").write_text("")
        for channel in range(channels):
            folder = chip / f"pwm{channel}"
            folder.mkdir()
            for name in ("period", "duty_cycle", "enable"):
                (folder / name).write_text("0\n")
    return tmp_path


@pytest.fixture
def without_pigpio(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pigpio", None)


def value(path: Path) -> int:
    """A sysfs file takes each write as a whole; a plain file keeps the longer rest."""
    return int(path.read_text().split("\n")[0])


def test_chip_of_the_header_is_found_by_its_channels(root: Path) -> None:
    chip, channels = find_chip(root)
    assert chip.name == "pwmchip2"
    assert channels == {12: 0, 13: 1}


@pytest.mark.parametrize("fan", [0, 2])
def test_header_of_a_pi_5_is_never_the_fan(tmp_path: Path, fan: int) -> None:
    """Both chips of its RP1 have four channels, and the kernel numbers them in either order."""
    folder = tmp_path / "sys/devices/platform/axi/1000120000.pcie"
    pwm = tmp_path / "sys/class/pwm"
    pwm.mkdir(parents=True)
    for number in (0, 2):
        device = "1f0009c000.pwm" if number == fan else "1f00098000.pwm"
        chip = folder / device / "pwm" / f"pwmchip{number}"
        chip.mkdir(parents=True)
        (chip / "npwm").write_text("4\n")
        (pwm / chip.name).symlink_to(chip)
    chip, channels = find_chip(pwm)
    assert "1f00098000.pwm" in chip.resolve().parts
    assert channels == {12: 0, 13: 1}


def test_missing_chip_says_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(SaintError, match="no kernel PWM") as caught:
        find_chip(tmp_path)
    assert "dtoverlay=saint-pwm;" in caught.value.fix  # the image has no pwm-2chan


def test_channel_is_set_up_and_written_in_nanoseconds(root: Path) -> None:
    pwm = SysfsPwm(root / "pwmchip2", 1, 50, "tilt")
    folder = root / "pwmchip2" / "pwm1"
    assert (value(folder / "period"), value(folder / "enable")) == (20_000_000, 1)
    pwm.set_pulse_us(1500.0)
    assert value(folder / "duty_cycle") == 1_500_000
    assert pwm.pulse_us() == 1500.0
    pwm.set_duty(1.5)
    assert value(folder / "duty_cycle") == 20_000_000
    pwm.close()


def test_running_channel_is_not_disturbed(root: Path) -> None:
    folder = root / "pwmchip2" / "pwm1"
    for name, text in (("period", "20000000"), ("duty_cycle", "1700000"), ("enable", "1")):
        (folder / name).write_text(text)
    pwm = SysfsPwm(root / "pwmchip2", 1, 50, "tilt")
    assert pwm.pulse_us() == 1700.0
    pwm.close()


def test_channel_that_cannot_be_exported_is_named(root: Path) -> None:
    with pytest.raises(SaintError, match=r"tilt: .*pwm9"):
        SysfsPwm(root / "nochip", 9, 50, "tilt")


@pytest.mark.usefixtures("without_pigpio")
@pytest.mark.parametrize("count", ["2", "4"], ids=["a Pi 4", "a Pi 5"])
@pytest.mark.parametrize("pin", [18, 19])
def test_pin_that_no_overlay_connects_is_refused_with_those_that_work(
    root: Path, pin: int, count: str
) -> None:
    """Its pulses would leave on GPIO12 or GPIO13, which may drive another motor."""
    (root / "pwmchip2" / "npwm").write_text(count)
    with pytest.raises(SaintError, match=f"roll: GPIO{pin} has no kernel PWM") as caught:
        PiBoard(root).pwm(pin, 50, "roll")
    assert "Use GPIO 12 or 13, or a PCA9685" in caught.value.fix
    with pytest.raises(SaintError, match=f"GPIO{pin} has no kernel PWM"):
        PiBoard(root).will_quiet(pin)


@pytest.mark.usefixtures("without_pigpio")
def test_two_users_of_one_pin_are_refused(root: Path) -> None:
    board = PiBoard(root)
    board.pwm(12, 20_000, "left_motor").close()
    with pytest.raises(SaintError, match="right_motor and left_motor need the same pin, GPIO12"):
        board.pwm(12, 20_000, "right_motor")
    board.pwm(12, 20_000, "left_motor").close()


@pytest.mark.usefixtures("without_pigpio")
def test_pin_without_pwm_is_refused(root: Path) -> None:
    with pytest.raises(SaintError, match="GPIO5 has no kernel PWM"):
        PiBoard(root).pwm(5, 50, "pan")


def test_running_channels_are_named_by_their_pin(root: Path) -> None:
    chip = root / "pwmchip2"
    for channel, duty, enable in ((0, 10_000, 1), (1, 50_000, 0)):
        folder = chip / f"pwm{channel}"
        for name, number in (("period", 50_000), ("duty_cycle", duty), ("enable", enable)):
            (folder / name).write_text(f"{number}\n")
    assert duties(*find_chip(root)) == {12: 0.2}


@pytest.mark.usefixtures("without_pigpio")
def test_safe_state_stops_motors_through_sysfs(root: Path) -> None:
    for channel in (0, 1):
        folder = root / "pwmchip2" / f"pwm{channel}"
        (folder / "period").write_text("50000")
        (folder / "duty_cycle").write_text("0000040000")
    board = PiBoard(root)
    board.prepare(load_role("tracks"))
    assert carry_out([will_of(board, load_role("tracks"), "role-tracksd")]) == []
    for channel in (0, 1):
        duty = (root / "pwmchip2" / f"pwm{channel}" / "duty_cycle").read_text()
        assert duty[0] == "0"


class Daemon:
    """pigpiod: notes calls, answers with a number below zero when it refuses."""

    def __init__(self, answer: int = 0) -> None:
        self.calls: list[tuple[Any, ...]] = []
        self.answer = answer

    def __getattr__(self, name: str) -> Any:
        def call(*arguments: Any) -> int:
            self.calls.append((name, *arguments))
            return self.answer

        return call


def test_pigpio_servo_pulses_on_any_pin() -> None:
    daemon = Daemon()
    PigpioPwm(daemon, 5, 50, "pan").set_pulse_us(1499.6)
    assert daemon.calls == [("set_servo_pulsewidth", 5, 1500)]


def test_pigpio_motor_uses_the_hardware_pwm() -> None:
    daemon = Daemon()
    pwm = PigpioPwm(daemon, 12, 20_000, "left_motor")
    pwm.set_duty(0.25)
    pwm.off()
    assert daemon.calls == [("hardware_PWM", 12, 20_000, 250_000), ("write", 12, 0)]


def test_pigpio_motor_on_a_pin_without_hardware_pwm_is_refused() -> None:
    with pytest.raises(SaintError, match="GPIO5 has no hardware PWM"):
        PigpioPwm(Daemon(), 5, 20_000, "left_motor")


def test_pigpio_motor_on_any_pin_at_a_frequency_that_dma_can_do() -> None:
    daemon = Daemon()
    PigpioPwm(daemon, 5, 2000, "left_motor").set_duty(0.25)
    assert daemon.calls == [
        ("set_PWM_frequency", 5, 2000),
        ("set_PWM_range", 5, 100),
        ("set_PWM_dutycycle", 5, 25),
    ]


def test_pigpio_refusal_is_an_os_error() -> None:
    with pytest.raises(OSError, match="refuses with -2"):
        PigpioPwm(Daemon(-2), 12, 50, "pan").set_pulse_us(1500.0)


def test_pigpiod_that_has_ended_is_an_os_error(monkeypatch: pytest.MonkeyPatch) -> None:
    class Ended:
        connected = True

        def set_servo_pulsewidth(self, pin: int, width: int) -> int:
            return struct.unpack("12sI", b"")[0]  # type: ignore[no-any-return]

    library = types.ModuleType("pigpio")
    monkeypatch.setattr(library, "pi", lambda *, show_errors: Ended(), raising=False)
    monkeypatch.setitem(sys.modules, "pigpio", library)
    connected = pigpio_pwm.connect()
    assert connected is not None and connected.connected
    with pytest.raises(OSError, match="pigpiod has ended"):
        PigpioPwm(connected, 12, 50, "pan").set_pulse_us(1500.0)


def test_pigpio_pin_without_pulse_reads_as_none() -> None:
    assert PigpioPwm(Daemon(-93), 12, 50, "pan").pulse_us() == 0.0


def test_missing_gpio_library_says_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "gpiod", None)
    with pytest.raises(SaintError, match="gpiod is not installed") as caught:
        PiBoard().output(5, "left_motor")
    assert caught.value.code is Code.HARDWARE_MISSING


def test_old_gpio_library_is_recognised(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "gpiod", types.ModuleType("gpiod"))
    with pytest.raises(SaintError, match="older than version 2"):
        PiBoard().output(5, "left_motor")


@pytest.mark.skipif(sys.platform != "linux", reason="I2C devices exist on Linux only")
def test_missing_i2c_bus_says_what_to_do() -> None:
    with pytest.raises(SaintError, match="I2C bus 31 cannot be opened") as caught:
        PiBoard().i2c(31)
    assert "dtparam" in caught.value.fix


@pytest.mark.skipif(sys.platform != "linux", reason="I2C devices exist on Linux only")
def test_i2c_transfers_reach_the_library(monkeypatch: pytest.MonkeyPatch) -> None:
    smbus2 = pytest.importorskip("smbus2")
    sent: list[list[tuple[int, int, bytes]]] = []

    class Bus:
        fd = 0  # of no I2C bus: it refuses the time-out

        def __init__(self, number: int) -> None: ...

        def i2c_rdwr(self, *messages: Any) -> None:
            sent.append([(m.addr, m.flags, bytes(m)) for m in messages])
            if messages[0].addr == 0x41:
                raise OSError(errno.EREMOTEIO, "Remote I/O error")

        def close(self) -> None: ...

    monkeypatch.setattr(smbus2, "SMBus", Bus)
    bus = PiBoard().i2c(1)
    bus.write(0x40, b"\x06\x01")
    assert bus.transfer(0x40, b"\x06", 2) == b"\0\0"
    with pytest.raises(OSError, match="Remote I/O"):
        bus.write(0x41, b"\0")
    assert sent[:2] == [
        [(0x40, 0, b"\x06\x01")],
        [(0x40, 0, b"\x06"), (0x40, 1, b"\0\0")],
    ]


@pytest.mark.skipif(sys.platform != "linux", reason="I2C devices exist on Linux only")
def test_bus_that_is_held_low_costs_30_ms_and_not_a_second(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    smbus2 = pytest.importorskip("smbus2")
    calls: list[tuple[Any, ...]] = []
    monkeypatch.setattr(smbus2.SMBus, "open", lambda bus, number: setattr(bus, "fd", 77))
    monkeypatch.setattr(smbus2.SMBus, "close", lambda bus: None)
    monkeypatch.setattr(
        "saint_services.lib.hw.buses.smbus.fcntl.ioctl", lambda *arguments: calls.append(arguments)
    )
    PiBoard().i2c(1).close()
    assert calls == [(77, 0x0702, 3)]  # I2C_TIMEOUT of linux/i2c-dev.h, in units of 10 ms


def put_bus(root: Path) -> None:
    (root / "dev").mkdir()
    (root / "dev/i2c-1").touch()


@pytest.mark.skipif(sys.platform != "linux", reason="I2C devices exist on Linux only")
class TestScan:
    """The scan of a bus, against the library's own messages."""

    @pytest.fixture
    def answers(self, monkeypatch: pytest.MonkeyPatch) -> dict[int, int]:
        """Error number by address, 0: it answers; all others do not acknowledge."""
        smbus2 = pytest.importorskip("smbus2")
        answers: dict[int, int] = {}
        self.messages: list[list[tuple[int, int]]] = []

        def transfer(bus: object, *messages: Any) -> None:
            self.messages.append([(m.addr, m.flags) for m in messages])
            if number := answers.get(messages[0].addr, errno.EREMOTEIO):
                raise OSError(number, "no")

        def opened(bus: Any, number: int) -> None:
            bus.fd = 0

        monkeypatch.setattr(smbus2.SMBus, "open", opened)
        monkeypatch.setattr(smbus2.SMBus, "close", lambda bus: None)
        monkeypatch.setattr(smbus2.SMBus, "i2c_rdwr", transfer)
        return answers

    def test_empty_read_finds_who_acknowledges(
        self, answers: dict[int, int], tmp_path: Path
    ) -> None:
        put_bus(tmp_path)
        answers.update({0x3C: 0, 0x68: 0})
        shown = PiBoard(devices=tmp_path / "dev").peripherals()
        assert [device.address for device in shown] == ["1:0x3c", "1:0x68"]
        assert all(len(messages) == 1 for messages in self.messages)  # no empty write
        assert len(self.messages) == 0x78 - 0x08

    def test_stuck_bus_is_scanned_once(self, answers: dict[int, int], tmp_path: Path) -> None:
        put_bus(tmp_path)
        answers[0x08] = errno.ETIMEDOUT
        texts = [device.description for device in PiBoard(devices=tmp_path / "dev").peripherals()]
        assert any("held low" in text for text in texts)
        assert len(self.messages) == 1

    def test_bus_that_acknowledges_everything_has_no_chips(
        self, answers: dict[int, int], tmp_path: Path
    ) -> None:
        put_bus(tmp_path)
        answers.update(dict.fromkeys(range(128), 0))
        (found,) = PiBoard(devices=tmp_path / "dev").peripherals()
        assert (found.address, found.responsive) == ("1", False)
        assert "SDA is held low" in found.description
