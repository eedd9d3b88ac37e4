"""Which release is newer, which is offered, which are kept."""

from saint_services.lib.api.firmware import (
    Release,
)
from saint_services.otad.releases.versions import is_newer, is_offered, retained


def test_versions_are_ordered_as_numbers():
    assert is_newer("1.10.0", "1.9.0")
    assert is_newer("1.0.0", "1.0.0rc1")
    assert not is_newer("1.0", "1.0.0")
    assert is_newer("0.0.1", "what is this")
    assert not is_offered(None, "1.0.0")
    release = Release(
        version="1.1.0", release_date="", compatible="", checksum_sha256="", size_bytes=1
    )
    assert is_offered(release, "1.0.0")
    assert not is_offered(release, "1.1.0")
    assert not is_offered(release, "2.0.0")


def test_newest_and_needed_releases_stay():
    versions = ["1.0.0", "1.1.0", "1.2.0", "1.10.0"]
    assert retained(versions, 2, {"1.0.0", "9.9.9"}) == {"1.10.0", "1.2.0", "1.0.0"}
