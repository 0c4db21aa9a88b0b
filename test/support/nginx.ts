import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePort } from "../../src/dev/postgres/launch.ts";
import { until } from "./cluster.ts";

const ROOT = join(import.meta.dir, "../..");
const TLS = join(import.meta.dir, "tls");

/** Replaces texts; throws if one is missing, so that changes of docs/deploy/nginx.conf are noticed. */
function replaced(text: string, changes: [RegExp | string, string][]): string {
  return changes.reduce((before, [wanted, by]) => {
    if (before.search(wanted) === -1) throw new Error(`docs/deploy/nginx.conf has no ${wanted}`);
    return before.replaceAll(wanted, by);
  }, text);
}

/**
 * Starts nginx with docs/deploy/nginx.conf in front of these ports, with other addresses, another certificate and
 * another log folder. Without `tls` it serves plain HTTP; limits per address can be overridden.
 */
export async function startShippedNginx(
  ports: number[],
  options: { tls: boolean; ratePerSecond?: number; atOnce?: number },
) {
  const folder = await mkdtemp(join(tmpdir(), "nginx-"));
  // The workers of nginx run as another system account, which must be able to enter the folder.
  await chmod(folder, 0o755);
  const [plainPort, port] = [freePort(), freePort()];
  const servers = ports.map((one) => `server 127.0.0.1:${one} fail_timeout=1s;`).join("\n");
  const site = replaced(await Bun.file(join(ROOT, "docs/deploy/nginx.conf")).text(), [
    [/( *server 10\.\S+ fail_timeout=1s;\n)+/g, `${servers}\n`],
    ["listen 80;", `listen 127.0.0.1:${plainPort};`],
    ["listen 443 ssl http2;", `listen 127.0.0.1:${port}${options.tls ? " ssl http2" : ""};`],
    ["/etc/ssl/service/fullchain.pem", join(TLS, "certificate.pem")],
    ["/etc/ssl/service/privkey.pem", join(TLS, "key.pem")],
    ["/var/log/nginx", folder],
    ["limit_conn connections 200;", `limit_conn connections ${options.atOnce ?? 200};`],
    ["rate=50r/s", `rate=${options.ratePerSecond ?? 50}r/s`],
  ]);
  const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map(
    (kind) => `${kind}_temp_path ${folder}/${kind};`,
  );
  const file = join(folder, "nginx.conf");
  await Bun.write(
    file,
    `worker_processes 1; daemon off; pid ${folder}/pid; error_log ${folder}/error.log;
    events { worker_connections 2048; }
    http { ${temporary.join(" ")} ${site} }`,
  );
  const child = Bun.spawn(["nginx", "-p", folder, "-c", file], { stderr: "inherit" });
  const plainUrl = `http://127.0.0.1:${plainPort}`;
  await until(async () => (await fetch(plainUrl, { redirect: "manual" }).catch(() => null)) && true);
  const log = (name: string) => Bun.file(join(folder, name)).text();
  return {
    url: `${options.tls ? "https" : "http"}://127.0.0.1:${port}`,
    plainUrl,
    accessLog: () => log("service.log"),
    errorLog: () => log("error.log"),
    async stop() {
      child.kill("SIGTERM");
      await child.exited;
      await rm(folder, { recursive: true, force: true });
    },
  };
}
