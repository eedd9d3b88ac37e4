"""What the generated message classes share: equality, text, and what `dataclasses` reads of them.

They are no dataclasses, whose methods are compiled at every start of every daemon: of all messages
that took a tenth of the start.
"""

import dataclasses
from typing import TYPE_CHECKING, Any, ClassVar


class _Fields:
    """Makes `replace`, `asdict` and `fields` of `dataclasses` possible, at their first use."""

    def __get__(self, _: object, cls: type["MessageBase"]) -> dict[str, dataclasses.Field[Any]]:
        names = [(name, Any, dataclasses.field(default=None)) for name in cls.__slots__]
        cls.__dataclass_fields__ = {
            each.name: each for each in dataclasses.fields(dataclasses.make_dataclass("_", names))
        }
        return cls.__dataclass_fields__


class MessageBase:
    """Base of a message. Mutable, so it has no hash; equal when type and fields are."""

    __slots__: ClassVar[tuple[str, ...]] = ()
    TYPE: ClassVar[str]
    HASH: ClassVar[str]
    FIELDS: ClassVar[tuple[tuple[str, Any], ...]]
    __hash__ = None  # type: ignore[assignment]
    if TYPE_CHECKING:
        __dataclass_fields__: ClassVar[dict[str, dataclasses.Field[Any]]]
    else:
        __dataclass_fields__ = _Fields()

    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self):
            return NotImplemented
        return all(getattr(self, name) == getattr(other, name) for name in self.__slots__)

    def __repr__(self) -> str:
        fields = ", ".join(f"{name}={getattr(self, name)!r}" for name in self.__slots__)
        return f"{type(self).__name__}({fields})"
