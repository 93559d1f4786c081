import createClient from "openapi-fetch";
import { Refused, refusal } from "./problems";
import type { components, paths } from "./schema";
import { signedFetch } from "./session";

/** Typed by the server's own document: `make client` writes it anew. */
export const api = createClient<paths>({ fetch: (request) => signedFetch(request) });

export type Schemas = components["schemas"];

interface Answer<T> {
  data?: T;
  response: Response;
  error?: unknown;
}

/** What was answered, or the refusal as an error. */
export async function answered<T>(call: Promise<Answer<T>>): Promise<T> {
  const { data, error, response } = await call;
  if (!response.ok) {
    const problem = typeof error === "object" && error !== null ? error : {};
    const empty = new Response(JSON.stringify(problem), {
      status: response.status,
      headers: response.headers,
    });
    throw await refusal(empty);
  }
  if (data === undefined && response.status !== 204) {
    throw new Refused({ status: response.status, detail: "The server's answer was empty." });
  }
  return data as T;
}
