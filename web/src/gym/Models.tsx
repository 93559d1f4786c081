import {
  ActionIcon,
  Badge,
  Button,
  Group,
  NativeSelect,
  PasswordInput,
  Skeleton,
  Stack,
  Text,
} from "@mantine/core";
import { IconTrash } from "@tabler/icons-react";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { answered, api, type Schemas } from "~/api/client";
import { Card } from "~/shell/Page";
import { showDone } from "~/shell/toasts";
import { WIDGETS } from "./queries";

const PROVIDERS: Record<string, string> = { openai: "OpenAI", anthropic: "Anthropic" };
const KEY = ["model-accounts"];

/** Whose account the agents think by. Without one the operator's holds, or the built-in model. */
export function Models() {
  const queries = useQueryClient();
  const accounts = useQuery({ queryKey: KEY, queryFn: () => answered(api.GET("/api/model-accounts")) });
  const [name, setName] = useState("openai");
  const [key, setKey] = useState("");
  const refresh = async () => {
    await queries.invalidateQueries({ queryKey: KEY });
    await queries.invalidateQueries({ queryKey: WIDGETS });
  };
  const save = useMutation({
    mutationFn: () =>
      answered(
        api.PUT("/api/model-accounts/{model_account_name}", {
          params: { path: { model_account_name: name } },
          body: { api_key: key.trim(), dialect: name as Schemas["NewModelAccount"]["dialect"] },
        }),
      ),
    meta: { quiet: true },
    onSuccess: async () => {
      setKey("");
      await refresh();
      showDone(`Agents with a model of ${PROVIDERS[name]} answer with it from now on.`, "The key is kept");
    },
  });
  const forget = useMutation({
    mutationFn: (account: string) =>
      answered(
        api.DELETE("/api/model-accounts/{model_account_name}", {
          params: { path: { model_account_name: account } },
        }),
      ),
    onSuccess: refresh,
  });
  return (
    <Card
      title="AI models"
      text="Your own account with a provider. Without one, agents think with what this installation has, or with Spotter's built-in model."
    >
      {accounts.isPending ? <Skeleton h={40} /> : null}
      {accounts.data?.items.map((one) => (
        <Group key={one.name} justify="space-between" wrap="nowrap">
          <Group gap="xs">
            <Text>{PROVIDERS[one.name] ?? one.name}</Text>
            <Badge variant="light" tt="none">
              {one.has_key ? "Key kept" : (one.base_url ?? "No key")}
            </Badge>
          </Group>
          <ActionIcon
            variant="subtle"
            color="gray"
            size={40}
            aria-label={`Forget the account with ${PROVIDERS[one.name] ?? one.name}`}
            onClick={() => forget.mutate(one.name)}
          >
            <IconTrash size={18} />
          </ActionIcon>
        </Group>
      ))}
      <form
        onSubmit={(event) => {
          event.preventDefault();
          save.mutate();
        }}
      >
        <Stack gap="xs">
          <Group align="flex-end">
            <NativeSelect
              label="Provider"
              value={name}
              onChange={(event) => setName(event.currentTarget.value)}
              data={Object.entries(PROVIDERS).map(([value, label]) => ({ value, label }))}
            />
            <PasswordInput
              label="API key"
              autoComplete="off"
              maxLength={500}
              flex="1 1 240px"
              value={key}
              onChange={(event) => setKey(event.currentTarget.value)}
            />
            <Button type="submit" disabled={key.trim() === ""} loading={save.isPending}>
              Keep the key
            </Button>
          </Group>
          <Text size="xs" c="dimmed">
            It is sealed and never shown again.
          </Text>
          {save.error ? (
            <Text role="alert" size="sm" c="var(--mantine-color-error)">
              {save.error.message}
            </Text>
          ) : null}
        </Stack>
      </form>
    </Card>
  );
}
