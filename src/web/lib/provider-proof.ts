/*
 * A re-authentication with a sign-in provider ends in a separate window, which notifies the page that waits for it.
 */

const NAME = "reauthenticated";

/** Tells the other windows of the console that a provider has proven the user's identity. */
export function tellProof(provider: string): void {
  if (typeof BroadcastChannel === "undefined") return;
  const channel = new BroadcastChannel(NAME);
  channel.postMessage(provider);
  channel.close();
}

/** Calls back with each provider that has proven the user's identity; returns the function that stops. */
export function hearProofs(listener: (provider: unknown) => void): () => void {
  if (typeof BroadcastChannel === "undefined") return () => {};
  const channel = new BroadcastChannel(NAME);
  channel.onmessage = ({ data }) => listener(data);
  return () => channel.close();
}
