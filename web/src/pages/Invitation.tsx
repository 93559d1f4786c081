import { Button, Center, Paper, PasswordInput, Stack, Text, TextInput, Title } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { Link, useLocation, useNavigate, useRouter } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import { answered, api } from "~/api/client";
import { accept } from "~/api/session";
import { Brand } from "~/shell/Brand";
import { ServerAway } from "~/shell/ServerAway";

/** Where the link of an invitation leads. Its secret is behind the `#`, which browsers keep to themselves. */
export function Invitation() {
  const router = useRouter();
  const navigate = useNavigate();
  const token = useLocation({ select: (location) => location.hash });
  const [name, setName] = useState("");
  const [password, setPassword] = useState("");
  const join = useMutation({
    mutationFn: () =>
      answered(api.POST("/api/auth/accept-invitation", { body: { token, name: name.trim(), password } })),
    meta: { quiet: true },
    onSuccess: async (tokens) => {
      accept(tokens);
      await router.invalidate();
      await navigate({ to: "/", replace: true });
    },
  });
  useEffect(() => {
    document.title = "Invitation · Spotter";
  }, []);
  return (
    <main>
      <ServerAway />
      <Center mih="100dvh" p="md">
        <Stack w={380} maw="100%" gap="lg">
          <Brand size={34} />
          <div>
            <Title order={1}>{token === "" ? "This link is not whole" : "You are invited"}</Title>
            <Text c="dimmed" mt={4}>
              {token === ""
                ? "Its last part is missing. Copy all of it, or ask for a new one."
                : "Choose a password, and you are in. If you have an account with this e-mail, give its password."}
            </Text>
          </div>
          {token === "" ? (
            <Button component={Link} to="/sign-in" variant="default">
              Sign in instead
            </Button>
          ) : (
            <Paper className="surface" p="lg">
              <form
                onSubmit={(event) => {
                  event.preventDefault();
                  join.mutate();
                }}
              >
                <Stack>
                  <TextInput
                    label="Your name"
                    autoComplete="name"
                    autoFocus
                    maxLength={120}
                    value={name}
                    onChange={(event) => setName(event.currentTarget.value)}
                  />
                  <PasswordInput
                    label="Password"
                    description="Ten characters or more. A sentence is good."
                    autoComplete="new-password"
                    required
                    value={password}
                    onChange={(event) => setPassword(event.currentTarget.value)}
                  />
                  {join.error ? (
                    <Text role="alert" size="sm" c="var(--mantine-color-error)">
                      {join.error.message}
                    </Text>
                  ) : null}
                  <Button type="submit" loading={join.isPending} fullWidth>
                    Join
                  </Button>
                </Stack>
              </form>
            </Paper>
          )}
        </Stack>
      </Center>
    </main>
  );
}
