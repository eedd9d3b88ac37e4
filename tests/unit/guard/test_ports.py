"""How writes reach their devices: files, lines, buses, serial lines, pigpiod."""

import errno
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
from saint_services.lib.guard.ports import WillPorts, carry_out, open_port
from saint_services.lib.guard.will import Will, Write, WriteKind
from saint_services.lib.hw.motors.roboclaw import duties
from saint_services.lib.hw.pwm import pigpio_pwm
from saint_services.lib.records import Records

names = st.text("abcdefgh-@2", min_size=1, max_size=20)
writes = st.builds(
    Write, st.sampled_from(WriteKind), st.text(max_size=50), st.integers(0, 2**32 - 1),
    st.binary(max_size=64),
)  # fmt: skip


@given(st.builds(Will, names, st.text(max_size=20), st.lists(writes, max_size=20).map(tuple)))
def test_will_is_read_as_it_was_written(will: Will) -> None:
    assert Will.decoded(will.encoded()) == will


@given(st.binary(max_size=300))
def test_anything_else_is_refused_with_a_value_error(data: bytes) -> None:
    with pytest.raises(ValueError):  # every kind of nonsense
        Will.decoded(data)


def descriptors() -> int:
    """Count the descriptors of this process."""
    return len(list(Path("/proc/self/fd").iterdir()))


def will(*given_writes: Write) -> Will:
    return Will("role-x", "x", given_writes)


def test_kernel_pwm_is_set_to_zero_by_one_write(tmp_path: Path) -> None:
    duty = tmp_path / "duty_cycle"
    duty.write_text("40000\n")
    assert carry_out([will(Write(WriteKind.FILE, str(duty), 0, b"0"))]) == []
    assert duty.read_text()[0] == "0"


def test_device_that_was_away_is_opened_when_the_will_is_carried_out(tmp_path: Path) -> None:
    duty = tmp_path / "duty_cycle"
    opened = WillPorts(will(Write(WriteKind.FILE, str(duty), 0, b"0")))
    assert opened.carry_out() == [f"{duty}: No such file or directory"]
    duty.write_text("40000")
    assert opened.carry_out() == []
    assert duty.read_text() == "00000"
    opened.close()


@pytest.mark.parametrize("number", [errno.ENOENT, errno.ENODEV, errno.ENXIO])
def test_device_that_is_away_is_no_refusal(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    def away(*_: object) -> int:
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(os, "open", away)
    for kind in (WriteKind.SERIAL, WriteKind.I2C):
        assert WillPorts(will(Write(kind, "/dev/x", 9600, b"0"))).refusals == []
    for kind in (WriteKind.FILE, WriteKind.LINE, WriteKind.RECORD):  # pins of this machine
        opened = WillPorts(will(Write(kind, str(tmp_path / "x"), 1, b"0")))
        assert opened.refusals == [f"{tmp_path / 'x'}: {os.strerror(number)}"]


def test_device_that_is_there_and_does_not_open_is_a_refusal(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def refuse(*_: object) -> int:
        raise PermissionError(errno.EPERM, "Operation not permitted")

    monkeypatch.setattr(os, "open", refuse)
    serial, bus = Write(WriteKind.SERIAL, "/dev/ttyUSB0", 9600), Write(WriteKind.I2C, "/dev/i2c-1")
    opened = WillPorts(will(serial, bus))
    wanted = [f"{path}: Operation not permitted" for path in ("/dev/ttyUSB0", "/dev/i2c-1")]
    assert opened.refusals == wanted
    opened.open_missing()
    assert opened.refusals == wanted  # each once
    monkeypatch.undo()
    opened.open_missing()
    assert opened.refusals == []  # none is plugged in here


def test_serial_line_gets_the_bytes_at_its_speed() -> None:
    ours, theirs = pty.openpty()
    order = duties(0x80, 0.0, 0.0)
    assert carry_out([will(Write(WriteKind.SERIAL, os.ttyname(theirs), 38400, order))]) == []
    assert os.read(ours, 100) == order
    assert termios.tcgetattr(theirs)[4] == termios.B38400
    os.close(ours)
    os.close(theirs)


def test_serial_line_is_set_raw_and_to_its_speed_both_ways() -> None:
    ours, theirs = pty.openpty()
    settings = termios.tcgetattr(theirs)
    settings[3] |= termios.ECHO | termios.ICANON
    termios.tcsetattr(theirs, termios.TCSANOW, settings)
    port = open_port(Write(WriteKind.SERIAL, os.ttyname(theirs), 115200, b"abc"))
    port.write()
    input_flags, output_flags, control, local, *speeds, _ = termios.tcgetattr(theirs)
    assert (input_flags, output_flags, local) == (0, 0, 0)
    assert control & ~termios.CBAUD == termios.CS8 | termios.CLOCAL | termios.CREAD
    assert speeds == [termios.B115200, termios.B115200]
    port.close()
    os.close(ours)
    os.close(theirs)


def test_serial_line_of_an_odd_speed_gets_the_bytes_as_it_is() -> None:
    ours, theirs = pty.openpty()
    assert carry_out([will(Write(WriteKind.SERIAL, os.ttyname(theirs), 12345, b"abc"))]) == []
    assert os.read(ours, 100) == b"abc"
    os.close(ours)
    os.close(theirs)


def test_simulated_pin_is_set_to_zero_in_a_file_of_any_age(tmp_path: Path) -> None:
    pins = Records(tmp_path / "pins", 6)
    for pin in (4, 5):
        pins.write(pin, 0.7)
    before = descriptors()
    assert carry_out([will(Write(WriteKind.RECORD, str(tmp_path / "pins"), 5))]) == []
    assert [pins.read(pin).value for pin in (4, 5)] == [0.7, 0.0]
    assert carry_out([will(Write(WriteKind.RECORD, str(tmp_path / "new"), 5))]) == []
    assert (tmp_path / "new").stat().st_size == 6 * 16 * 8
    assert descriptors() == before
    pins.close()


def test_closed_ports_give_everything_back_and_close_once(tmp_path: Path) -> None:
    duty, other = tmp_path / "duty_cycle", tmp_path / "other"
    for path in (duty, other):
        path.write_text("40000")
    pin = Write(WriteKind.RECORD, str(tmp_path / "pins"), 5)
    three = will(*(Write(WriteKind.FILE, str(path), 0, b"0") for path in (duty, other)), pin)
    before = descriptors()
    opened = WillPorts(three)
    assert descriptors() > before
    opened.close()
    assert descriptors() == before
    fresh = os.open(os.devnull, os.O_RDWR)  # takes the number of one that is closed
    opened.close()
    os.close(fresh)  # it is still ours
    assert opened.carry_out() == []  # opened once more
    opened.close()
    assert descriptors() == before


def test_port_that_fails_is_closed_and_opened_once_more(tmp_path: Path) -> None:
    duty = tmp_path / "duty_cycle"
    duty.write_text("40000")
    opened = WillPorts(will(Write(WriteKind.FILE, str(duty), 0, b"0")))
    before = descriptors()

    class Broken:
        closed = 0

        def write(self) -> None:
            raise OSError(5, "broken")

        def close(self) -> None:
            self.closed += 1
            raise OSError(5, "broken")

    broken = Broken()
    assert opened._ports[0]
    opened._ports[0].close()
    opened._ports[0] = broken
    assert opened.carry_out() == []
    assert (broken.closed, duty.read_text()) == (1, "00000")
    assert descriptors() == before
    opened.close()


class Ioctls:
    """Stands for the kernel: records calls, returns a descriptor for a line."""

    def __init__(self) -> None:
        self.calls: list[tuple[int, bytes]] = []
        self.files: list[tuple[int, int]] = []  # of each call
        self.line = os.memfd_create("line")

    def __call__(self, descriptor: int, request: int, argument: Any = 0) -> int:
        data = bytes(argument) if not isinstance(argument, int) else argument.to_bytes(4, "little")
        self.calls.append((request, data))
        status = os.fstat(descriptor)
        self.files.append((status.st_dev, status.st_ino))
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
    assert carry_out([will(Write(WriteKind.LINE, os.devnull, 17, b"\0"))]) == []
    (get, request), (set_values, values) = kernel.calls
    assert (get, len(request)) == (0xC250B407, 592)
    assert struct.unpack_from("=I", request, 0)[0] == 17  # offsets[0]
    assert request[256:288].rstrip(b"\0") == b"saint-guard"
    assert struct.unpack_from("=Q", request, 288)[0] == 8 | 512  # flags: output, bias down
    assert struct.unpack_from("=I", request, 296)[0] == 1  # one attribute
    assert struct.unpack_from("=IIQQ", request, 320) == (2, 0, 0, 1)  # output value 0, mask 1
    assert struct.unpack_from("=I", request, 560)[0] == 1  # one line
    assert struct.unpack_from("=i", request, 588)[0] == -1  # no descriptor yet
    used = {*range(0, 4), *range(256, 300), *range(320, 344), *range(560, 564), *range(588, 592)}
    assert not any(byte for at, byte in enumerate(request) if at not in used)
    assert (set_values, values) == (0xC010B40F, struct.pack("=QQ", 0, 1))


def test_line_that_the_role_passed_on_is_not_requested_again(kernel: Ioctls) -> None:
    opened = WillPorts(will(Write(WriteKind.LINE, "/dev/none", 17, b"\0")), [os.dup(kernel.line)])
    assert opened.carry_out() == []
    assert [request for request, _ in kernel.calls] == [0xC010B40F]
    opened.close()


def test_line_is_set_by_the_descriptor_that_the_kernel_gave_for_it(
    kernel: Ioctls, tmp_path: Path
) -> None:
    chip = tmp_path / "gpiochip0"
    chip.touch()
    before = descriptors()
    assert carry_out([will(Write(WriteKind.LINE, str(chip), 17, b"\1"))]) == []
    assert kernel.files[0][1] == chip.stat().st_ino
    line = os.fstat(kernel.line)
    assert kernel.files[1] == (line.st_dev, line.st_ino)
    (_, request), (_, values) = kernel.calls
    assert struct.unpack_from("=Q", request, 288)[0] == 8 | 256  # flags: output, bias up
    assert struct.unpack_from("=IIQQ", request, 320) == (2, 0, 1, 1)  # requested high at once
    assert values == struct.pack("=QQ", 1, 1)
    assert descriptors() == before


def test_line_is_set_high_and_low(kernel: Ioctls) -> None:
    ports.set_line(kernel.line, True)
    ports.set_line(kernel.line, False)
    assert kernel.calls == [
        (0xC010B40F, struct.pack("=QQ", 1, 1)),
        (0xC010B40F, struct.pack("=QQ", 0, 1)),
    ]


def test_passed_line_belongs_to_the_write_of_a_line_and_to_no_other(
    kernel: Ioctls, tmp_path: Path
) -> None:
    duty = tmp_path / "duty_cycle"
    duty.write_text("40000")
    both = will(
        Write(WriteKind.FILE, str(duty), 0, b"0"), Write(WriteKind.LINE, "/dev/none", 17, b"\0")
    )
    opened = WillPorts(both, [os.dup(kernel.line)])
    assert opened.carry_out() == []
    assert [request for request, _ in kernel.calls] == [0xC010B40F]
    opened.close()


def test_bus_that_refuses_the_address_is_closed_and_named(
    kernel: Ioctls, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(descriptor: int, request: int, argument: object = 0) -> int:
        if request == 0x0702:
            raise OSError(25, "no time-out here")  # not every controller knows it
        raise OSError(16, "busy")

    bus = tmp_path / "i2c-1"
    bus.touch()
    monkeypatch.setattr(fcntl, "ioctl", refuse)
    before = descriptors()
    assert carry_out([will(Write(WriteKind.I2C, str(bus), 0x40, b"x"))]) == [f"{bus}: busy"]
    assert descriptors() == before


def test_i2c_transfer_is_one_write_with_a_short_time_out(kernel: Ioctls, tmp_path: Path) -> None:
    bus = tmp_path / "i2c-1"
    bus.touch()
    assert carry_out([will(Write(WriteKind.I2C, str(bus), 0x40, b"\x0e\0\0\0\x10"))]) == []
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


def test_pigpiod_that_was_restarted_gets_the_command_on_a_new_connection() -> None:
    """The first send to a connection that the other side has closed is lost without an error."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        address = f"127.0.0.1:{server.getsockname()[1]}"
        opened = WillPorts(will(Write(WriteKind.PIGPIO, address, 0, b"low!")))
        old, _ = server.accept()
        old.close()
        assert opened.carry_out() == []
        server.settimeout(5.0)
        new, _ = server.accept()
        assert new.recv(100) == b"low!"
        new.sendall(b"answer")
        assert opened.carry_out() == []  # the answer of the first is no obstacle
        assert new.recv(100) == b"low!"
        before = descriptors()
        opened.close()
        assert descriptors() == before - 1
        new.close()


def test_pigpiod_is_waited_for_a_tenth_of_a_second(monkeypatch: pytest.MonkeyPatch) -> None:
    requested: list[tuple[object, ...]] = []

    def connect(*given: object) -> socket.socket:
        requested.append(given)
        raise OSError(111, "refused")

    monkeypatch.setattr(socket, "create_connection", connect)
    assert carry_out([will(Write(WriteKind.PIGPIO, "pi.local:8888", 0, b"x"))])
    assert requested == [(("pi.local", 8888), 0.1)] * 2


def test_write_that_is_taken_in_part_counts_as_failed(monkeypatch: pytest.MonkeyPatch) -> None:
    ours, theirs = pty.openpty()
    port = open_port(Write(WriteKind.SERIAL, os.ttyname(theirs), 115200, b"abc"))
    monkeypatch.setattr(ports.os, "write", lambda *_: 1)
    with pytest.raises(OSError, match="only a part") as raised:
        port.write()
    assert raised.value.errno == errno.EIO
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


class FakeBus:
    """A raw CAN socket."""

    def __init__(self) -> None:
        self.calls: list[Any] = []
        self.refusal = 0

    def setblocking(self, blocking: bool) -> None:
        self.calls.append(("blocking", blocking))

    def setsockopt(self, *option: Any) -> None:
        self.calls.append(("option", *option))

    def bind(self, address: Any) -> None:
        self.calls.append(("bind", address))
        if self.refusal:
            raise OSError(self.refusal, os.strerror(self.refusal))

    def send(self, data: bytes) -> int:
        self.calls.append(("send", data))
        return len(data)

    def close(self) -> None:
        self.calls.append("close")


def test_frame_of_a_will_is_sent_on_its_bus_and_nothing_received(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    bus = FakeBus()
    monkeypatch.setattr(socket, "socket", lambda *family: bus.calls.append(family) or bus)
    write = Write(WriteKind.CAN, "can0", 0x8000_0144, bytes(4))
    assert carry_out([will(write)]) == []
    assert bus.calls == [
        (29, socket.SOCK_RAW, 1),
        ("blocking", False),
        ("option", 101, 1, b""),
        ("bind", ("can0",)),
        ("send", bytes.fromhex("44010080 04000000 00000000 00000000")),
        "close",
    ]


def test_bus_of_a_will_that_is_missing_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    bus = FakeBus()
    bus.refusal = errno.ENODEV
    monkeypatch.setattr(socket, "socket", lambda *_: bus)
    write = Write(WriteKind.CAN, "can0", 0x8000_0144, bytes(4))
    assert carry_out([will(write)]) == ["can0: No such device"]
    assert bus.calls[-1] == "close"


def test_datagram_goes_to_its_address_and_nothing_listening_is_no_failure() -> None:
    listener = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    listener.bind(("127.0.0.1", 0))
    listener.settimeout(5.0)
    place = f"127.0.0.1:{listener.getsockname()[1]}"
    before = descriptors()
    opened = WillPorts(will(Write(WriteKind.UDP, place, 0, b"damp")))
    assert opened.carry_out() == []
    assert listener.recv(100) == b"damp"
    listener.close()
    opened.carry_out()
    assert opened.carry_out() == []  # the answer to the one before is passed over
    opened.close()
    assert descriptors() == before - 1


@pytest.mark.parametrize(
    "place",
    ["robot.local:8850", "127.0.0.1:x", "127.0.0.1:0", "127.0.0.1:65536", "8850", "1:5", ""],
)
def test_datagram_to_no_address_is_a_failure_and_looks_nothing_up(place: str) -> None:
    with pytest.raises(OSError):
        open_port(Write(WriteKind.UDP, place, 0, b"damp"))
