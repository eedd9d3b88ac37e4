"""The robot as one file: a zip with robot.yaml and, below figure/, its figure. Pure."""

from ...errors import Code, SaintError
from ..source import FILE, LARGEST_BYTES
from .archive import FigureFiles, unpacked, zipped

_FIGURE = "figure/"


def packed_robot(text: str, figure: FigureFiles | None) -> bytes:
    """Return the zip; `figure` is the owner's."""
    files = {FILE: text.encode()}
    if figure:
        files |= {f"{_FIGURE}{name}": data for name, data in figure.files.items()}
    return zipped(files)


def opened_robot(data: bytes) -> tuple[str, bytes]:
    """Return the text and the zip of the figure, which is empty without one; the figure is not
    checked. Raises config_invalid or too_large."""
    members = unpacked(data)
    text = members.get(FILE)
    if text is None:
        what = f"the zip holds no {FILE}"
        raise SaintError(
            Code.CONFIG_INVALID, what, fix="Choose a file that `robot export` has written."
        )
    if len(text) > LARGEST_BYTES:
        raise SaintError(Code.TOO_LARGE, f"{FILE} is longer than {LARGEST_BYTES >> 10} KiB")
    own = {
        name.removeprefix(_FIGURE): each
        for name, each in members.items()
        if name.startswith(_FIGURE)
    }
    try:
        return text.decode(), zipped(own) if own else b""
    except UnicodeDecodeError as err:
        raise SaintError(Code.CONFIG_INVALID, f"{FILE} is not UTF-8 text") from err
