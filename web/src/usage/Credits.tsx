import {
  Alert,
  Badge,
  Button,
  Group,
  Modal,
  NativeSelect,
  Skeleton,
  Stack,
  Table,
  Text,
  TextInput,
  Title,
} from "@mantine/core";
import { IconCoins, IconPlus } from "@tabler/icons-react";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { answered, api, type Schemas } from "~/api/client";
import { Empty } from "~/shell/Page";
import { showDone } from "~/shell/toasts";
import { credits, dollars } from "./money";
import { momentAt } from "./months";
import { USAGE, useBillingSettings, useCredits, useMovements } from "./reports";

const KINDS: Record<string, string> = {
  grant: "Given",
  purchase: "Bought",
  refund: "Given back",
  spend: "Spent",
  reserve: "Held back",
  release: "No longer held back",
};

export function Credits({ timezone, mayEdit }: { timezone: string; mayEdit: boolean }) {
  const balance = useCredits();
  const settings = useBillingSettings(true);
  const movements = useMovements();
  const [adding, setAdding] = useState(false);
  const items = movements.data?.pages.flatMap((page) => page.items) ?? [];
  const add = mayEdit ? (
    <Button variant="default" leftSection={<IconPlus size={17} />} onClick={() => setAdding(true)}>
      Add credits
    </Button>
  ) : undefined;
  return (
    <section className="surface" aria-labelledby="credits-title">
      <Stack p="lg" gap="md">
        <Group justify="space-between">
          <Group gap="xs">
            <Title order={2} id="credits-title">
              Credits
            </Title>
            {settings.data ? (
              <Badge variant="default" tt="none" fw={550}>
                {settings.data.tier.title} plan
              </Badge>
            ) : null}
          </Group>
          {items.length > 0 ? add : null}
        </Group>
        {balance.data === undefined || settings.data === undefined ? (
          <Skeleton h={60} />
        ) : (
          <div>
            <Text fw={700} fz="1.6rem" lh={1.25} className="tabular" data-testid="credits">
              {credits(balance.data.micro_credits)}
            </Text>
            <Text size="sm" c="dimmed">
              {`Worth ${dollars(balance.data.worth)}. `}
              {settings.data.prepaid
                ? "You pay in advance: model calls spend credits, and end where they do."
                : "Planned runs and their tools spend them; chats are billed in money."}
            </Text>
          </div>
        )}
        {movements.isSuccess && items.length === 0 ? (
          <Empty icon={IconCoins} title="No credits were given or taken yet" action={add} />
        ) : (
          <Movements items={items} timezone={timezone} />
        )}
        {movements.hasNextPage ? (
          <Group>
            <Button
              variant="default"
              size="xs"
              loading={movements.isFetchingNextPage}
              onClick={() => void movements.fetchNextPage()}
            >
              Show more
            </Button>
          </Group>
        ) : null}
      </Stack>
      {adding ? <AddCredits close={() => setAdding(false)} /> : null}
    </section>
  );
}

function Movements({ items, timezone }: { items: Schemas["CreditMovement"][]; timezone: string }) {
  return (
    <Table.ScrollContainer minWidth={320} scrollAreaProps={{ viewportProps: { tabIndex: 0 } }}>
      <Table className="tabular">
        <Table.Thead>
          <Table.Tr>
            <Table.Th scope="col">When</Table.Th>
            <Table.Th scope="col">What</Table.Th>
            <Table.Th scope="col" ta="right">
              Credits
            </Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {items.map((one) => (
            <Table.Tr key={one.id}>
              <Table.Td style={{ whiteSpace: "nowrap" }}>{momentAt(one.at, timezone)}</Table.Td>
              <Table.Td>
                {KINDS[one.kind] ?? one.kind.replaceAll("_", " ")}
                {one.note ? `: ${one.note}` : ""}
              </Table.Td>
              <Table.Td ta="right" fw={600}>
                {one.micro_credits > 0 ? "+" : ""}
                {credits(one.micro_credits)}
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}

function AddCredits({ close }: { close: () => void }) {
  const queries = useQueryClient();
  const [kind, setKind] = useState<"grant" | "purchase" | "refund">("grant");
  const [typed, setTyped] = useState("");
  const [reference, setReference] = useState("");
  const [note, setNote] = useState("");
  const [tried, setTried] = useState(false);
  const good = /^\d{1,9}(\.\d{1,6})?$/.test(typed) && /[1-9]/.test(typed);
  const save = useMutation({
    mutationFn: () =>
      answered(
        api.POST("/api/billing/credits/movements", {
          // As text: a number could not be written down exactly.
          body: { kind, credits: typed, reference: reference.trim() || null, note: note.trim() },
        }),
      ),
    meta: { quiet: true },
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: USAGE });
      showDone(`${typed} credits were added.`);
      close();
    },
  });
  return (
    <Modal opened onClose={close} title="Add credits">
      <form
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          setTried(true);
          if (good) save.mutate();
        }}
      >
        <Stack>
          <Group grow align="flex-start">
            <TextInput
              label="Credits"
              inputMode="decimal"
              data-autofocus
              value={typed}
              error={tried && !good ? "A number above 0." : undefined}
              onChange={(event) => setTyped(event.currentTarget.value.trim())}
            />
            <NativeSelect
              label="Why"
              value={kind}
              onChange={(event) => setKind(event.currentTarget.value as typeof kind)}
              data={[
                { value: "grant", label: "Given" },
                { value: "purchase", label: "Bought" },
                { value: "refund", label: "Given back" },
              ]}
            />
          </Group>
          <TextInput
            label="Reference"
            description="Of an invoice, say. The same one is booked once."
            value={reference}
            maxLength={120}
            onChange={(event) => setReference(event.currentTarget.value)}
          />
          <TextInput
            label="Note"
            value={note}
            maxLength={120}
            onChange={(event) => setNote(event.currentTarget.value)}
          />
          {save.error ? (
            <Alert role="alert" color="red" variant="light">
              {save.error.message}
            </Alert>
          ) : null}
          <Group justify="flex-end">
            <Button variant="default" onClick={close}>
              Cancel
            </Button>
            <Button type="submit" loading={save.isPending}>
              Add them
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
