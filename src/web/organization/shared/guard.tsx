import { Text } from "@mantine/core";
import type { ReactNode } from "react";
import type { PermissionName } from "../../../client/index.ts";
import { useCan, useSession } from "../../../client/react.ts";
import { dictionary, useTexts } from "../../lib/i18n.tsx";
import { EmptyState, Page } from "../../ui/page.tsx";

const guardTexts = dictionary(
  {
    none: "You belong to no organization.",
    choose: "Choose an organization to act on first, in the list of organizations.",
    forbidden: "Your roles do not include this page.",
    needed: "Ask an administrator of the organization if you need it.",
  },
  {
    none: "Δεν ανήκετε σε κανέναν οργανισμό.",
    choose:
      "Διαλέξτε πρώτα έναν οργανισμό για λογαριασμό του οποίου θα ενεργείτε, από τη λίστα των οργανισμών.",
    forbidden: "Οι ρόλοι σας δεν περιλαμβάνουν αυτή τη σελίδα.",
    needed: "Αν τη χρειάζεστε, ζητήστε το από έναν διαχειριστή του οργανισμού.",
  },
);

type Props = { readonly title: string; readonly needs: PermissionName; readonly children: ReactNode };

/** The page for whoever holds the permission anywhere in the organization; others read why it is not for them. */
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
