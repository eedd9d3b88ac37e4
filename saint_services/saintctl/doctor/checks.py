"""All checks of `saintctl doctor`, by name, in the order in which they are listed."""

from . import machine as machine
from . import robot as robot
from .facts import DAEMONS
from .finding import Check

CHECKS: dict[str, Check] = {
    **{name: robot.answers(name) for name in DAEMONS},
    "webd": robot.webd,
    **{f"{name} health": robot.is_well(name) for name in DAEMONS},
    "restore": robot.restore,
    "nodes online": robot.nodes_online,
    "nodes well": robot.nodes_well,
    "nodes fresh": robot.nodes_fresh,
    "node restarts": robot.nodes_restarts,
    "node heat": robot.nodes_heat,
    "node memory": robot.nodes_memory,
    "nodes waiting": robot.nodes_waiting,
    "node keys": robot.nodes_keys,
    "strangers": robot.strangers,
    "e-stop": robot.estop,
    "stop switches": robot.stop_switches,
    "stop drill": robot.stop_drill,
    "lost inputs": robot.lost_sources,
    "refused inputs": robot.refused_samples,
    "RC link": robot.rc,
    "RC line": robot.rc_line,
    "LiveLink": robot.livelink,
    "LiveLink senders": robot.senders,
    "versions": robot.versions,
    "verdicts": robot.verdicts,
    "roll-out": robot.rollout,
    "updates": robot.updates,
    "settings files": machine.settings_files,
    "state files": machine.state_files,
    "log": machine.errors,
    "clock": machine.clock,
    "time source": machine.time_sync,
    "memory": machine.memory,
    "load": machine.load,
    "temperature": machine.temperature,
    "power supply": machine.power,
    "disk": machine.disk,
    "units": machine.failed_units,
    "daemon restarts": machine.unit_restarts,
    "firewall": machine.unit("nftables.service", "it is loaded", "systemctl restart nftables"),
    "network service": machine.unit(
        "systemd-networkd.service", "it runs", "systemctl start systemd-networkd"
    ),
    "time service": machine.unit("chrony.service", "it runs", "systemctl start chrony"),
    "inside network": machine.inside,
    "address": machine.address,
    "root": machine.root,
    "data partition": machine.data,
    "setup": machine.setup,
    "crashes": machine.crashes,
    "requests": machine.requests,
}
