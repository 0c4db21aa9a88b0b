import { Text } from "@mantine/core";
import { useLocation } from "@tanstack/react-router";
import { useApiQuery } from "../../client/react.ts";
import { useClaims } from "../lib/claims.ts";
import { useLanguage, useTexts } from "../lib/i18n.tsx";
import { guardTexts } from "../texts/organization-shared.ts";
import { shellTexts } from "../texts/shell.ts";
import { EmptyState } from "../ui/empty-state.tsx";
import { Page } from "../ui/page.tsx";
import { isWithin, menu } from "./menu.ts";

/** A page that the session may not see: says why, and who can help. */
export default function NoAccess() {
  const { noAccess } = useTexts(shellTexts);
  const { language } = useLanguage();
  const pathname = useLocation({ select: (location) => location.pathname });
  const item = menu().find(({ to }) => isWithin(pathname, to));
  const texts = useTexts(guardTexts);
  const { organization, isPlatformAdmin } = useClaims();
  const isNowhere = organization === null;
  const isMember = isNowhere && !isPlatformAdmin;
  const { data, isPending } = useApiQuery("GET /api/auth/organizations", {}, { enabled: isMember });
  if (organization === undefined || (isMember && isPending)) return null;
  const suspended = data?.find(({ status }) => status === "SUSPENDED");
  const canChoose = data?.some(({ status }) => status === "ACTIVE") ?? false;
  function reason(): string {
    if (!isNowhere) return texts.forbidden;
    if (!isMember) return texts.choose;
    if (canChoose) return texts.chooseOwn;
    return suspended === undefined ? texts.none : texts.suspended(suspended.name);
  }
  return (
    <Page title={item?.text[language] ?? noAccess}>
      <EmptyState text={reason()}>{!isNowhere && <Text size="sm">{texts.needed}</Text>}</EmptyState>
    </Page>
  );
}
