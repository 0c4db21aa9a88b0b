import { Link, useLocation } from "@tanstack/react-router";
import { Fragment, type ReactNode, useEffect, useState } from "react";
import { useApiQuery, useCan, useClient, useSession } from "../../client/react.ts";
import { useLanguage, useTexts } from "../lib/i18n.tsx";
import { Icon } from "../lib/icons.tsx";
import { MENU_GROUPS } from "../lib/menu.ts";
import { product } from "../lib/product.ts";
import { useSettings } from "../lib/settings.ts";
import { shellTexts } from "../texts/shell.ts";
import { isWithin, visibleMenu } from "./menu.ts";
import { useProductPages } from "./use-product-pages.ts";

/** The delay after which the number at the inbox is loaded, so that it does not compete with the page. */
const AFTER_MS = 2_000;
const FRESH_MS = 60_000;

/** Returns the number of unresolved tickets that the user can read; undefined until it is known. */
function useInboxCount(): number | undefined {
  const [isLate, setLate] = useState(false);
  const enabled = Boolean(useCan("Helpdesk.Read")) && isLate;
  useEffect(() => {
    const timer = setTimeout(() => setLate(true), AFTER_MS);
    return () => clearTimeout(timer);
  }, []);
  const query = { status: ["OPEN" as const, "IN_PROGRESS" as const], pageSize: 1 };
  const { data } = useApiQuery(
    "GET /api/organization/helpdesk/tickets",
    { query },
    { enabled, staleTime: FRESH_MS },
  );
  return data?.total;
}

export function Navigation() {
  const texts = useTexts(shellTexts);
  const client = useClient();
  const { language } = useLanguage();
  // Re-renders the menu when the session changes, because its permissions decide which items are visible.
  useSession();
  const inbox = useInboxCount();
  const pathname = useLocation({ select: (location) => location.pathname });
  const { data: settings } = useSettings();
  const visible = visibleMenu(client, settings);
  const ofProduct = useProductPages();
  return MENU_GROUPS.map((group) => {
    const items = visible.filter((item) => (item.group ?? "work") === group);
    return (
      <Fragment key={group}>
        <MenuGroup title={group === "home" ? null : texts[group]}>
          {items.map(({ to, also, text, icon }) => {
            const isCurrent = isWithin(pathname, to) || isWithin(pathname, also);
            return (
              <Link
                key={to}
                to={to}
                className="nav-link"
                data-active={isCurrent || undefined}
                aria-current={pathname === to ? "page" : undefined}
              >
                <Icon name={icon ?? "list"} size={16} />
                {text[language]}
                {to === "/helpdesk/tickets" && inbox !== undefined && inbox > 0 && (
                  <span className="nav-count dimmed">{inbox}</span>
                )}
              </Link>
            );
          })}
        </MenuGroup>
        {group === "work" && product !== null && (
          <MenuGroup title={product.name[language]}>
            {ofProduct.map(({ href, text }) => (
              <a key={href} href={href} className="nav-link">
                <Icon name="list" size={16} />
                {text[language]}
              </a>
            ))}
          </MenuGroup>
        )}
      </Fragment>
    );
  });
}

function MenuGroup({ title, children }: { title: string | null; children: readonly ReactNode[] }) {
  if (children.length === 0) return null;
  return (
    <div className="nav-group">
      {title !== null && (
        <div className="nav-title dimmed" aria-hidden="true">
          {title}
        </div>
      )}
      {children}
    </div>
  );
}
