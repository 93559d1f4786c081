"""What models report they used, as the log keeps it: of the one that answered, and of those that failed on the way."""

from collections.abc import Iterator, Sequence

from spotter.llm.fallback import FallbackModel
from spotter.llm.faults import ModelError
from spotter.llm.port import FailedAttempt, Final, Model, Usage
from spotter.sessions.codec import storable
from spotter.sessions.events import Failure, UsageRecord


def usage_record(
    usage: Usage, model: str, provider: str, request_id: str = "", answer: Final | None = None
) -> UsageRecord:
    failed = tuple(f"{attempt.model}: {attempt.code}" for attempt in answer.failed) if answer else ()
    return UsageRecord(
        model=model,
        provider=provider,
        input=usage.input,
        output=usage.output,
        cache_read=usage.cache_read,
        cache_write=usage.cache_write,
        reported=usage.reported,
        request_id=request_id,
        failed=failed,
    )


def billed_failures(attempts: Sequence[FailedAttempt]) -> Iterator[Failure]:
    """Models that failed before another was asked, and are billed all the same."""
    for attempt in attempts:
        if attempt.usage.reported:
            usage = usage_record(attempt.usage, attempt.model, attempt.provider)
            yield Failure(code=attempt.code, detail=storable(attempt.detail), usage=usage)


def usage_of_failure(model: Model, error: ModelError) -> UsageRecord | None:
    """Of the last model of a chain: those before it are in `error.failed`."""
    if not error.usage.reported:
        return None
    if isinstance(model, FallbackModel):
        model = model.models[len(error.failed)]
    return usage_record(error.usage, model.name, model.provider, error.request_id)
