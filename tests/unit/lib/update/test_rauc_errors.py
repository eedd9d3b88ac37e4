"""RAUC's messages become sentences for people; the messages are those of the real service."""

import pytest

from saint_services.lib.errors import Code
from saint_services.lib.update.rauc_errors import InstallError, explained

VERIFY = "signature verification failed: Verify error: "
BUNDLE = "Invalid bundle format: "


@pytest.mark.parametrize(
    ("text", "code", "expected", "is_transient"),
    [
        (
            "Compatible mismatch: Expected 'saint-a' but bundle manifest has 'saint-b'",
            Code.RELEASE_INVALID,
            "made for 'saint-b', this machine is 'saint-a'",
            False,
        ),
        (VERIFY + "certificate is not yet valid", Code.RELEASE_INVALID, "clock", False),
        (VERIFY + "certificate has expired", Code.RELEASE_INVALID, "expired", False),
        (BUNDLE + "Signature data is no valid CMS", Code.RELEASE_INVALID, "damaged", False),
        (
            BUNDLE + "Signature size (16185398931723120707) exceeds bundle size",
            Code.RELEASE_INVALID,
            "cut off",
            False,
        ),
        (
            BUNDLE + "Failed to seek to end of bundle: Error seeking in file: Invalid argument",
            Code.RELEASE_INVALID,
            "cut off",
            False,
        ),
        (
            BUNDLE + "Failed to open bundle for reading: Error opening file /x: No such file or"
            " directory",
            Code.NOT_FOUND,
            "does not exist",
            False,
        ),
        (
            "Failed mounting bundle: Failed to load dm table: Argument list too long",
            Code.RELEASE_INVALID,
            "this time",
            True,
        ),
        (
            "Failed mounting bundle: Unexpected dm-verity status 'C' (instead of 'V')",
            Code.RELEASE_INVALID,
            "content of the release is damaged",
            False,
        ),
        (
            "Failed updating slot rootfs.1: Failed to copy data: Input/output error",
            Code.RELEASE_INVALID,
            "card",
            False,
        ),
        (
            "Failed updating slot rootfs.1: Failed splicing data: Error reading from file:"
            " Input/output error",  # streamed, and the network was gone
            Code.RELEASE_INVALID,
            "could not be read to its end",
            True,
        ),
        (
            "Failed updating slot rootfs.1: Failed splicing data: Error writing to file"
            " descriptor: Input/output error",
            Code.RELEASE_INVALID,
            "card",
            False,
        ),
        (
            "Slot (805306368 bytes) is too small for image (905306368 bytes).",
            Code.RELEASE_INVALID,
            "larger than",
            False,
        ),
        ("Failed to write: No space left on device", Code.DISK_FULL, "not enough space", False),
        (
            "Failed to stream bundle http://s/x: failed to configure streaming: server not"
            " responding",
            Code.RELEASE_INVALID,
            "could not be read",
            True,
        ),
        (
            "Failed to stream bundle http://s/x: not found: unexpected HTTP error code 404",
            Code.NOT_FOUND,
            "no longer has",
            False,
        ),
        ("Already processing a different method", Code.CONFLICT, "another installation", True),
        ("what nobody has seen yet", Code.RELEASE_INVALID, "what nobody has seen yet", False),
    ],
)
def test_message_is_explained(text: str, code: Code, expected: str, is_transient: bool):
    error = explained(text)
    assert isinstance(error, InstallError)
    assert error.code is code
    assert expected in error.message
    assert error.is_transient is is_transient
    assert error.fix


@pytest.mark.parametrize(
    "text",
    [
        VERIFY + "unable to get local issuer certificate",
        VERIFY + "unable to get issuer certificate",
        VERIFY + "unable to verify the first certificate",
        VERIFY + "self-signed certificate",
        VERIFY + "self-signed certificate in certificate chain",
        VERIFY + "certificate signature failure",
        VERIFY + "certificate not trusted",
        VERIFY + "invalid CA certificate",
        VERIFY + "path length constraint exceeded",
        VERIFY + "unsuitable certificate purpose",
        VERIFY + "CA certificate key too weak",
        "signature verification failed: error:068000A8:asn1 encoding routines::wrong tag",
        "signature verification failed: error: certificate verify error",
        "Signer certificate key usage does not allow digital signatures",
        "Unsupported number of signers: 2",
    ],
)
def test_key_that_is_not_trusted_is_one_sentence_whatever_openssl_says(text: str):
    error = explained(text)
    assert isinstance(error, InstallError)
    assert error.message == "the release is signed by a key that this robot does not trust"
    assert error.fix.startswith("Use a release of this robot's maker. ")
    assert not error.is_transient


def test_raucs_own_message_is_kept_for_a_closer_look():
    message = explained(VERIFY + "certificate has expired").message
    assert message.endswith(f"({VERIFY}certificate has expired)")
    assert len(explained("x" * 5000).message) < 300


@pytest.mark.parametrize(
    ("name", "code"),
    [
        ("org.freedesktop.DBus.Error.ServiceUnknown", Code.DAEMON_UNREACHABLE),
        ("org.freedesktop.DBus.Error.Spawn.ChildExited", Code.DAEMON_UNREACHABLE),
        ("org.freedesktop.DBus.Error.NoReply", Code.DAEMON_UNREACHABLE),
        ("org.freedesktop.DBus.Error.AccessDenied", Code.FORBIDDEN),
    ],
)
def test_bus_that_answers_for_rauc_is_distinguished(name: str, code: Code):
    error = explained("whatever", name)
    assert error.code is code
    assert not isinstance(error, InstallError)
