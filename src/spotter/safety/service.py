"""Moderation for an organisation: its policy, the pipeline, and a second opinion where there is one."""

import logging
from collections.abc import Awaitable, Callable, Collection

from pydantic import ValidationError
from sqlalchemy import select
from sqlalchemy.dialects.postgresql import insert

from spotter.clock import now
from spotter.identity import audit
from spotter.safety.decision import KINDS, ModerationDecision, Source
from spotter.safety.pipeline import moderate
from spotter.safety.policy import DEFAULT_POLICY, Policy
from spotter.safety.second_opinion import Moderator, with_second_opinion
from spotter.safety.tables import SafetyPolicy
from spotter.store.database import Database
from spotter.store.scope import Scope
from spotter.store.unit_of_work import UnitOfWork

log = logging.getLogger(__name__)

Observer = Callable[[ModerationDecision], None]
ModeratorFor = Callable[[Scope], Awaitable[Moderator | None]]
"""Who gives a second opinion for an organisation; None when nobody is set up."""


async def get_policy(uow: UnitOfWork) -> Policy:
    stored = await uow.session.scalar(select(SafetyPolicy.policy))
    if stored is None:
        return DEFAULT_POLICY
    try:
        return Policy.model_validate(stored)
    except ValidationError:
        # Written by a newer or older version. The defaults are the careful choice; nobody goes unprotected.
        log.warning(
            "the stored safety policy cannot be read; the defaults apply",
            extra={"org_id": str(uow.scope.org_id)},
        )
        return DEFAULT_POLICY


async def put_policy(uow: UnitOfWork, policy: Policy) -> Policy:
    before = await get_policy(uow)
    data = policy.model_dump(mode="json", exclude_none=True)
    row = insert(SafetyPolicy).values(org_id=uow.scope.org_id, policy=data, updated_at=now())
    await uow.session.execute(
        row.on_conflict_do_update(
            index_elements=["org_id"],
            set_={"policy": row.excluded.policy, "updated_at": row.excluded.updated_at},
        )
    )
    old = before.model_dump(mode="json", exclude_none=True)
    await audit.record(uow, "safety.policy_changed", detail={"before": old, "after": data})
    uow.settings_changed()
    return policy


class Moderation:
    """One per process."""

    def __init__(self, database: Database, moderator_for: ModeratorFor) -> None:
        self._moderator_for = moderator_for
        self._policies = database.kept(get_policy)
        self._observers: list[Observer] = []

    def watch(self, observer: Observer) -> None:
        """Hears of every decision: for figures."""
        self._observers.append(observer)

    def seen(self, decision: ModerationDecision) -> None:
        """A decision that was made elsewhere by this policy: a stream's, a tool result's."""
        for observer in self._observers:
            observer(decision)

    async def policy(self, scope: Scope) -> Policy:
        assert scope.org_id is not None
        return await self._policies.of(scope.org_id)

    async def check(
        self, scope: Scope, text: str, source: Source = "member", *, allowed_data: Collection[str] = ()
    ) -> ModerationDecision:
        """The decision about one text. Holds no connection while it asks others."""
        policy = await self.policy(scope)
        decision = moderate(text, source, policy, allowed_data=allowed_data)
        if policy.second_opinion and KINDS[source] != "outside" and text.strip():
            moderator = await self._moderator_for(scope)
            if moderator is not None:
                decision = await with_second_opinion(decision, text, moderator, policy)
        self.seen(decision)
        return decision
