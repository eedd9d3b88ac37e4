"""Serial lines, pins and the clock of an ESP32-S3, for both boards."""

import time

import machine

_WATCHDOG_MS, _UPDATE_MS = 1000, 600_000


class Clock:
    """Milliseconds since the start that do not wrap: ticks_ms does, after 12 days."""

    def __init__(self) -> None:
        self._ticks = time.ticks_ms()  # type: ignore[attr-defined]
        self._now_ms = 0

    def now_ms(self) -> int:
        """Return the time; called at least once a day."""
        ticks = time.ticks_ms()  # type: ignore[attr-defined]
        self._now_ms += time.ticks_diff(ticks, self._ticks)  # type: ignore[attr-defined]
        self._ticks = ticks
        return self._now_ms


class SerialLine:
    """A UART that never blocks."""

    def __init__(self, number: int, baud: int, tx: int, rx: int) -> None:
        self._uart = machine.UART(
            number, baudrate=baud, tx=tx, rx=rx, rxbuf=1024, txbuf=1024, timeout=0
        )

    def read(self) -> bytes:
        return self._uart.read() or b""

    def write(self, data: bytes) -> None:
        self._uart.write(data)


class Terminal:
    """The terminal that mpremote uses too. Interrupting by Ctrl-C is possible only while
    `may_interrupt`: a board with armed motors is not updated.
    """

    def __init__(self) -> None:
        import select
        import sys

        self._input, self._output = sys.stdin.buffer, sys.stdout.buffer
        self._poll = select.poll()
        self._poll.register(sys.stdin, select.POLLIN)

    def read(self) -> bytes:
        found = b""
        while self._poll.poll(0) and len(found) < 128:
            found += self._input.read(1)
        return found

    def write(self, data: bytes) -> None:
        self._output.write(data)

    def may_interrupt(self, may: bool) -> None:
        """Let Ctrl-C end the program, or not."""
        import micropython

        micropython.kbd_intr(3 if may else -1)


class OutputPin:
    """A digital output, low from the start."""

    def __init__(self, number: int) -> None:
        self._pin = machine.Pin(number, machine.Pin.OUT, value=0)

    def value(self, level: int) -> None:
        self._pin.value(level)


class PwmPin:
    """A PWM output at 20 kHz, at rest from the start."""

    def __init__(self, number: int) -> None:
        self._pwm = machine.PWM(machine.Pin(number), freq=20_000, duty_u16=0)

    def duty(self, share: float) -> None:
        self._pwm.duty_u16(max(0, min(65535, int(share * 65535))))


def serve(board, clock: Clock, terminal: Terminal, is_armed) -> None:
    """Run a board until interrupted; whatever ends it, its outputs are switched off."""
    watchdog = machine.WDT(timeout=_WATCHDOG_MS)
    was_armed = None
    try:
        while True:
            board.step(clock.now_ms())
            watchdog.feed()
            if is_armed() != was_armed:
                was_armed = is_armed()
                terminal.may_interrupt(not was_armed)
            time.sleep_ms(1)  # type: ignore[attr-defined]
    finally:
        board.off()
        machine.WDT(timeout=_UPDATE_MS)  # it cannot be stopped, and mpremote needs its time
