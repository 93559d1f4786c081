"""Passwords: hashing, the same cost for strangers, the rules, and texts that are no texts."""

import asyncio
import time

import pytest
from argon2 import PasswordHasher
from hypothesis import given
from hypothesis import strategies as st

from spotter.errors import InvalidInput
from spotter.identity import passwords
from spotter.identity.passwords import (
    check_password_rules,
    hash_password,
    needs_rehash,
    verify_password,
)

GOOD = "three small words"
EMAIL = "kim.long.name@example.com"
ANY_TEXT = st.text(st.characters(exclude_categories=()))  # lone surrogates and NUL too


async def test_real_cost() -> None:
    stored = await hash_password(GOOD)
    assert stored.startswith("$argon2id$v=19$m=65536,t=3,p=4$")
    assert not needs_rehash(stored)
    assert await verify_password(stored, GOOD)


@pytest.mark.usefixtures("cheap")
async def test_hash_and_verify() -> None:
    one, other = await hash_password(GOOD), await hash_password(GOOD)
    assert one != other
    assert GOOD not in one
    assert await verify_password(one, GOOD)
    assert not await verify_password(one, GOOD + " ")
    assert not await verify_password(one, "")


async def test_the_event_loop_stays_free() -> None:
    ticks = 0

    async def tick() -> None:
        nonlocal ticks
        while True:
            await asyncio.sleep(0.001)
            ticks += 1

    ticking = asyncio.create_task(tick())
    await hash_password(GOOD)
    ticking.cancel()
    assert ticks >= 3


async def test_a_stranger_costs_as_much_as_a_member() -> None:
    stored = await hash_password(GOOD)
    fastest: dict[str | None, float] = {}
    for _ in range(2):
        for hashed in (stored, None):
            start = time.process_time()
            assert not await verify_password(hashed, "wrong password")
            fastest[hashed] = min(fastest.get(hashed, 60), time.process_time() - start)
    # Without the dummy a stranger would take a thousandth; wide, for busy machines.
    assert 1 / 10 < fastest[None] / fastest[stored] < 10


@pytest.fixture
def cheap(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(passwords, "_hasher", PasswordHasher(time_cost=1, memory_cost=1024, parallelism=1))
    monkeypatch.setattr(
        passwords, "_DUMMY", PasswordHasher(time_cost=1, memory_cost=1024, parallelism=1).hash("-")
    )


@pytest.mark.usefixtures("cheap")
@pytest.mark.parametrize(
    "password",
    [
        pytest.param("with\0nul byte", id="nul"),
        pytest.param("\0", id="only nul"),
        pytest.param("", id="empty"),
        pytest.param("lone \ud800 surrogate", id="surrogate"),
        pytest.param("x" * 1_000_000, id="megabyte"),
        pytest.param("\u0315\u0300" * 500_000, id="a megabyte that is slow to normalise"),
        pytest.param("🏋️" * 20, id="emoji"),
    ],
)
async def test_odd_passwords_work_like_any(password: str) -> None:
    stored = await hash_password(password)
    assert await verify_password(stored, password)
    assert not await verify_password(stored, password + "x")
    assert not await verify_password(None, password)


@pytest.mark.usefixtures("cheap")
async def test_nul_does_not_cut_the_password_short() -> None:
    assert not await verify_password(await hash_password("before\0after"), "before\0other")


@pytest.mark.usefixtures("cheap")
async def test_the_same_text_composed_otherwise_is_the_same_password() -> None:
    assert await verify_password(await hash_password("caf\u00e9 au lait"), "cafe\u0301 au lait")


@pytest.mark.usefixtures("cheap")
async def test_nobody_has_no_password() -> None:
    assert not await verify_password(None, "-")  # what the cheap dummy is the hash of


@pytest.mark.parametrize(
    "stored", ["", "x", "$argon2id$", "$argon2id$v=19$m=1,t=1,p=1$!!$!!", "é", "$2b$12$abc", "\0", "\ud800"]
)
async def test_a_broken_stored_hash_lets_nobody_in(stored: str) -> None:
    assert not await verify_password(stored, GOOD)
    assert needs_rehash(stored)


def test_a_cheaper_hash_is_to_be_renewed() -> None:
    assert needs_rehash(PasswordHasher(time_cost=1, memory_cost=1024).hash(GOOD))


@pytest.mark.parametrize(
    ("password", "why"),
    [
        ("", "too short"),
        ("nine char", "too short"),
        ("x" * 257, "too long"),
        ("x" * 1_000_000, "too long"),
        ("aaaaaaaaaaaa", "repeated"),
        ("\0" * 12, "repeated"),
        (EMAIL, "e-mail"),
        (EMAIL.upper() + " ", "e-mail"),
        ("Kim.Long.Name", "e-mail"),
        ("password123", "commonest"),
        ("QwertyUiop", "commonest"),
    ],
)
def test_refused_passwords(password: str, why: str) -> None:
    with pytest.raises(InvalidInput, match=why) as refused:
        check_password_rules(password, EMAIL)
    assert not password or password not in refused.value.detail


@pytest.mark.parametrize(
    "password", [GOOD, "ten chars!", "x" * 255 + "y", "lone \ud800 surrogate", "nul\0nul\0nul"]
)
def test_accepted_passwords(password: str) -> None:
    check_password_rules(password, EMAIL)


@given(ANY_TEXT, ANY_TEXT)
def test_the_rules_never_crash(password: str, email: str) -> None:
    try:
        check_password_rules(password, email)
    except InvalidInput:
        return
    assert 10 <= len(password) <= 256
