import { ActionIcon, Burger, Text } from "@mantine/core";
import { useDisclosure, useHotkeys } from "@mantine/hooks";
import { Link, Outlet, useLocation } from "@tanstack/react-router";
import { lazy, Suspense, useEffect, useState } from "react";
import { useClient, useSession } from "../../client/react.ts";
import { useLanguage, useTexts } from "../lib/i18n.tsx";
import { uiTexts } from "../ui/texts.ts";
import { ConnectionBanner } from "./connection-banner.tsx";
import { SearchIcon } from "./icons.tsx";
import { useLive } from "./live.ts";
import { menu } from "./menu.ts";
import { Bell, OrganizationSwitcher, UserMenu } from "./menus.ts";
import { useRefreshAfterRefusals } from "./refusals.ts";
import { SkipLink } from "./skip-link.tsx";
import { SuspendedBanner } from "./suspended-banner.tsx";
import { shellTexts } from "./texts.ts";
import { Toast } from "./toast.tsx";

// Loaded on demand, because they are rarely used and never needed for the first render.
const ActingBanner = lazy(() => import("../platform/acting-banner.tsx"));
const Palette = lazy(() => import("./palette.tsx"));

/** The layout of pages that need sign-in: header, menu and banners. */
export default function Shell({ isPlatformAdmin }: { isPlatformAdmin: boolean }) {
  const texts = useTexts(shellTexts);
  const { app } = useTexts(uiTexts);
  const [isOpen, { toggle, close }] = useDisclosure();
  const [palette, setPalette] = useState<"never" | "open" | "closed">("never");
  const live = useLive();
  useRefreshAfterRefusals();
  useHotkeys([["mod+K", () => setPalette(palette === "open" ? "closed" : "open")]], []);
  const pathname = useLocation({ select: (location) => location.pathname });
  // biome-ignore lint/correctness/useExhaustiveDependencies: on a phone the menu covers the page that it led to
  useEffect(close, [pathname]);
  return (
    <div className="shell">
      <SkipLink />
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
        <Text fw={700} className="wide-only">
          {app}
        </Text>
        {!isPlatformAdmin && <OrganizationSwitcher />}
        <div className="shell-header-space" />
        <ActionIcon
          variant="default"
          size={32}
          aria-label={texts.palette}
          aria-keyshortcuts="Control+K Meta+K"
          title={`${texts.palette} (Ctrl K)`}
          onClick={() => setPalette("open")}
        >
          <SearchIcon />
        </ActionIcon>
        <Bell unread={live.unreadCount} />
        <UserMenu />
      </header>
      <nav
        id="navigation"
        className="shell-nav"
        aria-label={texts.navigation}
        data-open={isOpen || undefined}
      >
        <Menu />
      </nav>
      <main id="main" className="shell-main" tabIndex={-1}>
        <Suspense>{isPlatformAdmin && <ActingBanner />}</Suspense>
        <ConnectionBanner status={live.status} />
        {!isPlatformAdmin && <SuspendedBanner />}
        <Outlet />
      </main>
      <Toast newest={live.newest} onClose={live.forget} />
      {palette !== "never" && (
        <Suspense>
          <Palette isOpen={palette === "open"} onClose={() => setPalette("closed")} />
        </Suspense>
      )}
    </div>
  );
}

function Menu() {
  const client = useClient();
  const { language } = useLanguage();
  // Re-renders when the session changes, because its permissions decide which items are visible.
  useSession();
  const pathname = useLocation({ select: (location) => location.pathname });
  return menu
    .filter(({ isVisible }) => isVisible?.(client) ?? true)
    .map(({ to, text }) => {
      const isCurrent = to === "/" ? pathname === "/" : pathname === to || pathname.startsWith(`${to}/`);
      return (
        <Link
          key={to}
          to={to}
          className="nav-link"
          data-active={isCurrent || undefined}
          aria-current={pathname === to ? "page" : undefined}
        >
          {text[language]}
        </Link>
      );
    });
}
