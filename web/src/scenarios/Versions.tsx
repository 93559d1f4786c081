import { Button, Group, Modal, Skeleton, Stack, Text, Title } from "@mantine/core";
import { IconArrowBackUp, IconHistory } from "@tabler/icons-react";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import type { Schemas } from "~/api/client";
import { Empty } from "~/shell/Page";
import { usePeople } from "~/usage/reports";
import { changes, folded, type Line } from "./diff";
import { sentence } from "./queries";
import classes from "./scenarios.module.css";

type Version = Schemas["DefinitionVersion"];

/** Everything it ever was, what changed, and the way back. */
export function Versions(props: {
  versions: Version[] | undefined;
  mayEdit: boolean;
  rollBack: (version: number) => Promise<unknown>;
}) {
  const [wanted, setWanted] = useState<Version | null>(null);
  const people = usePeople(true);
  const { versions } = props;
  if (versions === undefined) return <Skeleton h={200} radius="lg" />;
  if (versions.length === 0) {
    return (
      <section className="surface">
        <Empty icon={IconHistory} title="No versions yet">
          What ships with Spotter has none. Once you save your own, each save is kept here.
        </Empty>
      </section>
    );
  }
  const who = (id: string | null) => people.data?.find((one) => one.id === id)?.name ?? "somebody";
  return (
    <Stack component="ol" gap="md" className={classes.list} aria-label="Versions, the newest first">
      {versions.map((version, at) => (
        <li key={version.version}>
          <article className="surface">
            <Stack p="lg" gap="sm">
              <Group justify="space-between">
                <div>
                  <Title order={2} fz="1.05rem">
                    Version {version.version}
                    {at === 0 ? ", the current one" : ""}
                  </Title>
                  <Text size="sm" c="dimmed">
                    {sentence(version.note)} by {who(version.created_by)},{" "}
                    {new Date(version.created_at).toLocaleString("en", {
                      dateStyle: "medium",
                      timeStyle: "short",
                    })}
                  </Text>
                </div>
                {props.mayEdit && at > 0 ? (
                  <Button
                    variant="default"
                    size="xs"
                    leftSection={<IconArrowBackUp size={16} />}
                    onClick={() => setWanted(version)}
                  >
                    Go back to version {version.version}
                  </Button>
                ) : null}
              </Group>
              <Difference before={versions[at + 1]} after={version} />
            </Stack>
          </article>
        </li>
      ))}
      {wanted && versions[0] ? (
        <GoingBack
          from={versions[0]}
          to={wanted}
          rollBack={() => props.rollBack(wanted.version)}
          close={() => setWanted(null)}
        />
      ) : null}
    </Stack>
  );
}

function Difference({ before, after }: { before: Version | undefined; after: Version }) {
  if (before === undefined) {
    return (
      <Text size="sm" c="dimmed">
        {after.version === 1 ? "How it began." : "Older versions are not shown."}
      </Text>
    );
  }
  const found = changes(before.definition, after.definition);
  if (found.length === 0) {
    return (
      <Text size="sm" c="dimmed">
        The same as version {before.version}.
      </Text>
    );
  }
  return (
    <Stack gap="sm">
      {found.map((one) => (
        <div key={one.field}>
          <Text size="sm" fw={600} mb={4}>
            {sentence(one.field)}
          </Text>
          <Lines lines={one.lines} />
        </div>
      ))}
    </Stack>
  );
}

const SIGNS = { same: "\u00a0", added: "+", removed: "−" };

function Lines({ lines }: { lines: Line[] }) {
  return (
    <pre className={classes.diff}>
      {folded(lines).map((line, at) =>
        line === null ? (
          <span key={at} className={classes.diffLine} data-kind="fold">
            …
          </span>
        ) : (
          <span key={at} className={classes.diffLine} data-kind={line.kind}>
            {`${SIGNS[line.kind]} ${line.text}`}
          </span>
        ),
      )}
    </pre>
  );
}

function GoingBack(props: {
  from: Version;
  to: Version;
  rollBack: () => Promise<unknown>;
  close: () => void;
}) {
  const go = useMutation({ mutationFn: props.rollBack, onSuccess: props.close });
  return (
    <Modal opened onClose={props.close} title={`Go back to version ${props.to.version}?`} size="lg">
      <Stack>
        <Text size="sm">
          It becomes a new version, {props.from.version + 1}, and holds from the next message on. Nothing is
          lost.
        </Text>
        <Difference before={props.from} after={props.to} />
        <Group justify="flex-end">
          <Button variant="default" onClick={props.close} data-autofocus>
            Cancel
          </Button>
          <Button loading={go.isPending} onClick={() => go.mutate()}>
            Go back
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}
