import { describe, expect, it } from "vitest";
import { branchesAt } from "./branches";
import type { Session } from "./queries";

function session(id: string, forked_from: string | null = null, forked_at: number | null = null): Session {
  return { id, forked_from, forked_at } as Session;
}

describe("branches", () => {
  const source = session("a");
  const forks = [session("c", "a", 4), session("b", "a", 4), session("d", "a", 0)];

  it("are shown at the message that was said differently, oldest first", () => {
    expect(branchesAt(source, forks, 5, 1)).toEqual({ ids: ["a", "b", "c"], current: 0 });
    expect(branchesAt(source, forks, 1, 0)).toEqual({ ids: ["a", "d"], current: 0 });
    expect(branchesAt(source, forks, 9, 5)).toBeNull();
  });

  it("are the same seen from the other side", () => {
    const [, b] = forks;
    expect(branchesAt(b, forks, 5, 1)).toEqual({ ids: ["a", "b", "c"], current: 1 });
    expect(branchesAt(b, forks, 1, 0)).toBeNull();
  });

  it("of a message that is not recorded yet are not known", () => {
    expect(branchesAt(source, forks, undefined, 0)).toBeNull();
  });
});
