import { Alert, Button, FileButton, List, Progress, Stack, Switch, Text, Title } from "@mantine/core";
import { IconFileUpload } from "@tabler/icons-react";
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import type { Schemas } from "~/api/client";
import { refusal } from "~/api/problems";
import { signedFetch } from "~/api/session";
import classes from "./progress.module.css";
import { SOURCES } from "./sources";

type Report = Schemas["Import"];

export function Import() {
  const queries = useQueryClient();
  const [pounds, setPounds] = useState(false);
  const [over, setOver] = useState(false);
  const [progress, setProgress] = useState<number | null>(null);
  const [report, setReport] = useState<Report | null>(null);
  const [problem, setProblem] = useState<string | null>(null);

  const bring = async (file: File | null | undefined) => {
    if (!file) return;
    setReport(null);
    setProblem(null);
    setProgress(0);
    try {
      for await (const step of sent(file, pounds)) {
        if ("of" in step) setProgress(step.of === 0 ? 100 : (step.done / step.of) * 100);
        else setReport(step);
      }
      await queries.invalidateQueries({ queryKey: ["progress"] });
    } catch (error) {
      setProblem(error instanceof Error ? error.message : "That did not work.");
    }
    setProgress(null);
  };

  return (
    <section className="surface" aria-labelledby="import-title">
      <Stack p="lg" maw={720}>
        <div>
          <Title order={2} id="import-title">
            Bring your history along
          </Title>
          <Text c="dimmed" mt={4}>
            Export your workouts in Strong or Hevy as a CSV file and give it to Spotter. Nothing is counted
            twice, so you can do it again any time.
          </Text>
        </div>
        <div
          className={classes.drop}
          data-over={over || undefined}
          onDragOver={(event) => {
            event.preventDefault();
            setOver(true);
          }}
          onDragLeave={() => setOver(false)}
          onDrop={(event) => {
            event.preventDefault();
            setOver(false);
            void bring(event.dataTransfer.files[0]);
          }}
        >
          <Stack align="center" gap="sm">
            <IconFileUpload size={32} stroke={1.4} aria-hidden />
            <FileButton onChange={(file) => void bring(file)} accept=".csv,text/csv">
              {(given) => (
                <Button {...given} loading={progress !== null}>
                  Choose a file
                </Button>
              )}
            </FileButton>
            <Text size="sm" c="dimmed">
              or drop it here
            </Text>
          </Stack>
        </div>
        <Switch
          label="Weights without a unit are in pounds"
          checked={pounds}
          onChange={(event) => setPounds(event.currentTarget.checked)}
        />
        {progress !== null ? <Progress value={progress} animated aria-label="Imported so far" /> : null}
        {problem !== null ? (
          <Alert color="red" title="Nothing was imported" role="alert">
            {problem}
          </Alert>
        ) : null}
        {report !== null ? (
          <Alert color="pine" variant="light" title={`${counted(report.added)} added`} role="status">
            <List size="sm">
              <List.Item>
                The file of {SOURCES[report.source] ?? report.source} has {counted(report.workouts)} with{" "}
                {report.sets} sets.
              </List.Item>
              {report.already_there > 0 ? (
                <List.Item>{report.already_there} were here already.</List.Item>
              ) : null}
              {Object.entries(report.skipped).map(([reason, count]) => (
                <List.Item key={reason}>
                  {count} left out: {reason}
                </List.Item>
              ))}
              {report.unknown_exercises.length > 0 ? (
                <List.Item>
                  Kept under their own names: {report.unknown_exercises.slice(0, 8).join(", ")}.
                </List.Item>
              ) : null}
            </List>
          </Alert>
        ) : null}
      </Stack>
    </section>
  );
}

function counted(workouts: number): string {
  return `${workouts} ${workouts === 1 ? "workout" : "workouts"}`;
}

async function* sent(file: File, pounds: boolean): AsyncGenerator<{ done: number; of: number } | Report> {
  const answer = await signedFetch(`/api/training/import?pounds=${pounds}`, {
    method: "POST",
    headers: { "Content-Type": "text/csv", Accept: "text/event-stream" },
    body: await file.arrayBuffer(),
  });
  if (!answer.ok || answer.body === null) throw await refusal(answer);
  const reader = answer.body
    .pipeThrough(new TextDecoderStream() as ReadableWritablePair<string, Uint8Array>)
    .getReader();
  let rest = "";
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    rest += value;
    const lines = rest.split("\n\n");
    rest = lines.pop() ?? "";
    for (const line of lines) if (line.startsWith("data: ")) yield JSON.parse(line.slice(6));
  }
}
