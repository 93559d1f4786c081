"""A small AG-UI client for the tests: one run, all its events."""

import json
from collections.abc import AsyncIterator, Mapping, Sequence
from typing import Any

import httpx

from spotter.ids import random_id

AgUi = dict[str, Any]


def user(text: str, name: str | None = None) -> AgUi:
    return {"id": name or str(random_id()), "role": "user", "content": text}


def run_input(thread_id: str, messages: Sequence[AgUi] = (), **more: Any) -> AgUi:
    return {"threadId": thread_id, "runId": str(random_id()), "messages": list(messages), **more}


async def events_of(answer: httpx.Response) -> AsyncIterator[tuple[str | None, AgUi]]:
    """Each with the id of its message, if it has one."""
    number: str | None = None
    async for line in answer.aiter_lines():
        if line.startswith("id: "):
            number = line[4:]
        elif line.startswith("data: "):
            yield number, json.loads(line[6:])
        elif not line:
            number = None


async def run(
    http: httpx.AsyncClient, path: str, body: AgUi, headers: Mapping[str, str], **more: Any
) -> list[AgUi]:
    async with http.stream("POST", f"/api/agui/{path}", json=body, headers={**headers, **more}) as answer:
        if answer.status_code != 200:
            await answer.aread()
        assert answer.status_code == 200, answer.text
        return [event async for _, event in events_of(answer)]


async def follow(
    http: httpx.AsyncClient, thread_id: str, headers: Mapping[str, str], **more: Any
) -> list[AgUi]:
    async with http.stream("GET", f"/api/agui/threads/{thread_id}", headers={**headers, **more}) as answer:
        if answer.status_code != 200:
            await answer.aread()
        assert answer.status_code == 200, answer.text
        return [event async for _, event in events_of(answer)]


def kinds(events: Sequence[AgUi]) -> list[str]:
    return [event["type"] for event in events]


def only(events: Sequence[AgUi], kind: str) -> list[AgUi]:
    return [event for event in events if event["type"] == kind]


def text_of(events: Sequence[AgUi], message_id: str) -> str:
    return "".join(
        event["delta"] for event in only(events, "TEXT_MESSAGE_CONTENT") if event["messageId"] == message_id
    )
