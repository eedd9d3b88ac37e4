"""Renders what depends on pi-gen.conf alone. What depends on one machine is rendered at its boot by
saint_services/setup."""

from pathlib import Path

import jinja2

from saint_services.lib.errors import Code, SaintError

from .names import Names


def render(path: Path, names: Names, **more: str) -> str:
    """The template with the names of pi-gen.conf and `more`; an unknown name is an error."""
    environment = jinja2.Environment(
        undefined=jinja2.StrictUndefined, keep_trailing_newline=True, trim_blocks=True
    )
    try:
        return environment.from_string(path.read_text(encoding="utf-8")).render(names.all, **more)
    except jinja2.TemplateError as err:
        problem = f"{path.name}: {err}"
        raise SaintError(Code.CONFIG_INVALID, problem, fix="Correct it, or pi-gen.conf.") from err
