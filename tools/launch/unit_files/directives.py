"""Which directives of unit files the launcher obeys, and which it leaves out on purpose.

Anything else is an error: a line that systemd would obey and a laptop would not is how an
activation mistake stays hidden until the robot.
"""

import difflib

from .parsing import Setting

OBEYED: dict[str, frozenset[str]] = {
    # After: in which order services end. They start by requests, in any order.
    "Unit": frozenset({"After", "Description", "PartOf", "StartLimitIntervalSec"}),
    "Socket": frozenset(
        {"ListenStream", "ListenDatagram", "FileDescriptorName", "PassCredentials", "Service"}
    ),
    "Service": frozenset(
        {
            "CPUSchedulingPolicy",
            "CPUSchedulingPriority",
            "Type",
            "ExecStart",
            "ExecStopPost",
            "Environment",
            "LimitRTPRIO",
            "LimitRTTIME",
            "Restart",
            "RestartSec",
            "RestartSteps",
            "RestartMaxDelaySec",
            "RestartPreventExitStatus",
            "Sockets",
            "StateDirectory",
            "TimeoutAbortSec",
            "TimeoutStartSec",
            "TimeoutStopSec",
            "WatchdogSec",
            "WatchdogSignal",
        }
    ),
    "Install": frozenset({"DefaultInstance", "WantedBy"}),
}

# Users, sandbox and priorities belong to the device, words to systemd.
LEFT_OUT: dict[str, frozenset[str]] = {
    "Unit": frozenset({"Documentation"}),
    "Socket": frozenset({"DirectoryMode", "SocketGroup", "SocketMode", "SocketUser"}),
    "Service": frozenset(
        {
            "CapabilityBoundingSet",
            "DeviceAllow",
            "DevicePolicy",
            "EnvironmentFile",
            "LimitMEMLOCK",
            "LockPersonality",
            "MemoryHigh",
            "MemoryMax",
            "MemorySwapMax",
            "Nice",
            "NoNewPrivileges",
            "OOMPolicy",
            "OOMScoreAdjust",
            "PrivateDevices",
            "PrivateTmp",
            "ProtectClock",
            "ProtectControlGroups",
            "ProtectHome",
            "ProtectHostname",
            "ProtectKernelLogs",
            "ProtectKernelModules",
            "ProtectKernelTunables",
            "ProtectProc",
            "ProtectSystem",
            "ReadWritePaths",
            "RemoveIPC",
            "RestrictAddressFamilies",
            "RestrictNamespaces",
            "RestrictRealtime",
            "RestrictSUIDSGID",
            "RuntimeDirectory",
            "RuntimeDirectoryMode",
            "RuntimeDirectoryPreserve",
            "StateDirectoryMode",
            "SupplementaryGroups",
            "SystemCallArchitectures",
            "SystemCallErrorNumber",
            "SystemCallFilter",
            "UMask",
            "User",
        }
    ),
    "Install": frozenset(),
}

_SECTIONS = {
    ".service": ("Unit", "Service", "Install"),
    ".socket": ("Unit", "Socket", "Install"),
    ".target": ("Unit", "Install"),
}


def check(setting: Setting, suffix: str) -> None:
    """Raise when the launcher cannot promise to do as systemd does."""
    if setting.section not in _SECTIONS[suffix]:
        raise setting.fault(f"a {suffix} file has no section [{setting.section}]")
    known = OBEYED[setting.section] | LEFT_OUT[setting.section]
    if setting.key in known:
        return
    near = difflib.get_close_matches(setting.key, known, n=1)
    hint = f"; did you mean {near[0]}?" if near else ""
    raise setting.fault(f"tools/launch does not know {setting.section}.{setting.key}{hint}")
