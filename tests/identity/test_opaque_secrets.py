"""API keys, refresh secrets, sign-in links, invitations: their form, their hash, and what is refused unseen."""

import hashlib
import re
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spotter.errors import Unauthenticated
from spotter.identity.tokens import OpaqueKind, hash_opaque, new_opaque, parse_opaque, same_secret

KINDS: tuple[OpaqueKind, ...] = get_args(OpaqueKind)
PREFIXES = {"api_key": "spk_", "refresh": "spr_", "sign_in_link": "spl_", "invitation": "spi_"}
ANY_TEXT = st.text(st.characters(exclude_categories=()))


@pytest.mark.parametrize("kind", KINDS)
def test_form(kind: OpaqueKind) -> None:
    secret = new_opaque(kind)
    assert secret.plain.startswith(PREFIXES[kind])
    assert re.fullmatch(r"[0-9A-Za-z_]{42,52}", secret.plain)
    assert secret.hash == hash_opaque(secret.plain) == hashlib.sha256(secret.plain.encode()).hexdigest()
    assert parse_opaque(secret.plain, kind) == secret
    assert secret.plain not in repr(secret)


@pytest.mark.parametrize("kind", KINDS)
def test_no_two_are_alike(kind: OpaqueKind) -> None:
    made = [new_opaque(kind) for _ in range(500)]
    assert len({secret.plain for secret in made}) == 500
    if kind == "api_key":
        assert len({secret.lookup for secret in made}) == 500


def test_the_look_up_part_of_an_api_key_is_public_and_not_the_secret() -> None:
    secret = new_opaque("api_key")
    assert secret.lookup == secret.plain[:14]
    # What is left hidden: 32 random characters of 62 (190 bits), and the checksum.
    assert len(secret.plain) - len(secret.lookup) == 32 + 6
    assert new_opaque("refresh").lookup is None


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("other", KINDS)
def test_one_kind_is_not_another(kind: OpaqueKind, other: OpaqueKind) -> None:
    if kind != other:
        with pytest.raises(Unauthenticated):
            parse_opaque(new_opaque(kind).plain, other)
        with pytest.raises(Unauthenticated):
            parse_opaque(PREFIXES[other] + new_opaque(kind).plain[4:], other)


@given(st.sampled_from(KINDS), st.data())
def test_every_typing_error_is_noticed(kind: OpaqueKind, data: st.DataObject) -> None:
    plain = new_opaque(kind).plain
    place = data.draw(st.integers(0, len(plain) - 1))
    letters = st.sampled_from("0123456789ABCXYZabcxyz_-") | st.characters(exclude_categories=())
    wrong = data.draw(letters.filter(lambda c: c != plain[place]))
    with pytest.raises(Unauthenticated):
        parse_opaque(plain[:place] + wrong + plain[place + 1 :], kind)


@given(st.sampled_from(KINDS), ANY_TEXT)
def test_noise_is_refused(kind: OpaqueKind, noise: str) -> None:
    for text in (noise, PREFIXES[kind] + noise, new_opaque(kind).plain + (noise or "x")):
        with pytest.raises(Unauthenticated):
            parse_opaque(text, kind)


@pytest.mark.parametrize(
    "nothing", [None, "", " ", "null", "undefined", "spk_", "\0", "spk_" + "0" * 48, "é" * 52]
)
@pytest.mark.parametrize("kind", KINDS)
def test_nothing_is_refused(kind: OpaqueKind, nothing: str | None) -> None:
    with pytest.raises(Unauthenticated):
        parse_opaque(nothing, kind)


@pytest.mark.parametrize("tail", ["\n", " ", "\0", "="])
def test_nothing_may_follow(tail: str) -> None:
    with pytest.raises(Unauthenticated):
        parse_opaque(new_opaque("api_key").plain + tail, "api_key")


@given(ANY_TEXT, ANY_TEXT)
def test_compare_and_hash_take_any_text(one: str, other: str) -> None:
    assert same_secret(one, other) == (one == other)
    assert same_secret(one, one)
    assert (hash_opaque(one) == hash_opaque(other)) == (one == other)
