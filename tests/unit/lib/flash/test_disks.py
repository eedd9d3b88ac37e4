"""Which disks may be overwritten, on made-up computers."""

from pathlib import Path

import pytest

from saint_services.lib.errors import SaintError
from saint_services.lib.flash.disks import Disks

GIB = 1 << 30
USB = "devices/pci0000:00/0000:00:14.0/usb2/2-1/2-1:1.0/host6/target6:0:0/6:0:0:0"
PCI = "devices/pci0000:00/0000:00:1d.0/nvme/nvme0"
MMC = "devices/platform/soc/fe340000.mmc/mmc_host/mmc0/mmc0:aaaa"


class Computer:
    """A /sys and a /proc in a folder."""

    def __init__(self, root: Path) -> None:
        self.sysfs, self.proc = root / "sys", root / "proc"
        (self.sysfs / "block").mkdir(parents=True)
        (self.proc / "self").mkdir(parents=True)
        (self.proc / "swaps").write_text("Filename Type Size Used Priority\n")
        self._mounts: list[str] = []
        self.mount("0:20", "proc", "/proc")

    def disk(
        self, name: str, place: str, /, *, size: int = 32 * GIB, parts: int = 1, **device: str
    ) -> None:
        folder = self.sysfs / place / "block" / name
        (folder / "device").mkdir(parents=True)
        (folder / "size").write_text(f"{size // 512}\n")
        (folder / "ro").write_text(device.pop("ro", "0"))
        (folder / "removable").write_text(device.pop("removable", "0"))
        (folder / "dev").write_text(f"{sum(name.encode())}:0\n")
        for key, text in device.items():
            (folder / "device" / key).write_text(text + "\n")
        for number in range(1, parts + 1):
            between = "p" if name[-1].isdigit() else ""
            part = folder / f"{name}{between}{number}"
            (part / "holders").mkdir(parents=True)
            (part / "dev").write_text(f"{sum(name.encode())}:{number}\n")
        (self.sysfs / "block" / name).symlink_to(folder)

    def mount(self, number: str, device: str, place: str) -> None:
        self._mounts.append(f"22 1 {number} / {place} rw - ext4 {device} rw\n")
        (self.proc / "self/mountinfo").write_text("".join(self._mounts))

    def disks(self) -> Disks:
        return Disks(self.sysfs, self.proc)


@pytest.fixture
def computer(tmp_path: Path) -> Computer:
    """A laptop with an internal disk and a card in a USB reader."""
    computer = Computer(tmp_path)
    computer.disk("nvme0n1", PCI, parts=2, model="Fast 990")
    computer.disk("sdb", USB, vendor="Generic ", model="Card  Reader", removable="1")
    return computer


def _refusal(computer: Computer, path: str) -> SaintError:
    with pytest.raises(SaintError) as caught:
        computer.disks().named(Path(path))
    return caught.value


def test_card_in_a_reader_may_be_written(computer: Computer) -> None:
    disk = computer.disks().named(Path("/dev/sdb"))
    assert (disk.model, disk.connection, disk.size_bytes) == (
        "Generic Card Reader",
        "USB",
        32 * GIB,
    )


def test_card_slot_may_be_written(computer: Computer) -> None:
    computer.disk("mmcblk0", MMC, type="SD", name="SC32G")
    assert computer.disks().named(Path("/dev/mmcblk0")).connection == "SD"


@pytest.mark.parametrize("kind", ["MMC", "SDIO"])
def test_soldered_flash_is_internal(computer: Computer, kind: str) -> None:
    computer.disk("mmcblk1", MMC.replace("mmc0", "mmc1"), type=kind, name="eMMC")
    assert "is built into this computer" in _refusal(computer, "/dev/mmcblk1").message


def test_internal_disk_is_refused(computer: Computer) -> None:
    error = _refusal(computer, "/dev/nvme0n1")
    assert "/dev/nvme0n1 (Fast 990) is built into this computer" in error.message


def test_mounted_card_is_refused_with_the_command_that_frees_it(computer: Computer) -> None:
    computer.mount(f"{sum(b'sdb')}:1", "/dev/sdb1", r"/media/my\040card")
    error = _refusal(computer, "/dev/sdb")
    assert "/dev/sdb1 is mounted on /media/my card" in error.message
    assert "umount /dev/sdb1" in error.fix


def test_root_on_usb_is_refused(computer: Computer) -> None:
    computer.mount(f"{sum(b'sdb')}:1", "/dev/sdb1", "/")
    assert "is mounted on /" in _refusal(computer, "/dev/sdb").message


def test_root_under_another_number_is_refused(computer: Computer) -> None:
    """btrfs reports its own device number."""
    computer.mount("0:31", "/dev/sdb1", "/")
    assert "is mounted on /" in _refusal(computer, "/dev/sdb").message


def test_encrypted_disk_in_use_is_refused(computer: Computer) -> None:
    holder = computer.sysfs / "block/sdb/sdb1/holders/dm-0/dm"
    holder.mkdir(parents=True)
    (holder / "name").write_text("luks-home\n")
    assert "/dev/sdb1 is a part of luks-home" in _refusal(computer, "/dev/sdb").message


def test_swap_is_refused(computer: Computer) -> None:
    (computer.proc / "swaps").write_text("Filename Type\n/dev/sdb1 partition 1 0 -2\n")
    assert "swap space" in _refusal(computer, "/dev/sdb").message


def test_partition_is_refused_with_the_disks_name(computer: Computer) -> None:
    error = _refusal(computer, "/dev/sdb1")
    assert "is a partition of /dev/sdb" in error.message
    assert "Name the disk: /dev/sdb" in error.fix


def test_write_protected_card_is_refused(computer: Computer) -> None:
    computer.disk("sdc", USB.replace("2-1", "2-2"), ro="1")
    assert "write-protected" in _refusal(computer, "/dev/sdc").message


def test_unknown_disk_is_not_found(computer: Computer) -> None:
    assert "the disk /dev/sdz does not exist" in _refusal(computer, "/dev/sdz").message


def test_list_leaves_out_what_is_no_disk(computer: Computer) -> None:
    computer.disk("sdd", USB.replace("2-1", "2-3"), size=0, parts=0)  # a reader without a card
    computer.disk("zram0", "devices/virtual", parts=0)
    computer.disk("mmcblk0boot0", MMC, parts=0)
    assert [disk.name for disk in computer.disks().find()] == ["nvme0n1", "sdb"]


def test_other_system_gets_the_advice_to_use_imager(tmp_path: Path) -> None:
    with pytest.raises(SaintError) as caught:
        Disks(tmp_path / "sys", tmp_path / "proc").find()
    assert "Raspberry Pi Imager" in caught.value.fix
