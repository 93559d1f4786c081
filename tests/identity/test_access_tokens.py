"""Access tokens: ours pass, and every forgery we could think of gets the same refusal."""

import base64
import hmac
import json
from collections.abc import Callable
from dataclasses import FrozenInstanceError
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import jwt
import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.asymmetric.rsa import generate_private_key
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from hypothesis import given
from hypothesis import strategies as st

from spotter import clock
from spotter.errors import Unauthenticated
from spotter.identity.keyring import Keyring
from spotter.identity.tokens import AccessClaims, AccessTokens
from spotter.ids import new_id

NOW = datetime(2026, 5, 1, 12, tzinfo=UTC)
SECONDS = int(NOW.timestamp())
RING = Keyring(b"k" * 32)
TOKENS = AccessTokens(RING, timedelta(minutes=15), leeway=timedelta(seconds=10))
# What only the server knows. A forger has it in some cases below, to show that the key alone is not enough.
KEY = RING.derive("access-token/v1/hs256")
CLAIMS = AccessClaims(new_id(), new_id(), new_id())
RSA = generate_private_key(65537, 2048)


@pytest.fixture(autouse=True)
def _stopped_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(clock, "now", lambda: NOW)


def later(monkeypatch: pytest.MonkeyPatch, seconds: float) -> None:
    monkeypatch.setattr(clock, "now", lambda: NOW + timedelta(seconds=seconds))


def payload(**changes: Any) -> dict[str, Any]:
    ours = {
        "iss": "spotter",
        "aud": "spotter-api",
        "sub": str(CLAIMS.user_id),
        "jti": str(UUID(int=1)),
        "iat": SECONDS,
        "exp": SECONDS + 900,
        "org": str(CLAIMS.org_id),
        "sid": str(CLAIMS.session_id),
        "knd": "person",
    }
    return {name: value for name, value in {**ours, **changes}.items() if value is not ...}


def signed(
    key: Any = KEY, algorithm: str = "HS256", headers: dict[str, Any] | None = None, **changes: Any
) -> str:
    return jwt.encode(payload(**changes), key, algorithm, headers={"typ": "at+jwt", **(headers or {})})


def segment(value: object) -> str:
    text = value if isinstance(value, bytes) else json.dumps(value, separators=(",", ":")).encode()
    return base64.urlsafe_b64encode(text).rstrip(b"=").decode()


def hand_signed(header: object, body: object) -> str:
    """A true signature over segments no library would write."""
    signing_input = f"{segment(header)}.{segment(body)}"
    return f"{signing_input}.{segment(hmac.digest(KEY, signing_input.encode(), 'sha256'))}"


HEADER = {"alg": "HS256", "typ": "at+jwt"}


def part(index: int, token: str | None = None) -> str:
    return (token or signed()).split(".")[index]


def hs256_with_public_key() -> str:
    """The classic confusion: a key everybody has, used as if it were the secret. (PyJWT refuses to make one.)"""
    public = RSA.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)
    signing_input = f"{segment(HEADER)}.{segment(payload())}"
    return f"{signing_input}.{segment(hmac.digest(public, signing_input.encode(), 'sha256'))}"


FORGED: dict[str, Callable[[], str | None]] = {
    # no token at all
    "nothing": lambda: None,
    "empty": lambda: "",
    "null": lambda: "null",
    "dots": lambda: "..",
    "one segment": lambda: part(0),
    "two segments": lambda: f"{part(0)}.{part(1)}",
    "four segments": lambda: signed() + "." + part(2),
    "segments doubled": lambda: f"{signed()}.{signed()}",
    "payload twice": lambda: f"{part(0)}.{part(1)}.{part(1)}.{part(2)}",
    "nul inside": lambda: signed().replace(".", "\0.", 1),
    "nul after": lambda: signed() + "\0",
    "newline after": lambda: signed() + "\n",
    "bearer in front": lambda: "Bearer " + signed(),
    "lone surrogate": lambda: signed() + "\ud800",
    "padding": lambda: signed() + "=",
    "other base64 alphabet": lambda: signed().replace("-", "+").replace("_", "/") + "+",
    "oversized": lambda: hand_signed(HEADER, payload(extra="x" * 4096)),
    "a megabyte": lambda: "a." * 500_000,
    # the algorithm
    "none": lambda: f"{segment({'alg': 'none', 'typ': 'at+jwt'})}.{part(1)}.",
    "none with a signature": lambda: f"{segment({'alg': 'none', 'typ': 'at+jwt'})}.{part(1)}.{part(2)}",
    "None in capitals": lambda: f"{segment({'alg': 'NONE', 'typ': 'at+jwt'})}.{part(1)}.{part(2)}",
    "no alg": lambda: hand_signed({"typ": "at+jwt"}, payload()),
    "alg is a list": lambda: hand_signed({"alg": ["HS256"], "typ": "at+jwt"}, payload()),
    "alg is null": lambda: hand_signed({"alg": None, "typ": "at+jwt"}, payload()),
    "HS512 with our key": lambda: signed(KEY + KEY, "HS512"),
    "RS256": lambda: signed(RSA, "RS256"),
    "EdDSA": lambda: signed(Ed25519PrivateKey.generate(), "EdDSA"),
    "HS256 keyed with a public key": hs256_with_public_key,
    # the key
    "another key": lambda: signed(b"x" * 32),
    "another install": lambda: AccessTokens(Keyring(b"z" * 32), timedelta(minutes=15)).issue(CLAIMS),
    "the secret itself": lambda: signed(b"k" * 32),
    "a key for another purpose": lambda: signed(RING.derive("vault/v1/aes-256-gcm")),
    "signature of another token": lambda: f"{part(0)}.{part(1)}.{part(2, signed(jti=str(UUID(int=2))))}",
    "signature cut": lambda: signed()[:-4],
    "payload changed": lambda: f"{part(0)}.{segment(payload(org=str(new_id())))}.{part(2)}",
    "header changed": lambda: f"{segment({**HEADER, 'kid': 'x'})}.{part(1)}.{part(2)}",
    # the header, truly signed
    "typ JWT": lambda: signed(headers={"typ": "JWT"}),
    "typ refresh": lambda: signed(headers={"typ": "rt+jwt"}),
    "no typ": lambda: hand_signed({"alg": "HS256"}, payload()),
    "crit": lambda: signed(headers={"crit": ["exp"], "exp": 1}),
    "crit b64": lambda: hand_signed({**HEADER, "crit": ["b64"], "b64": True}, payload()),
    "b64 false": lambda: hand_signed({**HEADER, "crit": ["b64"], "b64": False}, payload()),
    "kid path": lambda: signed(headers={"kid": "../../../../dev/null"}),
    "kid sql": lambda: signed(headers={"kid": "x' UNION SELECT 'key'--"}),
    "kid is a number": lambda: hand_signed({**HEADER, "kid": 1}, payload()),
    "jku": lambda: signed(headers={"jku": "http://127.0.0.1:1/keys"}),
    "x5u": lambda: signed(headers={"x5u": "http://127.0.0.1:1/cert"}),
    "jwk": lambda: signed(headers={"jwk": {"kty": "oct", "k": "eA"}}),
    "header is a list": lambda: hand_signed([HEADER], payload()),
    "header is no JSON": lambda: hand_signed(b"{", payload()),
    # the claims, truly signed
    "payload is a list": lambda: hand_signed(HEADER, [payload()]),
    "payload is no JSON": lambda: hand_signed(HEADER, b"\xff\xfe"),
    "payload is deep": lambda: hand_signed(HEADER, b"[" * 2000),
    "expired": lambda: signed(iat=SECONDS - 911, exp=SECONDS - 11),
    "no exp": lambda: signed(exp=...),
    "exp null": lambda: signed(exp=None),
    "exp as text": lambda: signed(exp=str(SECONDS + 900)),
    "exp as a float": lambda: signed(exp=SECONDS + 900.5),
    "exp true": lambda: signed(exp=True),
    "exp infinite": lambda: signed(exp=float("inf")),
    "exp not a number": lambda: signed(exp=float("nan")),
    "exp far away": lambda: signed(exp=SECONDS + 86_400 * 365),
    "exp astronomical": lambda: signed(exp=10**400),
    "lives a second too long": lambda: signed(exp=SECONDS + 86_401),
    "ends before it starts": lambda: signed(iat=SECONDS, exp=SECONDS - 5),
    "no iat": lambda: signed(iat=...),
    "iat as text": lambda: signed(iat=str(SECONDS)),
    "issued in the future": lambda: signed(iat=SECONDS + 60, exp=SECONDS + 900),
    "nbf": lambda: signed(nbf=SECONDS + 600),
    "no iss": lambda: signed(iss=...),
    "another iss": lambda: signed(iss="https://evil.example"),
    "iss as a list": lambda: hand_signed(HEADER, payload(iss=["spotter"])),
    "no aud": lambda: signed(aud=...),
    "another aud": lambda: signed(aud="spotter-api.evil.example"),
    "aud as a list": lambda: signed(aud=["spotter-api", "other"]),
    "aud null": lambda: signed(aud=None),
    "no sub": lambda: signed(sub=...),
    "sub is a number": lambda: hand_signed(HEADER, payload(sub=1)),
    "sub is no UUID": lambda: signed(sub="admin"),
    "sub in braces": lambda: signed(sub=f"{{{CLAIMS.user_id}}}"),
    "sub as urn": lambda: signed(sub=f"urn:uuid:{CLAIMS.user_id}"),
    "sub with nul": lambda: signed(sub=f"{CLAIMS.user_id}\0"),
    "sub a surrogate": lambda: signed(sub="\ud800" * 32),
    "no jti": lambda: signed(jti=...),
    "jti no UUID": lambda: signed(jti="1"),
    "no org": lambda: signed(org=...),
    "org null": lambda: signed(org=None),
    "org is a list": lambda: signed(org=[str(CLAIMS.org_id)]),
    "org in capitals": lambda: signed(org="AAAAAAAA-0000-7000-8000-000000000000"),
    "no session": lambda: signed(sid=...),
    "no kind": lambda: signed(knd=...),
    "unknown kind": lambda: signed(knd="root"),
    "kind is an object": lambda: signed(knd={"person": 1}),
}


def refusal(tokens: AccessTokens, token: str | None) -> Unauthenticated:
    with pytest.raises(Unauthenticated) as refused:
        tokens.verify(token)
    return refused.value


def test_ours_pass() -> None:
    assert TOKENS.verify(TOKENS.issue(CLAIMS)) == CLAIMS
    service = AccessClaims(new_id(), new_id(), new_id(), kind="service")
    assert TOKENS.verify(TOKENS.issue(service)) == service
    assert TOKENS.verify(TOKENS.issue(CLAIMS)).expires_at == NOW + timedelta(minutes=15)


@pytest.mark.parametrize("make", [signed, lambda: hand_signed(HEADER, payload())])
def test_the_means_of_forging_make_good_tokens_when_nothing_is_forged(make: Callable[[], str]) -> None:
    assert TOKENS.verify(make()) == CLAIMS


@pytest.mark.parametrize("make", FORGED.values(), ids=FORGED.keys())
def test_forged(make: Callable[[], str | None]) -> None:
    assert len(FORGED) >= 20
    refused = refusal(TOKENS, make())
    assert refused.detail == refusal(TOKENS, "x").detail
    assert refused.__cause__ is None


def test_no_two_are_alike_and_all_are_short() -> None:
    one, other = TOKENS.issue(CLAIMS), TOKENS.issue(CLAIMS)
    assert one != other
    assert len(one) < 600


@pytest.mark.parametrize(
    ("seconds", "valid"), [(0, True), (899, True), (909, True), (910, False), (10**7, False)]
)
def test_it_ends(monkeypatch: pytest.MonkeyPatch, seconds: int, valid: bool) -> None:
    token = TOKENS.issue(CLAIMS)
    later(monkeypatch, seconds)
    if valid:
        assert TOKENS.verify(token) == CLAIMS
    else:
        refusal(TOKENS, token)


@pytest.mark.parametrize(("seconds", "valid"), [(-10, True), (-11, False)])
def test_a_clock_that_goes_wrong(monkeypatch: pytest.MonkeyPatch, seconds: int, valid: bool) -> None:
    token = TOKENS.issue(CLAIMS)
    later(monkeypatch, seconds)
    if valid:
        assert TOKENS.verify(token) == CLAIMS
    else:
        refusal(TOKENS, token)


def test_a_script_may_ask_for_a_day_and_no_more() -> None:
    token = TOKENS.issue(CLAIMS, lifetime=timedelta(days=7))
    expires = TOKENS.verify(token).expires_at
    assert expires is not None
    assert expires.timestamp() == SECONDS + 86_400


@given(st.text(st.characters(exclude_categories=())))
def test_noise_is_refused(noise: str) -> None:
    for token in (noise, f"{segment(HEADER)}.{noise}.{noise}", f"{segment(noise)}.{segment(noise)}.AA"):
        refusal(TOKENS, token)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters(exclude_categories=())),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=5,
)


@given(st.sampled_from(sorted(payload())), JSON)
def test_a_strange_claim_truly_signed_is_refused(claim: str, value: object) -> None:
    if value != payload()[claim]:
        refusal(TOKENS, hand_signed(HEADER, payload(**{claim: value})))


@given(st.dictionaries(st.sampled_from(["alg", "typ", "kid", "crit", "b64", "cty"]), JSON))
def test_a_strange_header_truly_signed_is_refused(header: dict[str, object]) -> None:
    if header != HEADER:
        refusal(TOKENS, hand_signed(header, payload()))


def test_claims_cannot_be_changed() -> None:
    with pytest.raises(FrozenInstanceError):
        CLAIMS.org_id = new_id()  # type: ignore[misc]


def test_a_lifetime_of_nothing_is_our_bug() -> None:
    with pytest.raises(ValueError, match="lives"):
        AccessTokens(RING, timedelta(0))
