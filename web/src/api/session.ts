import { noticeAway } from "./connection";
import { Away, refusal } from "./problems";
import type { paths } from "./schema";

type Tokens = paths["/api/auth/refresh"]["post"]["responses"]["200"]["content"]["application/json"];

/**
 * The sign-in of this tab. The refresh token is in a cookie that no script can read; the access token lives here, in
 * memory, for minutes.
 */
let access: { token: string; until: number; organisation: string } | null = null;
let refreshing: Promise<boolean> | null = null;
const onChange = new Set<() => void>();

/** Called when the person or the organisation is another one: everything that was read belongs to somebody else. */
export function whenSignInChanges(act: () => void): void {
  onChange.add(act);
}

export function accept(tokens: Tokens): void {
  const before = access?.organisation;
  access = {
    token: tokens.access_token,
    until: Date.now() + (tokens.expires_in - 30) * 1000,
    organisation: tokens.organisation_id,
  };
  if (before !== undefined && before !== tokens.organisation_id) for (const act of onChange) act();
}

export function forget(): void {
  access = null;
  for (const act of onChange) act();
}

/** Whether somebody is signed in here. Tabs take turns: a refresh token gives the next one once. */
export function refresh(): Promise<boolean> {
  refreshing ??= inTurn(exchange).finally(() => {
    refreshing = null;
  });
  return refreshing;
}

async function inTurn(work: () => Promise<boolean>): Promise<boolean> {
  return "locks" in navigator ? navigator.locks.request("spotter-refresh", work) : work();
}

async function exchange(): Promise<boolean> {
  const answer = await send("/api/auth/refresh", { method: "POST", body: "{}", headers: json });
  if (answer.status === 401) {
    access = null;
    return false;
  }
  if (!answer.ok) throw await refusal(answer);
  accept((await answer.json()) as Tokens);
  return true;
}

const json = { "Content-Type": "application/json" };

/** A request as it is; throws `Away` when there was no answer. */
async function send(input: RequestInfo | URL, init?: RequestInit): Promise<Response> {
  try {
    const answer = await fetch(input, init);
    if (answer.status === 502 || answer.status === 504) throw new TypeError("nobody behind the proxy");
    return answer;
  } catch (problem) {
    if (problem instanceof DOMException && problem.name === "AbortError") throw problem;
    noticeAway();
    throw new Away();
  }
}

/** `fetch` with the sign-in of this tab, renewed when it has run out. */
export async function signedFetch(input: RequestInfo | URL, init?: RequestInit): Promise<Response> {
  const request = new Request(input, init);
  if (access === null || access.until < Date.now()) await refresh();
  const answer = await send(withToken(request));
  if (answer.status !== 401 || !(await refresh())) return answer;
  return send(withToken(request));
}

function withToken(request: Request): Request {
  const copy = request.clone();
  if (access !== null) copy.headers.set("Authorization", `Bearer ${access.token}`);
  return copy;
}
