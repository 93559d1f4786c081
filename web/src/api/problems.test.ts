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
