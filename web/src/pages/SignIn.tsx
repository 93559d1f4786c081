import {
  Alert,
  Anchor,
  Button,
  Center,
  Code,
  Paper,
  PasswordInput,
  Stack,
  Text,
  TextInput,
  Title,
} from "@mantine/core";
import { IconInfoCircle } from "@tabler/icons-react";
import { useMutation } from "@tanstack/react-query";
import { useNavigate, useRouter, useSearch } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import { answered, api } from "~/api/client";
import { accept } from "~/api/session";
import { Brand } from "~/shell/Brand";
import { ServerAway } from "~/shell/ServerAway";

export function SignIn() {
  return <Door refusedLink={false} />;
}

/** Who opened a link that was used before, or is too old. */
export function RefusedLink() {
  return <Door refusedLink />;
}

function Door({ refusedLink }: { refusedLink: boolean }) {
  const router = useRouter();
  const navigate = useNavigate();
  const { next } = useSearch({ strict: false }) as { next?: string };
  const [email, setEmail] = useState("");
  const [password, setPassword] = useState("");
  const signIn = useMutation({
    mutationFn: () => answered(api.POST("/api/auth/sign-in", { body: { email: email.trim(), password } })),
    meta: { quiet: true },
    onSuccess: async (tokens) => {
      accept(tokens);
      await router.invalidate();
      await navigate({ to: next?.startsWith("/") && !next.startsWith("//") ? next : "/" });
    },
  });
  useEffect(() => {
    document.title = "Sign in · Spotter";
  }, []);
  return (
    <main>
      <ServerAway />
      <Center mih="100dvh" p="md">
        <Stack w={380} maw="100%" gap="lg">
          <Brand size={34} />
          <div>
            <Title order={1}>Sign in</Title>
            <Text c="dimmed" mt={4}>
              Your coach remembers where you stopped.
            </Text>
          </div>
          {refusedLink ? (
            <Alert icon={<IconInfoCircle />} color="orange" title="This link does not work any more">
              Each sign-in link works once, and not for long. Ask for a new one.
            </Alert>
          ) : null}
          <Paper className="surface" p="lg">
            <form
              onSubmit={(event) => {
                event.preventDefault();
                signIn.mutate();
              }}
            >
              <Stack>
                <TextInput
                  label="E-mail"
                  type="email"
                  autoComplete="username"
                  required
                  autoFocus
                  value={email}
                  onChange={(event) => setEmail(event.currentTarget.value)}
                />
                <PasswordInput
                  label="Password"
                  autoComplete="current-password"
                  required
                  value={password}
                  onChange={(event) => setPassword(event.currentTarget.value)}
                />
                {signIn.error ? (
                  <Text role="alert" size="sm" c="var(--mantine-color-error)">
                    {signIn.error.message}
                  </Text>
                ) : null}
                <Button type="submit" loading={signIn.isPending} fullWidth>
                  Sign in
                </Button>
              </Stack>
            </form>
          </Paper>
          <Text size="sm" c="dimmed">
            No password yet? Open the link that <Code>make run</Code> printed, or get a new one with{" "}
            <Code>spotter link --email you@example.org</Code>. Programs use the{" "}
            <Anchor href="/docs" underline="always" inherit>
              API
            </Anchor>
            .
          </Text>
        </Stack>
      </Center>
    </main>
  );
}
