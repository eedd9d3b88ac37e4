"""Says in sentences why this server gives no addresses, and what to do. Pure."""

from ...lib.machine.address_status import AddressStatus
from .logic import AddressGuard, AddressState

_OWN_ADDRESS = "192.168.10.1"  # of setup/logic.py, which needs more memory than this process
# Not a second network adapter: the kernel numbers them in the order in which their drivers load, so
# it may become eth0, the robot's own network, at any start.
_SWAP = (
    "For the internet join a Wi-Fi."
    " The server looks again every 30 s, and at once when its cable is plugged in."
)


def status(guard: AddressGuard, interface: str) -> AddressStatus:
    """Return what the pages show."""
    state, other = guard.state, guard.other
    text = fix = ""
    if other is not None and other.mark:
        role = "gives addresses too" if state is AddressState.SERVING else "gives addresses"
        text = (
            f"Another SAINT.OS server ({other.mac}) {role} on {interface}, the robot's own network;"
            " both have the same address, so nodes may reach either."
        )
        fix = "Give each robot a network of its own, or make one of the two servers a node."
    elif other is not None:
        text = (
            f"Another DHCP server, {other.address} ({other.mac}), gives addresses on {interface},"
            " the robot's own network. This server gives none there, so that it does no harm in"
            " the other network."
        )
        if other.address == _OWN_ADDRESS:
            text += (
                " That router has the same address as this server: devices there may reach either,"
                " so they may lose the internet, and nodes this server."
            )
        fix = f"Take the cable between the robot's network and that router out. {_SWAP}"
    elif state is AddressState.UNSURE:
        text = (
            f"No search for other DHCP servers can be sent on {interface} ({guard.fault}), so this"
            " server gives no addresses there."
        )
        fix = f"Check network.internal in saint.yaml, and that {interface} is up: ip link"
    return AddressStatus(state.value, text, fix)
