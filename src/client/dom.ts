/*
 * The interfaces of a browser that the client uses and that Node and Bun do not have. They are declared here, so
 * that the same files are type-checked for all three. Everything is looked up when it is needed, and may be
 * missing.
 */

type Listening = {
  addEventListener(
    type: string,
    listener: (event: { readonly persisted?: boolean }) => void,
    options: { readonly signal: AbortSignal },
  ): void;
};

/** The part of `XMLHttpRequest` that the client uses: fetch cannot report how much of a body has been sent. */
export type Upload = {
  upload: { onprogress: ((event: { loaded: number; total: number }) => void) | null };
  onload: (() => void) | null;
  onerror: (() => void) | null;
  onabort: (() => void) | null;
  withCredentials: boolean;
  readonly status: number;
  readonly responseText: string;
  open(method: string, url: string): void;
  setRequestHeader(name: string, value: string): void;
  getResponseHeader(name: string): string | null;
  send(body: FormData): void;
  abort(): void;
};

type Store = {
  getItem(key: string): string | null;
  setItem(key: string, value: string): void;
  removeItem(key: string): void;
};

/** The account that a password manager is told about. */
type Account = { readonly rpId: string; readonly userId: string };

type Browser = {
  readonly document?: Listening & { readonly visibilityState: "visible" | "hidden" };
  readonly window?: Listening;
  readonly location?: {
    readonly hash: string;
    readonly pathname: string;
    readonly search: string;
    readonly origin: string;
    assign(url: string): void;
  };
  readonly history?: {
    readonly state: unknown;
    replaceState(state: unknown, unused: string, url: string): void;
  };
  readonly localStorage?: Store;
  readonly sessionStorage?: Store;
  readonly XMLHttpRequest?: new () => Upload;
  readonly PublicKeyCredential?: {
    signalAllAcceptedCredentials?(of: Account & { allAcceptedCredentialIds: string[] }): Promise<void>;
    signalCurrentUserDetails?(of: Account & { name: string; displayName: string }): Promise<void>;
  };
};

/** The globals of a browser. Each may be missing in other environments. */
export const browser = globalThis as unknown as Browser;
