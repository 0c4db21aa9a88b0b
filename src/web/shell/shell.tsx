import { Burger, Text } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { useLocation, useRouterState } from "@tanstack/react-router";
import { lazy, Suspense, useEffect } from "react";
import { ProofDialog } from "../account/proof-dialog.tsx";
import { useTexts } from "../lib/i18n.tsx";
import { Icon } from "../lib/icons.tsx";
import { shellTexts } from "../texts/shell.ts";
import { uiTexts } from "../texts/ui.ts";
import { ConfinedBanner } from "./confined-banner.tsx";
import { ConnectionBanner } from "./connection-banner.tsx";
import { useLive, useRefreshAfterRefusals } from "./live.ts";
import { Bell, OrganizationSwitcher, UserMenu } from "./menus.ts";
import { Navigation } from "./navigation.tsx";
import type { Notification } from "./notification-text.ts";
import { RouteGuard } from "./route-guard.tsx";
import { SuspendedBanner } from "./suspended-banner.tsx";
import { usePalette } from "./use-palette.ts";
import { usePreloadedPages } from "./use-preloaded-pages.ts";

// These components are loaded on demand, because they are rarely used and not needed for the first render.
const ActingBanner = lazy(() => import("../platform/acting-banner.tsx"));
const ToastCard = lazy(() => import("./toast-card.tsx"));

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
          <Navigation />
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

/** The skip link: the first element in the tab order, which lets keyboard users skip the menu. */
function SkipLink() {
  const texts = useTexts(shellTexts);
  return (
    // biome-ignore lint/a11y/useValidAnchor: the focus is moved by script, because a fragment would change the page's URL
    <a
      className="skip-link"
      href="#main"
      onClick={(event) => {
        event.preventDefault();
        document.getElementById("main")?.focus();
      }}
    >
      {texts.skip}
    </a>
  );
}

/** A line at the top of the window while the next page is being loaded. */
function RouteProgress() {
  const isLoading = useRouterState({ select: ({ isLoading: isPending }) => isPending });
  return <div className="route-progress" data-active={isLoading || undefined} aria-hidden="true" />;
}

/** Shows the newest notification for a few seconds; screen readers announce it. */
function Toast({ newest, onClose }: { newest: Notification | null; onClose: () => void }) {
  return (
    <div className="toasts" role="status">
      <Suspense>
        {newest !== null && <ToastCard key={newest.id} newest={newest} onClose={onClose} />}
      </Suspense>
    </div>
  );
}
