"""RAUC's messages become sentences for people; the messages are those of the real service."""

import pytest

from saint_services.lib.errors import Code
from saint_services.lib.update.rauc_words import InstallError, explained

VERIFY = "signature verification failed: Verify error: "
BUNDLE = "Invalid bundle format: "


@pytest.mark.parametrize(
    ("text", "code", "words", "is_transient"),
    [
        (
            "Compatible mismatch: Expected 'saint-a' but bundle manifest has 'saint-b'",
            Code.RELEASE_INVALID,
            "made for 'saint-b', this machine takes 'saint-a'",
            False,
        ),
        (VERIFY + "unable to get local issuer certificate", Code.RELEASE_INVALID, "a key", False),
        (VERIFY + "self-signed certificate", Code.RELEASE_INVALID, "a key that", False),
        (VERIFY + "certificate signature failure", Code.RELEASE_INVALID, "a key that", False),
        (VERIFY + "certificate is not yet valid", Code.RELEASE_INVALID, "clock", False),
        (VERIFY + "certificate has expired", Code.RELEASE_INVALID, "expired", False),
        (
            "signature verification failed: error:068000A8:asn1 encoding routines::wrong tag",
            Code.RELEASE_INVALID,
            "not signed with a key",
            False,
        ),
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
            "no such release",
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
            "Slot (805306368 bytes) is too small for image (905306368 bytes).",
            Code.RELEASE_INVALID,
            "larger than",
            False,
        ),
        ("Failed to write: No space left on device", Code.DISK_FULL, "no room", False),
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
def test_message_is_explained(text: str, code: Code, words: str, is_transient: bool):
    error = explained(text)
    assert isinstance(error, InstallError)
    assert error.code is code
    assert words in error.message
    assert error.is_transient is is_transient
    assert error.fix


def test_own_words_of_rauc_are_kept_for_whoever_looks_deeper():
    message = explained(VERIFY + "self-signed certificate").message
    assert message.endswith(f"({VERIFY}self-signed certificate)")
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
def test_bus_that_answers_for_rauc_is_told_apart(name: str, code: Code):
    error = explained("whatever", name)
    assert error.code is code
    assert not isinstance(error, InstallError)
