"""How a simulated machine's own message bus is set up: configuration and command of dbus-daemon.
Not here: starting it (the launcher, rig.py).
"""

import shutil
from pathlib import Path
from xml.sax.saxutils import escape

# As on the device, the first call makes the bus wait until the service is there. Nothing needs to
# be started for that here: /bin/true "starts" it, and the service claims its name a moment later.
_SERVICE = "[D-BUS Service]\nName={name}\nExec=/bin/true\n"
_SERVICES = ("de.pengutronix.rauc", "org.freedesktop.systemd1")
_CONFIGURATION = """<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
 "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
<busconfig>
  <type>session</type>
  <listen>{address}</listen>
  <auth>EXTERNAL</auth>
  <servicedir>{services}</servicedir>
  <policy context="default">
    <allow own="*"/>
    <allow send_destination="*"/>
    <allow receive_sender="*"/>
  </policy>
</busconfig>
"""


def program() -> str | None:
    """Where dbus-daemon is, or nowhere."""
    return shutil.which("dbus-daemon")


def write_configuration(folder: Path, address: str) -> Path:
    """`address` is one to listen on, or "systemd:" for a socket that is passed in."""
    services = folder / "services"
    services.mkdir(parents=True, exist_ok=True)
    for name in _SERVICES:
        (services / f"{name}.service").write_text(_SERVICE.format(name=name), encoding="utf-8")
    path = folder / "bus.conf"
    path.write_text(
        _CONFIGURATION.format(address=escape(address), services=escape(str(services))),
        encoding="utf-8",
    )
    return path


def command(program: str, configuration: Path) -> tuple[str, ...]:
    """What to run."""
    return (program, f"--config-file={configuration}", "--nofork", "--nopidfile", "--nosyslog")
