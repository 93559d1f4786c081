"""Schemathesis over the real server: requests made from the OpenAPI document, valid and not.

By hand, longer: start a server, then `schemathesis run URL/openapi.json -H "Authorization: Bearer …"`.
"""

import asyncio
import json
import re
import sys
from pathlib import Path
from typing import Any

import pytest

from spotter.app import Ground
from tests.http.actions import another_server
from tests.http.conftest import Superuser
from tests.http.test_external_sign_in import issuer_for, link, token_of
from tests.support.people import Gym

_PHASES = ("examples", "coverage", "fuzzing", "stateful")
# Rules that JSON Schema cannot say: a time in the future, a cursor of ours, a time zone that exists, a password
# that is not among the commonest. Requests that break them are valid by the schema and rightly refused.
# And `Allow` names the methods of every route at an address: `/sessions/import` is also a `/sessions/{session_id}`
# whose id is refused.
_NOT_FOR_US = ("positive_data_acceptance", "allow_header_conformance")

# A scenario starts at any operation and goes on only from an answer that succeeded, so with bad requests among them
# and few tries none followed a link.
_AMOUNTS = """
[generation]
max-examples = 6
[phases.stateful.generation]
mode = "positive"
max-examples = 150
"""

# Too large is a refusal too.
_REFUSALS = """
[checks.negative_data_rejection]
expected-statuses = [400, 401, 403, 404, 405, 406, 409, 413, 415, 422, 428, 429]
"""

# Without a provider's key these say 503 and what to set.
_NEEDS_A_KEY = """
[[operations]]
include-path-regex = "^/api/(session2?|responses)$"
[operations.checks.not_a_server_error]
expected-statuses = ["2xx", "3xx", "4xx", 503]
"""

# Of these paths another one is a pattern: to it, their last word is an id that is none.
_ALSO_AN_ID = """
[[operations]]
include-path-regex = "^/api/coach/sessions/(stats|cleanup)$"
[operations.checks.unsupported_method]
enabled = false
"""


async def _run(url: str, token: str, config: Path, folder: Path) -> tuple[str, dict[str, Any]]:
    program = Path(sys.executable).with_name("schemathesis")
    report = folder / "report.json"
    process = await asyncio.create_subprocess_exec(
        str(program), "--config-file", str(config), "run", f"{url}/openapi.json",
        "--header", f"Authorization: Bearer {token}",
        "--phases", ",".join(_PHASES),
        "--checks", "all",
        "--exclude-checks", ",".join(_NOT_FOR_US),
        "--seed", "20261",
        "--generation-database", "none",
        "--report-json-path", str(report),
        "--no-color",
        cwd=folder,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
    )  # fmt: skip
    output, _ = await asyncio.wait_for(process.communicate(), 1500)
    text = output.decode()
    assert report.exists(), text
    result: dict[str, Any] = json.loads(report.read_text())
    return text, result


@pytest.mark.timeout(1800)
async def test_no_surprise_in_any_answer(
    base: Ground, gym: Gym, superuser: Superuser, tmp_path: Path
) -> None:
    """As the owner of a fresh gym, by an outside sign-in: one of ours would end with the first sign-out."""
    issuer = issuer_for(gym)
    await link(superuser, issuer, "owner", gym.owner.user_id)
    config = tmp_path / "schemathesis.toml"
    # Ids of organisations are in no list, so it cannot find this one by itself.
    config.write_text(
        f'[parameters]\n"path.organisation_id" = "{gym.org_id}"\n'
        + _AMOUNTS
        + _REFUSALS
        + _NEEDS_A_KEY
        + _ALSO_AN_ID
    )
    async with another_server(base, {"external_issuers": [issuer]}) as http:
        url = str(http.base_url).rstrip("/")
        output, result = await _run(url, token_of(issuer, "owner"), config, tmp_path)
        described = (await http.get("/openapi.json")).json()
    assert result["exit_code"] == 0, output
    assert result["complete"]
    assert {name: result["phases"][name]["status"] for name in _PHASES} == dict.fromkeys(_PHASES, "success")
    assert result["operations"]["tested"] == sum(len(methods) for methods in described["paths"].values())
    assert result["test_cases"]["generated"] > 500
    links = re.search(r"API Links: +(\d+) covered .*\((\d+) inferred\)", output)
    assert links is not None, output
    assert int(links[1]) > 0
    assert int(links[2]) > 10
