import type { Schemas } from "../../../client/index.ts";
import { useCan, useClient } from "../../../client/react.ts";
import { useTexts } from "../../lib/i18n.tsx";
import { memberTexts } from "../../texts/members.ts";
import { RowMenu } from "../../ui/row-menu.tsx";

type Props = { readonly member: Schemas["Member"]; readonly isMe: boolean };

export const pagesOf = (userId: string) => ({
  roles: `/members/${userId}`,
  access: `/members/${userId}/access`,
  activity: `/members/${userId}/activity`,
});

export function MemberMenu({ member, isMe }: Props) {
  const texts = useTexts(memberTexts);
  const maySeeActivity = useCan("Audit.Read");
  const removal = useRemoval(member);
  const { firstName, lastName, userId } = member;
  const pages = pagesOf(userId);
  const actions = [
    { label: texts.rolesAndUnits, to: pages.roles },
    { label: texts.accessTab, to: pages.access },
    maySeeActivity && { label: texts.activity, to: pages.activity },
    removal !== null && !isMe && { label: texts.remove, confirm: removal },
  ];
  return (
    <div className="row-actions">
      <RowMenu label={texts.actionsOf(`${firstName} ${lastName}`)} actions={actions} />
    </div>
  );
}

export function useRemoval({ userId, firstName, lastName }: Schemas["Member"]) {
  const texts = useTexts(memberTexts);
  const client = useClient();
  const mayRemove = useCan("Members.Delete");
  if (!mayRemove) return null;
  return {
    question: texts.removeQuestion(`${firstName} ${lastName}`),
    run: () => client.request("DELETE /api/members/{userId}", { path: { userId } }),
    leavesTo: "/members",
    invalidates: ["GET /api/members", "GET /api/units", "GET /api/organization/billing"] as const,
  };
}
