"""Encodes and decodes ROS 2 messages: plain CDR (XCDR1), little endian, final types.

Shared by all bus backends. A codec is compiled once per message class, at its first use, from the
class's FIELDS: runs of fixed-size fields become one `struct` call. Not here: DDS, topics.

Source: OMG DDS-XTypes 1.3, 7.4.3 (encoding version 1); ROS 2 conventions in ARCHITECTURE.md."""

import struct
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cache
from typing import Any, TypeVar

from ..errors import SaintError
from ..generated.errors import Code
from . import Message

HEADER = b"\x00\x01\x00\x00"  # CDR, little endian, no options
PRIMITIVES = {
    "bool": "?", "uint8": "B", "int8": "b", "uint16": "H", "int16": "h", "uint32": "I",
    "int32": "i", "uint64": "Q", "int64": "q", "float32": "f", "float64": "d",
}  # fmt: skip

M = TypeVar("M", bound=Message)
# Raised by values that do not fit their fields.
_WRONG = (struct.error, TypeError, ValueError, AttributeError, OverflowError)


@dataclass(frozen=True, slots=True)
class Array:
    """A fixed number of elements, without a count on the wire."""

    of: Any
    length: int


@dataclass(frozen=True, slots=True)
class Sequence:
    """A variable number of elements; `bound` 0 is unbounded."""

    of: Any
    bound: int = 0


class CdrError(SaintError):
    """Bytes that are not a message of the expected type, or values that do not fit it."""

    def __init__(self, message: str) -> None:
        super().__init__(Code.MESSAGE_MALFORMED, message)


def encode(message: Message) -> bytes:
    """Encode a message with its 4-byte header, padded to a multiple of 4."""
    return encoder(type(message))(message)


def decode(cls: type[M], data: bytes) -> M:
    """Decode `data`, which starts with the header. Raises CdrError."""
    message: M = decoder(cls)(data)
    return message


@cache
def encoder(cls: type[Message]) -> Callable[[Any], bytes]:
    """Return the compiled `encode` of one class, for frequent use."""
    put = _compiled(cls).put

    def run(message: Any) -> bytes:
        buffer = bytearray(HEADER)
        try:
            put(buffer, message)
        except _WRONG as err:
            raise CdrError(f"{cls.TYPE} cannot be encoded: {err}") from err
        buffer += b"\0" * (-len(buffer) & 3)
        return bytes(buffer)

    return run


STEP = 8  # elements


def encode_into(buffer: bytearray, message: Message) -> Iterator[None]:
    """Encode a long message into an empty buffer in steps, yielding after every few elements of its
    last field, so that other work is not delayed.
    """
    cls = type(message)
    name, kind = cls.FIELDS[-1] if cls.FIELDS else ("", None)
    if not isinstance(kind, Sequence) or isinstance(kind.of, str):
        buffer += encode(message)
        return
    items = getattr(message, name)
    # An empty sequence ends with its count, without padding.
    buffer += encode(replace(message, **{name: ()}))[: -_U32.size]  # type: ignore[type-var]
    put = _compiled(kind.of).put
    try:
        _put_count(buffer, len(items), kind.bound or 0xFFFFFFFF)
        for start in range(0, len(items), STEP):
            for item in items[start : start + STEP]:
                put(buffer, item)
            yield
    except _WRONG as err:
        raise CdrError(f"{cls.TYPE} cannot be encoded: {err}") from err
    buffer += b"\0" * (-len(buffer) & 3)


@cache
def decoder(cls: type[Message]) -> Callable[[bytes], Any]:
    """Return the compiled `decode` of one class, for frequent use."""
    get = _compiled(cls).get

    def run(data: bytes) -> Any:
        if data[:2] != HEADER[:2]:
            raise CdrError(f"{cls.TYPE}: encoding {data[:2].hex() or 'missing'} is not supported")
        try:
            message, end = get(data, len(HEADER))
        except (struct.error, ValueError) as err:
            raise CdrError(f"{cls.TYPE}: {err}") from err
        if not end <= len(data) <= end + 3:
            raise CdrError(f"{cls.TYPE}: {len(data)} bytes where {end} were expected")
        return message

    return run


@dataclass(frozen=True, slots=True)
class _Codec:
    put: Callable[[bytearray, Any], None]
    get: Callable[[bytes, int], tuple[Any, int]]


@cache
def _compiled(cls: type[Message]) -> _Codec:
    """Generate and compile the two functions of a class, as `dataclasses` does."""
    writer = _CodecSource(cls)
    namespace = writer.constants
    exec(compile(writer.source(), f"<codec of {cls.TYPE}>", "exec"), namespace)
    return _Codec(namespace["put"], namespace["get"])


class _CodecSource:
    """Generates the source of one class's codec."""

    def __init__(self, cls: type[Message]) -> None:
        self.constants: dict[str, Any] = {
            "put_string": _put_string, "get_string": _get_string,
            "put_strings": _put_strings, "get_strings": _get_strings,
            "put_numbers": _put_numbers, "get_numbers": _get_numbers,
            "put_items": _put_items, "get_items": _get_items,
            "get_bytes": _get_bytes, "put_bytes": _put_bytes,
        }  # fmt: skip
        self.put_lines: list[str] = []
        self.get_lines: list[str] = []
        self._formats: list[str] = []  # the current run of fixed-size values
        self._put_values: list[str] = []
        self._get_names: list[str] = []
        self._count = 0
        self.result = self._message(cls, "m")
        self._flush()

    def source(self) -> str:
        put = "\n".join(f"    {line}" for line in self.put_lines) or "    pass"
        get = "\n".join(f"    {line}" for line in self.get_lines) or "    pass"
        return (
            f"def put(b, m):\n{put}\n"
            f"def get(d, p):\n    size = len(d)\n{get}\n    return {self.result}, p\n"
        )

    def _constant(self, value: Any) -> str:
        name = f"c{len(self.constants)}"
        self.constants[name] = value
        return name

    def _name(self) -> str:
        self._count += 1
        return f"v{self._count}"

    def _message(self, cls: type[Message], path: str) -> str:
        """Generate a nested message in place; returns the expression that builds it."""
        if not cls.FIELDS:  # an empty struct travels as one byte (rosidl)
            self._fixed("B", ["0"])
            return f"{self._constant(cls)}()"
        parts = [self._field(kind, f"{path}.{name}") for name, kind in cls.FIELDS]
        return f"{self._constant(cls)}({', '.join(parts)})"

    def _field(self, kind: Any, path: str) -> str:
        if isinstance(kind, Array):
            return self._array(kind, path)
        if isinstance(kind, Sequence):
            return self._sequence(kind, path)
        if kind == "string":
            return self._call("string", path, "")
        if isinstance(kind, str):
            return self._fixed(PRIMITIVES[kind], [path])[0]
        return self._message(kind, path)

    def _array(self, kind: Array, path: str) -> str:
        if kind.of == "uint8":
            return self._fixed(f"{kind.length}s", [path])[0]
        if isinstance(kind.of, str) and kind.of != "string":
            names = self._fixed(PRIMITIVES[kind.of] * kind.length, [f"*{path}"])
            return f"({', '.join(names)},)"
        items = [self._field(kind.of, f"{path}[{i}]") for i in range(kind.length)]
        return f"({', '.join(items)},)"

    def _sequence(self, kind: Sequence, path: str) -> str:
        bound = kind.bound or 0xFFFFFFFF
        if kind.of == "uint8":
            return self._call("bytes", path, f", {bound}")
        if kind.of == "string":
            return self._call("strings", path, f", {bound}, {self._constant({})}")
        if isinstance(kind.of, str):
            code = PRIMITIVES[kind.of]
            return self._call("numbers", path, f", {bound}, {code!r}, {struct.calcsize(code)}")
        return self._call("items", path, f", {bound}, {self._constant(_compiled(kind.of))}")

    def _call(self, what: str, path: str, extra: str) -> str:
        """Generate a part of variable size: a call to its pair of functions."""
        self._flush()
        name = self._name()
        self.put_lines.append(f"put_{what}(b, {path}{extra})")
        self.get_lines.append(f"{name}, p = get_{what}(d, p, size{extra})")
        return name

    def _fixed(self, codes: str, values: list[str]) -> list[str]:
        """Append fixed-size values to the run; returns their names when decoded."""
        parts = [codes] if codes.endswith("s") else list(codes)
        names = [self._name() for _ in parts]
        self._formats += parts
        self._put_values += values
        self._get_names += names
        return names

    def _flush(self) -> None:
        """End the run: one struct per possible alignment of its start, eight at most."""
        if not self._formats:
            return
        table = self._constant(tuple(_padded(self._formats, start) for start in range(8)))
        self.put_lines.append(f"b += {table}[len(b) & 7].pack({', '.join(self._put_values)})")
        self.get_lines += [
            f"s = {table}[p & 7]",
            f"{', '.join(self._get_names)}, = s.unpack_from(d, p)",
            "p += s.size",
        ]
        self._formats, self._put_values, self._get_names = [], [], []


def _padded(formats: list[str], start: int) -> struct.Struct:
    """Return the run as one struct for a start at `start` modulo 8, header included."""
    text, position = "<", start - len(HEADER)
    for code in formats:
        size = struct.calcsize(f"<{code}")
        gap = 0 if code.endswith("s") else -position % size
        text += f"{gap}x{code}" if gap else code
        position += gap + size
    return struct.Struct(text)


_U32 = struct.Struct("<I")


def _count(data: bytes, position: int, bound: int) -> tuple[int, int]:
    position += -position & 3
    count = _U32.unpack_from(data, position)[0]
    if count > bound:
        raise ValueError(f"{count} elements where at most {bound} are allowed")
    return count, position + 4


def _put_count(buffer: bytearray, count: int, bound: int) -> None:
    if count > bound:
        raise ValueError(f"{count} elements where at most {bound} are allowed")
    buffer += b"\0" * (-len(buffer) & 3)
    buffer += _U32.pack(count)


def _put_string(buffer: bytearray, value: str) -> None:
    data = value.encode()
    if b"\0" in data:
        raise ValueError("a string must not contain NUL")
    buffer += b"\0" * (-len(buffer) & 3)
    buffer += _U32.pack(len(data) + 1)
    buffer += data
    buffer += b"\0"


def _get_string(data: bytes, position: int, size: int) -> tuple[str, int]:
    position += -position & 3
    length = _U32.unpack_from(data, position)[0]
    start = position + 4
    end = start + length
    if end > size:
        raise ValueError(f"a string of {length} bytes passes the end")
    if not length:
        return "", end
    if data.find(0, start, end) != end - 1:  # such a text could not be encoded again
        raise ValueError("a string must end with its only NUL")
    return data[start : end - 1].decode(), end


def _put_bytes(buffer: bytearray, value: bytes, bound: int) -> None:
    _put_count(buffer, len(value), bound)
    buffer += bytes(value)


def _get_bytes(data: bytes, position: int, size: int, bound: int) -> tuple[bytes, int]:
    count, position = _count(data, position, bound)
    end = position + count
    if end > size:
        raise ValueError(f"{count} bytes pass the end")
    return data[position:end], end


def _put_numbers(buffer: bytearray, values: Any, bound: int, code: str, width: int) -> None:
    count = len(values)
    _put_count(buffer, count, bound)
    if count and width == 8:
        buffer += b"\0" * (-(len(buffer) - len(HEADER)) & 7)
    buffer += struct.pack(f"<{count}{code}", *values)


def _get_numbers(
    data: bytes, position: int, size: int, bound: int, code: str, width: int
) -> tuple[tuple[Any, ...], int]:
    count, position = _count(data, position, bound)
    if count and width == 8:
        position += -(position - len(HEADER)) & 7
    end = position + count * width
    if end > size:
        raise ValueError(f"{count} numbers pass the end")
    return struct.unpack_from(f"<{count}{code}", data, position), end


# Names are part of every input sample and rarely change, so their bytes are cached. The cache is
# small, because senders could fill it.
_NAME_LISTS = 64


def _put_strings(buffer: bytearray, values: Any, bound: int, cache: dict[Any, Any]) -> None:
    _put_count(buffer, len(values), bound)
    known = cache.get(values) if type(values) is tuple else None
    if known is None:
        part = bytearray()  # aligned to 4, as `buffer` is at this point
        for value in values:
            _put_string(part, value)
        known = bytes(part)
        if type(values) is tuple:
            _remember(cache, values, known)
    buffer += known


def _get_strings(
    data: bytes, position: int, size: int, bound: int, cache: dict[Any, Any]
) -> tuple[tuple[str, ...], int]:
    count, position = _count(data, position, bound)
    if count > size - position:
        raise ValueError(f"{count} strings pass the end")
    for raw, values in cache.get(count, ()):
        if data.startswith(raw, position):
            return values, position + len(raw)
    start, found = position, []
    for _ in range(count):
        value, position = _get_string(data, position, size)
        found.append(value)
    known = tuple(found)
    recent = cache.get(count, ())[:3]
    _remember(cache, count, ((bytes(data[start:position]), known), *recent))
    return known, position


def _remember(cache: dict[Any, Any], key: Any, value: Any) -> None:
    if len(cache) >= _NAME_LISTS:
        cache.clear()
    cache[key] = value


def _put_items(buffer: bytearray, values: Any, bound: int, codec: _Codec) -> None:
    _put_count(buffer, len(values), bound)
    for value in values:
        codec.put(buffer, value)


def _get_items(
    data: bytes, position: int, size: int, bound: int, codec: _Codec
) -> tuple[tuple[Any, ...], int]:
    count, position = _count(data, position, bound)
    if count > size - position:
        raise ValueError(f"{count} elements pass the end")
    found = []
    for _ in range(count):
        value, position = codec.get(data, position)
        found.append(value)
    return tuple(found), position
