import { Text } from "@mantine/core";
import { useApiQuery, useClient, useSession } from "../../client/react.ts";
import { useTexts } from "../lib/i18n.tsx";
import { Part } from "../ui/parts.tsx";
import { TextLink } from "../ui/text-link.tsx";
import { homeTexts } from "./home-texts.ts";
import { menu } from "./menu.ts";

const INVITATIONS = "/invitations";

/** A checklist for new users. Renders nothing if all steps are done. */
export function FirstSteps() {
  const texts = useTexts(homeTexts);
  const client = useClient();
  const session = useSession();
  const { data: profile } = useApiQuery("GET /api/profile", {}, { staleTime: 60_000 });
  const mayInvite = menu().some(({ to }) => to === INVITATIONS) && Boolean(client.can("Invitations.Create"));
  const isAdmin = session.status === "signed-in" && session.isPlatformAdmin;
  const members = useApiQuery(
    "GET /api/members",
    { query: { pageSize: 1 } },
    { enabled: mayInvite && !isAdmin },
  );
  if (profile === undefined || session.status !== "signed-in" || isAdmin) return null;
  const steps = [
    { key: "verified", isDone: true, to: "/profile" },
    { key: "founded", isDone: session.organization !== null, to: "/new-organization" },
    { key: "twoFactor", isDone: profile.twoFactorEnabled, to: "/profile/security" },
    ...(mayInvite
      ? [{ key: "invite", isDone: (members.data?.total ?? 2) > 1, to: "/invitations/new" } as const]
      : []),
  ] as const;
  if (steps.every(({ isDone }) => isDone)) return null;
  return (
    <Part title={texts.firstSteps}>
      <ol className="plain-list steps">
        {steps.map(({ key, isDone, to }) => (
          <li key={key}>
            <Text
              span
              size="sm"
              c={isDone ? "green" : "dimmed"}
              role="img"
              aria-label={isDone ? texts.done : texts.open}
            >
              {isDone ? "✓" : "○"}
            </Text>
            {isDone ? (
              <Text span size="sm" c="dimmed">
                {texts[key]}
              </Text>
            ) : (
              <TextLink to={to}>{texts[key]}</TextLink>
            )}
          </li>
        ))}
      </ol>
    </Part>
  );
}
