"""Encodes and decodes packed binary messages, which are declared as frozen dataclasses: the
annotation of each field says how it is carried. Pure. Not here: which messages there are.
"""

import struct
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields
from math import isfinite
from typing import Annotated, Any, Final, Generic, Literal, TypeVar, get_args, get_type_hints

M = TypeVar("M")

_FLOATS = "efd"
_LONGEST_SHOWN = 40  # characters of a refused value


class LayoutError(ValueError):
    """A message that cannot be carried, or bytes that are no message; the text is a sentence."""


@dataclass(frozen=True, slots=True)
class FieldForm:
    """How a field is carried: `code` and `count` as in struct; `scale` carries value * scale as an
    integer, rounded; `least`, `most` and `among` limit integers; a `flag` is a byte of 0 or 1.
    """

    code: str
    scale: int = 1
    count: int = 1
    least: int | None = None
    most: int | None = None
    among: tuple[int, ...] = ()
    is_flag: bool = False

    @property
    def is_float(self) -> bool:
        """Return whether the bytes themselves are a floating point number."""
        return self.code in _FLOATS

    @property
    def limits(self) -> tuple[int, int]:
        """Return the least and the greatest integer that is carried."""
        bits = 8 * struct.calcsize("<" + self.code)
        signed = self.code.islower()
        lowest, highest = (
            (-(1 << bits - 1), (1 << bits - 1) - 1) if signed else (0, (1 << bits) - 1)
        )
        least = lowest if self.least is None else self.least
        return least, highest if self.most is None else self.most


U8 = Annotated[int, FieldForm("B")]
I8 = Annotated[int, FieldForm("b")]
U16 = Annotated[int, FieldForm("H")]
I16 = Annotated[int, FieldForm("h")]
U32 = Annotated[int, FieldForm("I")]
I32 = Annotated[int, FieldForm("i")]
U64 = Annotated[int, FieldForm("Q")]
F16 = Annotated[float, FieldForm("e")]
F32 = Annotated[float, FieldForm("f")]
Flag = Annotated[bool, FieldForm("B", is_flag=True)]


class BinaryLayout(Generic[M]):
    """The bytes of one kind of message: `constant`, the fields, then `reserved` bytes, which are
    sent as zeros and ignored when received; up to `optional` of them may be missing.
    """

    def __init__(
        self,
        kind: type[M],
        order: Literal["<", ">"],
        *,
        constant: bytes = b"",
        reserved: int = 0,
        optional: int = 0,
    ) -> None:
        self.kind: Final = kind
        self.order: Final = order
        self.constant: Final = constant
        self.reserved: Final = reserved
        self.forms: Final = dict(_forms(kind))
        codes = "".join(f"{form.count if form.count > 1 else ''}{form.code}"
                        for form in self.forms.values())  # fmt: skip
        self._struct = struct.Struct(order + codes)
        self.size: Final = len(constant) + self._struct.size + reserved
        self._sizes = range(self.size - optional, self.size + 1)

    def accepts(self, size: int) -> bool:
        """Return whether a message may have this many bytes."""
        return size in (self._sizes[0], self._sizes[-1])

    def decode(self, data: bytes) -> M:
        """Return the message. Raises LayoutError."""
        if not self.accepts(len(data)):
            raise LayoutError(f"the data has {len(data)} bytes where {self._lengths()}")
        start = len(self.constant)
        if data[:start] != self.constant:
            raise LayoutError(f"the magic byte is 0x{data[0]:02x}, not 0x{self.constant.hex()}")
        raw = iter(self._struct.unpack_from(data, start))
        values = []
        for name, form in self.forms.items():
            if form.count == 1 or form.code == "s":
                values.append(_decoded(name, form, next(raw)))
            else:
                values.append(tuple(_decoded(name, form, next(raw)) for _ in range(form.count)))
        return self.kind(*values)

    def encode(self, message: M) -> bytes:
        """Return the bytes. Raises LayoutError for a value that cannot be carried."""
        raw: list[Any] = []
        for name, form in self.forms.items():
            value = getattr(message, name)
            if form.count == 1 or form.code == "s":
                raw.append(_encoded(name, form, value))
            else:
                raw += _several(name, form, value)
        try:
            packed = self._struct.pack(*raw)
        except (struct.error, OverflowError) as err:
            raise LayoutError(f"a number is too large for its field: {err}") from None
        return self.constant + packed + bytes(self.reserved)

    def values(self, message: M) -> dict[str, Any]:
        """Return the fields by their names, in the order of the declaration."""
        return {name: getattr(message, name) for name in self.forms}

    def of_values(self, given: Mapping[str, Any]) -> M:
        """Return the message with these values; others are ignored. Raises LayoutError."""
        if missing := [name for name in self.forms if name not in given]:
            raise LayoutError(f"{', '.join(missing)}: missing")
        message = self.kind(**{name: given[name] for name in self.forms})
        return self.decode(self.encode(message))

    def _lengths(self) -> str:
        least, most = self._sizes[0], self._sizes[-1]
        return f"{least} are needed" if least == most else f"{least} or {most} are needed"


def _forms(kind: type) -> Iterator[tuple[str, FieldForm]]:
    """Yield the forms of a dataclass's fields. Raises TypeError for a field without one."""
    hints = get_type_hints(kind, include_extras=True)
    for each in fields(kind):
        found = [note for note in get_args(hints[each.name])[1:] if isinstance(note, FieldForm)]
        if len(found) != 1:
            raise TypeError(f"{kind.__name__}.{each.name} needs one FieldForm")
        yield each.name, found[0]


def _decoded(name: str, form: FieldForm, raw: Any) -> Any:
    if form.is_float:
        if not isfinite(raw):
            raise LayoutError(f"{name} is not a finite number")
        return raw
    if form.code == "s":
        return raw
    _check(name, form, raw, raw)
    if form.is_flag:
        return bool(raw)
    return raw if form.scale == 1 else raw / form.scale


def _encoded(name: str, form: FieldForm, value: Any) -> Any:
    if form.code == "s":
        if not isinstance(value, bytes) or len(value) != form.count:
            raise LayoutError(f"{name} must be {form.count} bytes")
        return value
    if form.is_flag:
        if not isinstance(value, bool):
            raise LayoutError(f"{name} is {_shown(value)}; it must be true or false")
        return int(value)
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise LayoutError(f"{name} is {_shown(value)}; it must be a number")
    if isinstance(value, float) and not isfinite(value):
        raise LayoutError(f"{name} is not a finite number")
    if form.is_float:
        return _real(name, value)
    raw = _whole(name, form, value)
    if raw is None:
        raise LayoutError(f"{name} is {_shown(value)}; it must be {_range(form)}")
    _check(name, form, raw, value)
    return raw


def _several(name: str, form: FieldForm, values: Any) -> list[Any]:
    if not isinstance(values, list | tuple) or len(values) != form.count:
        raise LayoutError(f"{name} must be a list of {form.count} numbers")
    return [_encoded(name, form, value) for value in values]


def _real(name: str, value: float) -> float:
    try:
        return float(value)
    except OverflowError:
        raise LayoutError(f"{name} is {_shown(value)}; it is too large") from None


def _whole(name: str, form: FieldForm, value: float) -> int | None:
    """Return the integer that carries a value; None for one far out of every range."""
    scaled = value * form.scale
    if isinstance(scaled, float) and not isfinite(scaled):
        return None
    if form.scale == 1 and scaled != int(scaled):
        raise LayoutError(f"{name} is {_shown(value)}; it must be a whole number")
    return round(scaled)


def _check(name: str, form: FieldForm, raw: int, value: float) -> None:
    """Check the integer as carried, which stands for `value`. Raises LayoutError."""
    if form.is_flag and raw not in (0, 1):
        raise LayoutError(f"{name} is {raw}; it must be 0 or 1")
    if form.among and raw not in form.among:
        choices = ", ".join(map(str, form.among))
        raise LayoutError(f"{name} is {_shown(raw)}; it must be one of {choices}")
    least, most = form.limits
    if not least <= raw <= most:
        raise LayoutError(f"{name} is {_shown(value)}; it must be {_range(form)}")


def _range(form: FieldForm) -> str:
    least, most = form.limits
    if form.scale == 1:
        return f"{least} to {most}"
    return f"{least / form.scale} to {most / form.scale}"


def _shown(value: object) -> str:
    """Return a refused value for a message, cut where it is long."""
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) >= 1 << 64:
        return "a number of more than 64 bits"  # its digits may be too many to print
    text = str(value) if isinstance(value, int | float | str) else type(value).__name__
    return text if len(text) <= _LONGEST_SHOWN else text[:_LONGEST_SHOWN] + "..."
