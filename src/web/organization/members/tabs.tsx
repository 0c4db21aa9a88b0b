import { useApiQuery, useCan } from "../../../client/react.ts";
import { useTexts } from "../../lib/i18n.tsx";
import { present } from "../../lib/present.ts";
import { useSettings } from "../../lib/settings.ts";
import { joinRequestTexts } from "../../texts/joining.ts";
import { memberTexts } from "../../texts/members.ts";
import { LinkButton } from "../../ui/link-button.tsx";
import { Tabs } from "../../ui/tabs.tsx";

const ONE = { query: { pageSize: 1 } } as const;
const KEPT = { staleTime: 30_000 };

type Props = {
  /** The totals that the page has loaded already; the others are loaded here. */
  readonly members?: number | undefined;
  readonly invited?: number | undefined;
  readonly requests?: number | undefined;
};

export function MembersTabs(known: Props) {
  const texts = useTexts(memberTexts);
  const { requests: asking } = useTexts(joinRequestTexts);
  const { data: settings } = useSettings();
  const maySeeMembers = Boolean(useCan("Members.Read"));
  const maySeeInvited = Boolean(useCan("Invitations.Read"));
  const maySeeRequests = useCan("Invitations.Create", null) === true && settings?.sso === true;
  const members = useApiQuery("GET /api/members", ONE, {
    ...KEPT,
    enabled: maySeeMembers && !("members" in known),
  });
  const invited = useApiQuery("GET /api/members/invitations", ONE, {
    ...KEPT,
    enabled: maySeeInvited && !("invited" in known),
  });
  const requests = useApiQuery("GET /api/members/join-requests", ONE, {
    ...KEPT,
    enabled: maySeeRequests && !("requests" in known),
  });
  const tabs = present([
    maySeeMembers && { to: "/members", label: texts.members, count: known.members ?? members.data?.total },
    maySeeInvited && {
      to: "/invitations",
      label: texts.invited,
      count: known.invited ?? invited.data?.total,
    },
    maySeeRequests && {
      to: "/members/join-requests",
      label: asking,
      count: known.requests ?? requests.data?.total,
    },
  ]);
  return tabs.length < 2 ? null : <Tabs label={texts.members} tabs={tabs} />;
}

/** The links to the pages for inviting, for those who may invite. */
export function InviteLinks() {
  const texts = useTexts(memberTexts);
  if (!useCan("Invitations.Create")) return null;
  return (
    <>
      <LinkButton variant="default" to="/invitations/many">
        {texts.inviteMany}
      </LinkButton>
      <LinkButton to="/invitations/new">{texts.invite}</LinkButton>
    </>
  );
}
