"""What the turns that get killed do: tools of every kind, and a model that knows from the prompt how far it is."""

import itertools
import os
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import ClassVar, Final

from spotter.identity import audit
from spotter.llm.prompt import AssistantMessage, ToolCall, UserMessage
from spotter.llm.scripted import Asked, Say, ScriptedModel, call
from spotter.runtime.agent import Agent, Limits
from spotter.runtime.approval_policy import ALWAYS
from spotter.runtime.executor import ToolContext
from spotter.runtime.tool import Answer, Effect, FixAndRetry, Tool, ToolFailed, tool
from spotter.runtime.turn_run import TurnRun
from spotter.sessions import directory
from spotter.sessions.events import Ending, Knowledge

Calls = tuple[tuple[str, str], ...]
"""(tool, argument) made in one step."""
NOTE: Final = "test.note"


@dataclass(frozen=True, slots=True)
class Scenario:
    turns: tuple[tuple[Calls, ...], ...]
    """For each message: the steps. After the last one the model speaks, and the turn is over."""
    ending: Ending = Ending.FINAL
    talks: bool = False
    """Says something together with its calls."""
    informed: bool = False
    limits: Limits = field(default_factory=Limits)
    padding: int = 0
    """Characters of each message, so that a checkpoint is due."""
    flagged: bool = False
    """Each message is a medical red flag: no model may be asked."""
    asks: bool = False
    """Every effect needs approval. People approve, but for what says "deny"."""
    called: bool = False
    """No message is said and no model asked: a program makes each turn's one call itself."""


def _one(*steps: Calls) -> tuple[tuple[Calls, ...], ...]:
    return (steps,)


A, B, C = ("note", "a"), ("charge", "b"), ("mail", "c")
SCENARIOS: Final[dict[str, Scenario]] = {
    "all": Scenario(_one((A, ("add", "1")), (B,), (C,), (C, A))),
    "ours": Scenario(_one((A,), (("note", "a2"),), (("note", "a3"),))),
    "keyed": Scenario(_one((B, ("charge", "b2")), (("charge", "b3"),))),
    "unkeyed": Scenario(_one((C,), (("mail", "c2"), ("mail", "c3")))),
    "together": Scenario(_one((A, B, C))),
    "talks": Scenario(_one((C,), (A,)), talks=True),
    "breaks": Scenario(_one((("refuse", "fix"), A), (("refuse", "fail"),), (("refuse", "bug"), C))),
    "misfits": Scenario(_one((("teleport", "x"), A), (("add", "no number"), C))),
    "idle": Scenario(_one((A,), (C,), (("idle", ""),)), ending=Ending.IDLE),
    "waiting": Scenario((((A,), (C,)), ((C,),))),
    "informed": Scenario(_one((A,), (C,)), informed=True),
    "checkpoint": Scenario((((A,),), ((C,),), ((A,),)), limits=Limits(checkpoint_tokens=700), padding=1200),
    "asks": Scenario(_one((A, C, ("note", "deny"), ("add", "1")), (B, ("mail", "deny"))), asks=True),
    "asks and talks on": Scenario((((A, C),), ((B,), (("add", "1"),))), asks=True),
    "stopped": Scenario(
        _one((A,), (("halt", ""), ("note", "never"), ("mail", "never")), (A,)), ending=Ending.CANCELLED
    ),
    "called": Scenario((((A,),), ((C,),), ((B,),), ((A,),)), ending=Ending.CALLED, called=True),
    "red flag": Scenario((((A,),), ((C,),)), flagged=True),
    "limit": Scenario(_one((A,), (C,), (A,)), ending=Ending.LIMIT, limits=Limits(iterations=3)),
}


class World:
    """Outside: each line of its file is something that was really sent and cannot be taken back."""

    file: ClassVar[Path] = Path(os.devnull)


@tool(category="test")
async def add(context: ToolContext, what: int) -> int:
    """Adds one."""
    return what + 1


@tool(category="test")
async def note(context: ToolContext, what: str) -> str:
    """Writes a row of ours."""
    uow = await context.transaction()
    await audit.record(uow, NOTE, target=f"{context.session_id}/{context.call_id}")
    return f"noted {what}"


@tool(category="test")
async def refuse(context: ToolContext, what: str) -> str:
    """Writes a row of ours, then fails."""
    await note.function(context, what)
    if what == "fix":
        raise FixAndRetry("Give another value.")
    if what == "fail":
        raise ToolFailed("Not today.")
    raise RuntimeError("a bug")


@tool(category="test", effect=Effect.KEYED)
async def charge(context: ToolContext, what: str) -> str:
    """Leaves something to deliver, with a key."""
    await context.outbox("charge", {"what": what})
    return "queued"


@tool(category="test", effect=Effect.UNKEYED)
async def mail(context: ToolContext, what: str) -> str:
    """Sends something that cannot be taken back."""
    world = os.open(World.file, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    os.write(world, f"{context.session_id}/{context.call_id}\n".encode())
    os.close(world)
    return "sent"


@tool(category="test")
async def idle(context: ToolContext, what: str = "") -> Answer:
    """Ends the turn."""
    return Answer(None, "idle", Ending.IDLE)


@tool(category="test")
async def halt(context: ToolContext, what: str = "") -> str:
    """Somebody asks, from elsewhere, to stop this turn while it runs."""
    async with context.database.unit_of_work(context.scope) as uow:
        await directory.request_cancel(uow, context.session_id)
    return "asked"


TOOLS: Final = (add, note, refuse, charge, mail, idle, halt)
EFFECTS: Final = ("note", "charge", "mail")


def tools(scenario: Scenario) -> tuple[Tool, ...]:
    if not scenario.asks:
        return TOOLS
    return tuple(replace(one, approval=ALWAYS) if one.name in EFFECTS else one for one in TOOLS)


def agent(scenario: Scenario) -> Agent:
    names = tuple(one.name for one in TOOLS)
    return Agent("tester", "You test.", model="scripted", tools=names, limits=scenario.limits)


def message(scenario: Scenario, number: int) -> str:
    flag = "I have crushing chest pain right now and cannot breathe. " if scenario.flagged else ""
    return f"go {number} {flag}" + "word " * (scenario.padding // 5)


def model(scenario: Scenario) -> ScriptedModel:
    """Says the same in the same place of a turn, whoever asks."""

    def answer(asked: Asked) -> str | Say:
        spoken = [one.message.text for one in asked.prompt.messages if isinstance(one.message, UserMessage)]
        if "<record>" in spoken[-1]:
            return "There was some talk."
        number = int(next(text for text in reversed(spoken) if text.startswith("go ")).split()[1])
        made = {
            one.id
            for fragment in asked.prompt.messages
            if isinstance(fragment.message, AssistantMessage)
            for one in fragment.message.calls
        }
        for step, calls in enumerate(scenario.turns[number]):
            wanted = tuple(_call(number, step, place, made_of) for place, made_of in enumerate(calls))
            if not made.issuperset(one.id for one in wanted):
                return Say("Let me see." if scenario.talks else "", wanted)
        return "That was all."

    return ScriptedModel(itertools.repeat(answer))


def _call(number: int, step: int, place: int, made_of: tuple[str, str]) -> ToolCall:
    name, argument = made_of
    value = int(argument) if argument.isdecimal() else argument
    return call(name, {"what": value}, f"c{number}_{step}_{place}")


class Informs:
    """An initializer that always knows the same."""

    async def knowledge(self, run: TurnRun) -> Sequence[Knowledge]:
        return (Knowledge(source="test", formatted="The gym is open."),)
