"""What something will cost, before it is done: from how such calls went so far, or from stated assumptions.

A conversation of several turns sends its history again with each call, so its prompts grow. Low assumes short answers
and that everything said before is read from the provider's cache; expected, that half of it is; high, long answers,
more calls, no cache and every prompt token at its dearest. Low and high are what is usual, not limits: caps are.
"""

from dataclasses import dataclass
from datetime import timedelta
from typing import Final

from sqlalchemy import func, select

from spotter.billing.price import Price
from spotter.billing.tables import UsageEntry
from spotter.clock import now
from spotter.llm.port import Usage
from spotter.llm.tokens import MESSAGE_OVERHEAD
from spotter.money import with_markup
from spotter.store.unit_of_work import UnitOfWork

HISTORY_DAYS: Final = 30
HISTORY_CALLS: Final = 20
"""Fewer than this say nothing about the next."""
_SAMPLE: Final = 2000
TOOL_TOKENS: Final = 150
"""A tool's definition, about."""
USUAL_CHECKPOINT: Final = 80_000


@dataclass(frozen=True, slots=True)
class Spread:
    low: float
    expected: float
    high: float


ANSWER_TOKENS: Final = Spread(80, 350, 1500)
CALLS_WITH_TOOLS: Final = Spread(1, 2, 5)
CALLS_WITHOUT_TOOLS: Final = Spread(1, 1, 1)
CACHED: Final = Spread(1.0, 0.5, 0.0)
"""The part of the repeated prompt that is read from the provider's cache."""


@dataclass(frozen=True, slots=True)
class Plan:
    """What is to be done, in numbers."""

    prompt_tokens: int
    """Of the first call: instructions, tools, and what is asked."""
    turns: int
    recipients: int
    answer: Spread
    calls: Spread
    """Model calls per turn."""
    longest: int
    """Tokens of history at which it is summarised."""


@dataclass(frozen=True, slots=True)
class Ask:
    """What is asked about."""

    said_tokens: int
    whole_prompt: bool
    """The tokens are the whole prompt's, instructions and tools included."""
    instructions_tokens: int
    tools: int
    answer_tokens: int | None
    turns: int
    recipients: int
    longest: int | None


@dataclass(frozen=True, slots=True)
class Amount:
    cost: int
    charge: int


@dataclass(frozen=True, slots=True)
class Estimate:
    low: Amount
    expected: Amount
    high: Amount


def plan_for(ask: Ask, lately: "Experience | None") -> tuple[Plan, list[str]]:
    """The plan, and what it assumes, in words."""
    prompt = ask.said_tokens
    if not ask.whole_prompt:
        prompt += ask.instructions_tokens + ask.tools * TOOL_TOKENS + MESSAGE_OVERHEAD
    if ask.answer_tokens is not None:
        answer = Spread(ask.answer_tokens, ask.answer_tokens, ask.answer_tokens)
        basis = f"answers of {ask.answer_tokens} tokens, as given"
    elif lately is not None:
        answer = lately.answer
        basis = f"answers as long as in the last {lately.calls} calls of the past {HISTORY_DAYS} days"
    else:
        answer = ANSWER_TOKENS
        basis = "answers of usual length; there were too few calls to learn from"
    calls = CALLS_WITH_TOOLS if ask.tools else CALLS_WITHOUT_TOOLS
    longest = ask.longest or USUAL_CHECKPOINT
    plan = Plan(prompt, ask.turns, ask.recipients, answer, calls, longest)
    return plan, [
        f"first prompt: {prompt} tokens" + ("" if ask.whole_prompt else ", reckoned from the texts"),
        f"{basis}: {answer.low:.0f} / {answer.expected:.0f} / {answer.high:.0f} tokens",
        f"model calls per turn: {calls.low:.0f} / {calls.expected:.0f} / {calls.high:.0f}",
        "of what was said before, read from the provider's cache: all / half / none",
        f"history is summarised at {longest} tokens",
        f"{ask.turns} turns for each of {ask.recipients} recipients",
        "the agent's first model answers; a fallback may cost more",
    ]


def estimate(price: Price, plan: Plan, markup: int) -> Estimate:
    low = _cost(price, plan, plan.answer.low, plan.calls.low, CACHED.low)
    expected = max(low, _cost(price, plan, plan.answer.expected, plan.calls.expected, CACHED.expected))
    high = max(expected, _most(price, plan))
    return Estimate(*(Amount(cost, with_markup(cost, markup)) for cost in (low, expected, high)))


def _prompts(plan: Plan, answer: float, calls: float) -> list[tuple[int, int]]:
    """(tokens seen before, new tokens) of each call of one recipient."""
    found: list[tuple[int, int]] = []
    before = 0
    new = plan.prompt_tokens
    for _ in range(plan.turns * max(1, round(calls))):
        found.append((before, new))
        before = min(before + new, plan.longest)
        # The next call also reads the answer, and about as much again of what was said or found in reply.
        new = round(2 * answer)
    return found


def _cost(price: Price, plan: Plan, answer: float, calls: float, cached: float) -> int:
    total = 0
    for before, new in _prompts(plan, answer, calls):
        read = round(before * cached)
        total += price.cost(Usage(before - read + new, round(answer), read, 0))
    return total * plan.recipients


def _most(price: Price, plan: Plan) -> int:
    answer = round(plan.answer.high)
    prompts = _prompts(plan, answer, plan.calls.high)
    return sum(price.worst_case(before + new, answer) for before, new in prompts) * plan.recipients


@dataclass(frozen=True, slots=True)
class Experience:
    """How long answers were lately."""

    calls: int
    answer: Spread


async def experience(uow: UnitOfWork, *, agent: str | None, model: str | None) -> Experience | None:
    """Of this agent, or of this model (`provider:name`), as far as the caller may see. None where it is too little."""
    recent = select(UsageEntry.output).where(UsageEntry.at >= now() - timedelta(days=HISTORY_DAYS))
    recent = recent.where(UsageEntry.billing_day >= (now() - timedelta(days=HISTORY_DAYS + 2)).date())
    recent = recent.where(UsageEntry.reported, UsageEntry.output > 0)
    if agent is not None:
        recent = recent.where(UsageEntry.agent == agent)
    if model is not None:
        recent = recent.where(UsageEntry.provider + ":" + UsageEntry.model == model)
    sample = recent.order_by(UsageEntry.billing_day.desc(), UsageEntry.at.desc()).limit(_SAMPLE).subquery()
    output = sample.c.output
    row = (
        await uow.session.execute(
            select(
                func.count(),
                func.percentile_cont(0.1).within_group(output),
                func.avg(output),
                func.percentile_cont(0.9).within_group(output),
            )
        )
    ).one()
    if row[0] < HISTORY_CALLS:
        return None
    expected = float(row[2])
    return Experience(row[0], Spread(min(float(row[1]), expected), expected, max(float(row[3]), expected)))
