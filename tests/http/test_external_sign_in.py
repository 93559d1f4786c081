"""People of other issuers, end to end: their tokens name them, our configuration says where they belong."""

import asyncio
import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import Any

import httpx
import jwt
import pytest
from cryptography.hazmat.primitives.asymmetric.rsa import generate_private_key
from jwt.algorithms import RSAAlgorithm
from pydantic import HttpUrl, SecretStr
from typing_extensions import override

from spotter.app import Ground
from spotter.clock import now
from spotter.ids import random_id
from spotter.settings import ExternalIssuer
from tests.http.actions import Desk, another_server, bearer, fresh_email
from tests.http.conftest import Superuser
from tests.identity import test_access_tokens as forgeries
from tests.support.people import Gym

SECRET = "a-supabase-jwt-secret-of-40-characters!!"
RSA = generate_private_key(65537, 2048)
KEY_SET = {"keys": [{**RSAAlgorithm.to_jwk(RSA.public_key(), as_dict=True), "kid": "one", "use": "sig"}]}


def issuer_for(gym: Gym, **changes: Any) -> ExternalIssuer:
    given: dict[str, Any] = {
        "issuer": f"https://{random_id().hex[:12]}.example/auth/v1",
        "audience": "authenticated",
        "organisation": gym.slug,
        "hs256_secret": SecretStr(SECRET),
        **changes,
    }
    return ExternalIssuer(**given)


def token_of(issuer: ExternalIssuer, subject: str, key: Any = SECRET, **changes: Any) -> str:
    moment = int(now().timestamp())
    claims = {
        "iss": issuer.issuer,
        "aud": issuer.audience,
        "sub": subject,
        "iat": moment,
        "exp": moment + 600,
        **changes,
    }
    if key is RSA:
        return jwt.encode(claims, RSA, "RS256", headers={"kid": "one"})
    return jwt.encode(claims, key, "HS256")


async def link(superuser: Superuser, issuer: ExternalIssuer, subject: str, user_id: object) -> None:
    await superuser.execute(
        "INSERT INTO external_identities (issuer, subject, user_id) VALUES (%s, %s, %s)",
        (issuer.issuer, subject, user_id),
    )


async def count(superuser: Superuser, issuer: ExternalIssuer) -> tuple[int, int]:
    """Identities of that issuer, and memberships of the people behind them."""
    found = await superuser.execute(
        "SELECT count(DISTINCT e.subject), count(m.user_id) FROM external_identities e"
        " LEFT JOIN memberships m ON m.user_id = e.user_id WHERE e.issuer = %s",
        (issuer.issuer,),
    )
    row = await found.fetchone()
    assert row is not None
    return int(row[0]), int(row[1])


@pytest.fixture
def key_server() -> Iterator[str]:
    class Keys(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            body = json.dumps(KEY_SET).encode()
            self.send_response(200)
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        @override
        def log_message(self, format: str, *args: object) -> None:
            """Quiet."""

    server = HTTPServer(("127.0.0.1", 0), Keys)
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}/keys"
    server.shutdown()
    thread.join()
    server.server_close()


async def test_somebody_known(base: Ground, gym: Gym, superuser: Superuser) -> None:
    issuer = issuer_for(gym)
    await link(superuser, issuer, "ana", gym.staff.user_id)
    async with another_server(base, {"external_issuers": [issuer]}) as http:
        for headers in (bearer(token_of(issuer, "ana")), {"X-API-Key": token_of(issuer, "ana")}):
            me = (await http.get("/api/me", headers=headers)).json()
            assert (me["email"], me["role"]) == (gym.staff.email, "staff")
        signed_out = await http.post("/api/auth/sign-out", headers=bearer(token_of(issuer, "ana")))
        assert signed_out.status_code == 403, "there is no sign-in of ours to end"


async def test_a_token_s_first_use_is_a_sign_in(base: Ground, gym: Gym, superuser: Superuser) -> None:
    issuer = issuer_for(gym)
    await link(superuser, issuer, "ana", gym.staff.user_id)
    first, second = token_of(issuer, "ana"), token_of(issuer, "ana", nonce="another")
    async with another_server(base, {"external_issuers": [issuer]}) as http:
        for token in (first, first, first, second):
            assert (await http.get("/api/me", headers=bearer(token))).status_code == 200
        log = (await http.get("/api/audit", headers=gym.owner.headers)).json()["items"]
    signed_in = [one for one in log if one["action"] == "sign_in.external"]
    assert [(one["actor_kind"], one["actor_id"], one["ip"], one["detail"]) for one in signed_in] == [
        ("user", str(gym.staff.user_id), "127.0.0.1", {"issuer": issuer.issuer})
    ] * 2


async def test_by_public_keys(base: Ground, gym: Gym, superuser: Superuser, key_server: str) -> None:
    issuer = issuer_for(gym, hs256_secret=None, jwks_url=HttpUrl(key_server))
    await link(superuser, issuer, "ana", gym.member.user_id)
    async with another_server(base, {"external_issuers": [issuer]}) as http:
        good = await http.get("/api/me", headers=bearer(token_of(issuer, "ana", RSA)))
        assert good.json()["email"] == gym.member.email
        confused = await http.get("/api/me", headers=bearer(token_of(issuer, "ana", SECRET)))
        assert confused.status_code == 401


async def test_somebody_unknown_is_refused(base: Ground, gym: Gym, superuser: Superuser) -> None:
    issuer = issuer_for(gym)
    token = token_of(issuer, "nobody", email=gym.owner.email, email_verified=True)
    async with another_server(base, {"external_issuers": [issuer]}) as http:
        answer = await http.get("/api/me", headers=bearer(token))
    assert answer.status_code == 401
    assert await count(superuser, issuer) == (0, 0)


async def test_twenty_first_requests_provision_once(base: Ground, gym: Gym, superuser: Superuser) -> None:
    issuer = issuer_for(gym, provision_members=True)
    email = fresh_email()
    headers = bearer(token_of(issuer, "new", email=email, email_verified=True, name="Ana"))
    async with another_server(base, {"external_issuers": [issuer]}) as http:
        answers = await asyncio.gather(*(http.get("/api/me", headers=headers) for _ in range(20)))
    assert {answer.status_code for answer in answers} == {200}
    assert len({answer.json()["user_id"] for answer in answers}) == 1
    me = answers[0].json()
    assert (me["email"], me["role"], me["organisation"]["slug"]) == (email, "member", gym.slug)
    assert await count(superuser, issuer) == (1, 1)


async def test_an_account_with_the_same_e_mail_is_not_taken_over(base: Ground, gym: Gym) -> None:
    issuer = issuer_for(gym, provision_members=True)
    token = token_of(issuer, "eve", email=gym.owner.email, email_verified=True)
    async with another_server(base, {"external_issuers": [issuer]}) as http:
        me = (await http.get("/api/me", headers=bearer(token))).json()
    assert me["user_id"] != str(gym.owner.user_id)
    assert me["email"] != gym.owner.email
    assert me["role"] == "member"


async def test_the_organisation_comes_from_configuration_alone(
    base: Ground, gym: Gym, other_gym: Gym
) -> None:
    issuer = issuer_for(gym, provision_members=True)
    claims = {
        "org": str(other_gym.org_id),
        "organisation": other_gym.slug,
        "role": "owner",
        "app_metadata": {"org": other_gym.slug, "role": "owner"},
    }
    async with another_server(base, {"external_issuers": [issuer]}) as http:
        headers = bearer(token_of(issuer, "ana", **claims))
        me = (await http.get("/api/me", headers=headers)).json()
        assert (me["organisation"]["slug"], me["role"]) == (gym.slug, "member")
        switched = await http.post("/api/auth/switch", json={"organisation": other_gym.slug}, headers=headers)
        assert switched.status_code == 404


async def test_somebody_removed_or_disabled_does_not_come_back(
    base: Ground, gym: Gym, superuser: Superuser
) -> None:
    issuer = issuer_for(gym, provision_members=True)
    async with another_server(base, {"external_issuers": [issuer]}) as http:
        removed, disabled = [bearer(token_of(issuer, name)) for name in ("removed", "disabled")]
        ids = [(await http.get("/api/me", headers=who)).json()["user_id"] for who in (removed, disabled)]
        gone = await http.delete(f"/api/members/{ids[0]}", headers=gym.owner.headers)
        assert gone.status_code == 204
        await superuser.execute("UPDATE users SET disabled_at = now() WHERE id = %s", (ids[1],))
        for who in (removed, disabled):
            assert (await http.get("/api/me", headers=who)).status_code == 401


async def test_an_issuer_of_an_organisation_that_is_not_there(base: Ground, gym: Gym) -> None:
    issuer = issuer_for(gym, organisation="no-such-gym", provision_members=True)
    async with another_server(base, {"external_issuers": [issuer]}) as http:
        assert (await http.get("/api/me", headers=bearer(token_of(issuer, "ana")))).status_code == 401


async def test_forged_external_tokens(base: Ground, gym: Gym, superuser: Superuser) -> None:
    issuer = issuer_for(gym)
    await link(superuser, issuer, "ana", gym.owner.user_id)
    moment = int(now().timestamp())
    none = ".".join((*jwt.encode({"iss": issuer.issuer}, SECRET, "HS256").split(".")[:2], ""))
    forged = [
        token_of(issuer, "ana", "x" * 40),
        token_of(issuer, "ana", RSA),
        token_of(issuer, "ana", exp=moment - 60),
        token_of(issuer, "ana", nbf=moment + 600),
        token_of(issuer, "ana", aud="anon"),
        token_of(issuer, "ana", iss="https://evil.example"),
        token_of(issuer, "ana", is_anonymous=True),
        token_of(issuer, "ana\0"),
        token_of(issuer, ""),
        none,
    ]
    async with another_server(base, {"external_issuers": [issuer]}) as http:
        assert (await http.get("/api/me", headers=bearer(token_of(issuer, "ana")))).status_code == 200
        for token in forged:
            assert (await http.get("/api/me", headers=bearer(token))).status_code == 401


_SENDABLE = [
    (name, token)
    for name, make in forgeries.FORGED.items()
    if (token := make()) and token.isascii() and token.isprintable() and len(token) < 8000
]


async def test_forged_access_tokens(http: httpx.AsyncClient, gym: Gym, desk: Desk) -> None:
    """Those of the table, and true ones with one claim changed (S3)."""
    assert len(_SENDABLE) >= 60
    true = desk.access_token(gym.owner)
    assert (await http.get("/api/me", headers=bearer(true))).status_code == 200
    moment = int(now().timestamp())
    changed = [
        desk.access_token(gym.owner, **change)
        for change in (
            {"sub": str(gym.admin.user_id)},
            {"sid": str(gym.admin.session_id)},
            {"org": str(random_id())},
            {"aud": "other"},
            {"iss": "other"},
            {"exp": moment - 60},
            {"exp": moment + 86_400 * 2},
            {"iat": moment + 60},
            {"nbf": moment},
            {"jti": None},
            {"knd": "root"},
        )
    ]
    header, payload, signature = true.split(".")
    changed += [
        f"{header}.{payload}.",
        f"{header}.{payload}.{signature[::-1]}",
        f"{payload}.{header}.{signature}",
    ]
    for label, token in [*_SENDABLE, *(("changed", one) for one in changed)]:
        for headers in (bearer(token), {"X-API-Key": token}):
            answer = await http.get("/api/me", headers=headers)
            assert answer.status_code == 401, label
