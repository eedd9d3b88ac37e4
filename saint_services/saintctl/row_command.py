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
from .connect import checked_params, request
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
    fixed, defaults = fixed or {}, defaults or {}
    confirms = issubclass(row.params, Confirming)
    fields = {
        field_name: field
        for field_name, field in row.params.model_fields.items()
        if field_name not in fixed and not (confirms and field_name == CONFIRM)
    }
    own = set(fields) - set(reads.params.model_fields) if reads else set()

    def decorate(view: Callable[..., None]) -> Callable[..., None]:
        takes_params = len(inspect.signature(view).parameters) > 1

        def command(context: typer.Context, as_json: bool, **given: Any) -> None:
            remove_stop = given.pop("remove_stop", None)
            found = {**{each: _value(given[each]) for each in fields}, **fixed}
            if reads and not any(_is_given(fields[each], found[each]) for each in own):
                shared = {each: value for each, value in found.items() if each not in own}
                params: BaseModel = checked_params(reads.params, as_json, **shared)
                reply = run(request(context.obj, reads, params), as_json)
            else:
                changed = params = checked_params(row.params, as_json, **found)
                sending = (
                    request_confirmed(context.obj, row, changed, remove_stop)
                    if confirms
                    else request(context.obj, row, changed)
                )
                reply = run(sending, as_json)
            if as_json:
                print_json(reply)
            else:
                view(reply, params) if takes_params else view(reply)

        parameters = [_keyword("context", typer.Context)]
        parameters += [
            _parameter(each, fields[each], words.get(each), each in own) for each in fields
        ]
        parameters = [
            each.replace(default=defaults[each.name]) if each.name in defaults else each
            for each in parameters
        ]
        parameters += [_keyword("remove_stop", RemoveStop, None)] if confirms else []
        parameters += [_keyword("as_json", AsJson, False)]
        command.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]  # typer reads it
        command.__annotations__ = {}
        app.command(name, help=view.__doc__ or row.text)(command)
        return view

    return decorate


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
