import { expect, test } from "vitest";
import { refusal } from "./problems";

test("a problem document keeps the server's words and its reference", async () => {
  const body = {
    title: "Not found",
    detail: "There is no such thing.",
    code: "not_found",
    correlation_id: "abc",
  };
  const refused = await refusal(new Response(JSON.stringify(body), { status: 404 }));
  expect(refused).toMatchObject({ status: 404, code: "not_found", correlationId: "abc" });
  expect(refused.message).toBe("There is no such thing.");
});

test("an answer that is not ours still has a reason and a reference", async () => {
  const headers = { "x-correlation-id": "from-the-header" };
  const refused = await refusal(new Response("<html>bad gateway</html>", { status: 500, headers }));
  expect(refused.message).toContain("500");
  expect(refused.correlationId).toBe("from-the-header");
});

test("a field that is wrong is named as people know it", async () => {
  const errors = [{ loc: "body.new_password", type: "too_short", message: "Give at least 10 characters." }];
  const body = { detail: "body.new_password: Give at least 10 characters.", errors };
  const refused = await refusal(new Response(JSON.stringify(body), { status: 422 }));
  expect(refused.message).toBe("New password: Give at least 10 characters.");
});

test("when it may be tried again is known", async () => {
  const headers = { "retry-after": "1" };
  expect((await refusal(new Response("{}", { status: 503, headers }))).retryAfter).toBe(1);
  expect((await refusal(new Response("{}", { status: 404 }))).retryAfter).toBeNull();
});
