"""How much a phone must fetch before Train shows something."""

import json

from scripts.build_web import BUILT

MOST = 250_000


def test_the_first_load_of_train_is_small() -> None:
    manifest = json.loads((BUILT / ".vite" / "manifest.json").read_text())
    files: set[str] = set()
    left = ["index.html", "src/train/TrainPage.tsx"]
    while left:
        entry = manifest[left.pop()]
        if entry["file"] not in files:
            files |= {entry["file"], *entry.get("css", ())}
            left += entry.get("imports", ())
    sizes = {name: (BUILT / f"{name}.gz").stat().st_size for name in files}
    total = sum(sizes.values())
    largest = sorted(sizes.items(), key=lambda item: -item[1])[:8]
    assert total <= MOST, f"{total} bytes packed: load more of it later. The largest: {largest}"
