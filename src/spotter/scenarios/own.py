"""What an organisation has of its own, read from the database as it is."""

import logging
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Final, Generic, TypeVar
from uuid import UUID

from pydantic import ValidationError
from sqlalchemy import select

from spotter.scenarios.agent_files import AgentFile
from spotter.scenarios.book import Book, Kept
from spotter.scenarios.scenario_files import ScenarioFile
from spotter.scenarios.tables import AiAgent, AiAgentVersion, Scenario, ScenarioVersion
from spotter.store.unit_of_work import UnitOfWork

log = logging.getLogger(__name__)

File = TypeVar("File", AgentFile, ScenarioFile)


@dataclass(frozen=True, slots=True)
class Kind(Generic[File]):
    """Agents and scenarios are kept alike."""

    word: str
    file: type[File]
    rows: type[AiAgent] | type[Scenario]
    versions: type[AiAgentVersion] | type[ScenarioVersion]
    most: int
    """An organisation may have of its own."""

    def name_of(self, file: AgentFile | ScenarioFile) -> str:
        return file.name if isinstance(file, AgentFile) else file.id


AGENTS: Final = Kind("agent", AgentFile, AiAgent, AiAgentVersion, 500)
SCENARIOS: Final = Kind("scenario", ScenarioFile, Scenario, ScenarioVersion, 200)


@dataclass(frozen=True, slots=True)
class Own:
    kept: tuple[Kept, ...] = ()
    _books: dict[UUID | None, Book] = field(default_factory=dict, compare=False, repr=False)

    @property
    def projects(self) -> set[UUID]:
        """Those that have something of their own."""
        return {each.project_id for each in self.kept if each.project_id is not None}

    def book(self, builtin: Book, project_id: UUID | None) -> Book:
        """A project's own before the organisation's, the organisation's before what ships."""
        wanted = project_id if project_id in self.projects else None
        if wanted not in self._books:
            organisation = (each for each in self.kept if each.project_id is None)
            project = (each for each in self.kept if wanted is not None and each.project_id == wanted)
            self._books[wanted] = builtin.with_own(organisation).with_own(project)
        return self._books[wanted]

    def changed(self, gone: UUID | None, new: Kept | None) -> "Own":
        rest = tuple(each for each in self.kept if each.id != gone)
        return Own((*rest, new) if new is not None else rest)


async def read_own(uow: UnitOfWork) -> Own:
    """All that is not put away. What cannot be read any more is left out, and said."""
    agents = await uow.session.scalars(select(AiAgent).where(AiAgent.archived_at.is_(None)))
    scenarios = await uow.session.scalars(select(Scenario).where(Scenario.archived_at.is_(None)))
    return Own((*kept_of(AGENTS, agents), *kept_of(SCENARIOS, scenarios)))


def kept_of(kind: Kind[File], rows: Iterable[AiAgent | Scenario]) -> Iterator[Kept]:
    for row in rows:
        try:
            yield as_kept(kind, row)
        except ValidationError:
            log.warning(
                "a stored definition cannot be read and is left out",
                extra={"kind": kind.word, "definition": str(row.id), "org_id": str(row.org_id)},
            )


def as_kept(kind: Kind[File], row: AiAgent | Scenario) -> Kept:
    return Kept(
        id=row.id,
        name=row.name,
        project_id=row.project_id,
        version=row.version,
        definition=kind.file.model_validate(row.definition),
        created_at=row.created_at,
        updated_at=row.updated_at,
    )
