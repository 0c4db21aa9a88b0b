import { Burger, Text } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { Link, useLocation } from "@tanstack/react-router";
import { Fragment, lazy, type ReactNode, Suspense, useEffect } from "react";
import { useClient, useSession } from "../../client/react.ts";
import { ProofDialog } from "../account/proof-dialog.tsx";
import { useLanguage, useTexts } from "../lib/i18n.tsx";
import { Icon } from "../lib/icons.tsx";
import { MENU_GROUPS } from "../lib/menu.ts";
import { product } from "../lib/product.ts";
import { useSettings } from "../lib/settings.ts";
import { uiTexts } from "../ui/texts.ts";
import { ConfinedBanner } from "./confined-banner.tsx";
import { ConnectionBanner } from "./connection-banner.tsx";
import { useLive } from "./live.ts";
import { isWithin, visibleMenu } from "./menu.ts";
import { Bell, OrganizationSwitcher, UserMenu } from "./menus.ts";
import { useRefreshAfterRefusals } from "./refusals.ts";
import { RouteGuard } from "./route-guard.tsx";
import { RouteProgress } from "./route-progress.tsx";
import { SkipLink } from "./skip-link.tsx";
import { SuspendedBanner } from "./suspended-banner.tsx";
import { shellTexts } from "./texts.ts";
import { Toast } from "./toast.tsx";
import { useInboxCount } from "./use-inbox-count.ts";
import { usePalette } from "./use-palette.ts";
import { usePreloadedPages } from "./use-preloaded-pages.ts";
import { useProductPages } from "./use-product-pages.ts";

// These components are loaded on demand, because they are rarely used and not needed for the first render.
const ActingBanner = lazy(() => import("../platform/acting-banner.tsx"));

export default function Shell({ isPlatformAdmin }: { isPlatformAdmin: boolean }) {
  const texts = useTexts(shellTexts);
  const { app } = useTexts(uiTexts);
  const [isOpen, { toggle, close }] = useDisclosure();
  const palette = usePalette();
  const live = useLive();
  useRefreshAfterRefusals();
  usePreloadedPages();
  const pathname = useLocation({ select: (location) => location.pathname });
  // biome-ignore lint/correctness/useExhaustiveDependencies: the menu covers the page on a phone, so it closes after navigation
  useEffect(close, [pathname]);
  return (
    <div className="shell">
      <SkipLink />
      <RouteProgress />
      <div className="shell-side">
        <header className="shell-header">
          <Burger
            className="shell-burger"
            size="sm"
            opened={isOpen}
            onClick={toggle}
            aria-label={texts.openMenu}
            aria-expanded={isOpen}
            aria-controls="navigation"
          />
          {isPlatformAdmin ? (
            <Text fw={600} className="shell-title">
              {app}
            </Text>
          ) : (
            <OrganizationSwitcher />
          )}
          <button
            type="button"
            className="shell-search"
            aria-keyshortcuts="Control+K Meta+K"
            onClick={palette.open}
          >
            <Icon name="search" size={16} />
            <span className="wide-visible">{texts.palette}</span>
            <span className="wide-only shell-keys" aria-hidden="true">
              Ctrl K
            </span>
          </button>
          <Bell unread={live.unreadCount} />
        </header>
        <nav
          id="navigation"
          className="shell-nav"
          aria-label={texts.navigation}
          data-open={isOpen || undefined}
        >
          <Menu />
        </nav>
        <div className="shell-account">
          <UserMenu />
        </div>
      </div>
      <main id="main" className="shell-main" tabIndex={-1}>
        <Suspense>{isPlatformAdmin && <ActingBanner />}</Suspense>
        <ProofDialog />
        <ConnectionBanner status={live.status} />
        {!isPlatformAdmin && <SuspendedBanner />}
        {!isPlatformAdmin && <ConfinedBanner />}
        <RouteGuard />
      </main>
      <Toast newest={live.newest} onClose={live.forget} />
      {palette.Palette !== null && <palette.Palette isOpen={palette.isOpen} onClose={palette.close} />}
    </div>
  );
}

function Menu() {
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

/** A section of the menu; nothing if it has no items. */
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
