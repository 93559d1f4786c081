import type { Session } from "./queries";
import type { Branches } from "./Exchange";

/**
 * The ways a conversation went from one of its messages: where it was forked, and where it came from if it is a fork
 * itself. `sequence` is the message's, `before` that of the message before it.
 */
export function branchesAt(
  session: Session | undefined,
  relatives: Session[],
  sequence: number | undefined,
  before: number,
): Branches | null {
  if (session === undefined || sequence === undefined) return null;
  const isHere = (at: number | null) => at !== null && at < sequence && at >= before;
  const ids = new Set<string>();
  if (session.forked_from !== null && isHere(session.forked_at)) {
    ids.add(session.forked_from);
    for (const one of ordered(relatives))
      if (one.forked_from === session.forked_from && one.forked_at === session.forked_at) ids.add(one.id);
  }
  ids.add(session.id);
  for (const one of ordered(relatives))
    if (one.forked_from === session.id && isHere(one.forked_at)) ids.add(one.id);
  const found = [...ids];
  return found.length > 1 ? { ids: found, current: found.indexOf(session.id) } : null;
}

/** Ids grow with time. */
function ordered(sessions: Session[]): Session[] {
  return [...sessions].sort((one, other) => (one.id < other.id ? -1 : 1));
}
