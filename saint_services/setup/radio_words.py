"""Why a wireless network gave no address, from what wpa_supplicant said meanwhile. Pure. Not here:
reading it (live.py), whether the network holds (trial.py).
"""

# Events of wpa_supplicant 2.10 (src/common/wpa_ctrl.h), and its sentence about a wrong password.
_REFUSES_PASSWORD = ("reason=WRONG_KEY", "pre-shared key may be incorrect")
_LETS_IN = ("CTRL-EVENT-CONNECTED",)
_IS_THERE = ("Trying to associate", "Trying to authenticate", "Authentication with ")


def cause(said: str) -> str:
    """The part of a sentence behind its colon. What it knows best comes first."""
    if not said.strip():
        return "a wrong password, a name with a typing mistake, or out of reach"
    if _has(said, _REFUSES_PASSWORD):
        return "it refuses this password"
    if _has(said, _LETS_IN):
        return "it let the server in, but nobody there gave it an address (DHCP)"
    if _has(said, _IS_THERE):
        return "it is there and does not let the server in, mostly because of a wrong password"
    return "no network of that name was heard: a typing mistake, or out of reach"


def _has(said: str, words: tuple[str, ...]) -> bool:
    return any(word in said for word in words)
