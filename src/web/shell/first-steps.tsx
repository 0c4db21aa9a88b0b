import { Text } from "@mantine/core";
import { useApiQuery, useClient } from "../../client/react.ts";
import { useClaims } from "../lib/claims.ts";
import { useTexts } from "../lib/i18n.tsx";
import { homeTexts } from "../texts/home.ts";
import { Part } from "../ui/parts.tsx";
import { TextLink } from "../ui/text-link.tsx";
import { menu } from "./menu.ts";
import { useMayFound } from "./use-may-found.ts";

const INVITATIONS = "/invitations";

type Step = {
  key: "verified" | "founded" | "joined" | "twoFactor" | "invite";
  isDone: boolean;
  to: "/" | "/profile" | "/profile/security" | "/new-organization" | "/invitations/new";
};

/** A checklist for new users. Renders nothing if all steps are done. */
export function FirstSteps() {
  const texts = useTexts(homeTexts);
  const client = useClient();
  const { organization, isPlatformAdmin } = useClaims();
  const { data: profile } = useApiQuery("GET /api/profile", {}, { staleTime: 60_000 });
  const mayInvite = menu().some(({ to }) => to === INVITATIONS) && Boolean(client.can("Invitations.Create"));
  const mayFound = useMayFound();
  const members = useApiQuery(
    "GET /api/members",
    { query: { pageSize: 1 } },
    { enabled: mayInvite && !isPlatformAdmin },
  );
  if (profile === undefined || mayFound === undefined || organization === undefined || isPlatformAdmin)
    return null;
  const steps: Step[] = [
    { key: "verified", isDone: true, to: "/profile" },
    {
      key: mayFound ? "founded" : "joined",
      isDone: organization !== null,
      to: mayFound ? "/new-organization" : "/",
    },
    { key: "twoFactor", isDone: profile.twoFactorEnabled, to: "/profile/security" },
    ...(mayInvite
      ? [{ key: "invite", isDone: (members.data?.total ?? 2) > 1, to: "/invitations/new" } as const]
      : []),
  ];
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
