import type { components } from "./schema";

export type Problem = components["schemas"]["Problem"];

/** An answer that says no, in the server's own words. */
export class Refused extends Error {
  readonly status: number;
  readonly code: string;
  readonly title: string;
  readonly correlationId: string | null;
  readonly fields: NonNullable<Problem["errors"]>;
  /** Seconds after which the same may be tried again, where the server says that it may. */
  readonly retryAfter: number | null;

  constructor(problem: Partial<Problem> & { status: number; retryAfter?: number | null }) {
    super(inWords(problem.errors ?? []) ?? problem.detail ?? "The server refused this.");
    this.status = problem.status;
    this.code = problem.code ?? "unknown";
    this.title = problem.title ?? "That did not work";
    this.correlationId = problem.correlation_id ?? null;
    this.fields = problem.errors ?? [];
    this.retryAfter = problem.retryAfter ?? null;
  }
}

/** Of fields that were wrong: their names as people know them, not where they stand in a request. */
function inWords(fields: NonNullable<Problem["errors"]>): string | null {
  if (fields.length === 0) return null;
  return fields
    .map(({ loc, message }) => {
      const name = (loc.split(".").at(-1) ?? "").replaceAll("_", " ");
      return name === "body" || name === ""
        ? message
        : `${name[0]?.toUpperCase()}${name.slice(1)}: ${message}`;
    })
    .join(" ");
}

/** No answer at all: the server is away, or the network is. */
export class Away extends Error {
  constructor() {
    super("Spotter cannot be reached at the moment.");
  }
}

export async function refusal(response: Response): Promise<Refused> {
  let body: unknown = null;
  try {
    body = await response.json();
  } catch {
    // Not from us: a proxy's own page, for example.
  }
  const problem =
    typeof body === "object" && body !== null ? (body as Partial<Problem> & { error?: string }) : {};
  const id = problem.correlation_id ?? response.headers.get("x-correlation-id");
  return new Refused({
    ...problem,
    detail: problem.detail ?? problem.error ?? `The server answered with ${response.status}.`,
    status: response.status,
    correlation_id: id,
    retryAfter: Number(response.headers.get("retry-after")) || null,
  });
}
