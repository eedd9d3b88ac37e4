"""Units that are made of a template, as systemctl enables them: saint-x@.socket with
DefaultInstance=2 is saint-x@2.socket, which starts saint-x@2.service. Not here: what units say
(units.py).
"""

from collections.abc import Mapping
from dataclasses import replace

from .parsing import Setting

_MARK = "@."
_INSTANCE = "%i"


def filled(units: Mapping[str, list[Setting]]) -> dict[str, list[Setting]]:
    """All units that exist after the templates were enabled; a template itself is none."""
    found = {name: settings for name, settings in units.items() if _MARK not in name}
    for name, settings in units.items():
        stem, mark, _ = name.partition(_MARK)
        if mark and (instance := _default_instance(settings)):
            for other in (name, f"{stem}{_MARK}service"):
                if other in units:
                    found[other.replace(_MARK, f"@{instance}.")] = _of(units[other], instance)
    return found


def _default_instance(settings: list[Setting]) -> str:
    return next((s.value for s in settings if s.key == "DefaultInstance"), "")


def _of(settings: list[Setting], instance: str) -> list[Setting]:
    return [replace(s, value=s.value.replace(_INSTANCE, instance)) for s in settings]
