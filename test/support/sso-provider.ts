import { afterAll } from "bun:test";
import { createHash } from "node:crypto";
import { type CryptoKey, exportJWK, generateKeyPair, type JWTPayload, SignJWT } from "jose";

/** What a provider would say of a person; the rest of the ID token is added. */
export type Claims = Record<string, unknown> & { sub: string };

type Flow = { claims: Claims; nonce: string; clientId: string; challenge: string; redirectUri: string };
type Keys = { privateKey: CryptoKey; jwk: object };

/** An OpenID provider for connections, which answers as a test tells it to. It accepts every client. */
export class SsoProvider {
  /** The paths that were requested. */
  readonly calls: string[] = [];
  /** Changes the claims of every ID token. */
  claims: ((claims: JWTPayload) => JWTPayload) | null = null;
  /** Replaces the ID token. */
  token: ((claims: JWTPayload) => Promise<string> | string) | null = null;
  /** What the userinfo endpoint says; by default the claims of the ID token. */
  userinfo: Record<string, unknown> | null = null;
  /** Answers instead of the provider. */
  instead: ((path: string) => Response | Promise<Response | null> | null) | null = null;
  /** The issuer in the redirect back; null for none. */
  responseIssuer: string | null;
  private readonly flows = new Map<string, Flow>();
  private readonly tokens = new Map<string, Claims>();

  private constructor(
    private readonly server: Bun.Server<undefined>,
    private readonly keys: Keys,
  ) {
    this.responseIssuer = this.issuer;
  }

  /** Starts a provider for one test file. */
  static async start(): Promise<SsoProvider> {
    const provider = await SsoProvider.open();
    afterAll(() => provider.stop());
    return provider;
  }

  /** Starts a provider that runs until it is stopped. */
  static async open(): Promise<SsoProvider> {
    const { privateKey, publicKey } = await generateKeyPair("RS256", { extractable: true });
    const jwk = { ...(await exportJWK(publicKey)), alg: "RS256", use: "sig", kid: "one" };
    let provider: SsoProvider | null = null;
    const server = Bun.serve({
      port: 0,
      hostname: "127.0.0.1",
      idleTimeout: 60,
      fetch: (request) => provider?.answer(request) ?? new Response(null, { status: 503 }),
    });
    provider = new SsoProvider(server, { privateKey, jwk });
    return provider;
  }

  stop(): Promise<void> {
    return this.server.stop(true);
  }

  get issuer(): string {
    return `http://127.0.0.1:${this.server.port}`;
  }

  /** Signs in as a person at the authorization endpoint; returns the address to which the provider redirects. */
  visit(authorizationUrl: string, claims: Claims | null): string {
    const asked = new URL(authorizationUrl).searchParams;
    const get = (name: string) => asked.get(name) ?? "";
    const back = new URL(get("redirect_uri"));
    back.searchParams.set("state", get("state"));
    if (this.responseIssuer !== null) back.searchParams.set("iss", this.responseIssuer);
    if (claims === null) back.searchParams.set("error", "access_denied");
    else back.searchParams.set("code", this.code(authorizationUrl, claims));
    return back.href;
  }

  private code(authorizationUrl: string, claims: Claims): string {
    const asked = new URL(authorizationUrl).searchParams;
    const get = (name: string) => asked.get(name) ?? "";
    const code = crypto.randomUUID();
    const flow = {
      claims,
      nonce: get("nonce"),
      clientId: get("client_id"),
      challenge: get("code_challenge"),
    };
    this.flows.set(code, { ...flow, redirectUri: get("redirect_uri") });
    return code;
  }

  sign(
    claims: JWTPayload,
    key: CryptoKey | Uint8Array = this.keys.privateKey,
    alg = "RS256",
  ): Promise<string> {
    return new SignJWT(claims).setProtectedHeader({ alg, kid: "one" }).sign(key);
  }

  private async answer(request: Request): Promise<Response> {
    const { pathname } = new URL(request.url);
    this.calls.push(pathname);
    const other = await this.instead?.(pathname);
    if (other) return other;
    if (pathname === "/.well-known/openid-configuration")
      return Response.json({
        issuer: this.issuer,
        authorization_endpoint: `${this.issuer}/authorize`,
        token_endpoint: `${this.issuer}/token`,
        userinfo_endpoint: `${this.issuer}/userinfo`,
        jwks_uri: `${this.issuer}/jwks`,
        response_types_supported: ["code"],
        subject_types_supported: ["public"],
        id_token_signing_alg_values_supported: ["RS256"],
        code_challenge_methods_supported: ["S256"],
        ...(this.responseIssuer !== null && { authorization_response_iss_parameter_supported: true }),
      });
    if (pathname === "/jwks") return Response.json({ keys: [this.keys.jwk] });
    if (pathname === "/userinfo") return this.person(request);
    return pathname === "/token" ? this.exchange(request) : new Response(null, { status: 404 });
  }

  private person(request: Request): Response {
    const claims = this.tokens.get(request.headers.get("authorization")?.slice("Bearer ".length) ?? "");
    if (claims === undefined) return new Response(null, { status: 401 });
    return Response.json(this.userinfo ?? claims);
  }

  private async exchange(request: Request): Promise<Response> {
    const form = new URLSearchParams(await request.text());
    const code = form.get("code") ?? "";
    const flow = this.flows.get(code);
    this.flows.delete(code);
    const verifier = createHash("sha256")
      .update(form.get("code_verifier") ?? "")
      .digest("base64url");
    if (flow === undefined || flow.challenge !== verifier || flow.redirectUri !== form.get("redirect_uri"))
      return Response.json({ error: "invalid_grant" }, { status: 400 });
    const now = Math.floor(Date.now() / 1000);
    const about = { iss: this.issuer, aud: flow.clientId, iat: now, exp: now + 300, nonce: flow.nonce };
    const told = { ...about, ...flow.claims };
    const claims = this.claims?.(told) ?? told;
    const accessToken = crypto.randomUUID();
    this.tokens.set(accessToken, flow.claims);
    return Response.json({
      access_token: accessToken,
      token_type: "Bearer",
      expires_in: 300,
      id_token: await (this.token?.(claims) ?? this.sign(claims)),
    });
  }
}
