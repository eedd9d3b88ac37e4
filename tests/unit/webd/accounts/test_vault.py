"""Users, tokens and sign-ins as they are kept: rules, files, restarts, backups."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from saint_services.lib.errors import SaintError
from saint_services.webd.accounts import passwords, signins
from saint_services.webd.accounts.access import Guard, network_of
from saint_services.webd.accounts.signins import SignIn, SignIns
from saint_services.webd.accounts.users import AccountBook, User
from saint_services.webd.accounts.vault import Vault, users_section

CHEAP = passwords.Cost(log_n=4, r=1, p=1)
TIMES = st.floats(0, 4e9)


def user(name: str, role: str = "admin") -> User:
    return User.model_validate({"name": name, "role": role, "password": "x", "made_s": 0})


@given(st.text(max_size=40), st.text(max_size=40))
def test_password_fits_itself_alone(one: str, other: str) -> None:
    kept = passwords.hash_password(one, b"0123456789abcdef", CHEAP)
    assert passwords.is_password(one, kept)
    is_same = passwords.hash_password(other, b"0123456789abcdef", CHEAP) == kept
    assert passwords.is_password(other, kept) is is_same


@given(st.text(max_size=80))
def test_no_text_in_the_place_of_a_hash_lets_anybody_in(kept: str) -> None:
    assert not passwords.is_password("", kept)


@pytest.mark.parametrize("cost", ["1000000000$8$5", "14$8$1000000", "14$1000000$1", "20$8$1"])
def test_hash_that_would_take_hours_to_check_is_not_checked(
    cost: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    tried: list[object] = []
    monkeypatch.setattr("hashlib.scrypt", lambda *_, **more: tried.append(more) or b"")
    assert not passwords.is_password("a", f"scrypt${cost}$MDEyMw==$MDEyMw==")
    assert tried == []


def test_price_of_a_guess_is_what_owasp_advises() -> None:
    assert (passwords.COST.log_n, passwords.COST.r, passwords.COST.p) == (14, 8, 5)


def test_secrets_are_compared_in_constant_time(monkeypatch: pytest.MonkeyPatch) -> None:
    compared = []
    monkeypatch.setattr("hmac.compare_digest", lambda *two: compared.append(two))
    passwords.is_same("a", "b")
    passwords.is_password("a", passwords.hash_password("b", b"0" * 16, CHEAP))
    assert len(compared) == 2


@pytest.mark.parametrize("password", ["", "short", "aaaaaaaaaa", "Annabelle"])
def test_password_that_is_guessed_first_is_refused(password: str) -> None:
    with pytest.raises(SaintError):
        passwords.check_password(password, "annabelle")


ACTS = st.tuples(
    st.sampled_from(["add", "remove", "viewer", "admin"]), st.sampled_from(["a", "b", "c"])
)


@given(st.lists(ACTS, max_size=30))
def test_whatever_is_done_an_admin_is_left(acts: list[tuple[str, str]]) -> None:
    book = AccountBook().claimed_by(user("a", "viewer"))
    for act, name in acts:
        try:
            if act == "add":
                book = book.with_user(user(name, "operator"))
            elif act == "remove":
                book = book.without_user(name)
            else:
                book = book.with_role(name, act)  # type: ignore[arg-type]
        except SaintError:
            continue
    assert any(each.role == "admin" for each in book.users)
    assert len({each.name for each in book.users}) == len(book.users)


@given(TIMES, TIMES, TIMES)
def test_sign_in_ends_by_the_limits(made_s: float, seen_s: float, now_s: float) -> None:
    entry = SignIn(id="a1", digest="d", user="ann", made_s=made_s, seen_s=seen_s)
    is_over = SignIns(entries=(entry,)).find("d", now_s) is None
    assert is_over == (now_s - seen_s > 7 * 86_400 or now_s - made_s > 30 * 86_400)


def test_sign_ins_of_one_user_are_bounded() -> None:
    now = SignIns()
    for n in range(signins.MOST_PER_USER + 5):
        now = now.with_entry(
            SignIn(id=f"a{n}", digest=str(n), user="ann", made_s=float(n), seen_s=float(n))
        )
    assert next(entry.id for entry in now.entries) == "a5"
    assert len(now.entries) == signins.MOST_PER_USER


@given(st.lists(st.tuples(st.sampled_from("xyz"), st.booleans()), max_size=60))
def test_attackers_cannot_lock_the_owner_out(tries: list[tuple[str, bool]]) -> None:
    guard, now_s = Guard(), 0.0
    guard.succeeded("10.0.0.1", "ann")
    for address, waits in tries:
        now_s += 61.0 if waits else 0.0
        guard.failed(f"10.0.9.{ord(address)}", now_s, "ann")
    assert guard.wait_s("10.0.0.1", now_s, "ann") == 0.0


def test_guessing_from_many_addresses_is_slowed_down_too() -> None:
    guard = Guard()
    for n in range(40):
        guard.failed(f"10.0.{n}.1", 0.0, "ann")
    assert guard.wait_s("10.9.9.9", 0.0, "ANN") == 60.0
    assert guard.wait_s("10.9.9.9", 0.0, "bob") == 0.0


def test_one_person_has_a_whole_ipv6_network() -> None:
    assert network_of("2001:db8::1") == network_of("2001:db8::ffff") != network_of("2001:db8:1::1")
    assert network_of("::ffff:10.0.0.1") == "10.0.0.1"
    assert network_of("this machine") == "this machine"


async def test_everything_is_there_after_a_restart(tmp_path: Path) -> None:
    vault = Vault(tmp_path)
    await vault.open()
    await vault.claim(user("ann"), keeps_code=False)
    _, secret = await vault.add_token("panel", "viewer")
    cookie = await vault.sign_in("ann", "10.0.0.1", "", is_token=False)
    again = Vault(tmp_path)
    await again.open()
    found, program = again.by_cookie(cookie), again.by_token(secret)
    assert found and (found.name, found.level.word) == ("ann", "admin")
    assert program and (program.name, program.level.word) == ("panel", "viewer")
    assert again.claim_code == ""


async def test_file_of_a_newer_release_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "access.json").write_text(json.dumps({"version_of_format": 99, "users": []}))
    with pytest.raises(SaintError, match="newer"):
        await Vault(tmp_path).open()


async def test_backup_brings_users_back_and_signs_everybody_out(tmp_path: Path) -> None:
    old, new = Vault(tmp_path / "old"), Vault(tmp_path / "new")
    await old.open()
    await new.open()
    await old.claim(user("ann"), keeps_code=False)
    await new.claim(user("bob"), keeps_code=False)
    cookie = await new.sign_in("bob", "", "", is_token=False)
    section = users_section(new)
    saved = await users_section(old).current()
    assert await section.check(saved) == []
    await section.apply(saved)
    assert [each.name for each in new.book.users] == ["ann"]
    assert new.by_cookie(cookie) is None


async def test_robot_that_is_reset_has_a_new_code_and_no_owner(tmp_path: Path) -> None:
    vault = Vault(tmp_path)
    await vault.open()
    first = vault.claim_code
    await vault.claim(user("ann"), keeps_code=False)
    await vault.replace(AccountBook())
    assert len(vault.claim_code) >= 20 and vault.claim_code != first
    assert not (tmp_path / "claimed").exists()


async def test_backup_without_an_admin_is_refused(tmp_path: Path) -> None:
    section = users_section(Vault(tmp_path))
    with pytest.raises(SaintError, match="has no admin"):
        await section.check(AccountBook(users=(user("vic", "viewer"),)))


async def claimed_vault(folder: Path) -> str:
    """A robot with a user and a token, whose secret is returned."""
    vault = Vault(folder)
    await vault.open()
    await vault.claim(user("ann"), keeps_code=False)
    return (await vault.add_token("panel", "viewer"))[1]


def lose(path: Path, content: bytes | None) -> None:
    path.unlink()
    if content is not None:
        path.write_bytes(content)


LOSSES = [None, b"", b"{}", b"\xff", b'{"version_of_format": 1, "users": [']


@pytest.mark.parametrize("content", LOSSES)
async def test_users_that_are_lost_come_from_their_last_good_copy(
    tmp_path: Path, content: bytes | None
) -> None:
    secret = await claimed_vault(tmp_path)
    lose(tmp_path / "access.json", content)
    vault = Vault(tmp_path)
    await vault.open()

    found = vault.by_token(secret)
    assert found and found.name == "panel"
    assert [each.name for each in vault.book.users] == ["ann"]
    assert vault.claim_code == ""
    assert "last good copy" in vault.health.report().issues[0].text


@pytest.mark.parametrize("content", LOSSES)
async def test_robot_whose_users_are_lost_twice_opens_to_no_code_of_before(
    tmp_path: Path, content: bytes | None
) -> None:
    vault = Vault(tmp_path)
    await vault.open()
    first = vault.claim_code
    secret = await claimed_vault(tmp_path)
    lose(tmp_path / "access.json", content)
    lose(tmp_path / "access.json.last-good", content)
    (tmp_path / "token").write_text(first)  # a copy of the first code that a user kept
    for _ in range(2):  # it stays so over a restart
        vault = Vault(tmp_path)
        await vault.open()
        assert vault.has_lost_users
        assert vault.claim_code not in ("", first)
        assert vault.by_token(vault.claim_code) is None  # it claims, and opens nothing
        assert vault.by_token(first) is None
        assert vault.by_token(secret) is None
        assert any("all users and tokens" in i.text for i in vault.health.report().issues)
    assert (tmp_path / "lost").exists()
    assert not (tmp_path / "claimed").exists()


async def test_robot_whose_users_were_lost_is_claimed_with_its_new_code(tmp_path: Path) -> None:
    await claimed_vault(tmp_path)
    for name in ("access.json", "access.json.last-good"):
        (tmp_path / name).unlink()
    vault = Vault(tmp_path)
    await vault.open()
    await vault.claim(user("bob"), keeps_code=False)

    assert not vault.has_lost_users
    assert vault.health.is_healthy
    again = Vault(tmp_path)
    await again.open()
    assert [each.name for each in again.book.users] == ["bob"]
    assert not again.has_lost_users


async def test_robot_that_is_reset_has_lost_no_users(tmp_path: Path) -> None:
    await claimed_vault(tmp_path)
    vault = Vault(tmp_path)
    await vault.open()
    await vault.replace(AccountBook())
    again = Vault(tmp_path)
    await again.open()

    assert not again.has_lost_users
    found = again.by_token(again.claim_code)
    assert found and found.level.word == "admin"
