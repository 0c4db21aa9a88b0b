import {
  Client,
  type OAuthClientProvider,
  type OAuthTokens,
  StreamableHTTPClientTransport,
  UnauthorizedError,
} from "@modelcontextprotocol/client";

/** A request that the agent made, as its page shows it; secrets are shortened. */
export type Step = { method: string; url: string; status: number; answer: string };

const MAX_SHOWN = 1_500;
const SECRET = /mos[acrs]_[0-9A-Za-z]+/g;
const shortened = (text: string) =>
  text.slice(0, MAX_SHOWN).replace(SECRET, (secret) => `${secret.slice(0, 10)}…`);

/** An agent as others write one, with the client of the MCP SDK. It keeps one connection, in memory. */
export class AgentSession {
  steps: Step[] = [];
  tokens: OAuthTokens | null = null;
  /** The refresh token before the last rotation. */
  previousRefreshToken: string | null = null;
  private verifier = "";
  private state = "";
  private consentPage: URL | null = null;
  private readonly transportOf: () => StreamableHTTPClientTransport;

  constructor(
    private readonly service: string,
    private readonly own: { clientId: string; callback: string },
  ) {
    const provider = this.provider();
    this.transportOf = () =>
      new StreamableHTTPClientTransport(new URL(`${service}/mcp`), {
        authProvider: provider,
        fetch: this.recorded,
      });
  }

  /** Discovers the authorization server; returns the address of the page of consent, or null if the agent is connected. */
  async connect(): Promise<URL | null> {
    this.steps = [];
    this.consentPage = null;
    await this.withClient(async () => {}).catch((error) => {
      if (!(error instanceof UnauthorizedError)) throw error;
    });
    return this.consentPage;
  }

  /** Redeems the code with which the browser came back. @throws Error if the answer is to another request */
  async finish(answer: URLSearchParams): Promise<void> {
    if (answer.get("state") !== this.state) throw new Error("The answer has another state than the request");
    if (answer.has("error")) throw new Error(`The service answered: ${answer.get("error")}`);
    const transport = this.transportOf();
    await transport.finishAuth(answer);
  }

  listTools = () => this.withClient(async (client) => (await client.listTools()).tools);

  callTool = (name: string, input: Record<string, unknown>) =>
    this.withClient((client) => client.callTool({ name, arguments: input }));

  /** Rotates the refresh token, or uses the one before the last rotation again. */
  async refresh({ replay = false } = {}): Promise<void> {
    const refreshToken = replay ? this.previousRefreshToken : this.tokens?.refresh_token;
    const response = await this.post("token", {
      grant_type: "refresh_token",
      refresh_token: refreshToken ?? "",
    });
    if (response.ok) this.save((await response.json()) as OAuthTokens);
  }

  async revoke(): Promise<void> {
    await this.post("revoke", { token: this.tokens?.refresh_token ?? "" });
    this.tokens = null;
  }

  private post(route: "token" | "revoke", form: Record<string, string>): Promise<Response> {
    const body = new URLSearchParams({ ...form, client_id: this.own.clientId });
    return this.recorded(`${this.service}/api/oauth/${route}`, { method: "POST", body });
  }

  private async withClient<T>(work: (client: Client) => Promise<T>): Promise<T> {
    const client = new Client(
      { name: "stand-in", version: "1.0.0" },
      { versionNegotiation: { mode: "auto" } },
    );
    await client.connect(this.transportOf());
    try {
      return await work(client);
    } finally {
      await client.close();
    }
  }

  private save(tokens: OAuthTokens): void {
    this.previousRefreshToken = this.tokens?.refresh_token ?? null;
    this.tokens = tokens;
  }

  private provider(): OAuthClientProvider {
    const { clientId, callback } = this.own;
    return {
      redirectUrl: callback,
      clientMetadata: { client_name: "Stand-in agent", redirect_uris: [callback] },
      clientInformation: () => ({ client_id: clientId }),
      state: () => {
        this.state = crypto.randomUUID();
        return this.state;
      },
      tokens: () => this.tokens ?? undefined,
      saveTokens: (tokens) => this.save(tokens),
      redirectToAuthorization: (url) => {
        this.consentPage = url;
      },
      saveCodeVerifier: (verifier) => {
        this.verifier = verifier;
      },
      codeVerifier: () => this.verifier,
      invalidateCredentials: () => {
        this.tokens = null;
      },
    };
  }

  private readonly recorded = async (url: string | URL, init: RequestInit = {}): Promise<Response> => {
    const response = await fetch(url, init);
    const text = await response.clone().text();
    const challenge = response.headers.get("www-authenticate");
    const answer = shortened([challenge, text].filter(Boolean).join("\n"));
    this.steps.push({ method: init.method ?? "GET", url: String(url), status: response.status, answer });
    return response;
  };
}
