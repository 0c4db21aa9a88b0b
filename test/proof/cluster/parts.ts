import { rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePort } from "../../../src/dev/postgres/launch.ts";
import { openFolder } from "../../support/replica.ts";

/* Starts the parts of a deployment besides PostgreSQL: PgBouncer and nginx, on the loopback address. */

/** Runs a program to its end. @throws with its output if it fails */
export async function run(command: string[], env: Record<string, string | undefined> = {}): Promise<string> {
  const child = Bun.spawn(command, { env: { ...process.env, ...env }, stdout: "pipe", stderr: "pipe" });
  const [out, problems] = await Promise.all([child.stdout.text(), child.stderr.text()]);
  if ((await child.exited) !== 0) throw new Error(`${command[0]} failed:\n${out}${problems}`);
  return out;
}

export type Tools = { bin: string };

/** Downloads the programs into a folder, unless they are there already. */
export async function fetchTools(folder = join(tmpdir(), "cluster-tools")): Promise<Tools> {
  await run([join(import.meta.dir, "tools"), folder]);
  return { bin: join(folder, "bin") };
}

type Child = ReturnType<typeof Bun.spawn>;

async function end(child: Child, folder: string) {
  child.kill("SIGTERM");
  await child.exited;
  await rm(folder, { recursive: true, force: true });
}

/** Starts PgBouncer in transaction mode in front of a server. It serves all databases of that server by their names. */
export async function startPgBouncer({ bin }: Tools, server: string, settings: Record<string, string> = {}) {
  const folder = await openFolder("pgbouncer");
  const { hostname, port: serverPort, username, password } = new URL(server);
  const port = freePort();
  const all = {
    listen_addr: "127.0.0.1",
    listen_port: String(port),
    unix_socket_dir: "",
    auth_type: "scram-sha-256",
    auth_file: join(folder, "users.txt"),
    pool_mode: "transaction",
    max_prepared_statements: "200",
    max_client_conn: "5000",
    default_pool_size: "40",
    stats_users: username,
    server_idle_timeout: "10",
    logfile: join(folder, "log"),
    ...settings,
  };
  const lines = Object.entries(all).map(([name, value]) => `${name} = ${value}`);
  await writeFile(
    join(folder, "pgbouncer.ini"),
    `[databases]\n* = host=${hostname} port=${serverPort}\n[pgbouncer]\n${lines.join("\n")}\n`,
  );
  await writeFile(join(folder, "users.txt"), `"${username}" "${decodeURIComponent(password)}"\n`);
  // PgBouncer refuses to run as root. So another account must be able to read its files and write its log.
  await run(["chmod", "-R", "a+rwX", folder]);
  const asUser = process.getuid?.() === 0 ? ["-u", "nobody"] : [];
  const child = Bun.spawn([join(bin, "pgbouncer"), ...asUser, join(folder, "pgbouncer.ini")], {
    stdout: "ignore",
    stderr: "ignore",
  });
  await untilListening(port, child);
  const url = Object.assign(new URL(server), { port: String(port) }).href;
  return { url, stop: () => end(child, folder) };
}

/** Starts nginx as a load balancer in front of these addresses, which it uses in turns. */
export async function startNginx(targets: string[]) {
  const folder = await openFolder("nginx");
  const port = freePort();
  const upstreams = targets.map((target) => `server ${new URL(target).host} max_fails=0;`).join(" ");
  await writeFile(
    join(folder, "nginx.conf"),
    `worker_processes 1; daemon off; pid ${folder}/pid; error_log ${folder}/error.log;
events { worker_connections 1024; }
http {
  access_log off; client_max_body_size 0; proxy_request_buffering off; proxy_buffering off;
  client_body_temp_path ${folder}/a; proxy_temp_path ${folder}/b; fastcgi_temp_path ${folder}/c; uwsgi_temp_path ${folder}/d; scgi_temp_path ${folder}/e;
  upstream instances { ${upstreams} keepalive 32; keepalive_timeout 20s; }
  server {
    listen 127.0.0.1:${port};
    location / {
      proxy_pass http://instances; proxy_http_version 1.1; proxy_set_header Connection "";
      proxy_set_header Host $http_host; proxy_read_timeout 300s; proxy_next_upstream off;
    }
  }
}
`,
  );
  const child = Bun.spawn(["nginx", "-p", folder, "-c", join(folder, "nginx.conf")], {
    stdout: "ignore",
    stderr: "ignore",
  });
  await untilListening(port, child);
  return { url: `http://127.0.0.1:${port}`, stop: () => end(child, folder) };
}

async function untilListening(port: number, child: Child): Promise<void> {
  for (let tries = 0; tries < 200; tries += 1) {
    if (child.exitCode !== null) throw new Error(`It ended with ${child.exitCode}`);
    const isUp = await Bun.connect({ hostname: "127.0.0.1", port, socket: { data() {} } }).then(
      (socket) => {
        socket.end();
        return true;
      },
      () => false,
    );
    if (isUp) return;
    await Bun.sleep(50);
  }
  throw new Error(`Nothing listens on ${port}`);
}
