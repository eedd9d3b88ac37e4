"""The PCA9685 driver against a model of the chip's registers, and against faulty buses."""

import errno
from pathlib import Path

import pytest

from saint_services.lib.errors import Code, SaintError
from saint_services.lib.hw.pwm.pca9685 import Pca9685, prescale_for
from tools.sim.chips.outputs import ChipFault, Pca9685Chip
from tools.sim.observe import read_pca9685
from tools.sim.pins import SimI2c


class Wire(SimI2c):
    """A bus that notes what is written, and counts what is read."""

    def __init__(self, chips: dict[int, object]) -> None:
        super().__init__(chips)  # type: ignore[arg-type]
        self.written: list[bytes] = []
        self.reads = 0

    def write(self, address: int, data: bytes) -> None:
        self.written.append(bytes(data))
        super().write(address, data)

    def transfer(self, address: int, data: bytes, length: int) -> bytes:
        self.reads += 1
        return super().transfer(address, data, length)


@pytest.fixture
def chip(tmp_path: Path) -> Pca9685Chip:
    return Pca9685Chip(tmp_path / "i2c-1-40")


@pytest.fixture
def wire(chip: Pca9685Chip) -> Wire:
    return Wire({0x40: chip})


def test_start_sets_the_prescaler_while_the_chip_sleeps(wire: Wire) -> None:
    Pca9685(wire, 0x40, 50, "face")
    assert wire.written == [
        bytes((0x00, 0x31)),  # sleep
        bytes((0xFE, 121)),  # 25 MHz / 4096 / 50 Hz - 1
        bytes((0x01, 0x04)),
        bytes((0x00, 0x21)),  # awake, auto-increment
    ]


@pytest.mark.parametrize(("hertz", "value"), [(24, 253), (50, 121), (200, 30), (1526, 3)])
def test_prescaler_follows_the_data_sheet(hertz: int, value: int) -> None:
    assert prescale_for(hertz) == value


def test_pulse_is_written_as_on_and_off_counts(wire: Wire, chip: Pca9685Chip) -> None:
    driver = Pca9685(wire, 0x40, 50, "face")
    wire.written.clear()
    driver.set_pulses_us({3: 1500.0})
    assert wire.written == [bytes((0x06 + 12, 0, 0, 0x33, 0x01))]  # 307 steps of 4.88 us
    assert chip.output(3).value == pytest.approx(1498.16)
    assert chip.output(2).writes == 0


def test_several_channels_are_one_block_that_leaves_the_others_alone(
    wire: Wire, chip: Pca9685Chip
) -> None:
    driver = Pca9685(wire, 0x40, 50, "face")
    driver.set_pulses_us({1: 1200.0})
    wire.written.clear()
    driver.set_pulses_us({0: 1000.0, 2: 2000.0})
    assert len(wire.written) == 1
    assert [round(chip.output(channel).value) for channel in range(3)] == [1000, 1200, 2001]


def test_zero_pulse_sets_the_full_off_bit(wire: Wire, chip: Pca9685Chip) -> None:
    driver = Pca9685(wire, 0x40, 50, "face")
    driver.set_pulses_us({0: 1500.0})
    driver.set_pulses_us({0: 0.0})
    assert wire.written[-1] == bytes((0x06, 0, 0, 0, 0x10))
    assert chip.output(0).value == 0.0


def test_pulse_longer_than_the_period_sets_the_full_on_bit(wire: Wire) -> None:
    driver = Pca9685(wire, 0x40, 50, "face")
    driver.set_pulses_us({0: 1e9})
    assert wire.written[-1] == bytes((0x06, 0, 0x10, 0, 0))
    assert driver.pulse_us(0) == pytest.approx(4096 * 4.88)


def test_second_process_finds_the_pulses_and_does_not_disturb_them(tmp_path: Path) -> None:
    first = Wire({0x40: Pca9685Chip(tmp_path / "i2c-1-40")})
    Pca9685(first, 0x40, 50, "face").set_pulses_us({0: 1500.0})
    second = Wire({0x40: Pca9685Chip(tmp_path / "i2c-1-40")})
    driver = Pca9685(second, 0x40, 50, "face")
    assert second.written == []
    assert driver.pulse_us(0) == pytest.approx(1498.16)
    assert read_pca9685(tmp_path, 1, 0x40)[0].writes == 1


def test_missing_chip_is_named(wire: Wire) -> None:
    with pytest.raises(SaintError, match="face: no PCA9685 answers at I2C address 0x41") as caught:
        Pca9685(wire, 0x41, 50, "face")
    assert caught.value.code is Code.HARDWARE_MISSING


def test_other_chip_at_the_address_is_recognised() -> None:
    class Memory:
        """An EEPROM: it acknowledges everything and reads as erased."""

        def write(self, address: int, data: bytes) -> None: ...

        def transfer(self, address: int, data: bytes, length: int) -> bytes:
            return b"\xff" * length

        def close(self) -> None: ...

    with pytest.raises(SaintError, match="is not a PCA9685"):
        Pca9685(Memory(), 0x40, 50, "face")


def test_short_read_is_a_missing_chip() -> None:
    class Short:
        def write(self, address: int, data: bytes) -> None: ...

        def transfer(self, address: int, data: bytes, length: int) -> bytes:
            return b""

        def close(self) -> None: ...

    with pytest.raises(SaintError, match="short read"):
        Pca9685(Short(), 0x40, 50, "face")


def test_failed_write_leaves_the_known_state_alone(wire: Wire, chip: Pca9685Chip) -> None:
    driver = Pca9685(wire, 0x40, 50, "face")
    driver.set_pulses_us({0: 1500.0})
    chip.set_answers(False)
    with pytest.raises(OSError, match="no acknowledge") as caught:
        driver.set_pulses_us({0: 2000.0})
    assert caught.value.errno == errno.ENXIO
    assert driver.pulse_us(0) == pytest.approx(1498.16)


def test_bus_that_is_held_low_at_work_is_an_error_and_the_pulses_stay(
    wire: Wire, chip: Pca9685Chip
) -> None:
    driver = Pca9685(wire, 0x40, 50, "face")
    driver.set_pulses_us({0: 1500.0})
    chip.set_fault(ChipFault.STUCK)
    with pytest.raises(OSError, match="held low"):
        driver.set_pulses_us({0: 2000.0})
    chip.set_fault(ChipFault.NONE)
    assert round(chip.output(0).value, -1) == 1500
    driver.set_pulses_us({0: 2000.0})
    assert round(chip.output(0).value, -1) == 2000


def test_bus_whose_data_line_is_held_low_has_no_chip(wire: Wire, chip: Pca9685Chip) -> None:
    """A Pi's controller takes the low level for an acknowledge, and reads zeros."""
    chip.set_fault(ChipFault.LOW)
    with pytest.raises(SaintError, match=r"0x40 \(SDA is held low: check the wires .*\)") as caught:
        Pca9685(wire, 0x40, 50, "face")
    assert caught.value.code is Code.HARDWARE_MISSING


@pytest.mark.parametrize(
    ("fault", "words"), [(ChipFault.LOW, "SDA is held low"), (ChipFault.BLANK, "not a PCA9685")]
)
def test_data_line_that_falls_at_work_is_found_out_and_stays_an_error(
    wire: Wire, chip: Pca9685Chip, fault: ChipFault, words: str
) -> None:
    driver = Pca9685(wire, 0x40, 50, "face")
    driver.set_pulses_us({5: 1500.0})
    chip.set_fault(fault)
    with pytest.raises(OSError, match=words):
        for _ in range(50):
            driver.set_pulses_us({0: 1200.0})
    for _ in range(5):  # so that the role gives up
        with pytest.raises(OSError, match=words):
            driver.set_pulses_us({0: 1200.0})
    chip.set_fault(ChipFault.NONE)
    driver.set_pulses_us({0: 1800.0})
    assert [round(chip.output(channel).value, -1) for channel in (0, 5)] == [1800, 1500]


def test_end_of_a_pulse_is_no_success_while_the_data_line_is_held_low(
    wire: Wire, chip: Pca9685Chip
) -> None:
    driver = Pca9685(wire, 0x40, 50, "face")
    driver.set_pulses_us({5: 1500.0})
    chip.set_fault(ChipFault.LOW)
    for _ in range(5):
        with pytest.raises(OSError, match="SDA is held low"):
            driver.set_pulses_us({5: 0.0})
    chip.set_fault(ChipFault.NONE)
    driver.set_pulses_us({5: 0.0})
    assert chip.output(5).value == 0.0


def test_end_of_a_pulse_is_written_before_the_chip_is_looked_at(
    wire: Wire, chip: Pca9685Chip, monkeypatch: pytest.MonkeyPatch
) -> None:
    driver = Pca9685(wire, 0x40, 50, "face")
    driver.set_pulses_us({5: 1500.0})

    def fails(*_: object) -> bytes:
        raise OSError(errno.ENXIO, "no acknowledge")

    monkeypatch.setattr(wire, "transfer", fails)
    with pytest.raises(OSError, match="no acknowledge"):
        driver.set_pulses_us({5: 0.0})
    assert chip.output(5).value == 0.0


def test_chip_without_power_while_a_pulse_ends_stays_without_it(
    wire: Wire, chip: Pca9685Chip
) -> None:
    driver = Pca9685(wire, 0x40, 50, "face")
    driver.set_pulses_us({4: 1200.0, 5: 1500.0})
    chip.set_fault(ChipFault.UNPLUGGED)
    chip.set_fault(ChipFault.NONE)
    driver.set_pulses_us({5: 0.0})
    assert [round(chip.output(channel).value, -1) for channel in (4, 5)] == [1200, 0]


def test_pulse_in_motion_costs_one_transfer_and_its_end_one_more(wire: Wire) -> None:
    driver = Pca9685(wire, 0x40, 50, "face")
    wire.reads, wire.written = 0, []
    for pulse in range(1000, 1040):
        driver.set_pulses_us({3: float(pulse)})
    driver.set_pulses_us({4: 0.0})  # it had none
    assert (wire.reads, len(wire.written)) == (0, 41)
    driver.set_pulses_us({3: 0.0})
    assert (wire.reads, len(wire.written)) == (1, 42)
    driver.set_pulses_us({3: 1e9})  # the rest of what is active low
    assert (wire.reads, len(wire.written)) == (2, 43)
    driver.set_pulses_us({3: 1e9})
    assert (wire.reads, len(wire.written)) == (2, 44)


def test_chip_that_was_unplugged_is_set_up_again(wire: Wire, chip: Pca9685Chip) -> None:
    """After power it sleeps, at another frequency, and would take a block into one register."""
    driver = Pca9685(wire, 0x40, 50, "face")
    driver.set_pulses_us({0: 1200.0, 5: 1500.0})
    chip.set_fault(ChipFault.UNPLUGGED)
    assert chip.output(5).value == 0.0
    with pytest.raises(OSError, match="no acknowledge"):
        driver.set_pulses_us({0: 2000.0})
    with pytest.raises(OSError, match="no acknowledge"):
        driver.set_pulses_us({0: 2000.0})
    chip.set_fault(ChipFault.NONE)
    driver.set_pulses_us({0: 1800.0})
    shown = [round(chip.output(channel).value, -1) for channel in (0, 1, 5)]
    assert shown == [1800, 0, 1500]


def test_chip_that_was_without_power_unnoticed_is_found_out(wire: Wire, chip: Pca9685Chip) -> None:
    driver = Pca9685(wire, 0x40, 50, "face")
    driver.set_pulses_us({5: 1500.0})
    chip.set_fault(ChipFault.UNPLUGGED)
    chip.set_fault(ChipFault.NONE)
    for _ in range(50):
        driver.set_pulses_us({0: 1200.0})
    assert [round(chip.output(channel).value, -1) for channel in (0, 5)] == [1200, 1500]


def test_chip_that_kept_its_power_is_not_disturbed(wire: Wire, chip: Pca9685Chip) -> None:
    driver = Pca9685(wire, 0x40, 50, "face")
    driver.set_pulses_us({5: 1500.0})
    chip.set_fault(ChipFault.DEAF)
    with pytest.raises(OSError, match="no acknowledge"):
        driver.set_pulses_us({0: 2000.0})
    chip.set_fault(ChipFault.NONE)
    driver.set_pulses_us({0: 1800.0})
    assert chip.output(5).writes == 1


@pytest.mark.parametrize(
    "fault", [ChipFault.UNPLUGGED, ChipFault.STUCK, ChipFault.SHORT, ChipFault.BLANK]
)
def test_faulty_chip_is_an_error_when_it_is_opened(
    wire: Wire, chip: Pca9685Chip, fault: ChipFault
) -> None:
    chip.set_fault(fault)
    with pytest.raises(SaintError, match="face: "):
        Pca9685(wire, 0x40, 50, "face")


def test_loose_contact_loses_no_pulse(wire: Wire, chip: Pca9685Chip) -> None:
    driver = Pca9685(wire, 0x40, 50, "face")
    chip.set_fault(ChipFault.NAK)
    failed = 0
    for pulse in range(1000, 2000, 100):
        for _ in range(5):
            try:
                driver.set_pulses_us({3: float(pulse)})
            except OSError:
                failed += 1
            else:
                break
        assert chip.output(3).value == pytest.approx(pulse, abs=5.0)
    assert failed


def test_model_ignores_the_prescaler_while_awake(chip: Pca9685Chip) -> None:
    chip.write(bytes((0x00, 0x21)))
    chip.write(bytes((0xFE, 121)))
    chip.write(bytes((0xFE,)))
    assert chip.read(1) == bytes((0x1E,))


def test_model_without_auto_increment_stays_at_one_register(chip: Pca9685Chip) -> None:
    chip.write(bytes((0x06, 1, 2, 3)))
    chip.write(bytes((0x06,)))
    assert chip.read(2) == bytes((3, 3))


def test_model_wraps_after_the_last_output_to_mode_1(chip: Pca9685Chip) -> None:
    chip.write(bytes((0x00, 0x21)))
    chip.write(bytes((0x45,)))
    assert chip.read(2) == bytes((0x10, 0x21))


def test_model_sets_all_outputs_at_once(chip: Pca9685Chip) -> None:
    chip.write(bytes((0x00, 0x21)))
    chip.write(bytes((0xFA, 0, 0, 0x00, 0x08)))  # half of the period, 200 Hz
    assert {round(chip.output(channel).value) for channel in range(16)} == {2540}


def test_model_gives_no_pulses_while_it_sleeps(chip: Pca9685Chip) -> None:
    chip.write(bytes((0x00, 0x21)))
    chip.write(bytes((0x06, 0, 0, 0x00, 0x01)))
    assert chip.output(0).value > 0.0
    chip.write(bytes((0x00, 0x31)))
    assert chip.output(0).value == 0.0
