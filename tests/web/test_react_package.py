"""The React bindings build on their own, with types, and bring nobody else's code along."""

import subprocess
from pathlib import Path

from scripts.build_web import WEB, node

PACKAGE = WEB / "packages" / "react"
NAMES = ("RealtimeProvider", "useRealtimeSessionManager", "SpotterApi", "RealtimeCall")


def test_it_builds_with_its_types(tmp_path: Path) -> None:
    _, path = node()
    tools = WEB / "node_modules" / ".bin"
    environment = {"PATH": f"{path}:/usr/bin:/bin", "HOME": str(tmp_path)}
    for command in (
        [tools / "vite", "build", "--outDir", tmp_path / "dist", "--logLevel", "warn"],
        [tools / "tsc", "-p", "tsconfig.json", "--emitDeclarationOnly", "--outDir", tmp_path / "dist"],
    ):
        subprocess.run([str(part) for part in command], cwd=PACKAGE, check=True, env=environment)
    built = (tmp_path / "dist" / "index.js").read_text()
    types = (tmp_path / "dist" / "index.d.ts").read_text()
    assert [name for name in NAMES if name not in built or name not in types] == []
    imported = [line for line in built.splitlines() if line.startswith("import")]
    assert all('from"react' in line.replace(" ", "") for line in imported), imported
