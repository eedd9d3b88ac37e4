"""What changed between two bills of materials. Printing is in __main__.py."""

from dataclasses import dataclass

from .bill import Bill, Component


@dataclass(frozen=True, slots=True)
class Change:
    """One component: `old` or `new` is empty when it was added or removed."""

    name: str
    old: str
    new: str

    @property
    def kind(self) -> str:
        """In one word."""
        if not self.old:
            return "added"
        return "changed" if self.new else "removed"


def between(old: Bill, new: Bill) -> list[Change]:
    """Added, removed and changed components by name."""
    before, after = _versions(old), _versions(new)
    names = sorted({*before, *after})
    changes = [Change(name, before.get(name, ""), after.get(name, "")) for name in names]
    return [change for change in changes if change.old != change.new]


def _versions(bill: Bill) -> dict[str, str]:
    return {_key(part): part.version for part in bill.components}


def _key(part: Component) -> str:
    """npm packages and Debian's may share a name."""
    return f"{part.name} (npm)" if part.bom_ref.startswith("npm:") else part.name
