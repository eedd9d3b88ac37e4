"""Uploads the releases of a USB stick to otad; a separate job, started by saint-usb-import@.service
as `python3 -m saint_services.otad.usb_import /dev/sda1`. Not here: whether a release is accepted.
"""

import contextlib
import http.client
import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from pydantic import ValidationError

from saint_services.lib import log
from saint_services.lib.api.firmware import Release
from saint_services.lib.errors import Code, SaintError
from saint_services.lib.ipc import ErrorReply
from saint_services.otad.adapters.removable_media import opened
from saint_services.otad.adapters.uploads import SOURCE_HEADER, USB_STICK

_MOUNT_LIMIT_S = 30.0
_ANSWER_LIMIT_S = 900.0  # otad hashes a large bundle again, on a slow card
_MOST_RELEASES = 8
_ENDING = ".raucb"
_FOLDERS = (".", "saint")
_LARGEST_ANSWER_BYTES = 1 << 20
_log = log.get("otad-usb-import")


class _UnixConnection(http.client.HTTPConnection):
    def __init__(self, path: Path) -> None:
        super().__init__("otad", timeout=_ANSWER_LIMIT_S)
        self._path = path

    def connect(self) -> None:
        self.sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.sock.settimeout(self.timeout)
        self.sock.connect(str(self._path))


@contextlib.contextmanager
def mounted(device: Path, place: Path) -> Iterator[Path]:
    """Mount the stick read-only, without set-user-id files and devices. Needs CAP_SYS_ADMIN."""
    options = "ro,nosuid,nodev,noexec"
    _run("mount", "--read-only", "--options", options, str(device), str(place))
    try:
        yield place
    finally:
        _run("umount", "--lazy", str(place))


def _run(*command: str) -> None:
    try:
        subprocess.run(command, check=True, timeout=_MOUNT_LIMIT_S, capture_output=True)
    except subprocess.CalledProcessError as err:
        reason = err.stderr.decode(errors="replace").strip()[:200]
        raise SaintError(Code.HARDWARE_FAULT, f"{command[0]} failed: {reason}") from err
    except (OSError, subprocess.TimeoutExpired) as err:
        raise SaintError(Code.HARDWARE_FAULT, f"{command[0]} failed: {err}") from err


def bundles(folder: Path) -> list[Path]:
    """Return the releases at the top level or in a folder "saint": regular files, at most eight.
    Links are skipped: they may point out of the stick."""
    found = [
        path
        for name in _FOLDERS
        if not (folder / name).is_symlink()
        for path in sorted((folder / name).glob(f"*{_ENDING}"))
        if path.is_file() and not path.is_symlink()
    ]
    return found[:_MOST_RELEASES]


def send(path: Path, folder: Path, otad: Path) -> Release:
    """Upload a file of the stick, which is mounted on `folder`, to otad. Raises otad's refusal."""
    connection = _UnixConnection(otad)
    try:
        with opened(folder, path) as file:
            size = os.fstat(file.fileno()).st_size
            headers = {"Content-Length": str(size), SOURCE_HEADER: USB_STICK}
            # A refusal comes before everything is sent: the answer counts, not the broken pipe.
            with contextlib.suppress(BrokenPipeError, ConnectionResetError):
                connection.request("POST", "/releases", body=file, headers=headers)
            answer = connection.getresponse()
            body = answer.read(_LARGEST_ANSWER_BYTES)
        if answer.status == http.client.OK:
            return Release.model_validate_json(body)
        raise ErrorReply.model_validate_json(body).error()
    except (OSError, http.client.HTTPException, ValidationError) as err:
        message = f"{path.name} could not be sent to otad: {err}"
        raise SaintError(Code.DAEMON_UNREACHABLE, message) from err
    finally:
        connection.close()


def upload_all(folder: Path, otad: Path) -> int:
    """Upload all releases of the stick; return how many were refused."""
    refused = 0
    for path in bundles(folder):
        try:
            release = send(path, folder, otad)
        except SaintError as err:
            refused += 1
            _log.error("release on the USB stick refused", file=path.name, reason=err.message)
            if err.code is Code.REFUSED:  # no stick is wanted: the others of it neither
                break
        else:
            _log.info("release on the USB stick accepted", file=path.name, version=release.version)
    return refused


def main(device: Path, place: Path, otad: Path) -> int:
    """Upload the releases of a device; return the exit code."""
    try:
        with mounted(device, place):
            return 1 if upload_all(place, otad) else 0
    except SaintError as err:
        _log.error(str(err), fix=err.fix)
        return err.exit_code


if __name__ == "__main__":
    log.setup("otad-usb-import")
    if len(sys.argv) != 2:
        _log.error("name the device, and nothing else", example="/dev/sda1")
        sys.exit(2)
    folder = Path(os.environ.get("RUNTIME_DIRECTORY", "/run/saint-usb"))
    sys.exit(main(Path(sys.argv[1]), folder, Path("/run/saint/otad-files.sock")))
