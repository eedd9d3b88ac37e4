"""Describes a message class to the library: a program of op codes, made from FIELDS.

The library validates every sample with this program and swaps the bytes of big-endian ones. Nested
structs are flattened: final types leave no trace of nesting on the wire. The offsets describe an
in-memory form that is used for one zeroed sample only (see entities.py).

Source: dds/ddsc/dds_opcodes.h of Cyclone DDS. Not here: encoding of messages (bus/cdr.py)."""

import ctypes
from functools import cache
from typing import Any

from .. import cdr
from .library import TopicDescriptor

Fields = tuple[tuple[str, Any], ...]

SERVICE_HEADER: Fields = (("guid", "uint64"), ("sequence", "int64"))

_ADR = 1 << 24
_RTS = 0
_1BY, _2BY, _4BY, _8BY, _STR, _SEQ, _ARR, _STU, _BLN = 1, 2, 3, 4, 5, 7, 8, 10, 14
_FLOAT, _SIGNED = 2, 4

_PRIMITIVES = {  # type code, flags, size in memory
    "bool": (_BLN, 0, 1),
    "uint8": (_1BY, 0, 1),
    "int8": (_1BY, _SIGNED, 1),
    "uint16": (_2BY, 0, 2),
    "int16": (_2BY, _SIGNED, 2),
    "uint32": (_4BY, 0, 4),
    "int32": (_4BY, _SIGNED, 4),
    "float32": (_4BY, _FLOAT, 4),
    "uint64": (_8BY, 0, 8),
    "int64": (_8BY, _SIGNED, 8),
    "float64": (_8BY, _FLOAT, 8),
}
_POINTER = 8
_SEQUENCE = 24  # maximum, length, buffer, release

_NO_OPTIMIZE = 1 << 0
_RESTRICT_REPRESENTATION = 1 << 7
_XCDR1 = 1 << 0


class Program:
    """Op codes and in-memory size of a list of fields."""

    def __init__(self, fields: Fields) -> None:
        self.ops: list[int] = []
        self.size = 0
        self._fields(fields)
        self.ops.append(_RTS)
        self._align(8)

    def _fields(self, fields: Fields) -> None:
        if not fields:  # an empty struct travels as one byte (rosidl)
            self._primitive("uint8")
        for _name, kind in fields:
            self._field(kind)

    def _field(self, kind: Any) -> None:
        if isinstance(kind, cdr.Array):
            self._array(kind)
        elif isinstance(kind, cdr.Sequence):
            self._sequence(kind.of)
        elif kind == "string":
            self._place(_POINTER, _ADR | _STR << 16)
        elif isinstance(kind, str):
            self._primitive(kind)
        else:
            self._align(8)
            self._fields(kind.FIELDS)
            self._align(8)

    def _primitive(self, kind: str) -> None:
        code, flags, size = _PRIMITIVES[kind]
        self._place(size, _ADR | code << 16 | flags)

    def _array(self, kind: cdr.Array) -> None:
        collection = _ADR | _ARR << 16
        if kind.of == "string":
            self._place(_POINTER, collection | _STR << 8, kind.length)
            self.ops.append(kind.length)
        elif isinstance(kind.of, str):
            code, flags, size = _PRIMITIVES[kind.of]
            self._place(size, collection | code << 8 | flags, kind.length)
            self.ops.append(kind.length)
        else:
            element = Program(kind.of.FIELDS)
            self._align(8)
            self._place(element.size, collection | _STU << 8, kind.length)
            self.ops += [kind.length, _jump(5, element), element.size, *element.ops]

    def _sequence(self, of: Any) -> None:
        """Append a sequence. Bounds are checked by our codec, which counts refused samples."""
        collection = _ADR | _SEQ << 16
        if of == "string":
            self._place(_SEQUENCE, collection | _STR << 8, alignment=8)
        elif isinstance(of, str):
            code, flags, _size = _PRIMITIVES[of]
            self._place(_SEQUENCE, collection | code << 8 | flags, alignment=8)
        else:
            element = Program(of.FIELDS)
            self._place(_SEQUENCE, collection | _STU << 8, alignment=8)
            self.ops += [element.size, _jump(4, element), *element.ops]

    def _place(self, size: int, op: int, count: int = 1, alignment: int = 0) -> None:
        """Append op and offset of a field, and reserve its memory."""
        self._align(alignment or min(size, 8))
        self.ops += [op, self.size]
        self.size += size * count

    def _align(self, alignment: int) -> None:
        self.size += -self.size % alignment


def _jump(length: int, element: Program) -> int:
    """Return the distances to the next field and to the element's program, from the start of this
    op.
    """
    return (length + len(element.ops)) << 16 | length


@cache
def descriptor(type_name: str, fields: Fields) -> TopicDescriptor:
    """Return the descriptor for dds_create_topic, cached for the life of the process."""
    program = Program(fields)
    ops = (ctypes.c_uint32 * len(program.ops))(*program.ops)
    return TopicDescriptor(
        size=max(8, program.size),
        align=8,
        flags=_NO_OPTIMIZE | _RESTRICT_REPRESENTATION,
        type_name=type_name.encode(),
        op_count=len(program.ops),
        ops=ops,
        xml=b"",
        representations=_XCDR1,
    )
