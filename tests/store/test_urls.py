"""From one address and one secret: the logins of an installation."""

import pytest
from psycopg.conninfo import conninfo_to_dict

from spotter.errors import StartupRefused
from spotter.store.urls import DatabaseUrls, derive_urls, describe

PASSWORD = "s3cret/of the owner"
OWNER = "postgresql://boss:s3cret%2Fof%20the%20owner@db.example:6543/gym?sslmode=verify-full"


def derived(owner: str = OWNER, pooled: str | None = None) -> DatabaseUrls:
    return derive_urls(owner, lambda label: f"derived from {label}", pooled=pooled)


def test_each_login_has_its_name_and_password_and_the_same_place() -> None:
    urls = derived()
    for url, kind in ((urls.runtime, "runtime"), (urls.runtime_direct, "runtime"), (urls.job, "job")):
        assert conninfo_to_dict(url) == {
            "user": f"gym_{kind}_login",
            "password": f"derived from database/gym/{kind}",
            "host": "db.example",
            "port": "6543",
            "dbname": "gym",
            "sslmode": "verify-full",
        }
    assert not urls.pooled


def test_only_the_runtime_goes_through_the_pooler() -> None:
    urls = derived(pooled="postgresql://boss:x@pool.example:7000/gym")
    assert urls.pooled
    assert conninfo_to_dict(urls.runtime)["host"] == "pool.example"
    assert {conninfo_to_dict(url)["host"] for url in (urls.owner, urls.runtime_direct, urls.job)} == {
        "db.example"
    }


def test_a_pooler_that_routes_by_user_name_is_told_where_to() -> None:
    urls = derived(pooled="postgresql://postgres.abcdef:x@aws-0-eu.pooler.supabase.com:6543/postgres")
    assert conninfo_to_dict(urls.runtime)["user"] == "gym_runtime_login.abcdef"
    assert conninfo_to_dict(urls.runtime_direct)["user"] == "gym_runtime_login"


def test_a_dot_in_the_owners_name_is_only_a_dot() -> None:
    urls = derived("postgresql://ann.smith:x@db.example/gym")
    assert conninfo_to_dict(urls.runtime)["user"] == "gym_runtime_login"


@pytest.mark.parametrize("name", ["g" * 63, "g" * 49, "g" * 50, "ü" * 31])
def test_long_names_stay_apart(name: str) -> None:
    """PostgreSQL cuts names after 63 bytes, and would make one login of two."""
    urls = derived(f"host=db.example user=boss dbname={name}")
    sibling = derived(f"host=db.example user=boss dbname={name[:-1]}x")
    names = [login.name for u in (urls, sibling) for login in (u.runtime_login, u.job_login)]
    assert len({name.encode()[:63] for name in names}) == 4
    assert max(len(name.encode()) for name in names) <= 63


@pytest.mark.parametrize("scheme", ["postgres", "postgresql", "postgresql+psycopg", "postgresql+asyncpg"])
def test_addresses_for_other_drivers_are_understood(scheme: str) -> None:
    urls = derived(f"{scheme}://boss:x@db.example/gym")
    assert conninfo_to_dict(urls.runtime)["host"] == "db.example"
    assert conninfo_to_dict(urls.owner)["host"] == "db.example"


def test_a_database_without_a_name_is_the_users() -> None:
    assert derived("postgresql://boss:x@db.example").runtime_login.name == "boss_runtime_login"


def test_passwords_are_in_no_description() -> None:
    urls = derived()
    for text in (repr(urls), str(urls), describe(urls.owner)):
        assert PASSWORD not in text
        assert "derived" not in text
        assert "db.example" in text
    assert "derived" not in repr(urls.runtime_login)


def test_what_is_no_address_is_refused_without_repeating_it() -> None:
    with pytest.raises(StartupRefused, match="should look like") as refused:
        derived(f"nonsense {PASSWORD}")
    assert PASSWORD not in str(refused.value)
    assert refused.value.__cause__ is None
