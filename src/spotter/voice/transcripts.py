"""What was said aloud, and what it used: into the same log as everything else, once, in order, checked on arrival."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Literal
from uuid import UUID, uuid5

from sqlalchemy import select
from sqlalchemy.dialects.postgresql import insert

from spotter.billing.speaking import VoiceLedger, carry_over
from spotter.clock import now
from spotter.errors import Conflict
from spotter.identity import audit
from spotter.runtime import verdicts
from spotter.runtime.context import SessionView
from spotter.runtime.guard import heard, reply_instead
from spotter.runtime.kit import Kit
from spotter.sessions import directory
from spotter.sessions.charges import Charge
from spotter.sessions.codec import storable
from spotter.sessions.events import AssistantMessage, Content, Interrupt, UsageRecord, UserMessage, Voice
from spotter.sessions.log import SessionLog, Turn
from spotter.sessions.tables import AgentSession, MessageKey
from spotter.store.database import Database
from spotter.store.scope import Scope
from spotter.store.unit_of_work import UnitOfWork
from spotter.voice.tables import VoiceSession

_HELD_BACK: Final = "I should not have said that. Let us go on with something else."
_OUT_OF_BUDGET: Final = "The budget for this conversation is used up. We can go on in writing."


@dataclass(frozen=True, slots=True)
class Spoken:
    item_id: str
    role: Literal["user", "assistant"]
    text: str
    previous: str | None = None
    """What was said before it, where the provider says so: sounds are written down in no certain order."""


@dataclass(frozen=True, slots=True)
class Used:
    """What one answer used, as the provider counted it."""

    response_id: str
    input: int
    output: int
    cache_read: int = 0
    audio_input: int = 0
    audio_output: int = 0
    audio_cache_read: int = 0


@dataclass(frozen=True, slots=True)
class Report:
    items: Sequence[Spoken] = ()
    used: Sequence[Used] = ()
    ended: bool = False


@dataclass(slots=True)
class Recorded:
    last_sequence: int
    new_items: int = 0
    interrupt: Interrupt | None = None
    ended: bool = False
    spent: int = 0
    budget: int | None = None


class NoConversation(Conflict):
    code = "no_voice"
    title = "Nobody is speaking here"


@dataclass(slots=True)
class _Draft:
    """What goes into the log."""

    events: list[Content] = field(default_factory=list)
    charges: list[Charge] = field(default_factory=list)
    interrupt: Interrupt | None = None


class Transcripts:
    def __init__(self, kit: Kit, ledger: VoiceLedger) -> None:
        self._database = kit.database
        self._log = kit.log
        self._guard = kit.seams.guard
        self._director = kit.seams.director
        self._ledger = ledger

    async def record(self, scope: Scope, session_id: UUID, report: Report) -> Recorded:
        """Sent again, nothing of it is recorded or billed again. Raises `NoConversation` where nobody has spoken."""
        async with self._database.unit_of_work(scope) as uow:
            session = await directory.own(uow, session_id)
            voice = await _latest(uow, session_id)
            wanted = {*map(_item_key(session_id), report.items), *map(_used_key(session_id), report.used)}
            known = set(
                await uow.session.scalars(
                    select(MessageKey.key).where(
                        MessageKey.session_id == session_id, MessageKey.key.in_(wanted)
                    )
                )
            )
        new_items = [one for one in in_order(report.items) if _item_key(session_id)(one) not in known]
        # Without a connection: a second opinion may take seconds.
        checked = [(one, await self._checked(scope, session, one)) for one in new_items]
        used = [one for one in report.used if _used_key(session_id)(one) not in known]
        priced = [(one, await self._priced(scope, voice, one)) for one in used]
        async with self._database.unit_of_work(scope) as uow:
            return await self._record(uow, session_id, checked, priced, ended=report.ended)

    async def _record(
        self,
        uow: UnitOfWork,
        session_id: UUID,
        checked: Sequence[tuple[Spoken, list[Content]]],
        priced: Sequence[tuple[Used, Charge]],
        *,
        ended: bool,
    ) -> Recorded:
        session = await _locked(uow, session_id)
        voice = await _latest(uow, session_id)
        draft = _Draft()
        new_items = 0
        for spoken, events in checked:
            if await _first(uow, session, _item_key(session_id)(spoken)):
                new_items += 1
                draft.events += events
                draft.interrupt = draft.interrupt or _interrupt_in(events)
        for used, charge in priced:
            if await _first(uow, session, _used_key(session_id)(used)):
                draft.events.append(AssistantMessage(text="", source="voice", usage=charge.usage))
                draft.charges.append(charge)
        voice.spent += sum(charge.counted for charge in draft.charges)
        voice.spent_tokens += sum(_tokens(charge.usage) for charge in draft.charges)
        voice.reports += len(draft.charges)
        over = voice.ended_at is None and (
            voice.spent_tokens > voice.budget_tokens
            or (voice.budget is not None and voice.spent > voice.budget)
        )
        if over:
            draft.interrupt = draft.interrupt or Interrupt(reason="budget", text=_OUT_OF_BUDGET)
            draft.events.append(Interrupt(reason="budget", text=_OUT_OF_BUDGET))
        if voice.ended_at is None and (ended or over):
            await _end(uow, voice, "budget" if over else "client")
            draft.events.append(Voice(voice_id=voice.id, state="ended", reason=voice.end_reason))
        await _hold_less(uow, voice, draft.charges)
        last = session.last_sequence
        if draft.events:
            done = await self._log.append(uow.scope, session_id, draft.events, connection=await uow.driver())
            last = done.last
        return Recorded(
            last_sequence=last,
            new_items=new_items,
            interrupt=draft.interrupt,
            ended=voice.ended_at is not None,
            spent=voice.spent,
            budget=voice.budget,
        )

    async def _checked(self, scope: Scope, session: AgentSession, spoken: Spoken) -> list[Content]:
        """As events. What must not go on has its interruption, and what is said instead, right after it."""
        text = storable(spoken.text)
        if spoken.role == "assistant":
            return await self._checked_answer(scope, spoken.item_id, text)
        message = await heard(self._guard, scope, UserMessage(text=text, source="voice", item=spoken.item_id))
        reply = await reply_instead(self._guard, scope, message)
        if reply is None:
            return [message]
        flag = verdicts.red_flag_of(message, 0)
        interrupt = Interrupt(
            reason="red_flag" if flag is not None else "blocked",
            category=flag.category.value if flag is not None else "",
            text=reply.text,
        )
        moves = await self._moves(scope, session, message) if flag is not None else ()
        return [message, interrupt, *moves, reply.model_copy(update={"ends": None})]

    async def _moves(self, scope: Scope, session: AgentSession, message: UserMessage) -> Sequence[Content]:
        """Where the session stands after a red flag: as in a turn, though there is none."""
        view = SessionView()
        view.to_answer = message
        turn = Turn(session.id, session.fence, 0, 0, session.agent, session.scenario, session.overrides)
        return await self._director.after_red_flag(scope, turn, view)

    async def _checked_answer(self, scope: Scope, item_id: str, text: str) -> list[Content]:
        decision = await self._guard.check(scope, text, "assistant")
        kept = decision.redacted if decision.redacted is not None else text
        verdict = verdicts.as_record(decision, redacted=kept != text)
        said = AssistantMessage(text=kept, source="voice", item=item_id, moderation=verdict)
        if decision.allowed:
            return [said]
        names = ", ".join(sorted(one.name.value for one in decision.categories))
        hidden = said.model_copy(
            update={"text": f"[What was said here was held back: {names or 'not safe'}.]"}
        )
        return [hidden, Interrupt(reason="blocked", category=names, text=_HELD_BACK)]

    async def _priced(self, scope: Scope, voice: VoiceSession, used: Used) -> Charge:
        return await self._ledger.price_of(
            scope,
            UsageRecord(
                model=voice.model,
                provider=voice.provider,
                input=used.input,
                output=used.output,
                cache_read=used.cache_read,
                audio_input=used.audio_input,
                audio_output=used.audio_output,
                audio_cache_read=used.audio_cache_read,
                request_id=used.response_id,
            ),
        )


async def end_overdue(
    database: Database, log: SessionLog, org_id: UUID, voice_id: UUID
) -> tuple[UUID, int, UUID] | None:
    """Ends one whose time is over. What nobody reported counts as all that was held back for it: silence is not free.
    The session, its last event and whose it is; None when it has ended meanwhile."""
    scope = Scope(org_id, None, "service")
    async with database.unit_of_work(scope) as uow:
        found = await uow.session.scalar(select(VoiceSession).where(VoiceSession.id == voice_id))
        if found is None:
            return None
        session = await _locked(uow, found.session_id)
        await uow.session.refresh(found)
        if found.ended_at is not None or found.ends_at > now():
            return None
        amount, tokens = await _end(uow, found, "time")
        usage = None
        if found.reports == 0 and (amount or tokens):
            usage = UsageRecord(
                model=found.model, provider=found.provider, reported=False, held=amount, held_tokens=tokens
            )
        ended = Voice(voice_id=found.id, state="ended", reason="time", usage=usage)
        if session.erased_at is not None:
            return None
        events: list[Content] = [Interrupt(reason="time"), ended]
        done = await log.append(scope, found.session_id, events, connection=await uow.driver())
        return found.session_id, done.last, found.user_id


def in_order(items: Sequence[Spoken]) -> list[Spoken]:
    """As they were said: each after the one it says it follows, where that one is here; otherwise as they came."""
    waiting = list(items)
    here = {one.item_id for one in items}
    done: list[Spoken] = []
    said: set[str] = set()
    while waiting:
        ready = next(
            (
                one
                for one in waiting
                if one.previous is None or one.previous not in here or one.previous in said
            ),
            waiting[0],  # they follow each other in a circle: as they came
        )
        waiting.remove(ready)
        if ready.item_id not in said:
            said.add(ready.item_id)
            done.append(ready)
    return done


def _item_key(session_id: UUID) -> Any:
    return lambda spoken: uuid5(session_id, f"voice/item/{spoken.item_id}")


def _used_key(session_id: UUID) -> Any:
    return lambda used: uuid5(session_id, f"voice/used/{used.response_id}")


async def _locked(uow: UnitOfWork, session_id: UUID) -> AgentSession:
    session = await uow.session.scalar(
        select(AgentSession).where(AgentSession.id == session_id).with_for_update()
    )
    if session is None:
        raise NoConversation("This session is gone.")
    return session


async def _latest(uow: UnitOfWork, session_id: UUID) -> VoiceSession:
    """The one that is going on, or the last: reports may come late."""
    found = await uow.session.scalar(
        select(VoiceSession)
        .where(VoiceSession.session_id == session_id)
        .order_by(VoiceSession.created_at.desc())
        .limit(1)
        .execution_options(populate_existing=True)
    )
    if found is None:
        raise NoConversation(
            "Nobody has begun to speak in this session. Begin with GET /api/session2; nothing was recorded."
        )
    return found


async def is_going_on(uow: UnitOfWork, session_id: UUID) -> bool:
    """Whether the caller is speaking in this session just now."""
    found = await uow.session.scalar(
        select(VoiceSession.id).where(
            VoiceSession.session_id == session_id,
            VoiceSession.user_id == uow.scope.user_id,
            VoiceSession.ended_at.is_(None),
            VoiceSession.ends_at > now(),
        )
    )
    return found is not None


async def _first(uow: UnitOfWork, session: AgentSession, key: UUID) -> bool:
    added = await uow.session.execute(
        insert(MessageKey)
        .values(org_id=session.org_id, session_id=session.id, key=key, user_id=session.user_id)
        .on_conflict_do_nothing()
        .returning(MessageKey.key)
    )
    return added.first() is not None


async def _hold_less(uow: UnitOfWork, voice: VoiceSession, charges: Sequence[Charge]) -> None:
    """Before the charges are booked, so that what was held back for them is there to pay them with."""
    if voice.reservation_id is not None and charges:
        connection = await uow.driver()
        voice.reservation_id, _, _ = await carry_over(connection, uow.scope, voice.reservation_id, charges)


async def _end(uow: UnitOfWork, voice: VoiceSession, reason: str) -> tuple[int, int]:
    """Holds nothing back any more; what was still held."""
    amount = tokens = 0
    if voice.reservation_id is not None:
        _, amount, tokens = await carry_over(
            await uow.driver(), uow.scope, voice.reservation_id, (), goes_on=False
        )
    voice.reservation_id, voice.ended_at, voice.end_reason = None, now(), reason
    await audit.record(
        uow,
        "voice.ended",
        target=str(voice.session_id),
        detail={"voice_id": str(voice.id), "reason": reason, "spent": voice.spent, "reports": voice.reports},
    )
    return amount, tokens


def _tokens(usage: UsageRecord) -> int:
    return usage.input + usage.output + usage.cache_read


def _interrupt_in(events: Sequence[Content]) -> Interrupt | None:
    return next((one for one in events if isinstance(one, Interrupt)), None)
