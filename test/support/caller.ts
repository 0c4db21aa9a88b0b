import { assertDocumented } from "./document.ts";

export type ApiResponse = {
  status: number;
  // biome-ignore lint/suspicious/noExplicitAny: each test knows which body it expects
  body: any;
  headers: Headers;
  /** The value of the refresh cookie that the response sets: empty if it is cleared, null if it is not set. */
  cookie: string | null;
};

export type Options = {
  headers?: Record<string, string>;
  raw?: string | Uint8Array<ArrayBuffer> | ReadableStream;
};

/** A user with a browser: stores an access token and the refresh cookie as a client would. */
export class Caller {
  accessToken: string | null = null;
  cookie: string | null = null;
  /** The client address to send in X-Forwarded-For, to a service with `TRUST_PROXY`. */
  address: string | null = null;

  constructor(
    readonly url: string,
    readonly account: { email: string; password: string } = { email: "", password: "" },
  ) {}

  get email() {
    return this.account.email;
  }

  get(path: string, options?: Options) {
    return this.send("GET", path, undefined, options);
  }
  post(path: string, body?: unknown, options?: Options) {
    return this.send("POST", path, body, options);
  }
  patch(path: string, body?: unknown, options?: Options) {
    return this.send("PATCH", path, body, options);
  }
  delete(path: string, options?: Options) {
    return this.send("DELETE", path, undefined, options);
  }

  /** Signs in through the API and stores the tokens. */
  async login(password = this.account.password): Promise<ApiResponse> {
    return this.post("/api/auth/login", { email: this.account.email, password });
  }
  refresh(options?: Options): Promise<ApiResponse> {
    return this.post("/api/auth/refresh", undefined, options);
  }

  /** Returns the same user in the same browser, calling another instance. */
  at(url: string): Caller {
    const other = new Caller(url, this.account);
    other.accessToken = this.accessToken;
    other.cookie = this.cookie;
    other.address = this.address;
    return other;
  }

  /**
   * Sends a request with this browser's token and cookie. Throws if the OpenAPI document does not declare the
   * response.
   */
  async send(
    method: string,
    path: string,
    body?: unknown,
    { headers = {}, raw }: Options = {},
  ): Promise<ApiResponse> {
    const payload = raw ?? (body === undefined ? undefined : JSON.stringify(body));
    const response = await fetch(this.url + path, {
      method,
      headers: {
        ...(this.accessToken !== null && { authorization: `Bearer ${this.accessToken}` }),
        ...(this.cookie && path.startsWith("/api/auth") && { cookie: `refresh_token=${this.cookie}` }),
        ...(body !== undefined && { "content-type": "application/json" }),
        ...(this.address !== null && { "x-forwarded-for": this.address }),
        ...headers,
      },
      ...(payload !== undefined && { body: payload }),
      redirect: "manual",
    });
    const type = response.headers.get("content-type") ?? "";
    const isJson = type.startsWith("application/json");
    // An event stream does not end; test/support/stream.ts reads one.
    const text = type === "text/event-stream" ? "" : await response.text();
    if (type === "text/event-stream") await response.body?.cancel();
    const result: ApiResponse = {
      status: response.status,
      body: isJson ? JSON.parse(text) : text,
      headers: response.headers,
      cookie: setCookie(response.headers),
    };
    assertDocumented(method, path, result);
    if (result.cookie !== null) this.cookie = result.cookie || null;
    if (result.status === 200 && typeof result.body?.accessToken === "string")
      this.accessToken = result.body.accessToken;
    return result;
  }
}

function setCookie(headers: Headers): string | null {
  const cookie = headers.getSetCookie().find((value) => value.startsWith("refresh_token="));
  return cookie === undefined ? null : cookie.slice("refresh_token=".length, cookie.indexOf(";"));
}

/** Returns the claims of an access token without verifying it. */
export const claimsOf = (token: string) =>
  JSON.parse(Buffer.from(token.split(".")[1] ?? "", "base64url").toString("utf8"));
