"""Radios for the emulated server: two of the kernel's mac80211_hwsim, which receive each other and
nothing else. One is the server's own. The other, in a network namespace of its own, is a user
else: a home's access point, or a guest. All programs are the image's.
"""

import re
import shlex

from tests.image.rig import Host

_OTHER = "elsewhere"  # the namespace
_INSIDE = f"ip netns exec {_OTHER}"
HOME_ADDRESS = "10.77.0.1"
_HOME = """\
network={{
	ssid="{ssid}"
	mode=2
	frequency=2412
	key_mgmt=WPA-PSK
	proto=RSN
	pairwise=CCMP
	psk="{password}"
}}
"""
# What udhcpc calls with what has happened.
_TAKE_LEASE = """\
#!/bin/sh
ip link set $interface up
[ "$1" != bound ] || { ip addr add $ip/24 dev $interface; echo "lease $ip"; }
"""
_GUEST = 'network={{\n\tssid="{ssid}"\n\tpsk="{password}"\n}}\n'


def switch_on(server: Host) -> None:
    """Plugs both radios in; udev starts what the server wants of its own."""
    server.sh("modprobe mac80211_hwsim radios=2")
    server.sh("until [ -e /sys/class/net/wlan1/phy80211/name ]; do sleep 0.2; done", 60)
    server.sh(f"ip netns add {_OTHER}")
    server.sh(f"iw phy $(cat /sys/class/net/wlan1/phy80211/name) set netns name {_OTHER}")
    server.sh(f"ip -n {_OTHER} link set lo up")


def open_home(server: Host, ssid: str, password: str) -> None:
    """An access point with addresses to give."""
    _radio(server, _HOME.format(ssid=ssid, password=password))
    server.sh(f"ip -n {_OTHER} addr replace {HOME_ADDRESS}/24 dev wlan1")
    server.sh(
        f"{_INSIDE} dnsmasq --conf-file=/dev/null --port=0 --interface=wlan1 --bind-interfaces"
        " --dhcp-range=10.77.0.10,10.77.0.50 --leasefile-ro --user=root --pid-file=/run/home.pid"
    )


def join_as_guest(server: Host, ssid: str, password: str) -> str:
    """A guest's computer in that network; returns the address that it got."""
    _radio(server, _GUEST.format(ssid=ssid, password=password))
    server.sh(f"printf %s {shlex.quote(_TAKE_LEASE)} >/run/lease.sh; chmod 755 /run/lease.sh")
    said = server.sh(f"{_INSIDE} busybox udhcpc -i wlan1 -n -q -t 60 -T 1 -s /run/lease.sh", 120)
    found = re.search(r"^lease (\S+)$", said, re.MULTILINE)
    assert found, said
    return found[1]


def page_status(server: Host, address: str) -> str:
    """What the robot's page answers to who is there."""
    program = (
        f"import urllib.request as r; print(r.urlopen('http://{address}/', timeout=30).status)"
    )
    return server.sh(f"{_INSIDE} python3 -c {shlex.quote(program)}")


def _radio(server: Host, settings: str) -> None:
    """It is this from now on, and nothing that it was before."""
    pids = "/run/other.pid /run/home.pid"
    server.sh(f"for p in {pids}; do [ ! -e $p ] || kill $(cat $p); rm -f $p; done; sleep 1")
    server.sh(f"ip -n {_OTHER} addr flush dev wlan1")
    server.sh(f"printf %s {shlex.quote(settings)} >/run/other.conf")
    server.sh(f"{_INSIDE} wpa_supplicant -B -i wlan1 -c /run/other.conf -P /run/other.pid", 60)
