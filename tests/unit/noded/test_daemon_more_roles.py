"""Several roles on a node's disk: power cuts, and the release that knows one role only."""

from collections.abc import Callable
from pathlib import Path

import pytest
import yaml

from saint_services.lib import config as settings
from saint_services.lib.role_config.model import RoleConfig
from saint_services.lib.state import last_good
from saint_services.noded.lifecycle.model import Assignment, RoleId, RoleLoaded
from saint_services.noded.state import NodeFiles
from tests.unit.noded.power_cut import survives

pytestmark = pytest.mark.slow

REPOSITORY = Path(__file__).parents[3]
# As the release before left it.
ONE_ROLE = """\
version_of_format: 1
assigned_role: head
instance: ''
assigned_at: '2026-01-20T15:00:00Z'
assigned_by: SAINT-01
config_version: 1.0.0
server_address: 192.168.10.1
"""


def assignment(name: str) -> Assignment:
    text = (REPOSITORY / f"manifests/roles/{name}.yaml").read_text()
    config = settings.parse(RoleConfig, text, name)
    return Assignment(config, text, "SAINT-01", "192.168.10.1")


HEAD, CONSOLE, ARM = assignment("head"), assignment("console"), assignment("arms_left")


def stored(directory: Path, *roles: Assignment) -> None:
    for role in roles:
        NodeFiles(directory).store(role)


def held(directory: Path) -> list[Assignment | None]:
    return [role.held for role in NodeFiles(directory).load_roles().roles]


def test_disk_of_a_release_with_one_role_is_read_and_stays_readable_for_it(tmp_path: Path):
    (tmp_path / "role.yaml").write_text(ONE_ROLE)
    (tmp_path / "role_config.yaml").write_text(HEAD.text)
    assert held(tmp_path) == [HEAD]
    stored(tmp_path, CONSOLE)
    assert held(tmp_path) == [HEAD, CONSOLE]
    assert (tmp_path / "role.yaml").read_text() == ONE_ROLE
    assert (tmp_path / "role_config.yaml").read_text() == HEAD.text


def test_roles_are_kept_in_the_order_in_which_they_were_given(tmp_path: Path):
    stored(tmp_path, HEAD, CONSOLE, ARM, CONSOLE, HEAD)
    assert held(tmp_path) == [HEAD, ARM, CONSOLE]


def test_first_role_that_is_reset_makes_the_next_one_the_first(tmp_path: Path):
    stored(tmp_path, HEAD, CONSOLE, ARM)
    NodeFiles(tmp_path).forget(RoleId("head"))
    assert held(tmp_path) == [CONSOLE, ARM]
    assert "assigned_role: console" in (tmp_path / "role.yaml").read_text()
    stored(tmp_path, CONSOLE)  # refreshed by its server
    NodeFiles(tmp_path).forget(RoleId("console"))
    NodeFiles(tmp_path).forget(RoleId("arms", "left"))
    assert NodeFiles(tmp_path).load_roles().roles == (RoleLoaded(),)
    assert list(tmp_path.glob("role_config*")) == []


def test_further_roles_are_void_when_an_older_release_has_reset_the_node(tmp_path: Path):
    stored(tmp_path, HEAD, CONSOLE)
    for path in ("role.yaml", "role_config.yaml"):  # all that it knows of
        (tmp_path / path).unlink()
        last_good(tmp_path / path).unlink()
    assert NodeFiles(tmp_path).load_roles().roles == (RoleLoaded(),)


def test_further_roles_are_void_beside_another_adoption(tmp_path: Path):
    stored(tmp_path, HEAD, CONSOLE)
    (tmp_path / "role.yaml").write_text(ONE_ROLE)  # the head again, by an older release
    assert held(tmp_path) == [HEAD]
    stored(tmp_path, ARM)
    assert held(tmp_path) == [HEAD, ARM]


def test_reset_of_all_leaves_only_that_there_is_no_role(tmp_path: Path):
    stored(tmp_path, HEAD, CONSOLE)
    NodeFiles(tmp_path).forget()
    assert [path.name for path in tmp_path.glob("*.yaml")] == ["role.yaml"]
    assert yaml.safe_load((tmp_path / "role.yaml").read_text())["assigned_role"] == ""


def cut_everywhere(
    tmp_path: Path,
    before: tuple[Assignment, ...],
    work: Callable[[NodeFiles], object],
    allowed: tuple[tuple[Assignment, ...], ...],
) -> None:
    """Cut the power at every operation. `allowed` is what the next boot may find, last the finished
    work."""
    for at in range(200):
        directory = tmp_path / str(at)
        stored(directory, *before)
        is_done, roles = survives(directory, work, at)
        found = tuple(role.held for role in roles if role != RoleLoaded())
        assert all(role.problem == "" for role in roles)
        assert found in allowed
        if is_done:
            assert found == allowed[-1]
            return
    pytest.fail("the work never ended")


def test_power_cut_while_a_role_is_added_leaves_the_others(tmp_path: Path):
    cut_everywhere(
        tmp_path, (HEAD,), lambda files: files.store(CONSOLE), ((HEAD,), (HEAD, CONSOLE))
    )


def test_power_cut_while_the_first_role_is_reset_loses_no_other(tmp_path: Path):
    cut_everywhere(
        tmp_path,
        (HEAD, CONSOLE),
        lambda files: files.forget(RoleId("head")),
        ((HEAD, CONSOLE), (CONSOLE,)),
    )


def test_power_cut_while_another_role_is_reset_loses_no_other(tmp_path: Path):
    cut_everywhere(
        tmp_path,
        (HEAD, CONSOLE, ARM),
        lambda files: files.forget(RoleId("console")),
        ((HEAD, CONSOLE, ARM), (HEAD, ARM)),
    )


def test_power_cut_while_all_are_reset_leaves_whole_roles(tmp_path: Path):
    cut_everywhere(
        tmp_path, (HEAD, CONSOLE), lambda files: files.forget(), ((HEAD, CONSOLE), (HEAD,), ())
    )
