"""The robot's own certificate authority on the disk, and webd's certificate. openssl creates both.
Calls block: use asyncio.to_thread. Not here: their content (certificates.py).
"""

import contextlib
import ipaddress
import os
import shutil
import ssl
import subprocess
import tempfile
import time
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

from ...lib.api.machine import TlsInfo
from ...lib.errors import Code, SaintError
from ...lib.machine import settings_request
from ...lib.machine.network import interfaces
from ...lib.state import write_atomic
from . import certificates as certs

_LIMIT_S = 30.0
_KEY = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-batch", "-utf8")


class CertificateAuthority:
    """Authority and certificate in webd's state; enabled while there is an authority."""

    def __init__(self, directory: Path, robot: str, names: Sequence[str]) -> None:
        self._folder = directory / "tls"
        self._robot = robot
        self._names = tuple(names)
        self._authority = self._folder / "authority.pem"
        self._server = self._folder / "server.pem"
        self._names_in_use: tuple[str, ...] = ()  # of the certificate that is served

    @property
    def is_enabled(self) -> bool:
        """Whether port 443 answers."""
        return self._authority.exists()

    def enable(self) -> None:
        """Create authority and certificate where they are missing."""
        self._folder.mkdir(mode=0o700, exist_ok=True)
        if not self.is_enabled:
            self._make_authority()
        self._make_server()

    def disable(self) -> None:
        """Delete the authority, so that a device that trusted it trusts nothing of this robot."""
        if self._folder.exists():
            shutil.rmtree(self._folder)

    def context(self) -> ssl.SSLContext:
        """Return the context of the server's sockets; renew the certificate where necessary."""
        self._names_in_use = self._names_now()
        with contextlib.suppress(OSError, ssl.SSLError, ValueError):
            shown, ends_s = self._served()
            if not certs.must_renew(shown, self._wanted(), ends_s, time.time()):
                return self._loaded()
        self._make_server()
        return self._loaded()

    def is_outdated(self) -> bool:
        """Return whether the server's names or addresses changed since the last context()."""
        return self.is_enabled and self._names_now() != self._names_in_use

    def info(self) -> TlsInfo:
        """Describe the certificate for users."""
        if not self.is_enabled:
            return TlsInfo(is_enabled=False)
        names, ends_s = self._served_or_none()
        return TlsInfo(
            is_enabled=True,
            fingerprint=certs.fingerprint(self.authority()),
            names=list(names),
            ends_s=ends_s,
        )

    def authority(self) -> str:
        """Return the authority's certificate, which users install, as PEM."""
        try:
            return self._authority.read_text(encoding="ascii")
        except FileNotFoundError:
            text = "this robot has no certificate authority"
            raise SaintError(Code.NOT_FOUND, text, fix="Switch encryption on first.") from None

    def _loaded(self) -> ssl.SSLContext:
        context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
        context.minimum_version = ssl.TLSVersion.TLSv1_2
        context.load_cert_chain(self._server)
        return context

    def _served(self) -> tuple[tuple[str, ...], float]:
        """Return names and expiry of the server's certificate."""
        # Documented for tests of Python itself, and the only reader that Python brings.
        read = ssl._ssl._test_decode_cert(str(self._server))  # type: ignore[attr-defined]
        names = tuple(_normal(value) for _, value in read.get("subjectAltName", ()))
        return names, ssl.cert_time_to_seconds(read["notAfter"])

    def _names_now(self) -> tuple[str, ...]:
        addresses = [a.split("/")[0] for card in interfaces("") for a in card.addresses]
        return certs.names_of(settings_request.hostname(), addresses, self._names)

    def _served_or_none(self) -> tuple[tuple[str, ...], float]:
        """Return names and expiry; none while the certificate is created or damaged."""
        with contextlib.suppress(OSError, ssl.SSLError, ValueError):
            return self._served()
        return (), 0.0

    def _wanted(self) -> tuple[str, ...]:
        command = ("x509", "-in", str(self._authority), "-noout", "-ext", "nameConstraints")
        return certs.within(
            self._names_now(), certs.permitted_names(_openssl(self._folder, *command))
        )

    def _make_authority(self) -> None:
        hostname = settings_request.hostname()
        with tempfile.TemporaryDirectory(dir=self._folder) as work:
            config = certs.authority_config(self._robot, hostname, self._names, work)
            times = (certs.NOT_BEFORE, _in_days(certs.AUTHORITY_DAYS))
            self._issue(Path(work), config, times, ("-selfsign", "-keyfile", "key"))
            key = (Path(work) / "key").read_bytes()
            made = (Path(work) / "made").read_bytes()
        write_atomic(self._folder / "authority.key", key, mode=0o600)
        write_atomic(self._authority, made, mode=0o640)

    def _make_server(self) -> None:
        hostname, names = settings_request.hostname(), self._wanted()
        with tempfile.TemporaryDirectory(dir=self._folder) as work:
            config = certs.server_config(hostname, names, work)
            own_key = str(self._folder / "authority.key")
            signer = ("-cert", str(self._authority), "-keyfile", own_key)
            times = (_in_days(-1), _in_days(certs.SERVER_DAYS))
            self._issue(Path(work), config, times, signer)
            key = (Path(work) / "key").read_bytes()
            made = (Path(work) / "made").read_bytes()
        write_atomic(self._server, key + made, mode=0o600)

    def _issue(
        self, work: Path, config: str, times: tuple[str, str], signer: Sequence[str]
    ) -> None:
        (work / "config").write_text(config, encoding="utf-8")
        (work / "index").touch()
        _openssl(work, "req", "-new", *_KEY, "-config", "config", "-keyout", "key", "-out", "asked")
        valid = ("-startdate", times[0], "-enddate", times[1])
        common = ("-batch", "-notext", "-config", "config", "-extensions", "extensions")
        _openssl(work, "ca", *common, *valid, *signer, "-in", "asked", "-out", "made")


def _in_days(days: int) -> str:
    """Return a time as openssl writes it."""
    return f"{datetime.now(UTC) + timedelta(days=days):%Y%m%d%H%M%SZ}"


def _openssl(work: Path, *arguments: str) -> str:
    """Run openssl and return its output."""
    environment = {"PATH": os.environ.get("PATH", os.defpath), "OPENSSL_CONF": "/dev/null"}
    try:
        return subprocess.run(
            ["openssl", *arguments],
            cwd=work, env=environment, timeout=_LIMIT_S, check=True, capture_output=True, text=True,
        ).stdout  # fmt: skip
    except FileNotFoundError:
        text = "openssl is not installed on this machine, so no certificate can be created"
        raise SaintError(Code.HARDWARE_MISSING, text, fix="Install Debian's openssl.") from None
    except subprocess.CalledProcessError as err:
        last = (err.stderr.strip().splitlines() or ["it gives no reason"])[-1]
        raise SaintError(Code.INTERNAL, f"openssl failed to create a certificate: {last}") from err
    except subprocess.TimeoutExpired as err:
        raise SaintError(
            Code.INTERNAL, f"openssl did not create a certificate within {_LIMIT_S:g} s"
        ) from err


def _normal(name: str) -> str:
    """Return an address in its short form; openssl writes IPv6 addresses in full."""
    with contextlib.suppress(ValueError):
        return str(ipaddress.ip_address(name.strip()))
    return name
