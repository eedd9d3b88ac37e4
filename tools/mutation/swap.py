"""Puts a mutant into a module that is imported already: its functions get other code, its names
other values. For plain modules: functions, constants, and classes of methods and properties.
"""

import sys
from collections.abc import Callable, Mapping
from types import FunctionType, ModuleType

_OF_PYTHON = ("__dict__", "__weakref__", "__doc__", "__module__", "__qualname__")
_USERS = ("image.boards", "tests")


def swap(module: ModuleType, source: str) -> bool:
    """Return whether everything that uses the module uses the mutant now. Raises what the mutant
    raises where it is imported.
    """
    changed = ModuleType(module.__name__)
    changed.__dict__["__package__"] = module.__package__
    exec(compile(source, f"<mutant of {module.__name__}>", "exec"), changed.__dict__)
    if any(_is_copied(module, name) for name in _other_values(module, changed)):
        return False
    _take(module.__dict__, changed.__dict__, module.__dict__.__setitem__)
    return True


def _other_values(module: ModuleType, changed: ModuleType) -> list[str]:
    """Return the names of constants that differ."""
    before, now = module.__dict__, changed.__dict__
    plain = [name for name in now if not name.startswith("__") and name in before]
    return [
        name
        for name in plain
        if not isinstance(now[name], FunctionType | type) and before[name] != now[name]
    ]


def _is_copied(module: ModuleType, name: str) -> bool:
    """Return whether another module has imported this constant by its name, as it seems."""
    value = module.__dict__[name]
    users = [each for key, each in sys.modules.items() if key.startswith(_USERS)]
    return any(
        each is not module and name in each.__dict__ and each.__dict__[name] == value
        for each in users
    )


def _take(
    before: Mapping[str, object], now: Mapping[str, object], put: Callable[[str, object], None]
) -> None:
    for name, new in now.items():
        old = before.get(name)
        if name in _OF_PYTHON or old is new:
            continue
        if isinstance(new, FunctionType) and isinstance(old, FunctionType):
            _take_code(old, new)
        elif isinstance(new, property) and isinstance(old, property):
            assert isinstance(old.fget, FunctionType)
            assert isinstance(new.fget, FunctionType)
            _take_code(old.fget, new.fget)
        elif isinstance(new, type) and isinstance(old, type):
            _take(old.__dict__, new.__dict__, _setter(old))
        elif not name.startswith("__"):
            put(name, new)


def _take_code(old: FunctionType, new: FunctionType) -> None:
    old.__code__ = new.__code__
    old.__defaults__, old.__kwdefaults__ = new.__defaults__, new.__kwdefaults__


def _setter(owner: type) -> Callable[[str, object], None]:
    return lambda name, value: setattr(owner, name, value)
