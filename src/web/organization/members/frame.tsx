import type { ReactNode } from "react";
import type { Schemas } from "../../../client/index.ts";
import { useApiQuery, useCan } from "../../../client/react.ts";
import { useClaims } from "../../lib/claims.ts";
import { useFormat } from "../../lib/format.ts";
import { useTexts } from "../../lib/i18n.tsx";
import { memberTexts } from "../../texts/members.ts";
import { Avatar } from "../../ui/avatar.tsx";
import { ConfirmButton } from "../../ui/confirm-button.tsx";
import { Page } from "../../ui/page.tsx";
import { PendingPage } from "../../ui/pending.tsx";
import { Tabs } from "../../ui/tabs.tsx";
import { TextLink } from "../../ui/text-link.tsx";
import { pagesOf, useRemoval } from "./menu.tsx";

type Member = Schemas["Member"];
type Props = {
  readonly userId: string;
  /** The name of the tab; the first tab needs none. */
  readonly part?: string;
  readonly children: (member: Member) => ReactNode;
};

const Back = () => <TextLink to="/members">{useTexts(memberTexts).back}</TextLink>;

export function MemberFrame({ userId, part, children }: Props) {
  const texts = useTexts(memberTexts);
  const query = useApiQuery("GET /api/members/{userId}", { path: { userId } });
  const { data } = query;
  if (data === undefined) return <PendingPage title={texts.members} of={query} actions={<Back />} />;
  return (
    <Head member={data} part={part}>
      {children(data)}
    </Head>
  );
}

function Head({ member, part, children }: { member: Member; part?: string; children: ReactNode }) {
  const texts = useTexts(memberTexts);
  const { userId: me } = useClaims();
  const maySeeActivity = useCan("Audit.Read");
  const removal = useRemoval(member);
  const { userId } = member;
  const isMe = userId === me;
  const name = `${member.firstName} ${member.lastName}`;
  const pages = pagesOf(userId);
  return (
    <Page
      title={name}
      part={part}
      picture={<Avatar name={name} id={userId} size={56} />}
      about={<About member={member} />}
      actions={removal !== null && !isMe && <ConfirmButton label={texts.remove} {...removal} />}
    >
      <Back />
      <Tabs
        label={name}
        tabs={[
          { to: pages.roles, label: texts.rolesAndUnits },
          { to: pages.access, label: texts.accessTab },
          maySeeActivity && { to: pages.activity, label: texts.activity },
        ]}
      />
      {children}
    </Page>
  );
}

function About({ member: { email, joinedAt, lastActiveOn, twoFactorEnabled } }: { member: Member }) {
  const texts = useTexts(memberTexts);
  const { date } = useFormat();
  const facts = [email, `${texts.joined} ${date(joinedAt)}`];
  if (twoFactorEnabled !== null) {
    facts.push(lastActiveOn === null ? texts.neverActive : texts.lastSeen(date(lastActiveOn)));
    facts.push(twoFactorEnabled ? texts.withFactor : texts.withoutFactor);
  }
  return facts.join(" · ");
}
