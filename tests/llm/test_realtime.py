"""Client secrets for voice."""

import json
from datetime import UTC, datetime

import pytest

from spotter.llm.faults import ModelAuthFailed, ModelProtocolError
from spotter.llm.openai_client import make_client
from spotter.llm.realtime import ClientSecret, mint_client_secret
from spotter.llm.transport import http_client
from tests.llm.conftest import KEY, QUICK
from tests.llm.wire_scripts import refusal
from tests.llm.wire_server import Answer, WireServer


async def minted(wire: WireServer) -> ClientSecret:
    http = http_client(QUICK, verify=False)
    try:
        client = make_client(api_key=KEY, base_url=f"{wire.url}/v1", http=http, limits=QUICK)
        return await mint_client_secret(
            client,
            model="gpt-realtime",
            session={"instructions": "Coach.", "audio": {"output": {"voice": "marin"}}},
        )
    finally:
        await http.aclose()


async def test_a_secret(wire: WireServer) -> None:
    made = {
        "value": "ek_secret",
        "expires_at": 1_800_000_000,
        "session": {"type": "realtime", "object": "realtime.session"},
    }
    wire.plan = lambda asked: Answer([json.dumps(made).encode()], content_type="application/json")
    secret = await minted(wire)
    assert secret == ClientSecret("ek_secret", datetime.fromtimestamp(1_800_000_000, UTC))
    assert "ek_secret" not in repr(secret)
    (asked,) = wire.asked
    assert asked.path == "/v1/realtime/client_secrets"
    assert json.loads(asked.body) == {
        "expires_after": {"anchor": "created_at", "seconds": 60},
        "session": {
            "type": "realtime",
            "instructions": "Coach.",
            "audio": {"output": {"voice": "marin"}},
            "model": "gpt-realtime",
        },
    }


async def test_no_secret(wire: WireServer) -> None:
    wire.plan = lambda asked: refusal("chat", 401, "invalid_api_key", f"bad key {KEY}")
    with pytest.raises(ModelAuthFailed) as caught:
        await minted(wire)
    assert KEY not in caught.value.detail
    for body in (b"{}", b'{"value": "", "expires_at": 1}', b"oops", b"[]"):
        wire.plan = lambda asked, body=body: Answer([body], content_type="application/json")
        with pytest.raises(ModelProtocolError):
            await minted(wire)
