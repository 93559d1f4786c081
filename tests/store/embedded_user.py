"""A Spotter process as the tests see it: joins the embedded server, says so, leaves when its stdin closes."""

import asyncio
import sys
from pathlib import Path

from spotter.store.embedded import EmbeddedPostgres


async def main() -> None:
    server = EmbeddedPostgres(Path(sys.argv[1]))
    await server.start()
    print(server.owner_url, flush=True)
    await asyncio.to_thread(sys.stdin.read)
    await server.stop()


asyncio.run(main())
