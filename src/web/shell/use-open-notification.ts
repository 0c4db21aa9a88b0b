import { useRouter } from "@tanstack/react-router";
import { useClient } from "../../client/react.ts";
import { useAction } from "../lib/action.ts";
import { openPage } from "../lib/location.ts";
import { type Notification, organizationOf, pageOf } from "./notification-text.ts";

export function useOpenNotification(onOpened?: () => void) {
  const client = useClient();
  const router = useRouter();
  return useAction<Notification, Notification>({
    async run(notification) {
      const { id, readAt } = notification;
      if (readAt === null) await client.request("POST /api/notifications/{id}/read", { path: { id } });
      const session = client.session.get();
      const organization = organizationOf(notification);
      if (
        pageOf(notification) !== null &&
        organization !== null &&
        session.status === "signed-in" &&
        !session.isPlatformAdmin &&
        session.organization?.id !== organization
      )
        await client.switchOrganization(organization);
      return notification;
    },
    invalidates: ["GET /api/notifications"],
    onDone(notification) {
      onOpened?.();
      const page = pageOf(notification);
      if (page === null) return;
      if (page.startsWith("/")) void router.navigate({ href: page });
      else openPage(page);
    },
  });
}
