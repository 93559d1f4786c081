// The stock AG-UI client, with nothing of ours: a tool call, an interrupt, a resume, and a look at the same thread later.
import { pathToFileURL } from "node:url";

const [client, url, token, threadId, ...lines] = process.argv.slice(2);
const { HttpAgent, buildResumeArray } = await import(pathToFileURL(client));

const warnings = [];
console.warn = (...words) => warnings.push(words.join(" "));
const headers = { Authorization: `Bearer ${token}` };
const agent = new HttpAgent({ url, headers, threadId });
const runs = [];

async function run(parameters) {
  const told = { events: [], tools: [], custom: [] };
  const subscriber = {
    onEvent: ({ event }) => void told.events.push(event.type),
    onToolCallEndEvent: ({ toolCallName, toolCallArgs }) => void told.tools.push([toolCallName, toolCallArgs]),
    onCustomEvent: ({ event }) => void told.custom.push(event.name),
    onRunFinishedEvent: (params) => void (told.outcome = params.outcome),
    onRunErrorEvent: ({ event }) => void (told.error = event.message),
  };
  await agent.runAgent(parameters, subscriber);
  runs.push({ ...told, messages: structuredClone(agent.messages), state: structuredClone(agent.state) });
}

for (const line of lines) {
  const asked = agent.pendingInterrupts;
  if (asked.length > 0) {
    const answers = Object.fromEntries(asked.map((one) => [one.id, { status: "resolved", payload: JSON.parse(line) }]));
    await run({ resume: buildResumeArray(asked, answers) });
  } else {
    agent.addMessage({ id: `mine-${runs.length}`, role: "user", content: line });
    await run({});
  }
  runs.at(-1).interrupts = structuredClone(agent.pendingInterrupts);
}
process.stdout.write(JSON.stringify({ runs, warnings }));
