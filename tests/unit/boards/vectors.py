"""Runs the boards' firmware on fixed vectors and prints what it does, on any Python: CPython and
MicroPython must print the same. Uses only what MicroPython has.
"""
# ruff: noqa: B905, RUF005 - MicroPython has neither strict nor (*a, b)

import json

from image.boards.balance.balance_board import BalanceBoard
from image.boards.balance.mixing import StabilityAssist, mixed
from image.boards.io.accessories import Accessories
from image.boards.io.barometer import Barometer, Bmp280, Bmp388
from image.boards.io.bridges import Bridge, Bridges
from image.boards.io.chips import Chips
from image.boards.io.crsf import CrsfParser, crc_d5
from image.boards.io.distance import DistanceSensor
from image.boards.io.io_board import IoBoard
from image.boards.io.nfc import NfcReader
from image.boards.shared import tables as t
from image.boards.shared.codec import pack, unpack
from image.boards.shared.link import LinkParser, crc8, framed

STEPS = 1000  # of 5 ms, in each history
SEEDS = (5, 9, 12, 14, 22)  # together they reach every state


class Numbers:
    """The same pseudo-random numbers everywhere."""

    def __init__(self, seed):
        self.state = seed

    def below(self, limit):
        self.state = (self.state * 1103515245 + 12345) & 0x7FFFFFFF
        return (self.state >> 16) % limit


class Line:
    def __init__(self):
        self.waiting, self.sent, self.peer, self.is_cut = b"", b"", None, False

    def read(self):
        data, self.waiting = self.waiting, b""
        return data

    def write(self, data):
        if self.peer is None:
            self.sent += data
        elif not self.is_cut:
            self.peer.waiting += data


class Pin:
    def __init__(self):
        self.level, self.share, self.colour = 0, 0.0, ()

    def value(self, level):
        self.level = level

    def duty(self, share):
        self.share = share

    def show(self, colour):
        self.colour = colour


class Can:
    def __init__(self):
        self.waiting, self.duties, self.sent = [], {}, {}

    def send(self, identifier, data, is_extended):
        if not is_extended:
            self.sent[identifier] = data
        elif identifier >> 8 == t.VESC_SET_DUTY[0]:
            self.duties[identifier & 0xFF] = unpack(t.VESC_SET_DUTY, data)[0]
        else:
            self.duties[identifier & 0xFF] = 0
        return True

    def receive(self):
        found, self.waiting = self.waiting, []
        return found

    def is_off(self):
        return False


class Imu:
    def __init__(self):
        self.count, self.is_level, self.is_frozen = 0, True, False

    def read(self):
        if not self.is_frozen:
            self.count += 1
        sample = (
            (0.0, 0.0, 1.0, 0.0, 0.0, 0.0) if self.is_level else (-0.5, 0.0, 0.8660254, 0, 0, 0)
        )
        return self.count, sample


def crsf(us):
    bits = 0
    for number, each in enumerate(us):
        bits |= ((each - 1500) * 8 // 5 + 992) << 11 * number
    body = b"\x16" + bits.to_bytes(22, "little")
    return bytes((0xC8, len(body) + 1)) + body + bytes((crc_d5(body),))


def history(seed):
    """Run both boards through random faults; print what turns every 100 ms."""
    numbers, now_ms = Numbers(seed), 1000
    can, imu, console = Can(), Imu(), Line()
    near, far, receivers = Line(), Line(), (Line(), Line())
    near.peer, far.peer = far, near
    pins = [[Pin(), Pin(), Pin()] for _ in range(4)]
    wheels = [Bridge(each[0], each[1], each[2]) for each in pins]
    outputs = [Pin() for _ in range(5)]
    balance = BalanceBoard(can, imu, near, console, now_ms, "vectors")
    balance.has_bridges = True
    io = IoBoard(
        receivers[0], receivers[1], far, Line(),
        Bridges(tuple(wheels[:2]), tuple(wheels[2:])),
        Accessories(outputs[0], outputs[1], outputs[2], outputs[3], outputs[4]), now_ms,
    )  # fmt: skip
    us = [1500] * 4 + [1000, 1000, 2000] + [1000] * 9
    lives, host = [True, True], None
    for step in range(STEPS):
        now_ms += 5
        if step % 40 == 39:
            act = numbers.below(16)
            if act < 2:
                us[1] = (1000, 1500, 1500, 1800)[numbers.below(4)]
            elif act < 5 and us[4] == 1000:
                us[4] = 2000
            elif act < 7 and not balance.arming.is_armed:
                us[1], us[4] = 1500, 1000
            elif act == 7:
                us[5] = (1000, 1500, 2000)[numbers.below(3)]
            elif act == 8:
                lives = ((True, True), (False, True), (False, False))[numbers.below(3)]
            elif act == 9:
                imu.is_level = numbers.below(4) > 0
            elif act == 10:
                imu.is_frozen = numbers.below(3) == 0
            elif act == 11:
                near.is_cut = numbers.below(4) == 0
            elif act == 12:
                can.waiting.append((t.CAN_ESTOP[0], b"\xe5", False))
            elif act == 13:
                host = (None, 0, 400)[numbers.below(3)]
            elif act == 14:
                can.waiting.append((t.CAN_ARM[0], bytes((numbers.below(2),)), False))
            else:
                console.waiting += b"STATUS\nPID 10 0.5 1\n"
        if step % 4 == 0:
            for line, lived in zip(receivers, lives):
                line.waiting += crsf(us) if lived else b""
            if host is not None:
                can.waiting.append((t.CAN_DRIVE[0], pack(t.CAN_DRIVE, host, 0, 2, 0), False))
            for number in (68, 56):
                for row, values in (
                    (t.VESC_STATUS_1, (900, 2.0, 0.1)),
                    (t.VESC_STATUS_5, (0, 37.0)),
                ):
                    can.waiting.append((row[0] << 8 | number, pack(row, *values), True))
        io.step(now_ms)
        balance.step(now_ms)
        if step % 20 == 0:
            duties = [round(can.duties.get(number, 0) * 1e4) for number in (68, 56)]
            bridges = [
                round(each[2].level * (each[0].share - each[1].share) * 1e3) for each in pins
            ]
            sent = can.sent[t.CAN_ATTITUDE[0]].hex(), can.sent[t.CAN_POWER[0]].hex()
            print(seed, now_ms, balance.arming.state, balance.fault, duties, bridges, sent)
    print(seed, b"OK" in console.sent, balance.arming.prevents())


def _shown(values):
    """Return values as whole numbers: the text of a fraction differs in its last digit."""
    return values and [round(each * 1e9) for each in values]


def codecs():
    """Print frames, and what comes of broken ones."""
    print(crc8(b"123456789"), crc_d5(b"123456789"))
    for row, values in (
        (t.LINK_HEARTBEAT, (4294967295,)),
        (t.LINK_STATUS, (1, -12.5, 0.1)),
        (t.LINK_SENSOR, (4, -71.0)),
        (t.LINK_ACTUATORS, (1, 2, 3, 4, 255)),
        (t.LINK_WHEELS, (-1000, 1000)),
        (t.LINK_RC_CHANNELS, tuple(range(1000, 1016)) + (7,)),
    ):
        print(framed(row, *values).hex())
    for value in (0.0, 1.0, -0.1, 65504.0, 6e-8, 3001.5):
        print(pack(t.CAN_GAINS, value, 0.0, 0.0).hex())
    for data in (b"", b"\x02", b"\x01", bytes(8), b"\xe8\x03" + bytes(6), b"\xe9\x03" + bytes(6)):
        print([_shown(unpack(row, data)) for row in t.HOST_ROWS])
    numbers = Numbers(7)
    good = framed(t.LINK_STATUS, 1, 2.0, 3.0) + framed(t.LINK_HEARTBEAT, 9) + crsf([1500] * 16)
    link, radio = LinkParser(), CrsfParser()
    for number in range(300):
        data = bytearray(good)
        data[numbers.below(len(data))] ^= 1 << numbers.below(8)
        cut = numbers.below(len(data))
        for part in (bytes(data[:cut]), bytes(data[cut:])):
            found = link.feed(part, number * 3), radio.feed(part)
            print(json.dumps([list(each) for each in found]))
    print(link.frames, link.discarded_bytes, radio.frames, radio.discarded_bytes)


def control():
    """Print mixing and assistance."""
    assist = StabilityAssist((12.0, 0.5, 1.5))
    numbers = Numbers(3)
    for _ in range(200):
        speed, steer = numbers.below(2001) - 1000, numbers.below(2001) - 1000
        sides = mixed(speed, steer, numbers.below(101) / 100)
        assisted = assist.step(speed, numbers.below(40) - 20, numbers.below(100) - 50, 0.005)
        print([round(each * 100) for each in sides + (assisted,)])


class I2c:
    """A bus whose chips say anything, or fail."""

    def __init__(self, numbers):
        self.numbers = numbers

    def readfrom(self, address, size):
        if self.numbers.below(20) == 0:
            raise OSError(110)
        kind = self.numbers.below(4)
        if kind < 2:
            return bytes((kind,)) * size
        return bytes([self.numbers.below(256) for _ in range(size)])

    def writeto(self, address, data):
        if self.numbers.below(20) == 0:
            raise OSError(110)

    def readfrom_mem(self, address, register, size, addrsize=8):
        if register in ID_REGISTERS:
            return b"\xeb\xaa" if size == 2 else bytes((ID_REGISTERS[register],))
        return self.readfrom(address, size)

    def writeto_mem(self, address, register, data, addrsize=8):
        self.writeto(address, data)


ID_REGISTERS = {0xD0: 0x58, 0xC0: 0xEE}


def chips():
    """Print what becomes of hostile chips, and the arithmetic of the barometers."""
    numbers = Numbers(11)
    bus = Chips(I2c(numbers), (DistanceSensor(), Barometer(), NfcReader()))
    for step in range(12000):
        bus.step(step * 5)
        if step % 40 == 0:
            print([frame.hex() for frame in bus.poll(step * 5)])
        if step % 4000 == 3999:
            ID_REGISTERS[0x010F] = ID_REGISTERS.pop(0xD0, 0)
            ID_REGISTERS[0x00] = 0x50
    print([(chip.name, chip.errors, chip.is_there) for chip in bus.each])
    for kind, constants in ((Bmp280, BMP280), (Bmp388, BMP388)):
        chip = kind(None, 0)
        chip._t, chip._p = constants[:3], constants[3:]
        for _ in range(100):
            data = bytes([each + numbers.below(8) for each in (100, 90, 80, 125, 90, 0)])
            print([round(each * 256) for each in chip.measured(data)])


BMP280 = (27504, 26435, -1000, 36477, -10685, 3024, 2855, 140, -7, 15500, -14600, 6000)
BMP388 = (27772, 18937, -10, -327, -1050, 35, 0, 25124, 30180, 3, -11, 15000, 5, -60)


if __name__ == "__main__":
    codecs()
    chips()
    control()
    for each in SEEDS:
        history(each)
