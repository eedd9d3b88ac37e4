"""Judges Ethernet and Wi-Fi. Pure."""

from ..api.selftest import SelfTestCheck
from .boards import SupportedBoard
from .network_facts import NetworkFacts, Radio, WiredCard
from .result import failed, not_connected, passed

_MOST_DAMAGED = 0.001  # of the frames; a good cable damages none
_FEWEST_FRAMES = 1000  # below it a share says nothing
_SLOWEST_MBIT = 100


def ethernet(facts: NetworkFacts, board: SupportedBoard | None) -> SelfTestCheck:
    """Judge the wired cards: the first with a link, else the first."""
    if not facts.wired:
        return _without_ethernet(board)
    card = min(facts.wired, key=lambda each: not each.has_link)
    shown = f"{card.name} ({card.driver})"
    if card.has_link is None:
        text = f"{shown} is there and switched off."
        fix = "To use it, name it under network in saint.yaml on the card."
        return not_connected("ethernet", text, fix)
    if not card.has_link:
        return not_connected("ethernet", f"{shown} is there, without a cable.", "Plug one in.")
    return _linked(card, shown, board)


def _without_ethernet(board: SupportedBoard | None) -> SelfTestCheck:
    if board is None or not board.has_ethernet:
        text = "There is no Ethernet card."
        return not_connected("ethernet", text, "A USB adapter adds one.")
    return failed(
        "ethernet",
        f"This {board.name} has an Ethernet socket, and the kernel found none.",
        "Send this report with the log of the kernel; a USB adapter works meanwhile.",
    )


def _linked(card: WiredCard, shown: str, board: SupportedBoard | None) -> SelfTestCheck:
    fix = "Try another cable, and another port at its other end."
    speed = f"{card.speed_mbit} Mbit/s"
    if card.frames >= _FEWEST_FRAMES and card.damaged > _MOST_DAMAGED * card.frames:
        text = f"{shown} has a link, and {card.damaged} of {card.frames} frames arrived damaged."
        return failed("ethernet", text, fix)
    if 0 < card.speed_mbit < _SLOWEST_MBIT:
        return failed("ethernet", f"The link of {shown} has {speed} only.", fix)
    text = f"{shown} has a link with {speed}" if card.speed_mbit else f"{shown} has a link"
    is_slower = board and "ethernet-1000" in board.has and 0 < card.speed_mbit < 1000
    note = "; the board can do 1000, its cable or the other end cannot" if is_slower else ""
    return passed("ethernet", f"{text}{note}.")


def wifi(facts: NetworkFacts, board: SupportedBoard | None) -> SelfTestCheck:
    """Judge the radios: the first that is joined, else the first."""
    if facts.radios:
        return _radio(min(facts.radios, key=lambda each: not each.is_joined))
    if board is None or "wifi" not in board.has:
        fix = "The image has no firmware for most USB sticks; use Ethernet, or a board with Wi-Fi."
        return not_connected("wifi", "There is no Wi-Fi card.", fix)
    if board.lacks:
        return failed(
            "wifi",
            f"This {board.name} has Wi-Fi, and its driver did not start.",
            f"Debian has no firmware for one of the radios of a {board.name}. When `journalctl -k` "
            f"names {board.lacks}, this board has it: use a USB Ethernet adapter, or Raspberry Pi "
            "OS (image/pi-gen). If not, send this report with the log of the kernel.",
        )
    return failed(
        "wifi",
        f"This {board.name} has Wi-Fi, and its driver did not start.",
        "Its firmware may be missing: write the card again, or send this report with the log of "
        "the kernel.",
    )


def _radio(radio: Radio) -> SelfTestCheck:
    shown = f"{radio.name} ({radio.driver})"
    if radio.switch == "hard":
        return failed("wifi", f"{shown} is switched off by a switch.", "Switch it on.")
    if radio.switch:
        text = f"{shown} must not send: no country is set."
        return failed("wifi", text, "Set the country under wifi in saint.yaml on the card.")
    if radio.is_joined:
        return passed("wifi", f"{shown} is in a network.")
    text = f"{shown} is there, in no network."
    fix = "Join one: page Settings, or wifi in saint.yaml on the card."
    return not_connected("wifi", text, fix)
