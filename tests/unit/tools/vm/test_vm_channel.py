"""Consoles and control socket of a virtual machine, with this test in QEMU's place."""

import json
import os
import pty
import socket
import subprocess
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from tools.vm.channel import Channel, SilentError
from tools.vm.disk import partition
from tools.vm.programs import fields
from tools.vm.qmp import Qmp, QmpError
from tools.vm.settings import boot_env, saint_yaml
from tools.vm.shell import CommandFailedError, Shell


def connect(path: Path) -> socket.socket:
    peer = socket.socket(socket.AF_UNIX)
    peer.connect(str(path))
    return peer


@pytest.fixture
def channel(tmp_path: Path) -> Iterator[Channel]:
    with Channel(tmp_path / "c", tmp_path / "c.log") as made:
        yield made


@pytest.fixture
def qemu(channel: Channel) -> Iterator[socket.socket]:
    """The machine's end of the channel."""
    with connect(channel.path) as peer:
        channel.accept()
        yield peer


def test_line_that_was_said_before_the_offset_does_not_count(
    channel: Channel, qemu: socket.socket
) -> None:
    qemu.sendall(b"ready\r\n")
    channel.wait_for("^ready$", timeout_s=5)
    with pytest.raises(SilentError, match="did not come"):
        channel.wait_for("ready", since=channel.end, timeout_s=0.05)


def test_colours_are_not_in_the_way(channel: Channel, qemu: socket.socket) -> None:
    qemu.sendall(b"[\x1b[0;32m  OK  \x1b[0m] Started \x1b[0;1;39mssh\x1b[0m")
    assert channel.wait_for(r"OK  \] Started (\w+)", timeout_s=5)[1] == "ssh"


def test_machine_that_ends_is_not_waited_for(channel: Channel, qemu: socket.socket) -> None:
    qemu.close()
    with pytest.raises(SilentError, match="is off"):
        channel.wait_for("never", timeout_s=15)


@pytest.fixture
def shell(channel: Channel, qemu: socket.socket) -> Iterator[Shell]:
    """A real shell on a real terminal, carried over the socket as QEMU would."""
    master, slave = pty.openpty()
    environment = {**os.environ, "PS1": "root# "}
    process = subprocess.Popen(
        ["sh", "-i"], stdin=slave, stdout=slave, stderr=slave, env=environment,
        start_new_session=True,
    )  # fmt: skip
    os.close(slave)

    def out() -> None:
        while True:
            try:
                data = os.read(master, 4096)
            except OSError:
                return
            qemu.sendall(data)

    def into() -> None:
        while data := qemu.recv(4096):
            os.write(master, data)

    threads = [threading.Thread(target=work, daemon=True) for work in (out, into)]
    for thread in threads:
        thread.start()
    made = Shell(channel)
    made.open(timeout_s=15)
    yield made
    process.kill()
    process.wait(5)
    qemu.shutdown(socket.SHUT_RDWR)
    for thread in threads:
        thread.join(5)
    os.close(master)


def test_shell_returns_output_and_code(shell: Shell) -> None:
    result = shell.run("echo one; echo two >&2; exit 3")
    assert (result.code, result.text.split()) == (3, ["one", "two"])


def test_shell_keeps_answers_apart(shell: Shell) -> None:
    assert [shell.check(f"echo {word}") for word in ("a", "b", "c")] == ["a", "b", "c"]


def test_shell_takes_quotes_and_lines(shell: Shell) -> None:
    assert shell.check("printf '%s\\n' \"it's\" 'two\nlines'") == "it's\ntwo\nlines"


def test_failing_command_is_an_error_with_what_it_said(shell: Shell) -> None:
    with pytest.raises(CommandFailedError, match="no luck"):
        shell.check("echo no luck; false")


def test_command_that_hangs_is_ended_in_the_machine(shell: Shell) -> None:
    assert shell.run("sleep 30", timeout_s=0.2).code == 124
    assert shell.check("echo still there") == "still there"


def serve_qmp(path: Path, answers: list[dict[str, object]]) -> None:
    """QEMU's side: a greeting, then one answer per command."""
    with connect(path) as peer, peer.makefile("rwb") as lines:
        lines.write(b'{"QMP": {}}\n')
        lines.flush()
        for answer in [{"return": {}}, *answers]:
            lines.readline()
            lines.write(json.dumps(answer).encode() + b"\n")
            lines.flush()


def test_refused_command_is_an_error(tmp_path: Path) -> None:
    qmp = Qmp(tmp_path / "q")
    refusal = {"error": {"class": "GenericError", "desc": "no such snapshot"}}
    threading.Thread(target=serve_qmp, args=(qmp.path, [refusal]), daemon=True).start()
    qmp.accept()
    with pytest.raises(QmpError, match="no such snapshot"):
        qmp.run("snapshot-load")
    qmp.close()


def test_job_that_failed_is_an_error(tmp_path: Path) -> None:
    qmp = Qmp(tmp_path / "q")
    done = {"return": [{"id": "j", "status": "concluded", "error": "disk full"}]}
    answers: list[dict[str, object]] = [{"return": {}}, done, done, {"return": {}}]
    threading.Thread(target=serve_qmp, args=(qmp.path, answers), daemon=True).start()
    qmp.accept()
    with pytest.raises(QmpError, match="disk full"):
        qmp.job("snapshot-save", "j", timeout_s=5)
    qmp.close()


def test_commas_in_qemus_options_are_doubled() -> None:
    assert fields("socket", {"path": "/a,b"}) == "socket,path=/a,,b"


def test_partitions_are_found_in_the_table(tmp_path: Path) -> None:
    table = bytearray(512)
    table[446 + 16 + 8 : 446 + 16 + 16] = (8192).to_bytes(4, "little") + (10).to_bytes(4, "little")
    (tmp_path / "disk").write_bytes(table)
    assert partition(tmp_path / "disk", 2) == (8192 * 512, 10 * 512)


def test_settings_are_one_line_of_the_boot_script() -> None:
    assert boot_env(90, "quiet").startswith("extraargs=console=ttyAMA0 ")
    assert boot_env(90, "quiet").endswith(" saint.deadman=90 quiet\n")
    assert boot_env().count("\n") == 1
    assert saint_yaml("node").splitlines()[0] == "role: node"
