"""Judges the card: wear, errors, speed. Pure."""

from ..api.selftest import SelfTestCheck
from .card_facts import CardFacts, CardSpeed
from .result import failed, passed, skipped

_NEW_CARD = "Save a backup (saintctl backup), then put in another card."
_WORN_PERCENT = 80
_WORN_PRE_EOL = 2
# A card of class 10 or A1 does 10 MB/s and more (SD Physical Layer Specification); an update reads
# and writes hundreds of MB, and a daemon waits for its state to be on the card.
_SLOW_WRITE_MBPS, _SLOW_READ_MBPS = 4.0, 10.0
_SLOW_SYNC_MS = 1000.0


def card(facts: CardFacts) -> SelfTestCheck:
    """Judge wear and errors."""
    if facts.is_data_lost:
        text = "The data partition was damaged and made again: its content is lost."
        return failed("card", text, _NEW_CARD)
    if facts.is_slot_damaged:
        text = "A block of the running system is not what the release holds."
        return failed("card", text, _NEW_CARD)
    if facts.read_only:
        text = f"{', '.join(facts.read_only)} is read-only since an error of the card."
        return failed("card", text, _NEW_CARD)
    if facts.errors:
        noun = "error" if facts.errors == 1 else "errors"
        return failed("card", f"Its file systems had {facts.errors} {noun}.", _NEW_CARD)
    if facts.pre_eol >= _WORN_PRE_EOL or (facts.life_percent or 0) >= _WORN_PERCENT:
        used = f"{facts.life_percent} % of its life" if facts.life_percent else "most spare blocks"
        return failed("card", f"The memory has used up {used}.", _NEW_CARD)
    if not facts.name:
        return skipped("card", "This machine does not run from a card.")
    wear = f", {facts.life_percent} % of its life used" if facts.life_percent else ""
    written = f", {facts.written_gb:.0f} GB written" if facts.written_gb >= 1 else ""
    return passed(
        "card", f"{facts.kind} {facts.name}, {facts.size_gb:.0f} GB, no error{wear}{written}."
    )


def speed(measured: CardSpeed) -> SelfTestCheck:
    """Judge a measurement."""
    if measured.problem:
        return failed("card_speed", f"Not measured: {measured.problem}.", _NEW_CARD)
    numbers = (
        f"writes {measured.write_mbps:.0f} MB/s, reads {measured.read_mbps:.0f} MB/s, "
        f"slowest small write {measured.slowest_ms:.0f} ms"
    )
    slow = [
        what
        for what, is_slow in (
            ("writing", measured.write_mbps < _SLOW_WRITE_MBPS),
            ("reading", measured.read_mbps < _SLOW_READ_MBPS),
            ("small writes", measured.slowest_ms > _SLOW_SYNC_MS),
        )
        if is_slow
    ]
    if slow:
        text = f"Slow in {' and '.join(slow)}: {numbers}."
        return failed("card_speed", text, "Use a card of class A1 or A2 of a known maker.")
    return passed("card_speed", f"{numbers[0].upper()}{numbers[1:]}.")
