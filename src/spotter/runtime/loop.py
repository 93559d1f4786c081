"""The loop. One for every agent, caller and provider.

It keeps nothing the log does not hold: whoever has the lease can pick a turn up at any event and go on.
"""

import asyncio
import logging
import time
from collections.abc import Set
from contextlib import aclosing
from typing import Any, assert_never
from typing import Final as Constant

from spotter import traces
from spotter.errors import PaymentRequired
from spotter.ids import new_id
from spotter.llm.faults import ModelError
from spotter.llm.port import NO_USAGE, FinishReason, ModelSettings, TextDelta
from spotter.llm.port import Final as ModelFinal
from spotter.llm.prompt import Prompt
from spotter.runtime.answers import CheckedAnswer, OutputRules, speaking
from spotter.runtime.approvals import Ask, Granted, Refused
from spotter.runtime.executor import CallSite
from spotter.runtime.notices import fallback_notice
from spotter.runtime.speech import Speech
from spotter.runtime.steps import BUDGET, Continue, Failed, Final, Limit, NeedApproval, Step
from spotter.runtime.timings import Stopwatch, ToolRan
from spotter.runtime.turn_run import TurnRun
from spotter.runtime.usage import billed_failures, usage_of_failure, usage_record
from spotter.sessions.codec import storable
from spotter.sessions.events import (
    Action,
    ApprovalDecided,
    AssistantMessage,
    Content,
    Ending,
    Failure,
    Outcome,
    TurnEnded,
    ending_of,
    is_direct,
)

log = logging.getLogger(__name__)

UNKNOWN_TOOL: Constant = "(unknown)"
"""In figures: a model may make up any name."""
_PATIENCE_WITH_BLOCKED: Constant = 5.0
"""Seconds a blocked answer is still listened to, unheard: only its end tells what it cost."""


async def run_loop(run: TurnRun) -> Ending:
    """Until the turn is over. Raises `Fenced` when it is no longer ours, and `Unavailable` when the database is
    away: the turn then stays open and is taken up again from the log."""
    await run.introduce(run.turn.agent)
    while True:
        step = await _next(run)
        match step:
            case Continue():
                continue
            case Final(ending):
                return ending
            case NeedApproval(asks):
                return await _wait_for_people(run, asks)
            case Limit(name, reason, left):
                return await _end(run, TurnEnded(ends=Ending.LIMIT, reason=reason, limit=name, detail=left))
            case Failed(code, detail, usage, earlier):
                failure = Failure(code=code, detail=detail, usage=usage, ends=Ending.FAILED)
                return await _end(run, *earlier, failure)
            case _:
                assert_never(step)


async def _next(run: TurnRun) -> Step:
    if run.asked_to_stop:
        raise asyncio.CancelledError
    if run.view.ending is not None:
        return Final(run.view.ending)
    if run.view.due:
        return await _carry_out_decided(run, next(iter(run.view.due.values())))
    if run.view.pending or run.view.undone:
        return await _answer_calls(run)
    # Only now: calls of one answer are all carried out as the agent who made them.
    if run.view.speaker not in (None, run.agent.name):
        await run.recast()
    if (limit := _limit(run)) is not None:
        return limit
    if run.view.tokens > run.checkpointer.threshold(run.agent, run.model):
        await run.checkpointer.run(run)
    return await _ask_model(run)


def _limit(run: TurnRun) -> Limit | None:
    limits = run.agent.limits
    if run.view.model_calls >= limits.iterations:
        return Limit("iterations", f"The agent was asked {limits.iterations} times without coming to an end.")
    if run.view.identical_calls() >= limits.identical_calls:
        return Limit(
            "identical_calls", f"The agent made the same call {limits.identical_calls} times in a row."
        )
    if time.monotonic() - run.started > limits.wall_seconds:
        return Limit("wall_time", f"The turn took longer than {limits.wall_seconds:.0f} seconds.")
    return None


async def _answer_calls(run: TurnRun) -> Step:
    """The first call nobody has to be asked about. When there is none left, all others are asked about at once."""
    asks: list[Ask] = []
    open_calls = (*run.view.pending.values(), *run.view.undone.values())
    for made in open_calls:
        if made.call_id in run.view.awaiting:
            continue
        tool = run.executor.tool_for(run.agent, made)
        call = await run.executor.with_ids(run.scope, run.turn.session_id, tool, made)
        ask = await run.seams.approvals.needed(run, tool, call) if tool is not None else None
        if ask is None:
            alone = len(open_calls) == 1
            last = alone and run.view.direct_only
            return await _carry_out(
                run, CallSite(run.scope, run.turn, run.agent, call, alone=alone, last=last)
            )
        asks.append(ask)
    return NeedApproval(tuple(asks))


async def _carry_out_decided(run: TurnRun, decision: ApprovalDecided) -> Step:
    call = Action(tool=decision.tool, args=decision.args, call_id=decision.call_id)
    alone = not (run.view.pending.keys() | run.view.due.keys()) - {call.call_id}
    last = alone and run.view.direct_only
    maker = await run.maker(decision.agent)
    site = CallSite(run.scope, run.turn, maker, call, decision, alone, last)
    answer = await run.seams.approvals.check(run, run.executor.tool_for(maker, call), decision)
    match answer:
        case Granted():
            return await _carry_out(run, site)
        case Refused(reason):
            denied = await run.executor.deny(site, reason)
            await run.saw(denied.events, denied.done)
            return Continue()
        case Ask():
            return NeedApproval((answer,))
        case _:
            assert_never(answer)


async def _carry_out(run: TurnRun, site: CallSite) -> Step:
    known = run.executor.tool_for(site.agent, site.call)
    name = known.name if known is not None else UNKNOWN_TOOL
    started = time.perf_counter()
    with traces.span(f"tool {name}", gen_ai__tool__name=name) as span:
        carried = await run.executor.run(site)
        if carried.result.outcome is not Outcome.OK:
            traces.failed(span, carried.result.outcome)
    seconds = time.perf_counter() - started
    run.seams.timings.told(ToolRan(name, carried.result.outcome, seconds))
    await run.saw(carried.events, carried.done)
    ends = carried.result.ends
    return Final(ends) if ends is not None else Continue()


async def _ask_model(run: TurnRun) -> Step:
    prompt = Prompt(messages=run.view.prompt_messages(), system=run.agent.sections)
    try:
        max_output = await run.may_answer(run.model, prompt.tokens + run.tools.tokens)
    except PaymentRequired as refused:
        return Limit(BUDGET, refused.detail, refused.extra)
    rules = OutputRules(await run.seams.guard.policy(run.scope), run.scope, run.view.fragments)
    try:
        answer, checked = await _listen(run, prompt, max_output, rules)
    except ModelError as error:
        log.warning("the model did not answer", extra={"code": error.code, "agent": run.agent.name})
        return Failed(
            error.code,
            storable(error.detail),
            usage_of_failure(run.model, error),
            tuple(billed_failures(error.failed)),
        )
    run.seams.guard.seen(checked.decision)
    events = _speaking(run, rules, events_of(answer, run.view.known_calls, checked.verdict))
    for attempt in answer.failed:
        extra = {"code": attempt.code, "model": attempt.model, "answered": answer.model}
        log.warning("a model did not answer, another one did: %s", attempt.detail, extra=extra)
    if (notice := fallback_notice(answer)) is not None and notice.code not in run.view.noticed:
        events.insert(0, notice)
    closing = ending_of(events[-1])
    await run.append(events, close=closing is not None)
    run.speech = None  # it is in the log now: whoever ends this turn from outside must not record it again
    return Final(closing) if closing is not None else Continue()


async def _listen(
    run: TurnRun, prompt: Prompt, max_output: int | None, rules: OutputRules
) -> tuple[ModelFinal, CheckedAnswer]:
    """The whole answer as it may be recorded; its text goes out as it comes in and is found good."""
    run.speech = Speech(run.bus, run.turn.session_id, f"{run.turn.fence}.{run.view.model_calls}")
    checked = CheckedAnswer(rules, run.speech.say if run.streamed else None)
    run.speech.verdict = lambda: checked.verdict
    settings = ModelSettings(
        tool_choice=run.agent.tool_choice if run.tools else "auto", max_output_tokens=max_output
    )
    clock = Stopwatch(run.seams.timings, run.model.provider, run.model.name)
    try:
        if run.streamed:
            answer = await _hear_out(run, prompt, settings, checked, clock)
        else:
            answer = await run.model.complete(prompt, run.tools, settings)
    except ModelError as error:
        clock.failed(error.code)
        raise
    clock.answered(answer)
    return checked.settle(answer), checked


async def _hear_out(
    run: TurnRun, prompt: Prompt, settings: ModelSettings, checked: CheckedAnswer, clock: Stopwatch
) -> ModelFinal:
    try:
        async with (
            asyncio.timeout(None) as patience,
            aclosing(run.model.stream(prompt, run.tools, settings)) as chunks,
        ):
            async for chunk in chunks:
                clock.heard()
                if isinstance(chunk, TextDelta):
                    checked.feed(chunk.text)
                elif isinstance(chunk, ModelFinal):
                    return chunk
                if checked.blocked and patience.when() is None:
                    patience.reschedule(asyncio.get_running_loop().time() + _PATIENCE_WITH_BLOCKED)
    except TimeoutError:
        if not checked.blocked:
            raise
        name, provider = run.model.name, run.model.provider
        return ModelFinal(checked.heard, (), FinishReason.STOP, NO_USAGE, provider, name)
    raise AssertionError("a stream ended without a Final")


def _speaking(run: TurnRun, rules: OutputRules, events: list[Content]) -> list[Content]:
    """The same events, with words to the person that may be said."""
    checked: list[Content] = []
    for event in events:
        said, decision = speaking(event, rules) if isinstance(event, Action) else (event, None)
        if decision is not None:
            run.seams.guard.seen(decision)
        checked.append(said)
    return checked


def events_of(
    answer: ModelFinal, known_calls: Set[str] = frozenset(), verdict: dict[str, Any] | None = None
) -> list[Content]:
    """What a model's answer leaves in the log. Its usage is on its first event; a model that was asked before and
    failed after it had begun is billed too, and stands before it."""
    usage = usage_record(answer.usage, answer.model, answer.provider, answer.request_id, answer)
    events: list[Content] = list(billed_failures(answer.failed))
    spoken = len(events)
    if answer.text or not answer.tool_calls:
        replay = (answer.replay.dialect, answer.replay.blocks) if answer.replay else None
        events.append(
            AssistantMessage(
                text=storable(answer.text),
                usage=usage,
                replay=replay,
                moderation=verdict,
                offline=answer.provider == "offline",
                ends=None if answer.tool_calls else Ending.FINAL,
            )
        )
    for call in _with_own_ids(answer, known_calls):
        events.append(call if len(events) > spoken else call.model_copy(update={"usage": usage}))
    return events


def _with_own_ids(answer: ModelFinal, known_calls: Set[str]) -> list[Action]:
    """Calls with ids of their own: some models send none, or the same ones again and again."""
    seen = set(known_calls)
    calls: list[Action] = []
    for call in answer.tool_calls:
        call_id = storable(call.id)
        if not call_id or call_id in seen or is_direct(call_id):
            call_id = f"call_{new_id().hex}"
        seen.add(call_id)
        calls.append(Action(tool=storable(call.name), args=storable(call.arguments), call_id=call_id))
    return calls


async def _wait_for_people(run: TurnRun, asks: tuple[Ask, ...]) -> Ending:
    if asks:
        return await run.seams.approvals.ask(run, asks)
    tools = ", ".join(call.tool for call in run.view.pending.values())
    return await _end(run, TurnEnded(ends=Ending.APPROVAL, reason=f"Waiting for approval of {tools}."))


async def _end(run: TurnRun, *events: Content) -> Ending:
    """Ends the turn without an answer. Calls have been answered before: see `_next`."""
    await run.append(events, close=True)
    ending = ending_of(events[-1])
    assert ending is not None
    return ending
