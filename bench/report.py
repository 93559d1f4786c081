"""The numbers as people read them: one table, then each target with what was measured."""

from collections.abc import Iterable
from typing import Any

Results = dict[str, dict[str, Any]]


def total(results: Results, name: str, level: str, mode: str = "plain") -> float | None:
    try:
        return float(results[name][level][mode]["total_ms"])
    except KeyError:
        return None


def best_peer(
    results: Results, peers: Iterable[str], level: str, mode: str = "plain"
) -> tuple[str, float] | None:
    found = [(value, peer) for peer in peers if (value := total(results, peer, level, mode)) is not None]
    return (min(found)[1], min(found)[0]) if found else None


def quickest_peer(results: Results, peers: Iterable[str], sessions: str) -> tuple[str, float] | None:
    """Only those that failed no turn count."""
    found = []
    for peer in peers:
        told = results[peer].get("together", {}).get(sessions)
        if told and not told["failed"]:
            found.append((told["turns_s"], peer))
    return (max(found)[1], max(found)[0]) if found else None


def table(results: Results, peers: list[str], levels: tuple[int, ...], together: tuple[int, ...]) -> str:
    """CPU ms per turn, Postgres' included, and in brackets the ratio to the floor in the same run."""
    columns = [(f"{level} {mode}", str(level), mode) for mode in ("plain", "stream") for level in levels]
    head = [
        "CPU ms per turn (x floor)",
        *[title for title, _, _ in columns],
        "of it PG",
        f"cold {levels[-1]}",
    ]
    head += [f"{sessions} at once, turns/s" for sessions in together] + ["failed", "B/turn", "RSS MB"]
    rows = [head]
    for name, told in results.items():
        row = [name]
        for _, level, mode in columns:
            row.append(_against(total(results, name, level, mode), total(results, "floor", level, mode)))
        row.append(_number(told.get("1", {}).get("plain", {}).get("postgres_ms")))
        row.append(_number(total(results, name, "cold")))
        groups = [told.get("together", {}).get(str(sessions)) for sessions in together]
        row += [_number(group["turns_s"]) if group else "-" for group in groups]
        row.append(str(sum(group["failed"] for group in groups if group)))
        row.append(_number(told.get("bytes_per_turn", told.get("bytes_per_turn_long")), digits=0))
        row.append(_number(told.get("rss_mb"), digits=0))
        rows.append(row)
    widths = [max(len(row[column]) for row in rows) for column in range(len(head))]
    lines = ["  ".join(cell.rjust(width) for cell, width in zip(row, widths, strict=True)) for row in rows]
    return "\n".join(lines)


def _number(value: float | None, digits: int = 1) -> str:
    return "-" if value is None else f"{value:,.{digits}f}"


def _against(value: float | None, floor: float | None) -> str:
    if value is None:
        return "-"
    return f"{value:.1f} ({value / floor:.2f})" if floor else f"{value:.1f}"


def targets(
    results: Results,
    peers: list[str],
    levels: tuple[int, ...],
    together: tuple[int, ...],
    log: dict[str, Any],
) -> list[dict[str, Any]]:
    """Each promise: what it is about, what was measured, how much it may be, whether it is kept."""
    far, most = str(levels[-1]), str(together[-1])
    spotter = results.get("spotter", {})
    # Measured in turn with the long session, after pauses of the same length: five in a row are cheaper than any one.
    first, last = total(results, "spotter", f"1 beside {far}"), total(results, "spotter", far)
    found: list[dict[str, Any]] = []

    def promise(what: str, measured: float | None, limit: float, *, least: bool = False) -> None:
        if measured is not None:
            kept = measured >= limit if least else measured <= limit
            found.append({"what": what, "measured": round(measured, 4), "limit": limit, "kept": kept})

    def ratio(one: float | None, other: float | None) -> float | None:
        return one / other if one is not None and other else None

    for mode in ("plain", "stream"):
        promise(
            f"at 1 turn, {mode}: x the floor",
            ratio(total(results, "spotter", "1", mode), total(results, "floor", "1", mode)),
            1.0,
        )
    promise(f"at {far} turns: x its own at 1, side by side", ratio(last, first), 1.5)
    if (best := best_peer(results, peers, far)) is not None:
        # At fewer turns the peers have not lost as much yet; the promise is about 200.
        promise(f"at {far} turns: x the best peer ({best[0]})", ratio(last, best[1]), 1 / 20)
        promise(
            f"cold at {far} turns: x the best peer, warm",
            ratio(total(results, "spotter", "cold"), best[1]),
            1 / 5,
        )
    promise("database bytes per turn", spotter.get("bytes_per_turn"), 3000)
    group = spotter.get("together", {}).get(most)
    if group:
        promise(f"{most} sessions at once: failed turns", float(group["failed"]), 0)
        if (quickest := quickest_peer(results, peers, most)) is not None:
            promise(
                f"{most} sessions at once: turns/s, x the best peer ({quickest[0]})",
                ratio(group["turns_s"], quickest[1]),
                2.0,
                least=True,
            )
    if log:
        promise(
            f"{log['events']:,} events, cold: start of a turn, x 100 events",
            ratio(log["long"]["wall_ms"], log["short"]["wall_ms"]),
            2.0,
        )
        warm = " in a warm process"
        promise(
            "the same, only the session cold",
            ratio(log[f"long{warm}"]["wall_ms"], log[f"short{warm}"]["wall_ms"]),
            2.0,
        )
    return found


def shown(promises: list[dict[str, Any]]) -> str:
    width = max((len(promise["what"]) for promise in promises), default=0)
    lines = []
    for promise in promises:
        kept = "ok  " if promise["kept"] else "OVER"
        limit = f"(limit {promise['limit']:g})"
        lines.append(f"{kept}  {promise['what']:{width}}  {promise['measured']:>10.3f}  {limit}")
    return "\n".join(lines)
