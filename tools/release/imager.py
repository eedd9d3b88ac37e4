"""The list by which Raspberry Pi Imager offers an image: its entry, computed from the artefact.

The rules checked here are those of Imager's own schema (github.com/raspberrypi/rpi-imager,
doc/json-schema and doc/schema-notes.md), in our words. What Imager then writes onto the card is
read by saint_services/setup.
"""

import base64
import hashlib
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Annotated, Any, Literal

import yaml
from pydantic import AnyUrl, BaseModel, ConfigDict, Field, StringConstraints, ValidationError

from saint_services.lib.errors import Code, SaintError
from saint_services.lib.flash.source import ImageFile
from tools.image.names import Names

ROOT = Path(__file__).parents[2]
DEFINITION = ROOT / "image" / "imager" / "entry.yaml"

Sha256 = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{64}$")]
Text = Annotated[str, StringConstraints(min_length=1, strip_whitespace=True)]
Bytes = Annotated[int, Field(gt=0, strict=True)]
Architecture = Literal["armel", "armhf", "armv8"]
Interface = Literal["i2c", "spi", "onewire", "serial", "usb_otg"]
_UNPACKED = {".img", ".xz", ".gz", ".zip", ".zst"}


class _Rules(BaseModel):
    model_config = ConfigDict(extra="forbid")


class Device(_Rules):
    """A board that Imager offers; without any, a list of one's own shows no images."""

    name: Text
    tags: list[Text] = Field(min_length=1)
    description: Text
    icon: str = ""
    matching_type: Literal["exclusive", "inclusive"] = "exclusive"
    architecture: Architecture = "armv8"
    capabilities: list[Interface | Literal["serial_on_console_only"]] = []
    default: bool = False


class ImagerPart(_Rules):
    """About Imager itself: only in a list that stands alone."""

    devices: list[Device] = Field(min_length=1)


class Entry(_Rules):
    """One image to choose."""

    name: Text
    description: Text
    icon: Text
    website: AnyUrl | None = None
    url: AnyUrl
    extract_size: Bytes
    extract_sha256: Sha256
    image_download_size: Bytes
    image_download_sha256: Sha256
    release_date: date
    init_format: Literal["", "none", "systemd", "cloudinit", "cloudinit-rpi", "rpi-preseed"]
    devices: list[Text] = Field(min_length=1)
    architecture: Architecture
    # What Imager may also ask for; our image has its buses on, and logs in by key alone.
    capabilities: list[Interface | Literal["secure_boot", "passwordless_sudo"]] = []


class OsList(_Rules):
    """The file."""

    imager: ImagerPart
    os_list: list[Entry] = Field(min_length=1)


@dataclass(frozen=True, slots=True)
class Extract:
    """The unpacked image."""

    size_bytes: int
    sha256: str


def write(image: Path, out: Path, *, url: str = "", extract: Extract | None = None) -> Path:
    """Write out/os_list.json for a packed image; without `url` it points at the file itself."""
    made = describe(image, url or image.absolute().as_uri(), extract or unpack(image))
    out.mkdir(parents=True, exist_ok=True)
    path = out / "os_list.json"
    text = made.model_dump_json(indent=2, exclude_none=True)
    path.write_text(text + "\n", encoding="utf-8")
    return path


def describe(image: Path, url: str, extract: Extract) -> OsList:
    """The list; names and boards come from image/imager, numbers from the artefact."""
    names = Names.read(ROOT / "pi-gen.conf")
    wanted = _Definition.model_validate(yaml.safe_load(DEFINITION.read_text(encoding="utf-8")))
    with image.open("rb") as file:
        packed = hashlib.file_digest(file, "sha256").hexdigest()
    tags = sorted({tag for device in wanted.devices for tag in device.tags})
    entry = Entry(
        name=f"{wanted.name} {names.version}",
        description=wanted.description,
        icon=_inline(ROOT / wanted.icon),
        website=wanted.website,
        url=AnyUrl(url),
        extract_size=extract.size_bytes,
        extract_sha256=extract.sha256,
        image_download_size=image.stat().st_size,
        image_download_sha256=packed,
        release_date=date.fromisoformat(names.release_date),
        init_format="cloudinit",
        devices=tags,
        architecture="armv8",
    )
    return OsList(imager=ImagerPart(devices=wanted.devices), os_list=[entry])


def _inline(icon: Path) -> str:
    """The picture itself as an address."""
    return "data:image/svg+xml;base64," + base64.b64encode(icon.read_bytes()).decode()


def unpack(image: Path) -> Extract:
    """Read the image once, to measure what comes out."""
    digest, size_bytes = hashlib.sha256(), 0
    for chunk in ImageFile(image).chunks():
        digest.update(chunk)
        size_bytes += len(chunk)
    return Extract(size_bytes, digest.hexdigest())


def faults(path: Path, image: Path | None = None) -> list[str]:
    """Every rule that a list breaks; with `image`, also where the numbers are not the file's."""
    try:
        found = OsList.model_validate_json(path.read_bytes())
    except OSError as err:
        raise SaintError(Code.NOT_FOUND, f"{path}: {err.strerror}") from err
    except ValidationError as err:
        return [_sentence(dict(fault)) for fault in err.errors()]
    said = []
    for entry in found.os_list:
        said += _advice(entry)
        offered = {tag for device in found.imager.devices for tag in device.tags}
        if not offered & set(entry.devices):
            said.append(f"{entry.name}: none of its devices is among the boards of the list")
    if image is not None and len(found.os_list) == 1:
        said += _differences(found.os_list[0], image)
    return said


def _advice(entry: Entry) -> list[str]:
    said = []
    if Path(entry.url.path or "").suffix not in _UNPACKED:
        said.append(f"{entry.name}: Imager does not unpack {entry.url}: take .xz or .zst")
    if entry.extract_size % 512:
        said.append(f"{entry.name}: extract_size {entry.extract_size} is no whole sector")
    return said


def _differences(entry: Entry, image: Path) -> list[str]:
    computed = describe(image, str(entry.url), unpack(image)).os_list[0]
    fields = ("extract_size", "extract_sha256", "image_download_size", "image_download_sha256")
    return [
        f"{field} is {getattr(entry, field)}, the file has {getattr(computed, field)}"
        for field in fields
        if getattr(entry, field) != getattr(computed, field)
    ]


def _sentence(fault: dict[str, Any]) -> str:
    where = ".".join(str(step) for step in fault["loc"])
    return f"{where}: {fault['msg']}"


class _Definition(_Rules):
    """image/imager/entry.yaml."""

    name: Text
    description: Text
    icon: Path
    website: AnyUrl | None = None
    devices: list[Device] = Field(min_length=1)
