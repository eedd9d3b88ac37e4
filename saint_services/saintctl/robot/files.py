"""Reads files that are uploaded to the robot."""

from pathlib import Path

from ...lib.errors import Code, SaintError
from ...lib.robot.figure.archive import MOST_UPLOAD_BYTES


def read_file(path: Path) -> bytes:
    """Read a file that is to be uploaded. Raises request_invalid or too_large."""
    try:
        size = path.stat().st_size
        if size > MOST_UPLOAD_BYTES:
            what = f"{path} has {size} bytes, at most {MOST_UPLOAD_BYTES} are possible"
            raise SaintError(Code.TOO_LARGE, what, fix="Simplify its meshes.")
        return path.read_bytes()
    except OSError as err:
        raise SaintError(Code.REQUEST_INVALID, f"{path} cannot be read: {err.strerror}") from err
