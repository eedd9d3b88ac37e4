"""From a client's text to a checked message, or to the sentence that says what is wrong with it;
from a motion command to the values of an input sample. Pure.
"""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, NoReturn

from pydantic import BaseModel, ValidationError

from ..lib.api.routing import LimitedField
from ..lib.config import validation
from ..lib.config.spelling import hint
from ..lib.errors import Code, SaintError
from ..lib.limits import clamp
from ..lib.role_config.model import RoleConfig
from .api import messages, stopping

MessageId = str | int | None
Models = Mapping[str, Mapping[str, type[BaseModel]]]  # group -> action -> params


@dataclass(frozen=True, slots=True)
class Call:
    """One action that a client asks for."""

    id: MessageId
    group: str
    action: str
    params: BaseModel


Parsed = Call | messages.Auth | messages.Subscribe | messages.Unsubscribe | messages.Input


class BadMessageError(SaintError):
    """A refused message: an error reply to `id`, nothing else."""

    def __init__(self, reason: str, message: str, fix: str = "", id: MessageId = None) -> None:
        super().__init__(Code.REQUEST_INVALID, message, fix=fix)
        self.reason = reason  # name of the counter
        self.id = id


def parse(text: str, models: Models) -> Parsed:
    """The message in `text`; raises BadMessageError. What names the e-stop and is not sound is a
    stop: refusing it would be the wrong side to err on.
    """
    try:
        data = _data(text)
    except BadMessageError as err:
        if stopping.is_named(text):
            return _stop(err.id, None)
        raise
    try:
        return _checked(data, models)
    except BadMessageError as err:
        err.id = _id(data.get("id"))
        if stopping.is_meant(data):
            return _stop(err.id, data.get("params"))
        raise


def _stop(id: MessageId, given: object) -> Call:
    return Call(id, stopping.GROUP, stopping.ACTION, stopping.of_unsound(given))


def _id(given: object) -> MessageId:
    """What can be echoed."""
    if isinstance(given, bool) or not isinstance(given, str | int):
        return None
    if isinstance(given, int):
        return given if -(2**63) <= given < 2**63 else None
    return given if len(given) <= 128 else None


def _data(text: str) -> dict[str, Any]:
    try:
        data = _DECODER.decode(text)
    except _TwiceError as err:
        sentence = f"the key {validation.shown(err.key)} stands twice in one object"
        raise BadMessageError("invalid", sentence, "Send it once.", id=_id_in(text)) from None
    except BadMessageError as err:
        err.id = _id_in(text)
        raise
    except RecursionError:
        raise BadMessageError("malformed", "the message is nested too deeply") from None
    except json.JSONDecodeError as err:
        sentence = f"the message is not JSON: {err.msg} at character {err.pos}"
        raise BadMessageError("malformed", sentence, 'Send one object, {"type": ...}.') from None
    except ValueError:  # an integer of thousands of digits
        raise BadMessageError("malformed", "the message holds a number that is too long") from None
    if not isinstance(data, dict):
        raise BadMessageError("malformed", "a message must be one JSON object, {...}")
    if "\\u" in text and not _is_unicode(data):
        raise BadMessageError("malformed", "the message holds half of a surrogate pair")
    return data


class _TwiceError(Exception):
    """A key that stands twice in one object."""

    def __init__(self, key: str) -> None:
        super().__init__(key)
        self.key = key


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        names = [name for name, _ in pairs]
        raise _TwiceError(next(name for name in names if names.count(name) > 1))
    return found


def _id_in(text: str) -> MessageId:
    """The id of a message that is JSON, though not one of ours."""
    try:
        data = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return _id(data.get("id")) if isinstance(data, dict) else None


def _no_constant(name: str) -> NoReturn:
    raise BadMessageError("malformed", f"{name} is not a number that JSON knows")


def _is_unicode(data: object) -> bool:
    """JSON's escapes can spell text that nobody can encode."""
    try:
        json.dumps(data, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return False
    return True


_DECODER = json.JSONDecoder(parse_constant=_no_constant, object_pairs_hook=_object)


def _checked(data: dict[str, Any], models: Models) -> Parsed:
    kind = data.get("type")
    if not isinstance(kind, str) or kind not in messages.ENVELOPES:
        raise _unknown("unknown_type", "type", kind, messages.ENVELOPES)
    envelope = _validated(messages.ENVELOPES[kind], data, models)
    if isinstance(envelope, messages.Command):
        group = envelope.target
    elif isinstance(envelope, messages.Grouped):
        group = envelope.type
    else:
        return envelope
    actions = models[group]
    if envelope.action not in actions:
        raise _unknown("unknown_action", f"{group} action", envelope.action, actions)
    try:
        checked = actions[envelope.action].model_validate(envelope.params)
    except ValidationError as err:
        raise invalid(err, actions[envelope.action], envelope.params, "params") from None
    return Call(envelope.id, group, envelope.action, checked)


def _validated(
    model: type[messages.Envelope], data: dict[str, Any], models: Models
) -> messages.Envelope:
    try:
        return model.model_validate(data)
    except ValidationError as err:
        target = data.get("target")
        if model is messages.Command and (not isinstance(target, str) or target not in models):
            raise _unknown("unknown_target", "target", target, models) from None
        raise invalid(err, model, data, "") from None


def params(model: type[BaseModel], text: str) -> BaseModel:
    """Params alone, without an envelope; raises BadMessageError."""
    data = _data(text)
    try:
        return model.model_validate(data)
    except ValidationError as err:
        raise invalid(err, model, data, "") from None


def invalid(err: ValidationError, model: type[BaseModel], data: object, at: str) -> BadMessageError:
    """The sentence about the first fault; `at` is where the data stands in the message."""
    fault = validation.faults(err, model, data)[0]
    sentence = str(fault).replace("is not a known setting", "is not known here")
    return BadMessageError("invalid", f"{at}.{sentence}" if at and fault.path else sentence)


def _unknown(reason: str, what: str, word: object, known: Iterable[str]) -> BadMessageError:
    names = sorted(known)
    if word is None:
        sentence = f"the message has no '{what}'"
    else:
        sentence = f"{validation.shown(word)} is not a known {what}"
    meant = hint(word, names) if isinstance(word, str) else ""
    return BadMessageError(reason, sentence + meant, f"Known: {', '.join(names)}.")


def check_topics(topics: Iterable[str], known: Iterable[str]) -> None:
    """Raises BadMessageError for the first that does not exist."""
    names = set(known)
    for topic in topics:
        if topic not in names:
            raise _unknown("unknown_topic", "topic", topic, names)


def check_target(target: str, known: Iterable[str]) -> None:
    """Raises BadMessageError when the robot has no such target."""
    if target and target not in known:
        raise _unknown("unknown_target", "target of this robot", target, known)


def check_fields(names: Iterable[str], role: RoleConfig) -> None:
    """Raises BadMessageError for the first name that is neither a field nor says how to move."""
    known = [*role.fields, *MODIFIERS]
    for name in names:
        if name not in known:
            raise _unknown("unknown_field", f"field of {role.target}", name, known)


MODIFIERS = ("speed", "force")  # of a direct command, beside its fields
Values = dict[str, float]


def limited(role: RoleConfig, values: Values) -> list[LimitedField]:
    """Return the fields that ask for more than their limits; the router keeps to these."""
    found: list[LimitedField] = []
    for name, asked in values.items():
        if (spec := role.fields.get(name)) is None:
            continue
        low, high = spec.limits
        if not low <= asked <= high:
            most = clamp(asked, low, high)
            text = f"{name} {asked:g} {spec.unit} was limited to {most:g} {spec.unit}"
            entry = LimitedField(
                field=name, asked=asked, limited_to=most, unit=spec.unit, text=text
            )
            found.append(entry)
    return found


def head_values(move: messages.HeadMove) -> Values:
    """The fields that the command names."""
    values = move.model_dump(exclude_none=True)
    if not values.keys() - {"speed"}:
        raise BadMessageError(
            "invalid", "a head move names none of pan, tilt, roll, jaw, eye_pan, eye_tilt"
        )
    return values


def arm_values(move: messages.ArmMove, role: RoleConfig) -> Values:
    """Positions by joint name."""
    joints = joint_names(role)
    if len(move.positions) > len(joints):
        sentence = (
            f"{role.target} has {len(joints)} joints, the command names {len(move.positions)}"
        )
        raise BadMessageError("invalid", sentence)
    pairs = zip(joints, move.positions, strict=False)
    values = {name: position for name, position in pairs if position is not None}
    if not values:
        raise BadMessageError("invalid", "an arm move names no position")
    return values if move.speed is None else {**values, "speed": move.speed}


def joint_names(role: RoleConfig) -> list[str]:
    """joint_0, joint_1, ... in order."""
    names = [name for name in role.fields if name.startswith("joint_")]
    return sorted(names, key=lambda name: int(name.removeprefix("joint_")))


def home_values(role: RoleConfig) -> Values:
    """Every joint and axis at its neutral; a gripper stays as it is."""
    return {n: f.neutral for n, f in role.fields.items() if f.kind == "position" and n != "gripper"}
