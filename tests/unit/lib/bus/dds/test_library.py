"""Parts of the DDS backend without a network: settings, user data, service headers, warnings."""

import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from saint_services.lib.bus import cdr
from saint_services.lib.bus.dds import humble, library, library_log, service, settings
from saint_services.lib.bus.dds.remote_endpoints import RemoteEndpoint
from saint_services.lib.errors import SaintError
from saint_services.lib.generated import rmw_dds_common, topics
from saint_services.lib.generated.errors import Code
from saint_services.lib.generated.saint_msgs import GetSystemStatus_Request, ResetNode_Request


def test_default_is_loopback_without_multicast() -> None:
    text = settings.from_environment({}).configuration
    assert text
    assert '<NetworkInterface address="127.0.0.1"/>' in text
    assert "<AllowMulticast>false</AllowMulticast>" in text
    assert '<Peer Address="localhost"/>' in text
    assert "<ParticipantIndex>auto</ParticipantIndex>" in text


def test_interface_without_peers_uses_multicast() -> None:
    text = settings.from_environment({"SAINT_DDS_INTERFACE": "eth0"}).configuration
    assert text
    assert '<NetworkInterface name="eth0"/>' in text
    assert "<AllowMulticast>false" not in text


def test_peers_are_unicast() -> None:
    given_peers = {"SAINT_DDS_INTERFACE": "lo", "SAINT_DDS_PEERS": "10.0.0.1, 10.0.0.2"}
    text = settings.from_environment(given_peers).configuration
    assert text
    assert '<Peer Address="10.0.0.1"/><Peer Address="10.0.0.2"/>' in text


def test_users_own_configuration_is_left_alone() -> None:
    given_uri = {"CYCLONEDDS_URI": "file:///x.xml", "SAINT_DDS_INTERFACE": "eth0"}
    assert settings.from_environment(given_uri).configuration is None


@pytest.mark.parametrize(
    ("environment", "gid_bytes"),
    [
        ({}, 16),
        ({"ROS_DISTRO": "jazzy"}, 16),
        ({"ROS_DISTRO": "humble"}, 24),
        ({"ROS_DISTRO": "humble", "SAINT_ROS_DISTRO": "iron+"}, 16),
    ],
)
def test_gid_follows_the_distribution(environment: dict[str, str], gid_bytes: int) -> None:
    assert settings.from_environment(environment).gid_bytes == gid_bytes


@pytest.mark.parametrize("name", ['lo"/><x', "a b", "x" * 16])
def test_wrong_interface_is_one_sentence(name: str) -> None:
    with pytest.raises(SaintError, match="SAINT_DDS_INTERFACE") as caught:
        settings.from_environment({"SAINT_DDS_INTERFACE": name})
    assert caught.value.code is Code.CONFIG_INVALID


def test_missing_interface_is_named() -> None:
    with pytest.raises(SaintError, match="nosuch0"):
        settings.configuration("nosuch0", ["10.0.0.1"])


def test_missing_library_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SAINT_DDSC", "/nonexistent/libddsc.so")
    with pytest.raises(SaintError, match=r"/nonexistent/libddsc\.so") as caught:
        library.load.__wrapped__()
    assert caught.value.code is Code.BUS_UNAVAILABLE
    assert "libddsc0debian" in caught.value.fix


def test_library_without_the_functions_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SAINT_DDSC", "libc.so.6")
    with pytest.raises(SaintError, match="not a usable Cyclone DDS"):
        library.load.__wrapped__()


def test_user_data_values() -> None:
    peer = RemoteEndpoint("", "serviceid=1.a.ff;typehash=RIHS01_00;broken;=x")
    assert peer.value("serviceid") == "1.a.ff"
    assert peer.value("typehash") == "RIHS01_00"
    assert peer.value("broken") == ""
    assert peer.value("clientid") == ""


def test_request_bytes_are_those_of_rmw_cyclonedds() -> None:
    header = struct.pack("<Qq", 0x0102030405060708, 9)
    data = service._join(header, ResetNode_Request("ab", True))
    assert data == bytes.fromhex(
        "00010000 0807060504030201 0900000000000000 03000000 61620001".replace(" ", "")
    )
    assert service._split(ResetNode_Request, data) == (header, ResetNode_Request("ab", True))


def test_empty_request_carries_one_byte() -> None:
    data = service._join(bytes(16), GetSystemStatus_Request())
    assert len(data) == 4 + 16 + 4
    assert service._split(GetSystemStatus_Request, data)[1] == GetSystemStatus_Request()


@given(data=st.one_of(st.binary(max_size=80), st.binary(max_size=80).map(cdr.HEADER.__add__)))
def test_random_service_payload_raises_only_cdr_error(data: bytes) -> None:
    service._header(data)
    for one in (topics.NODES_RESET, topics.NODES_ADOPT, topics.SYSTEM_STATUS_QUERY):
        for half in (one.request, one.response):
            try:
                service._split(half, data)
            except cdr.CdrError:
                continue


def test_unreadable_sample_is_recognised_in_the_librarys_words() -> None:
    text = (
        "data(application, vendor 1.16): 1:2:3:503 #1: deserialization "
        "rt/saint/tracks/cmd_vel/geometry_msgs::msg::dds_::Twist_ failed (for reasons unknown)"
    )
    found = library_log._UNREADABLE.search(text)
    assert found
    assert found["topic"] == "rt/saint/tracks/cmd_vel"
    line = f"1795266325.957466 [11]       recv: {text}"
    assert library_log._PREFIX.sub("", line) == text


def test_humbles_messages_have_the_names_of_the_generated_ones() -> None:
    for kind in (rmw_dds_common.Gid, rmw_dds_common.NodeEntitiesInfo):
        assert getattr(humble, kind.__name__).TYPE == kind.TYPE
    info = humble.ParticipantEntitiesInfo
    assert info.TYPE == rmw_dds_common.ParticipantEntitiesInfo.TYPE
    assert len(cdr.encode(humble.Gid())) == 4 + 24
    assert cdr.decode(info, cdr.encode(info())) == info()
