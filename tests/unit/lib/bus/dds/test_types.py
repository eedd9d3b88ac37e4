"""Op codes for the library; the numbers are typed from dds_opcodes.h."""

from dataclasses import dataclass
from typing import Any, ClassVar

from saint_services.lib.bus import cdr
from saint_services.lib.bus.dds.types import SERVICE_HEADER, Program, descriptor
from saint_services.lib.generated import topics
from saint_services.lib.generated.geometry_msgs import Twist
from saint_services.lib.generated.std_msgs import Empty

ADR = 0x01000000


@dataclass(slots=True)
class Pair:
    TYPE: ClassVar[str] = "test_msgs/msg/Pair"
    HASH: ClassVar[str] = ""
    FIELDS: ClassVar[tuple[tuple[str, Any], ...]] = (("flag", "bool"), ("value", "int64"))


def test_primitives_are_aligned_and_typed() -> None:
    program = Program(
        (("a", "uint8"), ("b", "int16"), ("c", "float32"), ("d", "float64"), ("e", "bool"))
    )
    assert program.ops == [
        ADR | 0x10000, 0,
        ADR | 0x20000 | 4, 2,
        ADR | 0x30000 | 2, 4,
        ADR | 0x40000 | 2, 8,
        ADR | 0xE0000, 16,
        0,
    ]  # fmt: skip
    assert program.size == 24


def test_nested_structs_are_flat() -> None:
    double = ADR | 0x40000 | 2
    expected = [value for offset in range(0, 48, 8) for value in (double, offset)]
    assert Program(Twist.FIELDS).ops == [*expected, 0]


def test_strings_arrays_and_sequences() -> None:
    fields = (
        ("s", "string"),
        ("a", cdr.Array("float64", 9)),
        ("n", cdr.Sequence("string")),
        ("v", cdr.Sequence("float32")),
        ("t", cdr.Array("string", 2)),
    )
    assert Program(fields).ops == [
        ADR | 0x50000, 0,
        ADR | 0x80000 | 0x400 | 2, 8, 9,
        ADR | 0x70000 | 0x500, 80,
        ADR | 0x70000 | 0x300 | 2, 104,
        ADR | 0x80000 | 0x500, 128, 2,
        0,
    ]  # fmt: skip


def test_sequence_of_structs_has_its_own_program() -> None:
    element = [ADR | 0xE0000, 0, ADR | 0x40000 | 4, 8, 0]
    program = Program((("pairs", cdr.Sequence(Pair)), ("after", "uint32")))
    assert program.ops == [
        ADR | 0x70000 | 0xA00, 0, 16, (9 << 16) | 4, *element,
        ADR | 0x30000, 24,
        0,
    ]  # fmt: skip


def test_array_of_structs_has_its_own_program() -> None:
    element = [ADR | 0xE0000, 0, ADR | 0x40000 | 4, 8, 0]
    program = Program((("pairs", cdr.Array(Pair, 3)),))
    assert program.ops == [ADR | 0x80000 | 0xA00, 0, 3, (10 << 16) | 5, 16, *element, 0]
    assert program.size == 48


def test_empty_struct_is_one_byte() -> None:
    assert Program(()).ops == Program(Empty.FIELDS).ops == [ADR | 0x10000, 0, 0]


def test_service_halves_start_with_number_and_sequence() -> None:
    ops = Program((*SERVICE_HEADER, ("ok", "bool"))).ops
    assert ops == [ADR | 0x40000, 0, ADR | 0x40000 | 4, 8, ADR | 0xE0000, 16, 0]


def test_every_generated_message_has_a_descriptor() -> None:
    for name, message in topics.BY_TYPE.items():
        found = descriptor(name, message.FIELDS)
        assert found.op_count > 0
        assert found.size % 8 == 0
