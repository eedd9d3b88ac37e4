"""A blank ESP32 behind its serial line, for Espressif's own esptool: the loader in the chip's ROM
(frames in SLIP: synchronize, registers, memory), the flasher that esptool loads into its memory, a
flash; then MicroPython's raw REPL for mpremote. A pseudo terminal has no reset line: a Ctrl-C
outside of a frame, which mpremote sends first, stands for the start of what was written.
"""

import hashlib
import struct
import zlib
from collections.abc import Callable

from .micropython_repl import MicroPythonRepl

ESP32_S3, ESP32_C3 = 9, 5
FLASH_BYTES = 8 << 20
_FLASH_ID = 0x174020  # a chip of 8 MB
_SPI_W0 = 0x60002058
_END = 0xC0
_BLOCK_HEAD = struct.Struct("<IIII")  # bytes, number, two unused
_DONE, _BAD_CHECKSUM, _UNKNOWN = b"\x00\x00", b"\x01\x07", b"\x01\x05"
_COMMANDS = {
    0x02: "flash_begin", 0x03: "flash_data", 0x04: "done", 0x05: "done", 0x06: "mem_end",
    0x07: "mem_data", 0x08: "sync", 0x09: "done", 0x0A: "read_reg", 0x0B: "done", 0x0D: "done",
    0x0F: "done", 0x10: "defl_begin", 0x11: "defl_data", 0x12: "done", 0x13: "md5",
    0x14: "security",
}  # fmt: skip


def _slip(packet: bytes) -> bytes:
    escaped = packet.replace(b"\xdb", b"\xdb\xdd").replace(b"\xc0", b"\xdb\xdc")
    return bytes((_END,)) + escaped + bytes((_END,))


class RomLoader:
    """`feed` returns what the chip replies to these bytes."""

    def __init__(self, repl: MicroPythonRepl, chip_id: int = ESP32_S3) -> None:
        self.chip_id = chip_id
        self.flash = bytearray(b"\xff" * FLASH_BYTES)
        self.written = 0
        self.cut_after: int | None = None  # bytes of flash: the cable breaks
        self.flips_after: int | None = None  # bytes of flash: a bit of the next block is wrong
        self._repl = repl
        self._is_started = False
        self._frame: bytearray | None = None
        self._is_flasher = False
        self._at = 0
        self._inflate = zlib.decompressobj()

    def feed(self, data: bytes) -> bytes:
        """Follow bytes of the line."""
        reply = b""
        for place, byte in enumerate(data):
            if self._is_started or (self._frame is None and byte == 3):
                self._is_started = True
                return reply + self._repl.feed(data[place:])
            if byte != _END:
                if self._frame is not None:
                    self._frame.append(byte)
            elif self._frame:
                packet = (
                    bytes(self._frame).replace(b"\xdb\xdc", b"\xc0").replace(b"\xdb\xdd", b"\xdb")
                )
                self._frame = None
                reply += self._answer(packet)
            else:
                self._frame = bytearray()
        return reply

    @property
    def _is_cut(self) -> bool:
        return self.cut_after is not None and self.written >= self.cut_after

    def _answer(self, packet: bytes) -> bytes:
        if self._is_cut or len(packet) < 8 or packet[0]:
            return b""
        _, command, _, checksum = struct.unpack_from("<BBHI", packet)
        name = _COMMANDS.get(command, "unknown")
        act: Callable[[bytes, int], tuple[int, bytes]] = getattr(self, f"_{name}")
        value, content = act(packet[8:], checksum)
        if self._is_cut:
            return b""
        head = struct.pack("<BBHI", 1, command, len(content), value)
        again = 8 if name == "sync" else 1
        greeting = b"OHAI" if name == "mem_end" and self._is_flasher else b""
        return _slip(head + content) * again + (_slip(greeting) if greeting else b"")

    def _done(self, _content: bytes, _checksum: int) -> tuple[int, bytes]:
        return 0, _DONE

    def _unknown(self, _content: bytes, _checksum: int) -> tuple[int, bytes]:
        return 0, _UNKNOWN

    def _sync(self, _content: bytes, _checksum: int) -> tuple[int, bytes]:
        return 0 if self._is_flasher else 0x20120707, _DONE

    def _read_reg(self, content: bytes, _checksum: int) -> tuple[int, bytes]:
        return (_FLASH_ID if struct.unpack_from("<I", content)[0] == _SPI_W0 else 0), _DONE

    def _security(self, _content: bytes, _checksum: int) -> tuple[int, bytes]:
        return 0, struct.pack("<I8BII", 0, *bytes(8), self.chip_id, 0) + _DONE

    def _mem_data(self, content: bytes, checksum: int) -> tuple[int, bytes]:
        return 0, self._checked(content, checksum)[1]

    def _mem_end(self, content: bytes, _checksum: int) -> tuple[int, bytes]:
        self._is_flasher = not struct.unpack_from("<I", content)[0]  # 0: it is started
        return 0, _DONE

    def _flash_begin(self, content: bytes, _checksum: int) -> tuple[int, bytes]:
        self._at = struct.unpack_from("<IIII", content)[3]
        self._inflate = zlib.decompressobj()
        return 0, _DONE

    _defl_begin = _flash_begin

    def _flash_data(self, content: bytes, checksum: int) -> tuple[int, bytes]:
        data, outcome = self._checked(content, checksum)
        return self._write(data, outcome)

    def _defl_data(self, content: bytes, checksum: int) -> tuple[int, bytes]:
        data, outcome = self._checked(content, checksum)
        return self._write(self._inflate.decompress(data) if outcome == _DONE else b"", outcome)

    def _checked(self, content: bytes, checksum: int) -> tuple[bytes, bytes]:
        size = _BLOCK_HEAD.unpack_from(content)[0]
        data, found = content[_BLOCK_HEAD.size :][:size], 0xEF
        for byte in data:
            found ^= byte
        return data, _DONE if found == checksum and len(data) == size else _BAD_CHECKSUM

    def _write(self, data: bytes, outcome: bytes) -> tuple[int, bytes]:
        self.flash[self._at : self._at + len(data)] = data
        if self.flips_after is not None and self._at <= self.flips_after < self._at + len(data):
            self.flash[self.flips_after] ^= 1
        self._at += len(data)
        self.written += len(data)
        return 0, outcome

    def _md5(self, content: bytes, _checksum: int) -> tuple[int, bytes]:
        at, size = struct.unpack_from("<II", content)
        found = hashlib.md5(self.flash[at : at + size], usedforsecurity=False)
        return 0, (found.digest() if self._is_flasher else found.hexdigest().encode()) + _DONE
