"""Translates the files of Raspberry Pi Imager (`user-data` and `network-config` of cloud-init, the
part that Imager writes) into settings of saint.yaml. Pure. Only host name, public keys and Wi-Fi
are used. The rest is not refused, since the files belong to another program; each ignored entry is
reported in one sentence.
"""

from dataclasses import dataclass, field
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator

from ..lib import config as settings
from ..lib.errors import SaintError

USER_DATA, NETWORK_CONFIG = "user-data", "network-config"
_FOLLOWED = {"hostname", "users", "ssh_authorized_keys"}
# Written by Imager for other systems; without effect here, or the default.
_UNIMPORTANT = {
    "manage_etc_hosts",
    "packages",
    "apt",
    "enable_ssh",
    "ssh_pwauth",
    "runcmd",
    "rpi",
    "locale",
    "keyboard",
}


class _Foreign(BaseModel):
    model_config = ConfigDict(extra="ignore", frozen=True)


class _User(_Foreign):
    name: str = ""
    passwd: str | None = Field(default=None, repr=False)
    ssh_authorized_keys: list[str] = []
    ssh_import: list[str] = Field(default=[], alias="ssh-authorized-keys")


class _UserData(_Foreign):
    hostname: str | None = None
    users: list[_User | str] = []
    ssh_authorized_keys: list[str] = []


class _AccessPoint(_Foreign):
    password: str | None = Field(default=None, repr=False)
    hidden: bool = False


class _Radio(_Foreign):
    country: str | None = Field(default=None, alias="regulatory-domain")
    access_points: dict[str, _AccessPoint | None] = Field(default={}, alias="access-points")


class _Network(_Foreign):
    wifis: dict[str, _Radio | str] = {}

    @field_validator("wifis", mode="before")
    @classmethod
    def _empty(cls, value: Any) -> Any:
        return value or {}


@dataclass(slots=True)
class Found:
    """Settings as plain data in the form of saint.yaml, and notes about the rest."""

    data: dict[str, Any] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)


def user_data(text: str, account: str) -> Found:
    """Return host name and keys. `account`: the existing user, whatever name is requested."""
    found = Found()
    raw = settings.read_yaml(text, USER_DATA).data
    given = _UserData.model_validate(raw)  # refuses what is no group of keys
    if given.hostname:
        found.data["hostname"] = given.hostname
    users = [user for user in given.users if isinstance(user, _User)]
    keys = list(given.ssh_authorized_keys)
    for user in users:
        keys += [*user.ssh_authorized_keys, *user.ssh_import]
        if user.name and user.name != account:
            found.notes.append(
                f"{USER_DATA}: log in as {account}; the user {user.name} is not created"
            )
        if user.passwd:
            found.notes.append(f"{USER_DATA}: the password is ignored; logging in needs a key")
    if keys:
        found.data["ssh"] = {"keys": keys}
    unknown = sorted(set(raw) - _FOLLOWED - _UNIMPORTANT)
    if unknown:
        found.notes.append(f"{USER_DATA}: {', '.join(map(str, unknown))} is ignored")
    return found


def network_config(text: str) -> Found:
    """Return the first wireless network."""
    found = Found()
    raw = settings.read_yaml(text, NETWORK_CONFIG).data
    given = _Network.model_validate(raw.get("network", raw) if isinstance(raw, dict) else raw)
    for radio in given.wifis.values():
        if isinstance(radio, str):
            continue  # "renderer: networkd"
        for ssid, point in radio.access_points.items():
            if "wifi" in found.data:
                found.notes.append(
                    f"{NETWORK_CONFIG}: {ssid} is ignored, only one network is joined"
                )
                continue
            point = point or _AccessPoint()
            found.data["wifi"] = {
                "ssid": ssid,
                "secret": point.password or None,
                "country": radio.country,
                "hidden": point.hidden,
            }
    return found


def is_secret(place: tuple[str, ...]) -> bool:
    """Whether this place of the two files holds a secret."""
    return place[-1:] in (("password",), ("passwd",))


READ_ERRORS = (SaintError, ValidationError)
