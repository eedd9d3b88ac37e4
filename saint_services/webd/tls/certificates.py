"""Content of the robot's own certificate authority and of its certificate. Not here: creating them
(authority.py).
"""

import hashlib
import ipaddress
import ssl
from collections.abc import Iterable

# A Pi has no clock of its own: the authority begins long before any release.
NOT_BEFORE = "20200101000000Z"
AUTHORITY_DAYS = 3650
# Apple accepts no certificate of any authority that is valid for longer than 825 days as a whole
# (support.apple.com/103769).
SERVER_DAYS = 820
RENEW_DAYS = 90
# The authority is limited to home networks: with a stolen key nobody can imitate a web site.
_HOME = tuple(
    ipaddress.ip_network(text)
    for text in (
        *("10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "169.254.0.0/16", "127.0.0.0/8"),
        *("fe80::/10", "fc00::/7", "::1/128"),
    )
)
_PERMITTED = (
    "DNS:local",
    "DNS:localhost",
    *(f"IP:{net.network_address.exploded}/{net.netmask.exploded}" for net in _HOME),
)
_FRAME = """\
[req]
distinguished_name = subject
prompt = no
utf8 = yes
[ca]
default_ca = own
[own]
database = {folder}/index
new_certs_dir = {folder}
rand_serial = yes
default_md = sha256
policy = any
unique_subject = no
[any]
commonName = supplied
"""


def authority_config(robot: str, hostname: str, names: Iterable[str], folder: str) -> str:
    """Return openssl's settings for the authority of this robot."""
    permitted = [*_PERMITTED, f"DNS:{hostname}", *(f"DNS:{name}" for name in names)]
    return _FRAME.format(folder=folder) + (
        f"[subject]\ncommonName = {_plain(robot)} {_plain(hostname)} CA\n"
        "[extensions]\nbasicConstraints = critical, CA:TRUE, pathlen:0\n"
        "keyUsage = critical, keyCertSign, cRLSign\nsubjectKeyIdentifier = hash\n"
        "nameConstraints = critical, @permitted\n[permitted]\n" + _numbered(permitted)
    )


def server_config(hostname: str, names: Iterable[str], folder: str) -> str:
    """Return openssl's settings for the server's certificate."""
    return _FRAME.format(folder=folder) + (
        f"[subject]\ncommonName = {_plain(hostname)}\n"
        "[extensions]\nbasicConstraints = critical, CA:FALSE\n"
        "keyUsage = critical, digitalSignature\nextendedKeyUsage = serverAuth\n"
        "subjectKeyIdentifier = hash\nauthorityKeyIdentifier = keyid\n"
        "subjectAltName = @alternatives\n[alternatives]\n"
        + "".join(
            f"{kind}.{number} = {name}\n" for number, (kind, name) in enumerate(_kinds(names))
        )
    )


def names_of(hostname: str, addresses: Iterable[str], more: Iterable[str]) -> tuple[str, ...]:
    """Return the names that reach this server, without those that the authority may not certify."""
    own = [text for text in addresses if _is_home(text)]
    found = [hostname, f"{hostname}.local", "localhost", "127.0.0.1", "::1", *more, *own]
    return tuple(dict.fromkeys(found))


def permitted_names(description: str) -> tuple[str, ...]:
    """Return the host names that an authority may certify, from openssl's description of it."""
    lines = (line.strip() for line in description.splitlines())
    return tuple(line.removeprefix("DNS:") for line in lines if line.startswith("DNS:"))


def within(names: Iterable[str], permitted: Iterable[str]) -> tuple[str, ...]:
    """Return the names without host names that the authority may not certify: with one of them
    clients would refuse the whole certificate (RFC 5280, 4.2.1.10). Addresses were chosen before
    (names_of).
    """
    ends = tuple(permitted)
    return tuple(name for name in names if _is_address(name) or _is_below(name, ends))


def _is_below(name: str, ends: Iterable[str]) -> bool:
    return any(name == end or name.endswith(f".{end}") for end in ends)


def _is_address(name: str) -> bool:
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True


def _is_home(text: str) -> bool:
    address = ipaddress.ip_address(text)
    return any(address.version == net.version and address in net for net in _HOME)


def must_renew(shown: Iterable[str], wanted: Iterable[str], ends_s: float, now_s: float) -> bool:
    """Return whether the server has other names than its certificate, or it expires soon."""
    return not set(wanted) <= set(shown) or ends_s - now_s < RENEW_DAYS * 86_400


def fingerprint(pem: str) -> str:
    """Return the SHA-256 fingerprint as browsers show it: "AB:CD:..."."""
    digest = hashlib.sha256(ssl.PEM_cert_to_DER_cert(pem)).hexdigest().upper()
    return ":".join(digest[i : i + 2] for i in range(0, len(digest), 2))


def _kinds(names: Iterable[str]) -> Iterable[tuple[str, str]]:
    for name in names:
        if _is_address(name):
            yield "IP", str(ipaddress.ip_address(name))
        else:
            yield "DNS", name


def _numbered(entries: Iterable[str]) -> str:
    found = (entry.partition(":") for entry in entries)
    return "".join(
        f"permitted;{kind}.{number} = {value}\n" for number, (kind, _, value) in enumerate(found)
    )


def _plain(name: str) -> str:
    """Return a name without characters that have a meaning in openssl's settings."""
    return "".join(c for c in name if c.isalnum() or c in " .-_")[:40].strip() or "robot"
