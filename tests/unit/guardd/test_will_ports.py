"""How writes reach their devices: files, lines, buses, serial lines, pigpiod."""

import fcntl
import os
import pty
import socket
import struct
import termios
import threading
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from saint_services.lib.guard import ports
from saint_services.lib.guard.ports import Ports, carry_out, open_port
from saint_services.lib.guard.will import Kind, Will, Write
from saint_services.lib.hw import pigpio_pwm
from saint_services.lib.hw.roboclaw import duties

names = st.text("abcdefgh-@2", min_size=1, max_size=20)
writes = st.builds(
    Write, st.sampled_from(Kind), st.text(max_size=50), st.integers(0, 2**32 - 1),
    st.binary(max_size=64),
)  # fmt: skip


@given(st.builds(Will, names, st.text(max_size=20), st.lists(writes, max_size=20).map(tuple)))
def test_will_is_read_as_it_was_written(will: Will) -> None:
    assert Will.decoded(will.encoded()) == will


@given(st.binary(max_size=300))
def test_anything_else_is_refused_with_a_value_error(data: bytes) -> None:
    with pytest.raises(ValueError):  # every kind of nonsense
        Will.decoded(data)


def will(*given_writes: Write) -> Will:
    return Will("role-x", "x", given_writes)


def test_kernel_pwm_is_set_to_zero_by_one_write(tmp_path: Path) -> None:
    duty = tmp_path / "duty_cycle"
    duty.write_text("40000\n")
    assert carry_out([will(Write(Kind.FILE, str(duty), 0, b"0"))]) == []
    assert duty.read_text()[0] == "0"


def test_device_that_was_away_is_opened_when_the_will_is_carried_out(tmp_path: Path) -> None:
    duty = tmp_path / "duty_cycle"
    opened = Ports(will(Write(Kind.FILE, str(duty), 0, b"0")))
    assert opened.carry_out() == [f"{duty}: No such file or directory"]
    duty.write_text("40000")
    assert opened.carry_out() == []
    assert duty.read_text() == "00000"
    opened.close()


def test_serial_line_gets_the_bytes_at_its_speed() -> None:
    ours, theirs = pty.openpty()
    order = duties(0x80, 0.0, 0.0)
    assert carry_out([will(Write(Kind.SERIAL, os.ttyname(theirs), 38400, order))]) == []
    assert os.read(ours, 100) == order
    assert termios.tcgetattr(theirs)[4] == termios.B38400
    os.close(ours)
    os.close(theirs)


class Ioctls:
    """Stands for the kernel: notes calls, hands out a descriptor for a line."""

    def __init__(self) -> None:
        self.calls: list[tuple[int, bytes]] = []
        self.line = os.open(os.devnull, os.O_RDWR)

    def __call__(self, descriptor: int, request: int, argument: Any = 0) -> int:
        data = bytes(argument) if not isinstance(argument, int) else argument.to_bytes(4, "little")
        self.calls.append((request, data))
        if request == 0xC250B407:  # GPIO_V2_GET_LINE_IOCTL
            argument[588:592] = struct.pack("=i", os.dup(self.line))
        return 0


@pytest.fixture
def kernel(monkeypatch: pytest.MonkeyPatch) -> Ioctls:
    found = Ioctls()
    monkeypatch.setattr(fcntl, "ioctl", found)
    return found


def test_line_is_requested_low_and_set_low(kernel: Ioctls) -> None:
    """The layout of struct gpio_v2_line_request, by offsets of linux/gpio.h."""
    assert carry_out([will(Write(Kind.LINE, os.devnull, 17, b"\0"))]) == []
    (get, request), (set_values, values) = kernel.calls
    assert (get, len(request)) == (0xC250B407, 592)
    assert struct.unpack_from("=I", request, 0)[0] == 17  # offsets[0]
    assert request[256:288].rstrip(b"\0") == b"saint-guard"
    assert struct.unpack_from("=Q", request, 288)[0] == 8  # flags: output
    assert struct.unpack_from("=I", request, 296)[0] == 1  # one attribute
    assert struct.unpack_from("=IIQQ", request, 320) == (2, 0, 0, 1)  # output value 0, mask 1
    assert struct.unpack_from("=I", request, 560)[0] == 1  # one line
    assert (set_values, values) == (0xC010B40F, struct.pack("=QQ", 0, 1))


def test_line_that_the_role_handed_over_is_not_requested_again(kernel: Ioctls) -> None:
    opened = Ports(will(Write(Kind.LINE, "/dev/none", 17, b"\0")), [os.dup(kernel.line)])
    assert opened.carry_out() == []
    assert [request for request, _ in kernel.calls] == [0xC010B40F]
    opened.close()


def test_i2c_transfer_is_one_write_with_a_short_time_out(kernel: Ioctls, tmp_path: Path) -> None:
    bus = tmp_path / "i2c-1"
    bus.touch()
    assert carry_out([will(Write(Kind.I2C, str(bus), 0x40, b"\x0e\0\0\0\x10"))]) == []
    calls = [(request, int.from_bytes(data, "little")) for request, data in kernel.calls]
    assert calls == [(0x0702, 3), (0x0706, 0x40)]  # I2C_TIMEOUT 30 ms, I2C_SLAVE_FORCE
    assert bus.read_bytes() == b"\x0e\0\0\0\x10"


def test_pigpiod_gets_the_command_that_ends_all_pulses(monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        monkeypatch.setenv("PIGPIO_ADDR", "127.0.0.1")
        monkeypatch.setenv("PIGPIO_PORT", str(server.getsockname()[1]))
        received: list[bytes] = []

        def serve() -> None:
            connection, _ = server.accept()
            received.append(connection.recv(100))
            connection.close()

        thread = threading.Thread(target=serve)
        thread.start()
        assert carry_out([will(pigpio_pwm.will_low(12))]) == []
        thread.join(5.0)
    assert received == [struct.pack("<4I", 4, 12, 0, 0)]  # command WRITE, GPIO12, low


def test_write_that_is_taken_in_part_counts_as_failed(monkeypatch: pytest.MonkeyPatch) -> None:
    ours, theirs = pty.openpty()
    port = open_port(Write(Kind.SERIAL, os.ttyname(theirs), 115200, b"abc"))
    monkeypatch.setattr(ports.os, "write", lambda *_: 1)
    with pytest.raises(OSError, match="only a part"):
        port.write()
    port.close()
    os.close(ours)
    os.close(theirs)


def test_header_is_found_by_the_label_of_its_chip(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    labels = {"gpiochip0": b"brcmvirt-gpio", "gpiochip1": b"pinctrl-rp1"}
    for name in labels:
        (tmp_path / name).touch()

    def ioctl(descriptor: int, request: int, info: bytearray) -> int:
        assert (request, len(info)) == (0x8044B401, 68)  # GPIO_GET_CHIPINFO_IOCTL
        name = Path(f"/proc/self/fd/{descriptor}").readlink().name
        info[32 : 32 + len(labels[name])] = labels[name]
        return 0

    monkeypatch.setattr(fcntl, "ioctl", ioctl)
    assert ports.header_chip(str(tmp_path)) == str(tmp_path / "gpiochip1")
    del labels["gpiochip1"]
    (tmp_path / "gpiochip1").unlink()
    with pytest.raises(FileNotFoundError, match="no GPIO chip"):
        ports.header_chip(str(tmp_path))
