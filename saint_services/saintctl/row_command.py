"""Makes commands of rows: a row of lib/api gives a command its parameters with their help, types
and ranges; the command adds its words and how it shows the reply.
"""

import inspect
from collections.abc import Callable, Iterable, Mapping
from copy import copy
from enum import Enum, StrEnum
from types import NoneType, UnionType
from typing import (
    Annotated,
    Any,
    Generic,
    Literal,
    NamedTuple,
    Protocol,
    TypeVar,
    Union,
    get_args,
    get_origin,
    overload,
)

import typer
from pydantic import BaseModel
from pydantic.fields import FieldInfo
from typer.models import OptionInfo, ParameterInfo

from ..lib.api.endpoint import CONFIRM, Endpoint
from ..lib.api.routing import Confirming
from .connect import RobotAddress, checked_params, request
from .console import AsJson, print_json, run
from .estop.confirm import RemoveStop, request_confirmed
from .names import ARGUMENTS

P = TypeVar("P", bound=BaseModel)
R = TypeVar("R", bound=BaseModel)

_PLAIN = (str, int, float, bool)


class ViewDecorator(Protocol[R, P]):
    """Decorates the function that prints a reply for people; it may also take the parameters."""

    @overload
    def __call__(self, view: Callable[[R], None], /) -> Callable[[R], None]: ...
    @overload
    def __call__(self, view: Callable[[R, P], None], /) -> Callable[[R, P], None]: ...


def row_command(
    app: typer.Typer,
    name: str,
    row: Endpoint[P, R],
    /,
    *,
    reads: Endpoint[Any, R] | None = None,
    fixed: Mapping[str, object] | None = None,
    defaults: Mapping[str, object] | None = None,
    **words: Any,
) -> ViewDecorator[R, P]:
    """Add the command `name`, which sends the request of `row` and prints the reply: with --json as
    it is, else by the decorated view. The view's docstring is the help, else the row's text.

    `words` has a typer.Argument or typer.Option for each parameter that is not an option of its own
    name; what it leaves open is filled in from the row. `fixed` are parameters that the command
    sets itself, `defaults` are its own defaults. With `reads`, a command without options sends the
    request of that row instead.
    """
    made = _RowCommand(row, reads, fixed or {}, defaults or {}, words)

    def decorate(view: Callable[..., None]) -> Callable[..., None]:
        takes_params = len(inspect.signature(view).parameters) > 1

        def command(context: typer.Context, as_json: bool, **given: Any) -> None:
            reply, params = made.send(context.obj, given, as_json)
            if as_json:
                print_json(reply)
            else:
                view(reply, params) if takes_params else view(reply)

        signature = inspect.Signature(made.parameters())
        command.__signature__ = signature  # type: ignore[attr-defined]  # typer reads it
        command.__annotations__ = {}
        app.command(name, help=view.__doc__ or row.text)(command)
        return view

    return decorate


class _RowCommand(Generic[P, R]):
    """The options of one command, and the request that they make."""

    def __init__(
        self,
        row: Endpoint[P, R],
        reads: Endpoint[Any, R] | None,
        fixed: Mapping[str, object],
        defaults: Mapping[str, object],
        words: Mapping[str, Any],
    ) -> None:
        self._row, self._reads = row, reads
        self._fixed, self._defaults, self._words = fixed, defaults, words
        self._confirms = issubclass(row.params, Confirming)
        self._fields = {
            name: field
            for name, field in row.params.model_fields.items()
            if name not in fixed and not (self._confirms and name == CONFIRM)
        }
        shared = set(reads.params.model_fields) if reads else set(self._fields)
        self._changing = set(self._fields) - shared  # left out in a request of `reads`

    def parameters(self) -> list[inspect.Parameter]:
        """Return the signature that typer makes options of."""
        found = [_keyword("context", typer.Context)]
        for name, field in self._fields.items():
            each = _parameter(name, field, self._words.get(name), name in self._changing)
            has_default = name in self._defaults
            found.append(each.replace(default=self._defaults[name]) if has_default else each)
        found += [_keyword("remove_stop", RemoveStop, None)] if self._confirms else []
        return [*found, _keyword("as_json", AsJson, False)]

    def send(
        self, robot: RobotAddress, given: Mapping[str, Any], as_json: bool
    ) -> tuple[R, BaseModel]:
        """Send the request of these options. Return its reply and parameters."""
        found = {name: _value(given[name]) for name in self._fields} | dict(self._fixed)
        changing = any(_is_given(self._fields[name], found[name]) for name in self._changing)
        if self._reads and not changing:
            shared = {name: found[name] for name in self._reads.params.model_fields}
            read = checked_params(self._reads.params, as_json, **shared)
            return run(request(robot, self._reads, read), as_json), read
        params = checked_params(self._row.params, as_json, **found)
        if self._confirms:
            sending = request_confirmed(robot, self._row, params, given["remove_stop"])
        else:
            sending = request(robot, self._row, params)
        return run(sending, as_json), params


def help_of(params: type[BaseModel], field: str) -> str | None:
    """Return the help of a parameter, for a command that is not made of its row."""
    return params.model_fields[field].description


class _Kind(NamedTuple):
    """The type of a field, as typer can read it from a terminal."""

    type: Any
    is_list: bool = False
    is_optional: bool = False
    least: float | None = None
    most: float | None = None


def _parameter(name: str, field: FieldInfo, word: Any, is_optional: bool) -> inspect.Parameter:
    """Return the option or argument of one field; `is_optional`: it may be left out."""
    kind = _bounded(_kind(field.annotation), field.metadata)
    info = copy(_info(word or ARGUMENTS.get(name) or typer.Option()))
    info.help = info.help or field.description
    if kind.type in (int, float):
        info.min = kind.least if info.min is None else info.min
        info.max = kind.most if info.max is None else info.max
    is_flag = kind.type is bool and not kind.is_optional
    if is_flag and isinstance(info, OptionInfo) and info.default is ... and not info.param_decls:
        info.default = f"--{name.replace('_', '-')}"  # a flag that can only be set
    item: Any = kind.type
    kept: Any = list[item] if kind.is_list else item
    if kind.is_list or kind.is_optional or (is_optional and not is_flag):
        return _keyword(name, Annotated[kept | None, info], None)
    default = inspect.Parameter.empty if field.is_required() else field.default
    return _keyword(name, Annotated[kept, info], default)


def _keyword(
    name: str, annotation: Any, default: Any = inspect.Parameter.empty
) -> inspect.Parameter:
    return inspect.Parameter(
        name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=annotation
    )


def _info(word: Any) -> ParameterInfo:
    """Return the typer object of a word, which may be an Annotated type."""
    found = word.__metadata__[0] if get_origin(word) is Annotated else word
    assert isinstance(found, ParameterInfo), found
    return found


def _kind(annotation: Any) -> _Kind:
    origin, inner = get_origin(annotation), get_args(annotation)
    if origin is Annotated:
        return _bounded(_kind(inner[0]), inner[1:])
    if origin in (Union, UnionType):
        (only,) = (each for each in inner if each is not NoneType)
        return _kind(only)._replace(is_optional=True)
    if origin is list:
        return _kind(inner[0])._replace(is_list=True)
    if origin is Literal:
        names = {f"choice_{number}": value for number, value in enumerate(inner)}
        return _Kind(StrEnum("Choice", names))
    if annotation in _PLAIN or (isinstance(annotation, type) and issubclass(annotation, Enum)):
        return _Kind(annotation)
    raise TypeError(f"a command line has no option of the type {annotation}")


def _bounded(kind: _Kind, metadata: Iterable[Any]) -> _Kind:
    """Return the kind with the bounds that pydantic keeps beside a type."""
    for each in metadata:
        if isinstance(each, FieldInfo):
            kind = _bounded(kind, each.metadata)
        least, most = getattr(each, "ge", None), getattr(each, "le", None)
        kind = kind._replace(
            least=kind.least if least is None else least, most=kind.most if most is None else most
        )
    return kind


def _is_given(field: FieldInfo, value: object) -> bool:
    """Return False for an option that was left out."""
    return value is not None and not (value is False and field.default is False)


def _value(given: Any) -> Any:
    """Return what the parameters take for what typer has read."""
    if isinstance(given, list):
        return [_value(each) for each in given] or None
    return given.value if isinstance(given, Enum) else given
