"""Parses a client's text into a checked message, or an error that says what is wrong with it, and
turns motion commands into the values of input samples.
"""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, NoReturn, TypeVar

from pydantic import BaseModel, ValidationError

from ..lib.api.routing import LimitedField
from ..lib.api.webd.motion import ArmMove, HeadMove
from ..lib.config import validation
from ..lib.config.spelling import hint
from ..lib.errors import Code, SaintError
from ..lib.limits import clamp
from ..lib.role_config.model import RoleConfig
from ..lib.strict import has_nul
from .api import messages, stopping

M = TypeVar("M", bound=BaseModel)
MessageId = str | int | None
Models = Mapping[str, Mapping[str, type[BaseModel]]]  # group -> action -> params


@dataclass(frozen=True, slots=True)
class ClientCall:
    """One action that a client requests."""

    id: MessageId
    group: str
    action: str
    params: BaseModel


Parsed = ClientCall | messages.Auth | messages.Subscribe | messages.Unsubscribe | messages.Input


class BadMessageError(SaintError):
    """A refused message, which gets an error reply to `id`."""

    def __init__(self, reason: str, message: str, fix: str = "", id: MessageId = None) -> None:
        super().__init__(Code.REQUEST_INVALID, message, fix=fix)
        self.reason = reason  # name of the counter
        self.id = id


def parse(text: str, models: Models) -> Parsed:
    """Return the message in `text`; raises BadMessageError. A malformed message that names the
    e-stop is a stop: in doubt the robot stops.
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


def _stop(id: MessageId, given: object) -> ClientCall:
    return ClientCall(id, stopping.GROUP, stopping.ACTION, stopping.of_unsound(given))


def _id(given: object) -> MessageId:
    """Return an id that a reply can repeat, or None."""
    if isinstance(given, bool) or not isinstance(given, str | int):
        return None
    if isinstance(given, int):
        return given if -(2**63) <= given < 2**63 else None
    return given if len(given) <= 128 else None


def _data(text: str) -> dict[str, Any]:
    try:
        data = _DECODER.decode(text)
    except _DuplicateKeyError as err:
        sentence = f"the key {validation.shown(err.key)} occurs twice in one object"
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
    if "\\u0000" in text and has_nul(text.encode()):
        raise BadMessageError("malformed", "a text of the message holds the character NUL")
    return data


class _DuplicateKeyError(Exception):
    """A key that occurs twice in one object."""

    def __init__(self, key: str) -> None:
        super().__init__(key)
        self.key = key


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        names = [name for name, _ in pairs]
        raise _DuplicateKeyError(next(name for name in names if names.count(name) > 1))
    return found


def _id_in(text: str) -> MessageId:
    """Return the id of a message that is JSON, but not a valid message."""
    try:
        data = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return _id(data.get("id")) if isinstance(data, dict) else None


def _no_constant(name: str) -> NoReturn:
    raise BadMessageError("malformed", f"{name} is not a JSON number")


def _is_unicode(data: object) -> bool:
    """Return whether all texts can be encoded: JSON's escapes can spell half a surrogate pair."""
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
    return ClientCall(envelope.id, group, envelope.action, checked)


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


def from_body(model: type[M], raw: bytes) -> M:
    """Return the parameters in a JSON body, an empty one for none; raises SaintError."""
    try:
        text = raw.decode()
    except UnicodeDecodeError:
        raise SaintError(Code.REQUEST_INVALID, "the body is not UTF-8") from None
    data = _data(text if text.strip() else "{}")
    try:
        return model.model_validate(data)
    except ValidationError as err:
        raise invalid(err, model, data, "") from None


def from_query(model: type[M], query: Mapping[str, str]) -> M:
    """Return the parameters in a query: words, numbers, true or false; raises BadMessageError."""
    fields = dict(query)
    try:
        return model.model_validate(fields)
    except ValidationError as err:
        raise invalid(err, model, fields, "") from None


def invalid(err: ValidationError, model: type[BaseModel], data: object, at: str) -> BadMessageError:
    """Return the error about the first fault; `at` is the place of the data in the message."""
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
    """Raise BadMessageError for the first topic that does not exist."""
    names = set(known)
    for topic in topics:
        if topic not in names:
            raise _unknown("unknown_topic", "topic", topic, names)


def check_target(target: str, known: Iterable[str]) -> None:
    """Raise BadMessageError when the robot has no such target."""
    if target and target not in known:
        raise _unknown("unknown_target", "target of this robot", target, known)


def check_fields(names: Iterable[str], role: RoleConfig) -> None:
    """Raise BadMessageError for the first name that is neither a field nor a modifier."""
    known = [*role.fields, *MODIFIERS]
    for name in names:
        if name not in known:
            raise _unknown("unknown_field", f"field of {role.target}", name, known)


MODIFIERS = ("speed", "force")  # of a direct command, beside its fields
Values = dict[str, float]


def limited(role: RoleConfig, values: Values) -> list[LimitedField]:
    """Return the fields whose values exceed their limits; the router clamps them."""
    found: list[LimitedField] = []
    for name, wanted in values.items():
        if (spec := role.fields.get(name)) is None:
            continue
        low, high = spec.limits
        if not low <= wanted <= high:
            most = clamp(wanted, low, high)
            text = f"{name} {wanted:g} {spec.unit} was limited to {most:g} {spec.unit}"
            entry = LimitedField(
                field=name, asked=wanted, limited_to=most, unit=spec.unit, text=text
            )
            found.append(entry)
    return found


def by_rest(role: RoleConfig, values: Values) -> tuple[Values, Values]:
    """Separate what rests at zero, which moves only while it is sent, from what is held."""
    moving = {n: v for n, v in values.items() if n in role.fields and role.fields[n].rests_at_zero}
    return moving, {name: value for name, value in values.items() if name not in moving}


def head_values(move: HeadMove) -> Values:
    """Return the values of the axes that the command names."""
    values = move.model_dump(exclude_none=True)
    if not values.keys() - {"speed"}:
        raise BadMessageError(
            "invalid", "a head move names none of pan, tilt, roll, jaw, eye_pan, eye_tilt"
        )
    return values


def arm_values(move: ArmMove, role: RoleConfig) -> Values:
    """Return the positions by joint name."""
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
    """Return joint_0, joint_1, ... in order."""
    names = [name for name in role.fields if name.startswith("joint_")]
    return sorted(names, key=lambda name: int(name.removeprefix("joint_")))


def home_values(role: RoleConfig) -> Values:
    """Return every joint and axis at its neutral; a gripper stays as it is."""
    return {n: f.neutral for n, f in role.fields.items() if f.kind == "position" and n != "gripper"}
