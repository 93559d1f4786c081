"""Tokens of other issuers: true ones name a person, forged ones all get the same refusal."""

import base64
import hmac
import json
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import Any

import httpx
import jwt
import pytest
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.asymmetric.rsa import generate_private_key
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from hypothesis import given
from hypothesis import strategies as st
from jwt.algorithms import ECAlgorithm, OKPAlgorithm, RSAAlgorithm
from pydantic import HttpUrl, SecretStr
from typing_extensions import override

from spotter import clock
from spotter.errors import StartupRefused, Unauthenticated
from spotter.identity.external import ExternalPerson, ExternalTokens
from spotter.settings import ExternalIssuer

NOW = datetime(2026, 5, 1, 12, tzinfo=UTC)
SECONDS = int(NOW.timestamp())
SECRET = "a-supabase-jwt-secret-of-40-characters!!"
SHARED = "https://shared.example/auth/v1"
PUBLIC = "https://public.example/auth/v1"

RSA, OTHER_RSA, SMALL_RSA = (generate_private_key(65537, bits) for bits in (2048, 2048, 1024))
EC, EC_384 = ec.generate_private_key(ec.SECP256R1()), ec.generate_private_key(ec.SECP384R1())
ED = Ed25519PrivateKey.generate()
OCT = b"published-symmetric-key-32-bytes"


def segment(value: object) -> str:
    text = value if isinstance(value, bytes) else json.dumps(value).encode()
    return base64.urlsafe_b64encode(text).rstrip(b"=").decode()


KEY_SET = {
    "keys": [
        {**RSAAlgorithm.to_jwk(RSA.public_key(), as_dict=True), "kid": "rsa", "alg": "RS256", "use": "sig"},
        {**ECAlgorithm.to_jwk(EC.public_key(), as_dict=True), "kid": "ec"},
        {**OKPAlgorithm.to_jwk(ED.public_key(), as_dict=True), "kid": "ed"},
        # What a set may hold and we do not use:
        {"kty": "oct", "kid": "oct", "alg": "HS256", "k": segment(OCT)},
        {**RSAAlgorithm.to_jwk(SMALL_RSA.public_key(), as_dict=True), "kid": "small"},
        {**RSAAlgorithm.to_jwk(OTHER_RSA.public_key(), as_dict=True), "kid": "enc", "use": "enc"},
        {**RSAAlgorithm.to_jwk(OTHER_RSA.public_key(), as_dict=True), "kid": "rs512", "alg": "RS512"},
        {**ECAlgorithm.to_jwk(EC_384.public_key(), as_dict=True), "kid": "ec384"},
        {"kty": "RSA", "kid": "broken", "n": 1, "e": None},
        {"kty": "RSA", "kid": "no numbers"},
        {
            "kty": "EC",
            "crv": "P-256",
            "kid": "off the curve",
            "x": segment(b"1" * 32),
            "y": segment(b"2" * 32),
        },
        {"kty": ["RSA"], "alg": {}, "kid": 7},
        "not an object",
    ]
}


class _Keys(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        body = json.dumps(KEY_SET).encode()
        self.send_response(200)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    @override
    def log_message(self, format: str, *args: object) -> None:
        """Quiet."""


@pytest.fixture(scope="module")
def keys_url() -> Iterator[str]:
    with HTTPServer(("127.0.0.1", 0), _Keys) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}/.well-known/jwks.json"
        server.shutdown()
        thread.join()


@pytest.fixture(scope="module")
async def tokens(keys_url: str) -> AsyncIterator[ExternalTokens]:
    issuers = [
        ExternalIssuer(
            issuer=SHARED,
            audience="authenticated",
            hs256_secret=SecretStr(SECRET),
            organisation="shared-gym",
            provision_members=True,
        ),
        ExternalIssuer(
            issuer=PUBLIC, audience="authenticated", jwks_url=HttpUrl(keys_url), organisation="public-gym"
        ),
    ]
    async with httpx.AsyncClient(trust_env=False) as http:
        yield ExternalTokens(issuers, http)


@pytest.fixture(autouse=True)
def _stopped_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(clock, "now", lambda: NOW)


def supabase(**changes: Any) -> dict[str, Any]:
    """The claims of a Supabase access token, as its documentation lists them."""
    theirs = {
        "iss": SHARED,
        "aud": "authenticated",
        "exp": SECONDS + 3600,
        "iat": SECONDS,
        "sub": "123e4567-e89b-12d3-a456-426614174000",
        "role": "authenticated",
        "aal": "aal1",
        "session_id": "223e4567-e89b-12d3-a456-426614174000",
        "email": "kim@example.com",
        "phone": "",
        "is_anonymous": False,
        "amr": [{"method": "password", "timestamp": SECONDS}],
        "app_metadata": {"provider": "email", "providers": ["email"]},
        "user_metadata": {"email": "kim@example.com", "email_verified": True, "full_name": "Kim Park"},
    }
    return {name: value for name, value in {**theirs, **changes}.items() if value is not ...}


def shared(
    key: Any = SECRET, algorithm: str = "HS256", headers: dict[str, Any] | None = None, **changes: Any
) -> str:
    return jwt.encode(supabase(**changes), key, algorithm, headers=headers)


def public(key: Any = RSA, algorithm: str = "RS256", kid: object = "rsa", **changes: Any) -> str:
    headers = {} if kid is ... else {"kid": kid}
    return jwt.encode(supabase(**{"iss": PUBLIC, **changes}), key, algorithm, headers=headers)


def hand_signed(header: object, body: object, key: bytes = SECRET.encode()) -> str:
    signing_input = f"{segment(header)}.{segment(body)}"
    return f"{signing_input}.{segment(hmac.digest(key, signing_input.encode(), 'sha256'))}"


def keyed_with_public_key(encoding: Encoding) -> str:
    form = PublicFormat.SubjectPublicKeyInfo
    body = supabase(iss=PUBLIC)
    return hand_signed({"alg": "HS256", "kid": "rsa"}, body, RSA.public_key().public_bytes(encoding, form))


def public_small() -> str:
    signing_input = f"{segment({'alg': 'RS256', 'kid': 'small'})}.{segment(supabase(iss=PUBLIC))}"
    signature = jwt.get_algorithm_by_name("RS256").sign(signing_input.encode(), SMALL_RSA)
    return f"{signing_input}.{segment(signature)}"


FORGED: dict[str, Callable[[], str | None]] = {
    "nothing": lambda: None,
    "empty": lambda: "",
    "noise": lambda: "a.b.c",
    "nul": lambda: shared() + "\0",
    "lone surrogate": lambda: "\ud800" + shared(),
    "doubled": lambda: f"{shared()}.{shared()}",
    "oversized": lambda: shared(user_metadata={"bio": "x" * 20_000}),
    "payload is no object": lambda: hand_signed({"alg": "HS256"}, [supabase()]),
    "payload is deep": lambda: hand_signed({"alg": "HS256"}, b"[" * 5000),
    # who says so
    "unknown issuer": lambda: shared(iss="https://evil.example/auth/v1"),
    "issuer with a slash more": lambda: shared(iss=SHARED + "/"),
    "issuer in capitals": lambda: shared(iss=SHARED.upper()),
    "issuer in a list": lambda: hand_signed({"alg": "HS256"}, supabase(iss=[SHARED])),
    "no issuer": lambda: shared(iss=...),
    "one issuer's key for the other": lambda: shared(RSA, "RS256", {"kid": "rsa"}),
    "the other's secret": lambda: public(SECRET, "HS256", "rsa"),
    # the algorithm and the key
    "none": lambda: f"{segment({'alg': 'none', 'typ': 'JWT'})}.{segment(supabase())}.",
    "none with a signature": lambda: hand_signed({"alg": "none"}, supabase()),
    "none, public": lambda: hand_signed({"alg": "none", "kid": "rsa"}, supabase(iss=PUBLIC)),
    "alg is a list": lambda: hand_signed({"alg": ["HS256"]}, supabase()),
    "alg is an object, public": lambda: hand_signed({"alg": {}, "kid": "rsa"}, supabase(iss=PUBLIC)),
    "no alg": lambda: hand_signed({"typ": "JWT"}, supabase()),
    "another secret": lambda: shared("x" * 40),
    "HS512 with the secret": lambda: shared(SECRET * 2, "HS512"),
    "HS256 keyed with the public PEM": lambda: keyed_with_public_key(Encoding.PEM),
    "HS256 keyed with the public DER": lambda: keyed_with_public_key(Encoding.DER),
    "HS256 keyed with the published oct": lambda: public(OCT, "HS256", "oct"),
    "HS256 keyed with nothing": lambda: hand_signed(
        {"alg": "HS256", "kid": "rsa"}, supabase(iss=PUBLIC), b""
    ),
    "another RSA key": lambda: public(OTHER_RSA),
    "RS384": lambda: public(RSA, "RS384"),
    "PS256": lambda: public(RSA, "PS256"),
    "a small RSA key": public_small,
    "a key for encryption": lambda: public(OTHER_RSA, kid="enc"),
    "a key for another algorithm": lambda: public(OTHER_RSA, kid="rs512"),
    "ES384": lambda: public(EC_384, "ES384", "ec384"),
    "ES256 named as RSA": lambda: public(EC, "ES256", "rsa"),
    "EdDSA named as EC": lambda: public(ED, "EdDSA", "ec"),
    "unknown kid": lambda: public(kid="nobody"),
    "kid path": lambda: public(kid="../../etc/passwd"),
    "kid is a number": lambda: hand_signed({"alg": "RS256", "kid": 7}, supabase(iss=PUBLIC)),
    "broken key": lambda: public(kid="broken"),
    "own key in jwk": lambda: jwt.encode(
        supabase(iss=PUBLIC),
        OTHER_RSA,
        "RS256",
        {"kid": "rsa", "jwk": RSAAlgorithm.to_jwk(OTHER_RSA.public_key())},
    ),
    "own key by jku": lambda: jwt.encode(
        supabase(iss=PUBLIC),
        OTHER_RSA,
        "RS256",
        {"kid": "x", "jku": "http://127.0.0.1:1/", "x5u": "http://[::1]:1/"},
    ),
    "payload changed": lambda: ".".join(
        [*public().split(".")[:1], segment(supabase(iss=PUBLIC, sub="admin")), *public().split(".")[2:]]
    ),
    # the header
    "crit": lambda: shared(headers={"crit": ["x"], "x": 1}),
    "crit b64": lambda: hand_signed({"alg": "HS256", "crit": ["b64"], "b64": True}, supabase()),
    "a logout notice": lambda: shared(headers={"typ": "logout+jwt"}),
    "a security event": lambda: shared(headers={"typ": "secevent+jwt"}),
    "typ is a number": lambda: hand_signed({"alg": "HS256", "typ": 1}, supabase()),
    # the claims
    "another audience": lambda: shared(aud="anon"),
    "audience with more": lambda: shared(aud="authenticated2"),
    "no audience": lambda: shared(aud=...),
    "audience in an object": lambda: shared(aud={"authenticated": 1}),
    "other audiences": lambda: shared(aud=["a", "b"]),
    "expired": lambda: shared(exp=SECONDS - 31),
    "no exp": lambda: shared(exp=...),
    "exp as text": lambda: shared(exp=str(SECONDS + 60)),
    "exp true": lambda: shared(exp=True),
    "exp infinite": lambda: shared(exp=float("inf")),
    "exp not a number": lambda: shared(exp=float("nan")),
    "issued in the future": lambda: shared(iat=SECONDS + 31),
    "not valid yet": lambda: shared(nbf=SECONDS + 31),
    "nbf astronomical": lambda: shared(nbf=10**400),
    "no sub": lambda: shared(sub=...),
    "empty sub": lambda: shared(sub=""),
    "blank sub": lambda: shared(sub="  "),
    "sub is a number": lambda: hand_signed({"alg": "HS256"}, supabase(sub=1)),
    "long sub": lambda: shared(sub="x" * 256),
    "sub with nul": lambda: shared(sub="a\0b"),
    "sub a lone surrogate": lambda: shared(sub="a\ud800"),
    "anonymous": lambda: shared(is_anonymous=True),
    "the project's anon key": lambda: jwt.encode(
        {"iss": "supabase", "ref": "abc", "role": "anon", "iat": SECONDS, "exp": SECONDS + 10**8}, SECRET
    ),
}


KIM = ExternalPerson(
    issuer=SHARED,
    subject="123e4567-e89b-12d3-a456-426614174000",
    email="kim@example.com",
    email_verified=False,
    name="Kim Park",
    organisation="shared-gym",
    provision_members=True,
)


@pytest.mark.parametrize("make", FORGED.values(), ids=FORGED.keys())
async def test_forged(tokens: ExternalTokens, make: Callable[[], str | None]) -> None:
    assert len(FORGED) >= 12
    with pytest.raises(Unauthenticated) as refused:
        await tokens.verify(make())
    assert refused.value.detail == "Your sign-in is not valid or has expired. Sign in again."
    assert refused.value.__cause__ is None


async def test_a_true_token_names_the_person(tokens: ExternalTokens) -> None:
    assert await tokens.verify(shared()) == KIM
    assert await tokens.verify(hand_signed({"alg": "HS256"}, supabase())) == KIM


@pytest.mark.parametrize(
    "make",
    [
        public,
        lambda: public(EC, "ES256", "ec"),
        lambda: public(ED, "EdDSA", "ed"),
        lambda: public(kid=...),  # one RS256 key in the set: nothing to choose
    ],
    ids=["RS256", "ES256", "EdDSA", "no kid"],
)
async def test_public_keys(tokens: ExternalTokens, make: Callable[[], str]) -> None:
    person = await tokens.verify(make())
    assert (person.issuer, person.organisation, person.provision_members) == (PUBLIC, "public-gym", False)


@pytest.mark.parametrize(
    "changes",
    [
        {"aud": ["other", "authenticated"]},
        {"exp": SECONDS - 29},
        {"exp": SECONDS + 0.5},
        {"exp": 10**400},
        {"iat": SECONDS + 29},
        {"iat": ...},
        {"sub": "x" * 255},
        {"is_anonymous": ...},
    ],
)
async def test_what_the_standard_allows_passes(tokens: ExternalTokens, changes: dict[str, Any]) -> None:
    assert (await tokens.verify(shared(**changes))).email == "kim@example.com"


@pytest.mark.parametrize(
    ("changes", "email", "verified"),
    [
        # Supabase users write their own user_metadata, so it proves nothing and names nobody.
        ({}, "kim@example.com", False),
        ({"email": ...}, None, False),
        ({"email": ""}, None, False),
        ({"email": ..., "email_verified": True}, None, False),
        ({"email_verified": True}, "kim@example.com", True),
        ({"email_verified": False}, "kim@example.com", False),
        ({"email_verified": "true"}, "kim@example.com", False),
        ({"email_verified": 1}, "kim@example.com", False),
        ({"email": ["kim@example.com"], "email_verified": True}, None, False),
        ({"email": "kim", "email_verified": True}, None, False),
        ({"email": "kim@example.com\0", "email_verified": True}, None, False),
        ({"email": "k@a.b, boss@example.com", "email_verified": True}, None, False),
        ({"email": "x" * 250 + "@example.com", "email_verified": True}, None, False),
    ],
)
async def test_an_email_counts_only_as_the_issuer_says(
    tokens: ExternalTokens, changes: dict[str, Any], email: str | None, verified: bool
) -> None:
    person = await tokens.verify(shared(**changes))
    assert (person.email, person.email_verified) == (email, verified)


@pytest.mark.parametrize(
    ("changes", "name"),
    [
        ({"name": " Kim "}, "Kim"),
        ({"user_metadata": {"name": "K"}}, "K"),
        ({"user_metadata": {"full_name": "x" * 201, "name": "K"}}, "K"),
        ({"user_metadata": ["Kim"]}, None),
        ({"user_metadata": {"full_name": "a\nb"}}, None),
        ({"user_metadata": ...}, None),
    ],
)
async def test_names(tokens: ExternalTokens, changes: dict[str, Any], name: str | None) -> None:
    assert (await tokens.verify(shared(**changes))).name == name


async def test_whose_token_is_it(tokens: ExternalTokens) -> None:
    for token, issuer in ((shared("x" * 40), SHARED), (public(), PUBLIC)):
        claimed = tokens.claims_issuer(token)
        assert claimed is not None
        assert claimed.issuer == issuer
    for strange in (None, "", "a.b.c", "..", shared(iss=...), shared(iss="other"), shared() + "\0"):
        assert tokens.claims_issuer(strange) is None


ANY_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters(exclude_categories=())),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=5,
)


@given(st.dictionaries(st.sampled_from([*supabase(), "nbf", "name", "email_verified"]), ANY_JSON, max_size=3))
async def test_strange_claims_never_crash(tokens: ExternalTokens, changes: dict[str, Any]) -> None:
    try:
        person = await tokens.verify(hand_signed({"alg": "HS256"}, supabase(**changes)))
    except Unauthenticated:
        return
    for text in (person.subject, person.email or "", person.name or ""):
        assert "\0" not in text.encode().decode()


@given(st.text(st.characters(exclude_categories=())))
async def test_noise_is_refused(tokens: ExternalTokens, noise: str) -> None:
    for token in (noise, f"{segment(noise)}.{segment({'iss': SHARED})}.AA", f"{noise}.{noise}.{noise}"):
        with pytest.raises(Unauthenticated):
            await tokens.verify(token)


def issuer(**changes: Any) -> ExternalIssuer:
    return ExternalIssuer(**{"issuer": SHARED, "audience": "a", "organisation": "o", **changes})


async def test_settings_that_cannot_be_right_are_refused(caplog: pytest.LogCaptureFixture) -> None:
    twice = issuer(hs256_secret=SECRET)
    with pytest.raises(StartupRefused, match="only once"):
        ExternalTokens([twice, twice], None)
    pem = RSA.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo).decode()
    with pytest.raises(StartupRefused, match="no secret"):
        ExternalTokens([issuer(hs256_secret=pem)], None)
    await ExternalTokens([issuer(jwks_url="http://keys.example/")], None).aclose()
    assert "without TLS" in caplog.text


async def test_no_issuers_refuse_everything() -> None:
    nobody = ExternalTokens([], None)
    with pytest.raises(Unauthenticated):
        await nobody.verify(shared())
    await nobody.aclose()
