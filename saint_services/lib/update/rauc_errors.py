"""Translates RAUC's messages into sentences for users, and knows which failures are transient. The
messages are those of RAUC 1.13 and of OpenSSL, curl and the kernel below it.
"""

import re
from dataclasses import dataclass

from ..errors import Code, SaintError

_LONGEST_QUOTE = 200


class InstallError(SaintError):
    """Raised when an installation, or the inspection of a bundle, has failed."""

    def __init__(
        self, code: Code, message: str, *, fix: str = "", is_transient: bool = False
    ) -> None:
        super().__init__(code, message, fix=fix)
        self.is_transient = is_transient  # another try may succeed


@dataclass(frozen=True, slots=True)
class _Meaning:
    pattern: str
    code: Code
    sentence: str  # {1}: the first group of the pattern
    fix: str = ""
    is_transient: bool = False
    is_quoted: bool = True  # RAUC's own message follows the sentence


_FOREIGN = "the release is signed by a key that this robot does not trust"
_MAKER = (
    "Use a release of this robot's maker. If the maker has a new key, first install the release"
    " that contains it (image/trust/README.md). RAUC's own message: journalctl -u rauc."
)
_CLOCK = "Check the clock: the date of a machine without a battery comes from the robot's server."
_ROOM = "Build the release for this machine's slot size, or flash the card again."
_NETWORK = "Check that the server is up and on the same network, then start the update again."

# The first match counts: the most specific pattern stands first.
_MEANINGS = (
    _Meaning(
        r"Compatible mismatch: Expected '([^']*)' but bundle manifest has '([^']*)'",
        Code.RELEASE_INVALID,
        "the release is made for '{2}', this machine is '{1}'",
    ),
    _Meaning(
        r"certificate is not yet valid",
        Code.RELEASE_INVALID,
        "the certificate of the release's key is not valid yet by this machine's clock",
        _CLOCK,
    ),
    _Meaning(
        r"certificate has expired",
        Code.RELEASE_INVALID,
        "the certificate of the release's key has expired by this machine's clock",
        _CLOCK,
    ),
    _Meaning(
        # OpenSSL has a dozen reasons for it: which one depends on the names in the certificates.
        r"Verify error|issuer certificate|self.signed certificate|certificate verify"
        r"|unable to verify|Failed to verify X509|[Kk]ey usage|number of signers"
        r"|certificate signature failure",
        Code.RELEASE_INVALID,
        _FOREIGN,
        _MAKER,
        is_quoted=False,
    ),
    _Meaning(
        r"no valid CMS|parse CMS|Failed to parse signature|digest failure|signature failure"
        r"|bad signature|verification failure|Failed to verify|Invalid manifest",
        Code.RELEASE_INVALID,
        "the signature of the release is damaged or does not belong to it",
    ),
    _Meaning(
        r"Signature size .*(?:exceeds|is 0)|Bundle size .* too small|invalid bundle identifier"
        r"|seek to (?:end|start) of bundle",
        Code.RELEASE_INVALID,
        "the file is not a release, or it was cut off",
    ),
    # The kernel calls a hash device "too small" so: seen once at the first use of nbd after a boot.
    _Meaning(
        r"load dm table: Argument list too long",
        Code.RELEASE_INVALID,
        "the release could not be opened by the kernel this time",
        is_transient=True,
    ),
    _Meaning(
        r"dm-verity status|dm-verity device is corrupt|verity hash",
        Code.RELEASE_INVALID,
        "the content of the release is damaged: it does not match its signature",
    ),
    _Meaning(
        r"No space left on device",
        Code.DISK_FULL,
        "there is not enough space to install the release",
    ),
    _Meaning(
        r"does not fit to slot size|too small for image",
        Code.RELEASE_INVALID,
        "the release is larger than this machine's slot",
        _ROOM,
    ),
    _Meaning(
        r"HTTP (?:error|response) code[^0-9]*404",
        Code.NOT_FOUND,
        "the server no longer has this release",
    ),
    _Meaning(
        r"[Ff]ailed to stream|resolve host|resolve hostname|connect to (?:host|server)"
        r"|Connection refused|Timeout was reached|timed? ?out|transfer closed|incomplete HTTP"
        r"|failed to configure streaming|nbd (?:read|config) re(?:ply|quest)|Network is unreach"
        r"|No route to host|Connection reset",
        Code.RELEASE_INVALID,
        "the release could not be read from the server",
        _NETWORK,
        is_transient=True,
    ),
    # Of the release itself: a streamed one whose server or network is gone reads like one with a
    # damaged block, and otad serves none of those. A card that fails is written to, not read.
    _Meaning(
        r"[Rr]eading from file.*Input/output error",
        Code.RELEASE_INVALID,
        "the release could not be read to its end: its server was gone, or blocks are damaged",
        _NETWORK,
        is_transient=True,
    ),
    _Meaning(
        r"Input/output error",
        Code.RELEASE_INVALID,
        "blocks of the release are damaged, or the card failed while they were written",
        "Upload the release again; if that does not help, replace the card.",
    ),
    _Meaning(
        r"[Aa]lready processing a different method",
        Code.CONFLICT,
        "another installation is running",
        "Wait until it has ended.",
        is_transient=True,
    ),
    _Meaning(
        r"Failed to open bundle for reading.*No such file",
        Code.NOT_FOUND,
        "the release file does not exist",
    ),
    # The rest of this message is what OpenSSL had left in its error queue.
    _Meaning(
        r"signature verification failed",
        Code.RELEASE_INVALID,
        _FOREIGN,
        _MAKER,
        is_quoted=False,
    ),
)
_REFUSED = re.compile(r"AccessDenied|NotAuthorized")
_ABSENT = re.compile(r"ServiceUnknown|NameHasNoOwner|Spawn|NoReply|UnknownObject|UnknownMethod")


def explained(text: str, name: str = "") -> SaintError:
    """Return the error for an answer of RAUC or of the bus; `name` is that of the D-Bus error."""
    if _ABSENT.search(name):
        return SaintError(
            Code.DAEMON_UNREACHABLE,
            "RAUC, which installs releases, does not run on this machine",
            fix="See: systemctl status rauc. Without it this machine cannot be updated.",
        )
    if _REFUSED.search(name):
        return SaintError(
            Code.FORBIDDEN,
            "this process may not use RAUC",
            fix="Check the D-Bus policy of de.pengutronix.rauc.",
        )
    for meaning in _MEANINGS:
        if found := re.search(meaning.pattern, text):
            sentence = meaning.sentence.format("", *found.groups())
            if meaning.is_quoted:
                sentence = f"{sentence} ({_quoted(text)})"
            return _error(meaning, sentence)
    return InstallError(Code.RELEASE_INVALID, f"RAUC refused: {_quoted(text)}")


def _error(meaning: _Meaning, sentence: str) -> InstallError:
    return InstallError(meaning.code, sentence, fix=meaning.fix, is_transient=meaning.is_transient)


def _quoted(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= _LONGEST_QUOTE else f"{text[:_LONGEST_QUOTE]}..."
