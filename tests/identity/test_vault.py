"""Secrets at rest: they open where they were sealed, unchanged, under a key we have, and nowhere else."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spotter.errors import InvalidInput, SpotterError
from spotter.identity.keyring import Keyring
from spotter.identity.vault import Vault, VaultError

OLD, NEW = Keyring(b"o" * 32), Keyring(b"n" * 32)
VAULT = Vault(OLD)
HERE, THERE = "org:1/connector:1", "org:2/connector:1"
# A value sealed by the first release; it has to open for ever.
GOLDEN = "v1.e9f1d591118090b8.ZLCxW7nvjLF4zxZhR9uO7tt15vTawrbiw523B6R7RpsMlg"


@given(st.binary(), st.text(st.characters(exclude_categories=()), min_size=1))
def test_what_is_sealed_opens(plain: bytes, context: str) -> None:
    sealed = VAULT.seal(plain, context=context)
    assert VAULT.open(sealed, context=context) == plain
    assert sealed.isascii()


def test_text_is_sealed_as_utf8_and_never_twice_alike() -> None:
    one, other = VAULT.seal("pässword", context=HERE), VAULT.seal("pässword", context=HERE)
    assert one != other
    assert VAULT.open(one, context=HERE) == "pässword".encode()
    assert "ssword" not in one


def test_a_value_of_the_first_release_opens() -> None:
    assert VAULT.open(GOLDEN, context=HERE) == b"golden"


def test_it_does_not_open_in_another_row() -> None:
    with pytest.raises(VaultError, match="moved here from elsewhere"):
        VAULT.open(VAULT.seal(b"x", context=HERE), context=THERE)


@given(st.data())
def test_a_change_anywhere_is_noticed(data: st.DataObject) -> None:
    sealed = VAULT.seal(b"attack at dawn", context=HERE)
    place = data.draw(st.integers(0, len(sealed) - 1))
    replacement = data.draw(st.characters(exclude_categories=()).filter(lambda c: c != sealed[place]))
    with pytest.raises(VaultError):
        VAULT.open(sealed[:place] + replacement + sealed[place + 1 :], context=HERE)


@given(st.integers(0, 60))
def test_a_piece_is_noticed(length: int) -> None:
    with pytest.raises(VaultError):
        VAULT.open(VAULT.seal(b"attack at dawn", context=HERE)[:length], context=HERE)


@given(st.text(st.characters(exclude_categories=())))
def test_noise_is_refused(noise: str) -> None:
    with pytest.raises(VaultError):
        VAULT.open(noise, context=HERE)


def test_rotation() -> None:
    sealed = Vault(OLD).seal(b"x", context=HERE)
    both = Vault([NEW, OLD])
    assert both.open(sealed, context=HERE) == b"x"
    assert both.needs_reseal(sealed)
    again = both.seal(both.open(sealed, context=HERE), context=HERE)
    assert not both.needs_reseal(again)
    assert Vault(NEW).open(again, context=HERE) == b"x"


def test_another_key_says_which_was_meant() -> None:
    with pytest.raises(VaultError, match=OLD.fingerprint) as refused:
        Vault(NEW).open(Vault(OLD).seal(b"x", context=HERE), context=HERE)
    assert isinstance(refused.value, SpotterError)
    assert "SPOTTER_SECRET_KEY" in refused.value.detail


def test_a_fingerprint_put_on_does_not_help() -> None:
    sealed = Vault(OLD).seal(b"x", context=HERE).replace(OLD.fingerprint, NEW.fingerprint)
    with pytest.raises(VaultError):
        Vault([NEW, OLD]).open(sealed, context=HERE)


def test_misuse() -> None:
    with pytest.raises(ValueError, match="context"):
        VAULT.seal(b"x", context="")
    with pytest.raises(ValueError, match="keyring"):
        Vault([])
    with pytest.raises(InvalidInput):
        VAULT.seal("\ud800", context=HERE)
    assert OLD.derive("vault/v1/aes-256-gcm").hex() not in repr(VAULT)
