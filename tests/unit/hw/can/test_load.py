"""The load of a bus, by the kernel's counters or those of the port."""

from pathlib import Path

import pytest

from saint_services.lib.hw.can.load import BusLoad
from saint_services.lib.hw.can.port import CanState


def kernel(folder: Path, received: int, sent: int) -> None:
    place = folder / "can0" / "statistics"
    place.mkdir(parents=True, exist_ok=True)
    for name, count in (("rx", received), ("tx", sent)):
        (place / f"{name}_packets").write_text(f"{count}\n")
        (place / f"{name}_bytes").write_text(f"{8 * count}\n")


def test_first_look_says_nothing(tmp_path: Path) -> None:
    assert BusLoad("can0", 500_000, tmp_path).look(CanState(), 1.0) is None


def test_full_bus_is_about_full(tmp_path: Path) -> None:
    kernel(tmp_path, 0, 0)
    load = BusLoad("can0", 500_000, tmp_path)
    load.look(CanState(), 1.0)
    kernel(tmp_path, 3000, 700)  # a bus of 500 kbit/s carries 3,500 to 4,500 such frames
    assert load.look(CanState(), 2.0) == pytest.approx(0.985, abs=0.02)


def test_kernel_counts_before_the_port_does(tmp_path: Path) -> None:
    kernel(tmp_path, 100, 100)
    load = BusLoad("can0", 500_000, tmp_path)
    load.look(CanState(), 1.0)
    assert load.look(CanState(received=1000), 2.0) == 0.0


def test_without_a_kernel_the_port_counts(tmp_path: Path) -> None:
    load = BusLoad("/dev/ttyACM0", 500_000, tmp_path)
    load.look(CanState(), 1.0)
    found = load.look(CanState(sent=50, received=200), 2.0)
    assert found == pytest.approx(0.0666, abs=0.001)


def test_adapter_that_starts_again_says_nothing(tmp_path: Path) -> None:
    kernel(tmp_path, 500, 0)
    load = BusLoad("can0", 500_000, tmp_path)
    load.look(CanState(), 1.0)
    kernel(tmp_path, 10, 0)
    assert load.look(CanState(), 2.0) is None
