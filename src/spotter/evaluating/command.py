"""What `spotter eval` does. Apart from the other commands: it reads a thousand rules that no other needs at once."""

import os
from collections.abc import Callable
from pathlib import Path

from spotter.evaluating.running import chosen, evaluate
from spotter.llm.resolver import Credentials, Resolver
from spotter.offline import OfflineModel
from spotter.offline.evals import NOW
from spotter.progress import progress


async def evaluate_model(
    name: str, which: str, json_file: Path | None, limit: int | None, say: Callable[[str], None]
) -> bool:
    """Needs no database. False when somebody with a warning sign was given training."""
    resolver = Resolver(offline=lambda: OfflineModel(lambda: NOW))
    try:
        model = resolver.resolve(name, Credentials.from_environment(os.environ))
        sets = chosen(which, limit)
        with progress(sum(map(len, sets.values())), "Evaluating") as step:
            results = await evaluate(model, sets, step)
    finally:
        await resolver.aclose()
    for line in results.lines():
        say(line)
    if json_file is not None:
        results.write(json_file)
    return not results.unsafe
