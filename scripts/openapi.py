"""The server's OpenAPI document, without a server: what the typed clients are made from."""

import json
from unittest.mock import Mock

from spotter.api import application
from spotter.api.services import Services
from spotter.settings import Settings


def document() -> str:
    """The same bytes for the same routes. The version is left out, so that a release does not make clients stale."""
    services = Mock(spec=Services, settings=Settings(), limits=Mock(), moderation=Mock())
    app = application.build(services, version="0", schema_revision="0")
    return json.dumps(app.openapi(), indent=1, sort_keys=True)
