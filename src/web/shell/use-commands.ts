import { useMantineColorScheme } from "@mantine/core";
import { useRouter } from "@tanstack/react-router";
import { useApiQuery, useClient } from "../../client/react.ts";
import { useClaims } from "../lib/claims.ts";
import { useLanguage, useTexts } from "../lib/i18n.tsx";
import { openPage } from "../lib/location.ts";
import { useSettings } from "../lib/settings.ts";
import { shellTexts } from "../texts/shell.ts";
import { menuTexts } from "../texts/shell-menus.ts";
import { maySee, reachableItems } from "./menu.ts";
import { useMayFound } from "./use-may-found.ts";
import { useProductPages } from "./use-product-pages.ts";

export type Command = {
  readonly key: string;
  readonly text: string;
  readonly kind: "page" | "organization" | "action" | "member" | "unit" | "role" | "ticket";
  readonly run: () => void;
};

const OWN_PAGES = [
  ["/profile", "profile"],
  ["/profile/security", "security"],
  ["/profile/sessions", "sessions"],
  ["/profile/data", "ownData"],
] as const;

const CREATE_PAGES = [
  ["/support/tickets/new", "newTicket"],
  ["/invitations/new", "newInvitation"],
  ["/roles/new", "newRole"],
  ["/service-accounts/new", "newServiceAccount"],
  ["/webhooks/new", "newWebhook"],
] as const;

export function useCommands(): readonly Command[] {
  const texts = useTexts(menuTexts);
  const shell = useTexts(shellTexts);
  const client = useClient();
  const router = useRouter();
  const { language } = useLanguage();
  const ofProduct = useProductPages();
  const { data: settings } = useSettings();
  const mayFound = useMayFound();
  const { setColorScheme } = useMantineColorScheme();
  const isMember = useClaims().isPlatformAdmin === false;
  const { data: organizations = [] } = useApiQuery("GET /api/auth/organizations", {}, { enabled: isMember });

  const page = (href: string, text: string): Command => ({
    key: href,
    text,
    kind: "page",
    run: () => void router.navigate({ href }),
  });
  const action = (key: string, text: string, run: () => void): Command => ({
    key,
    text,
    kind: "action",
    run,
  });
  /** Errors are ignored here, because the current page shows them. */
  const quietly = (work: Promise<unknown>) => void work.catch(() => {});
  return [
    ...reachableItems(client, settings).map(({ to, text }) => page(to, text[language])),
    ...ofProduct.map(({ href, text }): Command => {
      const run = () => openPage(href);
      return { key: href, text: text[language], kind: "page", run };
    }),
    page("/notifications", shell.notifications),
    ...OWN_PAGES.map(([to, name]) => page(to, texts[name])),
    ...(settings?.oauth ? [page("/profile/apps", texts.ownApps)] : []),
    ...CREATE_PAGES.filter(([to]) => maySee(client, to)).map(([to, name]) =>
      action(to, texts[name], () => void router.navigate({ href: to })),
    ),
    ...organizations
      .filter(({ status, current }) => status === "ACTIVE" && !current)
      .map(
        ({ id, name }): Command => ({
          key: id,
          text: name,
          kind: "organization",
          run: () => quietly(client.switchOrganization(id).then(() => router.navigate({ to: "/" }))),
        }),
      ),
    ...(isMember && mayFound ? [page("/new-organization", texts.newOrganization)] : []),
    action("light", `${texts.theme}: ${texts.light}`, () => setColorScheme("light")),
    action("dark", `${texts.theme}: ${texts.dark}`, () => setColorScheme("dark")),
    action("auto", `${texts.theme}: ${texts.auto}`, () => setColorScheme("auto")),
    ...(DEMO_ACCOUNTS !== ""
      ? [action("test", texts.sendTest, () => quietly(client.request("POST /api/notifications/test")))]
      : []),
    action("sign-out", texts.signOut, () => quietly(client.signOut())),
  ];
}
