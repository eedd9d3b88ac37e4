"""Makes the report of a self-test: checks in their order, without what names this very machine."""

from collections.abc import Iterable
from pathlib import Path

from ..api.selftest import SelfTestCheck, SelfTestReport
from . import system_facts
from .document import document, redacted
from .result import in_order
from .situation import wires

_SHORTEST = 4  # a shorter name of a node would be found in words


def reported(
    root: Path, release: str, began: str, checks: Iterable[SelfTestCheck], names: Iterable[str]
) -> SelfTestReport:
    """Return the report; `names` are left out of it as serial numbers and addresses are. Blocks."""
    secrets = {*system_facts.secrets(root), *(name for name in names if len(name) >= _SHORTEST)}
    shown = in_order(redacted(check, secrets) for check in checks)
    machine = system_facts.read(root).model
    return SelfTestReport(
        machine=machine,
        release=release,
        began=began,
        checks=shown,
        jumpers=wires(),
        document=document(machine, release, began, shown),
    )
