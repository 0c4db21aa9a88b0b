import { Text } from "@mantine/core";
import type { ReactNode } from "react";
import type { PermissionName } from "../../../client/index.ts";
import { useCan, useSession } from "../../../client/react.ts";
import { dictionary, useTexts } from "../../lib/i18n.tsx";
import * as el from "../../texts/el/organization-shared.ts";
import * as en from "../../texts/en/organization-shared.ts";
import { EmptyState, Page } from "../../ui/page.tsx";

const guardTexts = dictionary(en.guardTexts, el.guardTexts);

type Props = { readonly title: string; readonly needs: PermissionName; readonly children: ReactNode };

/**
 * Renders the page if the user has the permission in the organization or one of its units; otherwise an
 * explanation.
 */
export function Guard({ title, needs, children }: Props) {
  const texts = useTexts(guardTexts);
  const session = useSession();
  const isAllowed = useCan(needs);
  if (session.status !== "signed-in") return null;
  const isNowhere = session.organization === null;
  if (!isNowhere && isAllowed) return children;
  return (
    <Page title={title}>
      <EmptyState text={isNowhere ? (session.isPlatformAdmin ? texts.choose : texts.none) : texts.forbidden}>
        {!isNowhere && <Text size="sm">{texts.needed}</Text>}
      </EmptyState>
    </Page>
  );
}
