"""S13: secrets and people's data stay where they belong, whatever goes wrong.

Real flows run with canaries in the environment, the database and in what people say; then everything they left behind
(logs at debug level, traces, errors, metrics, what commands print, exports of others) is searched for them. Further
cases: a canary in `tests/support/canaries.py`, a way to break in `careless.py`, or a flow here that collects more.
"""

import json
from uuid import UUID

import pytest

from spotter import logs
from spotter.api import correlation
from spotter.identity import audit_chain
from spotter.llm import tracing
from spotter.llm.scripted import Say, ScriptedModel, call
from spotter.sessions.events import Ending, UserMessage
from tests.canaries.careless import careless
from tests.canaries.conftest import WRONG_PASSWORD, Place
from tests.http.actions import PASSWORD, Desk, create_key, invite
from tests.llm.conftest import DIALECTS, model_at
from tests.llm.fault_list import FAULTS
from tests.llm.wire_scripts import Called, Spoken, answer, refusal
from tests.runtime.test_turns import ending_of
from tests.support import agents
from tests.support.agents import new_session, running_turns
from tests.support.canaries import CARD, EMAIL, MESSAGE, PERSONAL, PHONE, secret
from tests.support.databases import environment_for
from tests.support.people import Gym
from tests.support.processes import spotter


async def test_turns_over_http(place: Place, gym: Gym) -> None:
    """Answers, refusals that quote the key or the prompt, and what others can see of it all."""
    key = place.net.canaries["OpenAI's key"]
    plans = [
        lambda asked: answer("chat", Spoken(f"Noted: {MESSAGE}"), asked.body),
        lambda asked: answer("chat", Spoken(calls=[Called(EMAIL, json.dumps(MESSAGE), CARD)]), asked.body),
        lambda asked: refusal("chat", 401, "authentication_error", f"Incorrect API key provided: {key}"),
        lambda asked: refusal("chat", 400, "invalid_request_error", f"{key} sent {asked.body!r}"),
        lambda asked: refusal("chat", 500, "server_error", f"{asked.headers} {asked.body!r}"),
    ]
    made = await place.ask("POST", "/api/sessions", json={"title": MESSAGE}, headers=gym.member.headers)
    path = f"/api/sessions/{made.json()['id']}"
    for plan in plans:
        place.wire.plan = plan
        said = await place.ask("POST", f"{path}/messages", json={"text": MESSAGE}, headers=gym.member.headers)
        assert said.status_code == 200, said.text
    # Turns that other tests left open in this database may be taken over here and ask as well.
    second_opinion, chat = [asked for asked in place.wire.asked if b"I am Ana" in asked.body][:2]
    assert EMAIL.encode() not in second_opinion.body
    assert EMAIL.encode() in chat.body
    assert CARD.encode() not in chat.body
    assert {second_opinion.headers["authorization"], chat.headers["authorization"]} == {f"Bearer {key}"}
    exported = await place.ask("GET", f"{path}/export", headers=gym.member.headers)
    assert EMAIL in exported.text
    assert key not in exported.text
    await place.ask("GET", f"{path}/export", headers=gym.other_member.headers)
    await place.ask("GET", f"{path}/events?after={EMAIL}", headers=gym.member.headers)
    await _collect_what_others_see(place, gym)
    assert place.caught() == []
    assert len(place.net.artefacts["traces"]) >= len(plans)
    assert "tool.called" in place.net.artefacts["audit log"][0]


async def _collect_what_others_see(place: Place, gym: Gym) -> None:
    other = await place.ask("POST", "/api/sessions", json={}, headers=gym.member.headers)
    place.wire.plan = lambda asked: answer("chat", Spoken("Hello."), asked.body)
    path = f"/api/sessions/{other.json()['id']}"
    await place.ask("POST", f"{path}/messages", json={"text": "hi"}, headers=gym.member.headers)
    token = {"Authorization": f"Bearer {place.net.canaries['the metrics token']}"}
    await audit_chain.seal(place.home.services.database, gym.org_id)
    for where, address, headers in (
        ("another session", f"{path}/export", gym.member.headers),
        ("audit log", "/api/audit?limit=200", gym.owner.headers),
        ("audit export", "/api/audit/export", gym.owner.headers),
        ("audit check", "/api/audit/verify", gym.owner.headers),
        ("activity", "/api/ai-agents/activity", gym.owner.headers),
        ("metrics", "/metrics", token),
        ("health", "/api/health", {}),
    ):
        seen = await place.http.get(address, headers=headers)
        assert seen.status_code == 200, f"{address}: {seen.text}"
        place.net.collect(where, seen.text)


async def test_every_failure_of_a_provider(place: Place, gym: Gym) -> None:
    scope = gym.member.scope
    session_id = await new_session(place.home, scope)
    for number, fault in enumerate(FAULTS):
        dialect = DIALECTS[number % len(DIALECTS)]
        place.wire.plan = lambda asked, fault=fault, dialect=dialect: fault.plan(dialect, True)
        async with model_at(dialect, place.wire.url) as model, running_turns(place.home, model) as turns:
            ticket = await turns.say(scope, session_id, UserMessage(text=MESSAGE))
            assert await ending_of(ticket) in {Ending.FINAL, Ending.FAILED, Ending.LIMIT}, fault.name
    assert place.caught() == []
    assert len(place.net.artefacts["traces"]) >= len(FAULTS)


async def test_errors_over_http(place: Place, gym: Gym) -> None:
    """What people send to the wrong place, or wrongly."""
    person = await Desk(place.home).set_password(gym.staff)
    key = await create_key(place.http, gym.owner, ["read", "write", "admin"])
    link, token = await Desk(place.home).link(gym.member), (await invite(place.http, gym.owner))["token"]
    own = secret("own-key-")
    place.net.plant(
        api_key=key.plain,
        link=link,
        invitation=token,
        access_token=person.token,
        refresh_token=person.refresh_token,
        own_key=own,
    )
    bad: list[tuple[str, str, object]] = [
        ("POST", "/api/auth/sign-in", {"email": person.email, "password": WRONG_PASSWORD}),
        ("POST", "/api/auth/sign-in", {"email": EMAIL, "password": [PASSWORD, own]}),
        ("POST", "/api/auth/sign-in", {"email": MESSAGE, "password": PASSWORD * 100}),
        ("POST", "/api/auth/sign-in", {"email": EMAIL, "password": PASSWORD, "organisation": CARD}),
        ("POST", "/api/auth/link", {"token": link + "x"}),
        ("POST", "/api/auth/accept-invitation", {"token": token, "password": "short", "name": MESSAGE * 9}),
        ("POST", "/api/auth/refresh", {"refresh_token": person.refresh_token[:-2]}),
        ("POST", "/api/sessions", {"agent": EMAIL, "title": MESSAGE * 99}),
        ("POST", "/api/sessions/import", {"events": [MESSAGE], "agent": own}),
        ("PUT", "/api/model-accounts/openai", {"api_key": own, "base_url": f"https://x:{own}@h.example"}),
        ("PUT", f"/api/model-accounts/{EMAIL}", {"api_key": own}),
        ("POST", "/api/invitations", {"email": EMAIL + "@", "role": own}),
        ("PATCH", "/api/me", {"name": MESSAGE * 9, "nickname": PHONE}),
    ]
    for method, path, body in bad:
        sent = await place.ask(method, path, json=body, headers=gym.owner.headers)
        assert sent.is_error, (path, sent.text)
        content = json.dumps(body)[:-1]  # cut off, so no JSON
        sent = await place.ask(
            method, path, content=content, headers={**gym.owner.headers, "Content-Type": "application/json"}
        )
        assert sent.is_error
    for path in (
        f"/api/{EMAIL}/{own}",
        f"/api/sessions/{PHONE}",
        f"/api/me?api_key={own}&to={EMAIL}",
        f"/sign-in/{link}x",
    ):
        await place.ask(
            "GET", path, headers={"Authorization": f"Bearer {person.token}x", "Cookie": f"a={own}"}
        )
        await place.ask(
            "GET", path, headers={"X-API-Key": key.plain + "x", "User-Agent": MESSAGE, "Referer": EMAIL}
        )
    stored = await place.ask(
        "PUT", "/api/model-accounts/openai", json={"api_key": own}, headers=gym.owner.headers
    )
    assert stored.status_code == 200
    listed = await place.http.get("/api/model-accounts", headers=gym.owner.headers)
    place.net.collect("model accounts", listed.text)
    await _collect_what_others_see(place, gym)
    assert place.caught() == []


async def break_down(place: Place, gym: Gym, monkeypatch: pytest.MonkeyPatch, how: str, contact: str) -> UUID:
    session_id = await new_session(place.home, gym.member.scope)
    model = ScriptedModel([Say(calls=(call("careless", {"how": how, "contact": contact}),)), "Sorry."])
    async with running_turns(place.home, model, tools=(*agents.TOOLS, careless)) as turns:
        ticket = await turns.say(gym.member.scope, session_id, UserMessage(text="go"))
        assert await ending_of(ticket) is Ending.FINAL
    assert "a tool broke" in place.net.written["json log"].getvalue()
    return session_id


@pytest.mark.parametrize(
    ("how", "what"),
    [
        ("key", "OpenAI's key"),
        ("key", "the key of the wire"),
        ("address", "the runtime's login"),
        ("form", "an e-mail"),
        ("form", "a card number"),
        ("statement", "a phone number"),
        ("json", "an e-mail"),
        ("json", "a password"),
        ("words", "an e-mail"),
        ("words", "a phone number"),
        ("words", "a card number"),
    ],
)
async def test_a_tool_that_breaks(
    place: Place, gym: Gym, monkeypatch: pytest.MonkeyPatch, how: str, what: str
) -> None:
    await break_down(place, gym, monkeypatch, how, place.net.canaries[what])
    await _collect_what_others_see(place, gym)
    assert place.caught() == []


async def test_commands(place: Place, gym: Gym) -> None:
    """What they print and log, at debug level, in a process with everything in its environment."""
    place.wire.plan = lambda asked: answer("chat", Spoken("Noted."), asked.body)
    made = await place.ask("POST", "/api/sessions", json={"title": MESSAGE}, headers=gym.member.headers)
    path = f"/api/sessions/{made.json()['id']}/messages"
    await place.ask("POST", path, json={"text": MESSAGE}, headers=gym.member.headers)
    keys = place.net.canaries
    environment = environment_for(
        place.home.services.settings,
        OPENAI_API_KEY=keys["OpenAI's key"],
        ANTHROPIC_API_KEY=keys["Anthropic's key"],
        SPOTTER_METRICS_TOKEN=keys["the metrics token"],
        SPOTTER_LOG_LEVEL="DEBUG",
        SPOTTER_MODEL="anthropic:claude-x",
    )
    broken = {**environment, "DATABASE_URL": environment["DATABASE_URL"].replace("port=", "port=1")}
    for arguments, env, code in (
        (("doctor",), environment, 0),
        (("verify", "--org", gym.slug, "--heads"), environment, 0),
        (("verify", "--org", gym.slug), {**environment, "SPOTTER_SECRET_KEY": SECRET_OF_OTHERS}, 1),
        (("doctor",), broken, 1),
        (("migrate",), broken, 1),
        (("token", "--email", EMAIL), environment, 1),
    ):
        done = await spotter(*arguments, environment=env)
        assert done.code == code, done.err
        # Who is asked for by name is named in the answer to the asker, not in the log.
        place.net.collect(
            f"output of {arguments[0]}",
            (done.out + done.err).replace(EMAIL, "") if EMAIL in arguments else done.out + done.err,
        )
    place.net.plant(secret_of_others=SECRET_OF_OTHERS)
    assert place.caught() == []


SECRET_OF_OTHERS = "canary of another installation, long enough to be one"


# --- The net itself: without a guard, it catches something ------------------------------------------------


async def test_without_redaction_keys_are_caught(
    place: Place, gym: Gym, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(logs, "redact", lambda text: text)
    await break_down(place, gym, monkeypatch, "key", place.net.canaries["OpenAI's key"])
    assert {(what, where) for what, where, _ in place.caught()} >= {
        ("OpenAI's key", "json log"),
        ("OpenAI's key", "text log"),
    }


@pytest.mark.parametrize("how", ["form", "json", "words"])
async def test_without_redaction_people_are_caught(
    place: Place, gym: Gym, monkeypatch: pytest.MonkeyPatch, how: str
) -> None:
    monkeypatch.setattr(logs, "_QUOTES", ())
    monkeypatch.setattr(logs, "_more_redactors", [])
    await break_down(place, gym, monkeypatch, how, EMAIL)
    assert ("an e-mail", "json log") in {(what, where) for what, where, _ in place.caught()}


async def test_without_care_paths_are_caught(place: Place, gym: Gym, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(correlation, "loggable", lambda path: path)
    monkeypatch.setattr(logs, "_more_redactors", [])
    await place.ask("GET", f"/api/members/{EMAIL}", headers=gym.owner.headers)
    assert ("an e-mail", "json log") in {(what, where) for what, where, _ in place.caught()}


async def talk_with_contents_traced(place: Place, gym: Gym, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(tracing.CAPTURE_VARIABLE, "true")
    place.wire.plan = lambda asked: answer(
        "chat",
        Spoken(f"Noted: {MESSAGE}", calls=[Called("add", json.dumps({"a": MESSAGE}), "one")]),
        asked.body,
    )
    made = await place.ask("POST", "/api/sessions", json={}, headers=gym.member.headers)
    path = f"/api/sessions/{made.json()['id']}/messages"
    await place.ask("POST", path, json={"text": MESSAGE}, headers=gym.member.headers)
    assert any("Noted" in span.to_json() for span in place.spans.get_finished_spans())


async def test_with_contents_asked_for_traces_are_redacted(
    place: Place, gym: Gym, monkeypatch: pytest.MonkeyPatch
) -> None:
    await talk_with_contents_traced(place, gym, monkeypatch)
    assert place.caught() == []


async def test_without_redaction_traces_are_caught(
    place: Place, gym: Gym, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tracing, "redact", lambda text: text)
    await talk_with_contents_traced(place, gym, monkeypatch)
    assert {(what, where) for what, where, _ in place.caught()} == {(what, "traces") for what in PERSONAL}
