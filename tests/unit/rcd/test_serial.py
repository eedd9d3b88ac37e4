"""Serial lines: any speed, one owner, clear sentences, growing pauses."""

import asyncio
import errno
import os
import termios
from collections.abc import Iterator

import pytest

from saint_services.lib.errors import Code, SaintError
from saint_services.lib.hw.buses import serial
from saint_services.lib.hw.buses.serial import SerialLine, SerialPort, open_serial


@pytest.fixture
def pair() -> Iterator[tuple[int, str]]:
    ours, theirs = os.openpty()
    yield ours, os.ttyname(theirs)
    os.close(theirs)
    os.close(ours)


@pytest.mark.parametrize(
    ("baud", "parity", "stopbits"),
    [(420_000, "none", 1), (100_000, "even", 2), (115_200, "none", 1)],
)
def test_all_bytes_pass_at_every_speed(
    pair: tuple[int, str], baud: int, parity: str, stopbits: int
) -> None:
    port = open_serial(pair[1], baud, parity, stopbits)
    os.write(pair[0], bytes(range(256)))
    assert port.read() == bytes(range(256))
    assert port.read() == b""  # nothing there is not unplugged
    port.close()


def test_bytes_with_a_wrong_parity_bit_are_left_out(pair: tuple[int, str]) -> None:
    # A pseudo terminal has no parity bits; the kernel's settings are what can be looked at.
    port = open_serial(pair[1], 100_000, "even", 2)
    settings = termios.tcgetattr(port.fileno())
    assert settings[0] & termios.INPCK and settings[0] & termios.IGNPAR
    assert not settings[0] & termios.PARMRK
    assert settings[2] & termios.CSTOPB
    port.close()


def test_second_owner_is_refused(pair: tuple[int, str]) -> None:
    port = open_serial(pair[1], 115_200)
    with pytest.raises(SaintError, match="another program has it open"):
        open_serial(pair[1], 115_200)
    port.close()
    open_serial(pair[1], 115_200).close()


@pytest.mark.parametrize(
    ("device", "code", "message"),
    [
        ("/dev/nowhere", Code.HARDWARE_MISSING, "the device is not plugged in"),
        ("/etc/hostname", Code.HARDWARE_FAULT, "it is not a serial line"),
        ("/tmp", Code.HARDWARE_FAULT, "it is not a serial line"),
    ],
)
def test_wrong_device_is_reported(device: str, code: Code, message: str) -> None:
    with pytest.raises(SaintError, match=message) as caught:
        open_serial(device, 115_200)
    assert caught.value.code is code


@pytest.mark.parametrize(
    ("number", "reason", "fix"),
    [
        (errno.EACCES, "this user has no permission", "dialout"),
        (errno.EPERM, "this service may not open it yet", "Restart this machine"),
    ],
)
def test_refusals_of_the_owner_and_of_the_service_have_their_own_advice(
    monkeypatch: pytest.MonkeyPatch, number: int, reason: str, fix: str
) -> None:
    """The device filter of a service refuses with EPERM; the owner's group with EACCES."""

    def refuse(*_: object, **__: object) -> int:
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(os, "open", refuse)  # pyserial has the error in its own
    with pytest.raises(SaintError) as caught:
        open_serial("/dev/ttyACM0", 115_200)
    assert caught.value.code is Code.HARDWARE_FAULT
    assert reason in caught.value.message
    assert fix in caught.value.fix


async def test_line_that_is_not_there_is_tried_with_growing_pauses(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert list(serial.PAUSES_S) == sorted(serial.PAUSES_S) and len(serial.PAUSES_S) == 5
    monkeypatch.setattr(serial, "PAUSES_S", (0.01, 0.03, 0.06))
    loop = asyncio.get_running_loop()
    tries: list[float] = []
    lost: list[SaintError] = []
    enough = asyncio.Event()

    def never() -> SerialPort:
        tries.append(loop.time())
        if len(tries) == 5:
            enough.set()
        raise SaintError(Code.HARDWARE_MISSING, "gone")

    line = SerialLine(never, lambda data, now_us: None, lambda: None, lost.append)
    line.start()
    async with asyncio.timeout(5):
        await enough.wait()
    line.close()
    assert len(lost) == 1
    for index, pause_s in enumerate((0.01, 0.03, 0.06, 0.06)):
        assert tries[index + 1] - tries[index] >= pause_s - 0.002
