import { Button, Group, Stack, Text } from "@mantine/core";
import { useNavigate } from "@tanstack/react-router";
import { ApiError, type Schemas } from "../../client/index.ts";
import { useClient } from "../../client/react.ts";
import { useAction } from "../lib/action.ts";
import { useTexts } from "../lib/i18n.tsx";
import { joinTexts } from "../texts/joining.ts";
import { ErrorAlert } from "../ui/error-alert.tsx";
import { Section } from "../ui/page.tsx";

type Joinable = Schemas["JoinableOrganization"];

export default function JoinableOrganizations({ of: organizations }: { of: readonly Joinable[] }) {
  const texts = useTexts(joinTexts);
  return (
    <div className="narrow">
      <Section title={texts.title}>
        <Text size="sm" mb="md">
          {texts.about}
        </Text>
        <Stack gap="sm">
          {organizations.map((organization) =>
            organization.requestedAt === null ? (
              <Join key={organization.id} {...organization} />
            ) : (
              <Requested key={organization.id} {...organization} />
            ),
          )}
        </Stack>
      </Section>
    </div>
  );
}

function Join({ id, name, mode }: Joinable) {
  const texts = useTexts(joinTexts);
  const client = useClient();
  const navigate = useNavigate();
  const join = useAction({
    async run() {
      const { status } = await client
        .request("POST /api/auth/organizations/{id}/join", { path: { id } })
        .catch(memberAlready);
      // An error of switching is ignored, because the user has joined already.
      if (status === "member") await client.switchOrganization(id).catch(() => {});
      return status;
    },
    invalidates: ["GET /api/auth/joinable-organizations", "GET /api/auth/organizations"],
    onDone: (status) => status === "member" && void navigate({ to: "/" }),
  });
  return (
    <div>
      <Group gap="sm">
        <Button loading={join.isRunning} onClick={() => join.run()}>
          {mode === "automatic" ? texts.join(name) : texts.ask(name)}
        </Button>
        {mode === "request" && <Text size="sm">{texts.askAbout}</Text>}
      </Group>
      <ErrorAlert error={join.error} />
    </div>
  );
}

/** Treats a member as one who joined: an administrator may have approved the request meanwhile. */
function memberAlready(error: unknown): Schemas["JoinOutcome"] {
  if (error instanceof ApiError && error.code === "ALREADY_MEMBER") return { status: "member" };
  throw error;
}

function Requested({ id, name }: Joinable) {
  const texts = useTexts(joinTexts);
  const client = useClient();
  const withdraw = useAction({
    run: () => client.request("DELETE /api/auth/organizations/{id}/join", { path: { id } }),
    invalidates: ["GET /api/auth/joinable-organizations"],
  });
  return (
    <div>
      <Group gap="sm">
        <Text size="sm" role="status">
          {texts.requested(name)}
        </Text>
        <Button
          variant="default"
          size="xs"
          aria-label={texts.withdrawFor(name)}
          loading={withdraw.isRunning}
          onClick={() => withdraw.run()}
        >
          {texts.withdraw}
        </Button>
      </Group>
      <ErrorAlert error={withdraw.error} />
    </div>
  );
}
