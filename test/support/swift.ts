import { afterAll } from "bun:test";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  CreateBucketCommand,
  DeleteObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  S3Client,
} from "@aws-sdk/client-s3";
import { until } from "./cluster.ts";

/*
 * OpenStack Swift from Debian packages: a real server that implements S3 and checks signatures. It runs with one
 * device, one replica and local processes. Its S3 middleware requires a cache, and is configured with an unreachable
 * one.
 */

export const SWIFT_PACKAGES = "swift-proxy swift-account swift-container swift-object";
const STORES = ["account", "container", "object"] as const;
export const isSwiftInstalled = ["proxy", ...STORES].every(
  (part) => Bun.which(`swift-${part}-server`) !== null,
);

const REGION = "us-east-1";
const BUCKET = "images";
const KEY_ID = "test:tester";
const SECRET = "testing";

/**
 * Longer timeouts of Swift's servers: by default they time out after half a second and are suspended after ten
 * errors,
 * which is too strict for tests.
 */
const TIMEOUTS = "conn_timeout = 20\nnode_timeout = 30";

/** Starts Swift with an empty bucket; it ends with the test file. */
export async function startSwift() {
  const folder = await mkdtemp(join(tmpdir(), "swift-test-"));
  await mkdir(join(folder, "devices/d1"), { recursive: true });
  const [proxy = 0, ...ports] = await freePorts(1 + STORES.length);
  await Promise.all(STORES.map((store, index) => configureStore(folder, store, ports[index] ?? 0)));
  await writeFile(join(folder, "proxy.conf"), proxyConfig(folder, proxy));

  const run = (part: string) =>
    Bun.spawn([`swift-${part}-server`, join(folder, `${part}.conf`)], { stdout: "ignore", stderr: "ignore" });
  const end = async (child: ReturnType<typeof run>) => {
    child.kill("SIGKILL");
    await child.exited;
  };
  const stores = STORES.map(run);
  let front = run("proxy");
  afterAll(async () => {
    await Promise.all([...stores, front].map(end));
    await rm(folder, { recursive: true, force: true });
  });

  const endpoint = `http://127.0.0.1:${proxy}`;
  const client = new S3Client({
    region: REGION,
    endpoint,
    forcePathStyle: true,
    credentials: { accessKeyId: KEY_ID, secretAccessKey: SECRET },
  });
  const untilUp = (port = proxy) =>
    until(
      () =>
        fetch(`http://127.0.0.1:${port}`).then(
          () => true,
          () => null,
        ),
      { seconds: 300 },
    );
  const createBucket = (Bucket = BUCKET) =>
    client.send(new CreateBucketCommand({ Bucket })).then(
      () => true,
      () => null,
    );
  // The servers need different times to start, so the first requests may fail.
  const storeProbe = async () => {
    try {
      await client.send(new PutObjectCommand({ Bucket: BUCKET, Key: "probe", Body: "probe" }));
      await client.send(new DeleteObjectCommand({ Bucket: BUCKET, Key: "probe" }));
      return true;
    } catch {
      return null;
    }
  };
  for (const port of [...ports, proxy]) await untilUp(port);
  await until(() => createBucket(), { seconds: 300 });
  await until(storeProbe, { seconds: 300 });
  return {
    environment: {
      STORAGE_DRIVER: "s3",
      S3_BUCKET: BUCKET,
      S3_REGION: REGION,
      S3_ENDPOINT: endpoint,
      S3_FORCE_PATH_STYLE: "true",
      S3_ACCESS_KEY_ID: KEY_ID,
      S3_SECRET_ACCESS_KEY: SECRET,
    },
    createBucket,
    /** Stores an empty object. */
    put: (Key: string, Bucket = BUCKET) => client.send(new PutObjectCommand({ Bucket, Key, Body: "" })),
    /** Returns the keys of all objects in a bucket. */
    async keys(Bucket = BUCKET): Promise<string[]> {
      const { Contents = [] } = await client.send(new ListObjectsV2Command({ Bucket }));
      return Contents.flatMap(({ Key }) => Key ?? []).sort();
    },
    stop: () => end(front),
    async start() {
      front = run("proxy");
      await untilUp();
    },
  };
}

const common = (folder: string, port: number) => `[DEFAULT]
bind_ip = 127.0.0.1
bind_port = ${port}
workers = 0
user = ${process.env.USER ?? "root"}
swift_dir = ${folder}
devices = ${join(folder, "devices")}
mount_check = false
log_level = CRITICAL
`;

async function configureStore(folder: string, store: string, port: number): Promise<void> {
  const device = ["--region=1", "--zone=1", "--ip=127.0.0.1", `--port=${port}`, "--device=d1", "--weight=1"];
  for (const step of [["create", "1", "1", "0"], ["add", ...device], ["rebalance"]])
    await Bun.spawn(["swift-ring-builder", `${store}.builder`, ...step], { cwd: folder, stdout: "ignore" })
      .exited;
  await writeFile(
    join(folder, `${store}.conf`),
    `${common(folder, port)}
[pipeline:main]
pipeline = ${store}-server
[app:${store}-server]
use = egg:swift#${store}
${TIMEOUTS}
container_update_timeout = 30
`,
  );
}

const proxyConfig = (folder: string, port: number) => `${common(folder, port)}
[pipeline:main]
pipeline = catch_errors gatekeeper cache s3api tempauth proxy-server
[app:proxy-server]
use = egg:swift#proxy
account_autocreate = true
${TIMEOUTS}
error_suppression_limit = 1000000
[filter:catch_errors]
use = egg:swift#catch_errors
[filter:gatekeeper]
use = egg:swift#gatekeeper
[filter:cache]
use = egg:swift#memcache
memcache_servers = 127.0.0.1:9
[filter:s3api]
use = egg:swift#s3api
location = ${REGION}
[filter:tempauth]
use = egg:swift#tempauth
user_test_tester = ${SECRET} .admin
`;

/** Returns distinct free ports. */
async function freePorts(count: number): Promise<number[]> {
  const servers = Array.from({ length: count }, () => createServer());
  const ports = await Promise.all(
    servers.map(async (server) => {
      await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
      const address = server.address();
      return typeof address === "object" ? (address?.port ?? 0) : 0;
    }),
  );
  await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
  return ports;
}
