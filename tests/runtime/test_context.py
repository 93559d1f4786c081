"""The context: legal for every provider from any prefix of any log, and only ever growing at its end."""

import json
from datetime import UTC, datetime
from uuid import UUID

from hypothesis import given, settings
from hypothesis import strategies as st

from spotter.llm import wire_anthropic, wire_chat, wire_responses
from spotter.llm.port import DEFAULTS
from spotter.llm.prompt import Prompt, Section, Tools, ToolSpec
from spotter.llm.tokens import in_tokens
from spotter.runtime.context import SessionView
from spotter.sessions.codec import Event
from spotter.sessions.events import (
    Action,
    ApprovalDecided,
    ApprovalRequested,
    AssistantMessage,
    Checkpoint,
    Content,
    Ending,
    Failure,
    Handoff,
    Knowledge,
    Outcome,
    Result,
    Stage,
    TurnEnded,
    TurnResumed,
    UserMessage,
    WaitingCall,
)
from tests.llm.legality import check_anthropic, check_chat, check_responses

NOW = datetime(2026, 1, 1, tzinfo=UTC)
TOOLS = Tools([ToolSpec("add", "Adds.", {"type": "object"})])
SYSTEM = (Section("You test."),)
words = st.text(st.characters(codec="utf-8"), max_size=10)


@st.composite
def turns(draw: st.DrawFn, number: int) -> list[Content]:
    """One turn as the runtime may leave it: whole, cut off anywhere, or waiting for an approval."""
    events: list[Content] = [UserMessage(text=draw(words))]
    if draw(st.booleans()):
        events.append(Knowledge(source="profile", formatted=draw(words)))
    for step in range(draw(st.integers(0, 3))):
        events += draw(steps(f"{number}-{step}"))
    match draw(st.integers(0, 4)):
        case 0:
            events.append(AssistantMessage(text=draw(words), ends=Ending.FINAL))
        case 1:
            events.append(TurnEnded(ends=Ending.LIMIT, limit="iterations"))
        case 2:
            events.append(Failure(code="x", detail="y", ends=Ending.FAILED))
        case 3:
            events += draw(approvals(number))
        case _:
            pass
    return events[: draw(st.integers(1, len(events)))] if draw(st.booleans()) else events


@st.composite
def approvals(draw: st.DrawFn, number: int) -> list[Content]:
    """Calls that wait for a person: decided at once, or later, or never."""
    calls = [f"asked-{number}-{n}" for n in range(draw(st.integers(1, 3)))]
    events: list[Content] = [Action(tool="add", args="{}", call_id=call_id) for call_id in calls]
    events += [asked(call_id, number, ends=call_id == calls[-1]) for call_id in calls]
    for call_id in calls:
        if draw(st.booleans()):
            events += draw(decisions(call_id, number))
    return events


@st.composite
def decisions(draw: st.DrawFn, call_id: str, number: int) -> list[Content]:
    approved = draw(st.booleans())
    decided = ApprovalDecided(
        approval_id=UUID(int=number), call_id=call_id, approved=approved, tool="add", args="{}"
    )
    outcome = Outcome.OK if approved else Outcome.DENIED
    answered = Result(tool="add", call_id=call_id, outcome=outcome, formatted=draw(words))
    return [decided, *([TurnResumed()] if draw(st.booleans()) else []), answered]


def asked(call_id: str, number: int, *, ends: bool) -> ApprovalRequested:
    return ApprovalRequested(
        approval_id=UUID(int=number),
        call_id=call_id,
        tool="add",
        args="{}",
        ends=Ending.APPROVAL if ends else None,
    )


def waiting(events: list[Content]) -> list[str]:
    """Calls that were asked about in turns that are over."""
    answered = {event.call_id for event in events if isinstance(event, Result)}
    made = {event.call_id for event in events if isinstance(event, ApprovalRequested)}
    return sorted(made - answered)


@st.composite
def steps(draw: st.DrawFn, name: str) -> list[Content]:
    events: list[Content] = []
    if draw(st.booleans()):
        events.append(AssistantMessage(text=draw(words)))
    calls = [f"call-{name}-{n}" for n in range(draw(st.integers(1, 3)))]
    events += [Action(tool="add", args=draw(words), call_id=call_id) for call_id in calls]
    for call_id in calls:
        if draw(st.integers(0, 9)) > 0:
            outcome = draw(st.sampled_from(list(Outcome)))
            events.append(Result(tool="add", call_id=call_id, outcome=outcome, formatted=draw(words)))
        if draw(st.integers(0, 9)) == 0:
            events.append(Handoff(from_agent="a", to_agent="b"))
        if draw(st.integers(0, 9)) == 0:
            events.append(Stage(from_stage="a", to_stage="b"))
    return events


@st.composite
def logs(draw: st.DrawFn) -> list[Content]:
    events: list[Content] = []
    for number in range(draw(st.integers(1, 4))):
        if events and draw(st.integers(0, 3)) == 0:
            starts = [place for place, event in enumerate(events, 1) if isinstance(event, UserMessage)]
            open_calls = tuple(
                WaitingCall(approval_id=UUID(int=0), call_id=one, tool="add", args="{}")
                for one in waiting(events)
            )
            covers = draw(st.sampled_from(starts)) - 1
            events.append(Checkpoint(summary=draw(words), covers=covers, waiting=open_calls))
        events += draw(turns(number))
        for call_id in waiting(events):  # decided while somebody talks, or long after
            if draw(st.integers(0, 2)) == 0:
                events += draw(decisions(call_id, 9))
    return events


def prompt_of(view: SessionView) -> Prompt:
    return Prompt(messages=list(view.prompt_messages()), system=SYSTEM)


@given(logs())
@settings(max_examples=150, deadline=None)
def test_every_prefix_is_legal_for_every_provider(events: list[Content]) -> None:
    view = SessionView()
    for place, event in enumerate(events, 1):
        view.feed([Event(place, NOW, event)])
        prompt = prompt_of(view)
        check_chat(json.loads(wire_chat.body("m", prompt, TOOLS, DEFAULTS, stream=True)))
        check_responses(json.loads(wire_responses.body("m", prompt, TOOLS, DEFAULTS, stream=True)))
        check_anthropic(json.loads(wire_anthropic.body("m", prompt, TOOLS, DEFAULTS)))


@given(logs())
@settings(max_examples=100, deadline=None)
def test_what_was_sent_stays_a_prefix_of_what_is_sent_next(events: list[Content]) -> None:
    """Between checkpoints: provider caches and our own live on it."""
    view = SessionView()
    before: list[object] = []
    for place, event in enumerate(events, 1):
        view.feed([Event(place, NOW, event)])
        now = [fragment.message for fragment in view.fragments]
        if not isinstance(event, Checkpoint):
            assert now[: len(before)] == before
        before = list(now)


@given(logs())
@settings(max_examples=100, deadline=None)
def test_feeding_at_once_or_one_by_one_is_the_same(events: list[Content]) -> None:
    stored = [Event(place, NOW, event) for place, event in enumerate(events, 1)]
    once, stepwise = SessionView(), SessionView()
    once.feed(stored)
    for event in stored:
        stepwise.take(event.content, event.sequence)
    assert [f.message for f in once.fragments] == [f.message for f in stepwise.fragments]
    assert once.pending == stepwise.pending
    assert once.tokens == stepwise.tokens == in_tokens(sum(fragment.weight for fragment in once.fragments))


def test_a_checkpoint_never_cuts_the_turn_that_is_going_on() -> None:
    view = SessionView()
    events: list[Content] = []
    for number in range(5):
        events += [UserMessage(text=f"question {number} " * 50), AssistantMessage(text="answer " * 50)]
    view.feed([Event(place, NOW, event) for place, event in enumerate(events, 1)])
    covers = view.covered_by_checkpoint(keep_tokens=100)
    assert covers == 8
    view.take(Checkpoint(summary="short", covers=covers), 11)
    assert len(view.fragments) == 3
    assert view.covered_by_checkpoint(keep_tokens=100) is None


def test_nothing_is_gained_by_covering_nothing() -> None:
    view = SessionView()
    view.feed([Event(1, NOW, UserMessage(text="long " * 5000))])
    assert view.covered_by_checkpoint(keep_tokens=100) is None
