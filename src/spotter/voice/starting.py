"""Beginning to speak: everything is decided and held back before the browser gets its key."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any, Final
from uuid import UUID

from spotter.billing.speaking import Conversation, Held, VoiceLedger, carry_over
from spotter.clock import now
from spotter.context import snapshots
from spotter.identity import audit
from spotter.ids import new_id
from spotter.llm.client_secret import ClientSecret
from spotter.runtime.given_context import SOURCE as CONTEXT
from spotter.runtime.given_context import give_context
from spotter.runtime.kit import Kit
from spotter.runtime.models import Models
from spotter.runtime.outside import judged_knowledge
from spotter.scenarios.definitions import Definitions
from spotter.scenarios.scenario_files import Guardrails
from spotter.sessions import directory
from spotter.sessions.events import Content, Handoff, Knowledge, Voice
from spotter.sessions.tables import AgentSession
from spotter.settings import Settings
from spotter.store.scope import NOBODY, Scope
from spotter.voice.cast import Speaker, dearest, speakers, with_context
from spotter.voice.tables import VoiceSession

CONNECT_WITHIN: Final = 60
"""Seconds in which the browser must have connected: then the key is worth nothing."""
PROVIDER: Final = "openai"
_DEFAULT_SCENARIO: Final = "trainer"


@dataclass(frozen=True, slots=True)
class Wish:
    scenario_id: str = _DEFAULT_SCENARIO
    root_agent: str | None = None
    session_id: UUID | None = None
    """One to go on in; a new one if not given."""
    context_id: UUID | None = None
    """What the person is looking at."""


@dataclass(frozen=True, slots=True)
class Started:
    voice_id: UUID
    session_id: UUID
    scenario_id: str
    secret: ClientSecret
    model: str
    speakers: tuple[Speaker, ...]
    context: str | None
    """What whoever is spoken to first was told of the page."""
    guardrails: Guardrails
    seconds: int
    ends_at: datetime
    budget: int | None
    sequence: int
    """Of the event that says so."""


class VoiceDesk:
    def __init__(
        self,
        settings: Settings,
        kit: Kit,
        definitions: Definitions,
        ledger: VoiceLedger,
        models: Models,
    ) -> None:
        self._settings = settings
        self._database = kit.database
        self._log = kit.log
        self._registry = kit.registry
        self._guard = kit.seams.guard
        self._definitions = definitions
        self._ledger = ledger
        self._mint = models.client_secret
        self.can_speak = models.can_speak

    async def start(self, scope: Scope, wish: Wish) -> Started:
        """Raises `NotFound` and `InvalidInput` for who is not there, `NotConfigured` without a key, `PaymentRequired`
        without money, `ModelError` when the provider does not want to. Then nothing is held back or left behind."""
        book = await self._definitions.book(scope)
        going_on = await self._going_on(scope, wish)
        scenario = book.scenario((going_on.scenario if going_on else None) or wish.scenario_id)
        root = wish.root_agent
        if root is None and going_on is not None and going_on.agent in scenario.agents:
            root = going_on.agent
        elif root is not None and root != (going_on.agent if going_on else scenario.first_agent):
            book.require_choice(scenario.id, root)
        cast = speakers(book, scenario, root, self._registry, self._settings.voice_name)
        context = await self._context(scope, wish.context_id)
        if context is not None:
            cast[0] = with_context(cast[0], context)
        model = self._settings.voice_model
        # First: it costs nothing, and without it there is nothing to hold back for. Nobody else gets to know it yet.
        secret = await self._mint(
            scope,
            model=model,
            session=cast[0].session(model),
            seconds=CONNECT_WITHIN,
            provider=PROVIDER,
            person=_stranger(scope),
        )
        session_id = (
            going_on.id
            if going_on is not None
            else await self._new_session(scope, scenario.id, cast[0].name, scenario.first_stage)
        )
        wanted = Conversation(session_id, PROVIDER, model, dearest(cast), self._settings.voice_minutes * 60)
        try:
            held = await self._ledger.hold(scope, wanted)
        except BaseException:
            if going_on is None:
                await self._forget(scope, session_id)
            raise
        started = Started(
            voice_id=new_id(),
            session_id=session_id,
            scenario_id=scenario.id,
            secret=secret,
            model=model,
            speakers=tuple(cast),
            context=context,
            guardrails=scenario.guardrails,
            seconds=held.seconds,
            ends_at=now() + timedelta(seconds=held.seconds),
            budget=held.budget,
            sequence=0,
        )
        events: list[Content] = [Voice(voice_id=started.voice_id, state="started", model=model)]
        if going_on is not None and going_on.agent != cast[0].name:
            events.insert(0, Handoff(from_agent=going_on.agent, to_agent=cast[0].name, reason="voice"))
        return await self._record(scope, started, held, events, wish.context_id)

    async def _going_on(self, scope: Scope, wish: Wish) -> AgentSession | None:
        if wish.session_id is None:
            return None
        async with self._database.unit_of_work(scope) as uow:
            return await directory.own(uow, wish.session_id)

    async def _context(self, scope: Scope, context_id: UUID | None) -> str | None:
        """As a model may read it."""
        if context_id is None:
            return None
        async with self._database.unit_of_work(scope) as uow:
            snapshot = await snapshots.get(uow, context_id)
        fact = Knowledge(source=CONTEXT, formatted=snapshot.block, untrusted=snapshot.untrusted)
        policy = await self._guard.policy(scope)
        return judged_knowledge(fact, policy, self._guard.seen).formatted

    async def _new_session(self, scope: Scope, scenario: str, agent: str, stage: str | None) -> UUID:
        async with self._database.unit_of_work(scope) as uow:
            return (await directory.create(uow, agent, scenario=scenario, stage=stage)).id

    async def _forget(self, scope: Scope, session_id: UUID) -> None:
        async with self._database.unit_of_work(scope) as uow:
            await directory.erase(uow, session_id)

    async def _record(
        self,
        scope: Scope,
        started: Started,
        held: Held,
        events: Sequence[Content],
        context_id: UUID | None,
    ) -> Started:
        try:
            async with self._database.unit_of_work(scope) as uow:
                assert scope.org_id is not None
                uow.session.add(
                    VoiceSession(
                        org_id=scope.org_id,
                        id=started.voice_id,
                        user_id=scope.user_id or NOBODY,
                        session_id=started.session_id,
                        agent=started.speakers[0].name,
                        provider=PROVIDER,
                        model=started.model,
                        budget=held.budget,
                        budget_tokens=held.tokens,
                        reservation_id=held.reservation_id,
                        ends_at=started.ends_at,
                    )
                )
                await audit.record(
                    uow, "voice.started", target=str(started.session_id), detail=_agreed(started)
                )
                if context_id is not None:
                    await give_context(uow, self._log, self._guard, started.session_id, context_id)
                connection = await uow.driver()
                done = await self._log.append(scope, started.session_id, events, connection=connection)
        except BaseException:
            if held.reservation_id is not None:
                async with self._database.unit_of_work(scope) as uow:
                    await carry_over(await uow.driver(), scope, held.reservation_id, (), goes_on=False)
            raise
        return replace(started, sequence=done.last)


def _agreed(started: Started) -> dict[str, Any]:
    return {
        "voice_id": str(started.voice_id),
        "model": started.model,
        "agent": started.speakers[0].name,
        "budget": started.budget,
        "seconds": started.seconds,
    }


def _stranger(scope: Scope) -> str:
    """Tells people apart for the provider's own abuse checks; says nothing about who they are."""
    return hashlib.sha256(f"voice/{scope.org_id}/{scope.user_id}".encode()).hexdigest()
