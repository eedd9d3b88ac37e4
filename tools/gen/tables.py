"""Renders topics.yaml and errors.yaml as Python modules."""

from typing import Any

from .definitions import Interfaces
from .messages import HEAD, class_name


def types_of(table: dict[str, Any]) -> list[str]:
    """Return every message type that topics.yaml names."""
    return sorted({row["type"] for row in table["topics"].values()} | set(table["standard_types"]))


def topics(table: dict[str, Any], interfaces: Interfaces, generated: list[str]) -> str:
    """Render the module `topics`: one constant per topic and service."""
    text = HEAD.format(title="Every topic and service of the robot.")
    text += "\nfrom typing import Any, Final\n\nfrom ..bus import Qos, Service, Topic\n"
    for package in sorted({name.split("/")[0] for name in generated}):
        text += f"from . import {package}\n"
    text += "\n"
    for name, row in table["topics"].items():
        message, qos = _dotted(row["type"]), table["qos"][row["qos"]]
        text += f"{name.upper()}: Final[Topic[{message}]] = Topic(\n"
        text += f'    "{row["name"]}", {message}, {_qos(qos)}\n)'
        text += f"  # from {row['publisher']}\n"
    for name, row in table["services"].items():
        text += _service(name, row, interfaces)
    text += "\nBY_TYPE: Final[dict[str, type[Any]]] = {\n"
    text += "".join(f'    "{name}": {_dotted(name)},\n' for name in generated)
    return text + "}\n"


def _dotted(name: str) -> str:
    return f"{name.split('/')[0]}.{class_name(name)}"


def _qos(qos: dict[str, Any]) -> str:
    return "Qos(" + ", ".join(f"{key}={value!r}" for key, value in qos.items()) + ")"


def _service(name: str, row: dict[str, Any], interfaces: Interfaces) -> str:
    request, response = (_dotted(f"{row['type']}_{half}") for half in ("Request", "Response"))
    return (
        f"{name.upper()}: Final[Service[{request}, {response}]] = Service(\n"
        f'    "{row["name"]}",\n    "{row["type"]}",\n'
        f'    "{interfaces.store.hash_rihs01(row["type"])}",\n'
        f"    {request},\n    {response},\n)  # served by {row['server']}\n"
    )


def errors(table: dict[str, Any]) -> str:
    """Render the module `errors`: codes, titles, status and fixes."""
    text = HEAD.format(title="Every error that users see.")
    text += (
        "\nfrom dataclasses import dataclass\nfrom enum import StrEnum\nfrom typing import Final\n"
    )
    text += '\n\nclass Code(StrEnum):\n    """Stable names: programs may compare them."""\n\n'
    text += "".join(f'    {code.upper()} = "{code}"\n' for code in table)
    text += "\n\n@dataclass(frozen=True, slots=True)\nclass ErrorInfo:\n"
    text += '    """Title, HTTP status, exit code and what to do."""\n\n'
    text += "    title: str\n    status: int\n    exit_code: int\n    fix: str\n"
    text += "\n\nINFO: Final[dict[Code, ErrorInfo]] = {\n"
    for code, row in table.items():
        text += f"    Code.{code.upper()}: ErrorInfo(\n        {row['title']!r},\n"
        text += (
            f"        {row['status']},\n        {row['exit']},\n        {row['fix']!r},\n    ),\n"
        )
    return text + "}\n"
