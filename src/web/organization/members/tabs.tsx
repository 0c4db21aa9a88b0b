import { useApiQuery, useCan } from "../../../client/react.ts";
import { useTexts } from "../../lib/i18n.tsx";
import { Tabs } from "../../ui/tabs.tsx";
import { memberTexts } from "./texts.ts";

const ONE = { query: { pageSize: 1 } } as const;
const KEPT = { staleTime: 30_000 };

type Props = {
  /** The totals that the page has loaded already; the others are loaded here. */
  readonly members?: number | undefined;
  readonly invited?: number | undefined;
};

/** The tabs of the page of members: members and invited people, each with its total. */
export function MembersTabs(known: Props) {
  const texts = useTexts(memberTexts);
  const [maySeeMembers, maySeeInvited] = [
    Boolean(useCan("Members.Read")),
    Boolean(useCan("Invitations.Read")),
  ];
  const members = useApiQuery("GET /api/members", ONE, {
    ...KEPT,
    enabled: maySeeMembers && !("members" in known),
  });
  const invited = useApiQuery("GET /api/members/invitations", ONE, {
    ...KEPT,
    enabled: maySeeInvited && !("invited" in known),
  });
  if (!maySeeMembers || !maySeeInvited) return null;
  return (
    <Tabs
      label={texts.members}
      tabs={[
        { to: "/members", label: texts.members, count: known.members ?? members.data?.total },
        { to: "/invitations", label: texts.invited, count: known.invited ?? invited.data?.total },
      ]}
    />
  );
}
