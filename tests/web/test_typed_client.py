"""The web app calls the server by types that were made from its OpenAPI document. They must be this server's."""

import subprocess
from pathlib import Path

from scripts.build_web import WEB, install, node
from scripts.openapi import document


def test_the_typed_client_is_current(tmp_path: Path) -> None:
    install()
    (tmp_path / "openapi.json").write_text(document())
    command, path = node()
    subprocess.run(
        [
            *command,
            "run",
            "client",
            "--",
            str(tmp_path / "openapi.json"),
            "--output",
            str(tmp_path / "schema.ts"),
        ],
        cwd=WEB,
        check=True,
        capture_output=True,
        env={"PATH": f"{path}:/usr/bin:/bin", "HOME": str(tmp_path)},
    )
    made = (tmp_path / "schema.ts").read_text()
    assert made == (WEB / "src/api/schema.ts").read_text(), (
        "run `make client` and commit web/src/api/schema.ts"
    )
