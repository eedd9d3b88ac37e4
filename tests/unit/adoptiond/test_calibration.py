"""What a calibration makes of a role's configuration. Numbers are typed by hand."""

import hashlib
import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import settings as limits
from hypothesis import strategies as st

from saint_services.adoptiond.calibration import (
    Applied,
    RoleTrims,
    SavedCalibration,
    Trim,
    applied,
    changed,
    fields,
)
from saint_services.adoptiond.calibration_store import CalibrationStore
from saint_services.adoptiond.registry import Catalog, RoleKey, RoleText
from saint_services.lib import config as settings
from saint_services.lib.api.calibration import Calibrate
from saint_services.lib.errors import Code, SaintError
from saint_services.lib.health import Health
from saint_services.lib.hw.pwm.servo import ServoScale
from saint_services.lib.role_config.model import RoleConfig

ROLES = Path(__file__).parents[3] / "manifests/roles"


def text_of(text: str) -> RoleText:
    config = settings.parse(RoleConfig, text, "role")
    return RoleText(config, text, hashlib.sha256(text.encode()).hexdigest())


HEAD = text_of((ROLES / "head.yaml").read_text())
TRACKS = text_of((ROLES / "tracks.yaml").read_text())


def trimmed(role: RoleText = HEAD, **trims: Trim) -> Applied:
    return applied(role, RoleTrims(revision=3, fields=trims))


def refused(role: RoleText = HEAD, **wanted: object) -> str:
    with pytest.raises(SaintError) as caught:
        changed(role.config, RoleTrims(), Calibrate.model_validate({"target": "head", **wanted}))
    return caught.value.message


def test_role_that_was_never_calibrated_is_served_byte_for_byte():
    assert applied(HEAD, RoleTrims()) == Applied(HEAD)


def test_offset_moves_the_servo_and_keeps_within_the_manifests_pulses():
    # 2000 us are 360 degrees: 9 degrees are 50 us.
    config = trimmed(pan=Trim(offset=9.0)).role.config
    assert config.fields["pan"].limits == (-180.0, 171.0)
    assert config.gpio_mapping["pan"].pulse_us == (550, 2500)
    scale = ServoScale(config.fields["pan"].limits, config.gpio_mapping["pan"].pulse_us)
    assert scale.pulse_us(0.0) == pytest.approx(1550.0, abs=0.5)


def test_narrower_limits_leave_every_position_where_it_was():
    config = trimmed(tilt=Trim(minimum=-45.0, maximum=30.0)).role.config
    scale = ServoScale(config.fields["tilt"].limits, config.gpio_mapping["tilt"].pulse_us)
    plain = ServoScale((-90.0, 90.0), (500, 2500))
    for value in (-45.0, 0.0, 17.0, 30.0):
        assert scale.pulse_us(value) == pytest.approx(plain.pulse_us(value), abs=1.0)


def test_reversed_servo_is_trimmed_the_way_it_turns():
    role = text_of(HEAD.text.replace("[500, 2500]}", "[500, 2500], reversed: true}"))
    config = trimmed(role, pan=Trim(offset=9.0)).role.config
    output = config.gpio_mapping["pan"]
    scale = ServoScale(config.fields["pan"].limits, output.pulse_us, output.reversed)
    assert scale.pulse_us(0.0) == pytest.approx(1450.0, abs=0.5)


def test_servo_built_in_the_other_way_round_turns_the_other_way_and_keeps_its_trim():
    config = trimmed(pan=Trim(offset=9.0, is_reversed=True)).role.config
    output = config.gpio_mapping["pan"]
    scale = ServoScale(config.fields["pan"].limits, output.pulse_us, output.reversed)
    assert output.reversed
    assert scale.pulse_us(0.0) == pytest.approx(1450.0, abs=0.5)
    assert scale.pulse_us(90.0) == pytest.approx(950.0, abs=1.0)


def test_servo_that_the_manifest_reverses_can_be_turned_back():
    role = text_of(HEAD.text.replace("[500, 2500]}", "[500, 2500], reversed: true}"))
    output = trimmed(role, pan=Trim(is_reversed=True)).role.config.gpio_mapping["pan"]
    assert (output.reversed, output.pulse_us) == (False, (500, 2500))


def test_calibrated_configuration_has_its_revision_and_checksum():
    role = trimmed(pan=Trim(offset=1.0)).role
    assert role.config.version == "1.0.0+3"
    assert role.checksum == hashlib.sha256(role.text.encode()).hexdigest() != HEAD.checksum
    assert settings.parse(RoleConfig, role.text, "head") == role.config


@limits(max_examples=15, deadline=None)  # each reads and writes a whole manifest
@given(
    offset=st.floats(-72, 72),
    minimum=st.none() | st.floats(-180, 0),
    maximum=st.none() | st.floats(0, 180),
)
def test_no_calibration_goes_beyond_what_the_manifest_allows(
    offset: float, minimum: float | None, maximum: float | None
):
    found = trimmed(pan=Trim(offset=offset, minimum=minimum, maximum=maximum))
    spec, output = found.role.config.fields["pan"], found.role.config.gpio_mapping["pan"]
    assert -180.0 <= spec.limits[0] < spec.limits[1] <= 180.0
    assert 500 <= min(output.pulse_us) <= max(output.pulse_us) <= 2500
    assert spec.limits[0] <= spec.neutral <= spec.limits[1]


@pytest.mark.parametrize(
    ("wanted", "sentence"),
    [
        ({"field": "nose", "offset": 1.0}, "head has no field 'nose'"),
        ({"field": "pan"}, "the request changes nothing of head.pan"),
        ({"field": "pan", "maximum": 181.0}, "head.pan moves from -180 to 180 deg; 181 is outside"),
        ({"field": "pan", "minimum": 5.0}, "head.pan would go from 5 to 180 deg and not reach 0, "
                                           "its neutral position"),
        ({"field": "pan", "minimum": 9.0, "maximum": 9.0}, "which is no range"),
        ({"field": "pan", "minimum": 0.0, "maximum": 1e-9}, "which is no range"),
        ({"field": "pan", "offset": 72.1}, "an offset of 72.1 deg is more than head.pan may have"),
        ({"field": "nose", "clear": True}, "head has no field 'nose'"),
    ],
)  # fmt: skip
def test_what_the_manifest_does_not_allow_is_refused(wanted: dict[str, object], sentence: str):
    assert sentence in refused(**wanted)


def test_velocity_has_limits_and_no_offset():
    assert "tracks.linear has no servo" in refused(TRACKS, field="linear", offset=0.1)
    assert "its direction is the manifest's" in refused(TRACKS, field="linear", is_reversed=True)
    config = trimmed(TRACKS, linear=Trim(minimum=-0.5, maximum=0.8)).role.config
    assert config.fields["linear"].limits == (-0.5, 0.8)


def test_second_change_keeps_what_it_does_not_name_and_clearing_takes_all_away():
    first = changed(HEAD.config, RoleTrims(), Calibrate(target="head", field="pan", offset=2.0))
    second = changed(HEAD.config, first, Calibrate(target="head", field="pan", maximum=90.0))
    assert second == RoleTrims(revision=2, fields={"pan": Trim(offset=2.0, maximum=90.0)})
    third = changed(HEAD.config, second, Calibrate(target="head", field="pan", clear=True))
    assert third == RoleTrims(revision=3)


def test_manifest_that_lost_a_field_serves_the_rest_and_says_so():
    found = trimmed(pan=Trim(offset=2.0), nose=Trim(offset=1.0))
    assert found.problems == ("head has no field 'nose'",)
    assert found.role.config.gpio_mapping["pan"].pulse_us != (500, 2500)


def test_shown_are_all_fields_with_what_is_in_force():
    shown = {f.field: f for f in fields(HEAD.config, RoleTrims(fields={"pan": Trim(offset=9.0)}))}
    assert set(shown) == set(HEAD.config.fields)
    assert (shown["pan"].offset, shown["pan"].limits) == (9.0, (-180.0, 171.0))
    assert (shown["tilt"].offset, shown["tilt"].limits) == (0.0, (-90.0, 90.0))


# As the release before left it.
SAVED_1 = """\
{
 "version_of_format": 1,
 "roles": {
  "head": {"revision": 1, "fields": {"pan": {"offset": 9.0, "minimum": null, "maximum": 90.0}}}
 }
}"""


def calibrations(folder: Path) -> CalibrationStore:
    catalog = Catalog("SAINT-01", {RoleKey("head"): HEAD})
    return CalibrationStore(folder, Health("adoptiond"), catalog)


async def nobody(key: RoleKey) -> str:
    return f"no node is {key}"


async def test_stored_calibration_is_in_force_after_a_start(tmp_path: Path):
    (tmp_path / "calibration.json").write_text(SAVED_1)
    kept = calibrations(tmp_path)
    await kept.load()
    served = kept.catalog.roles[RoleKey("head")].config
    assert served.fields["pan"].limits == (-180.0, 90.0)
    assert served.version == "1.0.0+1"


async def test_calibration_of_the_format_before_stays_readable_for_the_release_before(
    tmp_path: Path,
):
    (tmp_path / "calibration.json").write_text(SAVED_1)
    kept = calibrations(tmp_path)
    await kept.load()
    await kept.change(Calibrate(target="head", field="pan", is_reversed=True), nobody)
    on_disk = json.loads((tmp_path / "calibration.json").read_text())
    assert on_disk["version_of_format"] == 2
    assert on_disk["roles"]["head"]["fields"]["pan"] == {
        "offset": 9.0, "minimum": None, "maximum": 90.0, "is_reversed": True,
    }  # fmt: skip
    assert (tmp_path / "calibration.json.v1").read_text() == SAVED_1


async def test_change_is_on_the_disk_before_it_is_in_force(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    kept = calibrations(tmp_path)
    await kept.load()

    def full(*_: object) -> None:
        raise SaintError(Code.INTERNAL, "the disk is full")

    with monkeypatch.context() as broken:
        broken.setattr("saint_services.lib.state.StateStore.save", full)
        with pytest.raises(SaintError, match="the disk is full"):
            await kept.change(Calibrate(target="head", field="pan", offset=9.0), nobody)
    assert kept.catalog.roles[RoleKey("head")] == HEAD
    reply = await kept.change(Calibrate(target="head", field="pan", offset=9.0), nobody)
    assert (reply.revision, reply.message) == (1, "no node is head")
    on_disk = json.loads((tmp_path / "calibration.json").read_text())
    assert on_disk["roles"]["head"]["fields"]["pan"]["offset"] == 9.0


async def test_damaged_calibration_is_set_aside_and_the_manifest_is_in_force(tmp_path: Path):
    (tmp_path / "calibration.json").write_text(SAVED_1[:40])
    kept = calibrations(tmp_path)
    await kept.load()
    assert kept.catalog.roles[RoleKey("head")] == HEAD
    aside = tmp_path / "calibration.json.damaged-1"
    assert aside.read_text() == SAVED_1[:40]


async def test_role_that_the_robot_does_not_have_is_refused_with_those_that_it_has(tmp_path: Path):
    with pytest.raises(SaintError, match="no role 'tail'") as caught:
        calibrations(tmp_path).show("tail")
    assert caught.value.fix == "Roles: head."


async def test_restored_calibration_that_does_not_fit_is_reported(tmp_path: Path):
    saved = SavedCalibration(
        roles={"tail": RoleTrims(), "head": RoleTrims(fields={"nose": Trim()})}
    )
    assert await calibrations(tmp_path).unfit(saved) == [
        "head has no field 'nose'.",
        "The calibration of tail is skipped: this robot has no such role.",
    ]


def test_servo_with_a_centre_keeps_two_slopes_and_its_centre_moves_with_the_offset():
    text = HEAD.text.replace("pulse_us: [500, 2500]}", "pulse_us: [500, 2500], centre_us: 1600}", 1)
    bent = text_of(text)
    assert bent.config.gpio_mapping["pan"].centre_us == 1600
    config = trimmed(bent, pan=Trim(offset=9.0, minimum=-90.0, maximum=90.0)).role.config
    # 1600 us at 0, 6.11 us for a degree below it and 5 us above: with 9 degrees more everywhere.
    assert config.gpio_mapping["pan"].centre_us == 1645
    assert config.gpio_mapping["pan"].pulse_us == (1105, 2095)
