import type { CDPSession, Page } from "playwright-core";
import { endAfterTest } from "./browser.ts";

/** A virtual authenticator of Chromium, as the DevTools protocol describes it. */
export type VirtualAuthenticator = {
  transport?: "internal" | "usb";
  hasUserVerification?: boolean;
  isUserVerified?: boolean;
  /** Whether new passkeys can be synced, and are. */
  isSynced?: boolean;
  /** A security key of the older standard: it stores nothing and verifies nobody. */
  isU2f?: boolean;
};

export type Authenticator = {
  session: CDPSession;
  authenticatorId: string;
  /** Returns the passkeys that it stores. */
  credentials: () => Promise<{ credentialId: string; signCount: number; isResidentCredential: boolean }[]>;
  /** Whether the user passes verification from now on. */
  verify: (isUserVerified: boolean) => Promise<void>;
  /** Whether the user touches it when it is asked from now on. */
  touch: (enabled: boolean) => Promise<void>;
  remove: () => Promise<void>;
};

/** Plugs a virtual authenticator into the browser of a page. */
export async function addAuthenticator(
  page: Page,
  {
    transport = "internal",
    hasUserVerification = true,
    isUserVerified = true,
    isSynced = false,
    isU2f = false,
  }: VirtualAuthenticator = {},
): Promise<Authenticator> {
  const session = await page.context().newCDPSession(page);
  // The authenticator goes with the session.
  endAfterTest(page, () => session.detach());
  await session.send("WebAuthn.enable", { enableUI: false });
  const { authenticatorId } = await session.send("WebAuthn.addVirtualAuthenticator", {
    options: {
      ...(isU2f
        ? { protocol: "u2f" as const, transport: "usb" as const }
        : {
            protocol: "ctap2" as const,
            ctap2Version: "ctap2_1" as const,
            transport,
            hasResidentKey: true,
            hasUserVerification,
            isUserVerified,
          }),
      automaticPresenceSimulation: true,
      defaultBackupEligibility: isSynced,
      defaultBackupState: isSynced,
    },
  });
  return {
    session,
    authenticatorId,
    credentials: async () =>
      (await session.send("WebAuthn.getCredentials", { authenticatorId })).credentials as Awaited<
        ReturnType<Authenticator["credentials"]>
      >,
    verify: (isVerified) =>
      session
        .send("WebAuthn.setUserVerified", { authenticatorId, isUserVerified: isVerified })
        .then(() => {}),
    touch: (enabled) =>
      session.send("WebAuthn.setAutomaticPresenceSimulation", { authenticatorId, enabled }).then(() => {}),
    remove: () => session.send("WebAuthn.removeVirtualAuthenticator", { authenticatorId }).then(() => {}),
  };
}

/**
 * Returns a port that nothing uses: passkeys are bound to an origin, which is configured before the service starts. It is not one of
 * those that the system gives to outgoing connections, because one of them could use it before the service does.
 */
export function freePort(): number {
  for (;;) {
    const port = 20_000 + Math.floor(Math.random() * 10_000);
    try {
      Bun.listen({ hostname: "127.0.0.1", port, socket: { data() {} } }).stop(true);
      return port;
    } catch {
      // Another process uses the port.
    }
  }
}
