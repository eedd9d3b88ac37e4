"""What `board flash` says when a program that it started fails."""

from pathlib import Path

import pytest

from saint_services.lib.errors import SaintError
from saint_services.saintctl.board import flashing

# As esptool 5.6 prints it.
ESPTOOL = """
WARNING: Deprecated: Command 'write_flash' is deprecated. Use 'write-flash' instead.
ERROR: A fatal error occurred: Could not open /dev/ttyACM9, the port is busy or doesn't exist.
([Errno 2] could not open port /dev/ttyACM9: [Errno 2] No such file or directory)

Hint: Check if the port is correct and ESP connected
"""


@pytest.mark.parametrize(
    ("printed", "said"),
    [
        (ESPTOOL, "Could not open /dev/ttyACM9, the port is busy or doesn't exist."),
        ("mpremote: failed to access /dev/ttyACM9\n", "mpremote: failed to access /dev/ttyACM9"),
        ("", "exit code 2"),
    ],
)
def test_failure_is_reported_by_the_line_that_names_it(
    printed: str, said: str, tmp_path: Path
) -> None:
    text = tmp_path / "printed"
    text.write_text(printed)
    program = tmp_path / "esptool"
    program.write_text(f"#!/bin/sh\ncat {text} >&2\nexit 2\n")
    program.chmod(0o755)
    with pytest.raises(SaintError) as caught:
        flashing.run([str(program)])
    assert caught.value.message == f"esptool failed: {said}"
