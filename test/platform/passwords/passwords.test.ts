import { describe, expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { getPriority } from "node:os";
import { verify as nativeVerify } from "@node-rs/argon2";
import { argon2Verify } from "hash-wasm";
import { LIMITS } from "../../../src/core/definitions/limits.ts";
import { Permits } from "../../../src/platform/limits/permits.ts";
import {
  type Argon2Engine,
  type Argon2Job,
  saltBytes,
  standardCost,
  tagBytes,
} from "../../../src/platform/passwords/argon2.ts";
import { commonPasswords, isCommon } from "../../../src/platform/passwords/common.ts";
import { createHasher, type HashRequester } from "../../../src/platform/passwords/hasher.ts";
import { precompiledDerive } from "../../../src/platform/passwords/precompiled-derive.ts";
import { hashConcurrency } from "../../../src/platform/passwords/priority.ts";
import { loadEngine, threadedEngine } from "../../../src/platform/passwords/threads.ts";

const full = () => new Error("full");
const manyOfOne = () => new Error("many of one");
/** The WebAssembly of the edge. */
const wasmFile = new URL(import.meta.resolve("argon2id/dist/simd.wasm"));
const engines: Record<"native" | "wasm", Argon2Engine> = {
  native: await loadEngine(),
  wasm: { derive: precompiledDerive(new WebAssembly.Module(readFileSync(wasmFile))) },
};

/** Returns the permits of the service for hashes, with these numbers for an instance. */
function permits(concurrency: number, queue: number) {
  const { levels } = LIMITS.hashes;
  const reauthentications = { ...levels.reauthentications, waiting: Math.floor(queue / 2) };
  return new Permits(
    { ...levels, reauthentications, instance: { max: concurrency, waiting: queue } },
    { reauthentications: full, account: manyOfOne, instance: full },
  );
}
const native = createHasher(engines.native, permits(1, 100));
const wasm = createHasher(engines.wasm, permits(1, 100));
const both = [
  { name: "native", engine: engines.native, hasher: native, other: wasm },
  { name: "wasm", engine: engines.wasm, hasher: wasm, other: native },
];

const password = "pässword of 🦊 and 狐";

describe.each(both)("$name", ({ engine, hasher, other }) => {
  test("verifies its own hash and the other engine's, and no other password", async () => {
    for (const hash of [await hasher.hash(password), await other.hash(password)]) {
      expect(await hasher.verify(hash, password)).toBe(true);
      expect(await hasher.verify(hash, `${password} `)).toBe(false);
    }
  });

  test("writes hashes that other Argon2 libraries verify", async () => {
    const hash = await hasher.hash(password);

    expect(await nativeVerify(hash, password)).toBe(true);
    expect(await argon2Verify({ hash, password })).toBe(true);
  });

  test("writes the documented parameters, and a new salt each time", async () => {
    const [one, two] = [await hasher.hash(password), await hasher.hash(password)];

    // 16 bytes are 22 characters of base64, 32 bytes are 43.
    const stated = /^\$argon2id\$v=19\$m=19456,t=2,p=1\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/;
    expect(one).toMatch(stated);
    expect(two).toMatch(stated);
    expect(one.split("$")[4]).not.toBe(two.split("$")[4]);
  });

  test("treats composed and decomposed Unicode letters as equal", async () => {
    const composed = "caf\u00e9 au lait";
    const decomposed = "cafe\u0301 au lait";

    expect(await hasher.verify(await hasher.hash(composed), decomposed)).toBe(true);
    expect(await hasher.verify(await hasher.hash(decomposed), composed)).toBe(true);
    expect(await hasher.verify(await hasher.hash(composed), "cafe au lait")).toBe(false);
  });

  test("derives the tag of the reference implementation, also with several lanes and uneven memory", async () => {
    const job = {
      password: new TextEncoder().encode("password"),
      salt: new TextEncoder().encode("somesalt"),
      tagBytes: 32,
    };
    // The first value is from the tests of the reference implementation (phc-winner-argon2, src/test.c).
    const single = await engine.derive({ ...job, cost: { memoryKiB: 65_536, passes: 2, lanes: 1 } });
    expect(Buffer.from(single).toString("hex")).toBe(
      "09316115d5cf24ed5a15a31a3ba326e5cf32edc24702987c02b6566f61913cf7",
    );

    const uneven = { ...job, cost: { memoryKiB: 1_003, passes: 3, lanes: 4 } };
    const [a, b] = [await engines.native.derive(uneven), await engines.wasm.derive(uneven)];
    expect(Buffer.from(a).toString("hex")).toBe(Buffer.from(b).toString("hex"));
  });

  test("returns false for a malformed or missing hash, whatever the password is", async () => {
    const good = await hasher.hash(password);
    const malformed = [
      "",
      "x",
      "$argon2id$",
      good.slice(0, -1),
      `${good}=`,
      `${good}\n`,
      ` ${good}`,
      good.replace("argon2id", "argon2i"),
      good.replace("v=19", "v=16"),
      good.replace("m=19456", "m=4294967295"),
      good.replace("m=19456", "m=9999999"),
      good.replace("m=19456", "m=7"),
      good.replace("t=2", "t=0"),
      good.replace("p=1", "p=0"),
      good.replace("p=1", "p=99"),
      good.replace(/\$[^$]+$/, "$"),
      good.replace(/\$[^$]+$/, "$AAAA"),
      "$2b$10$N9qo8uLOickgx2ZMRZoMyeIjZAgcfl7p92ldGxad68LJZdL17lhWy",
      "\u0000",
    ];
    for (const hash of malformed) expect(await hasher.verify(hash, password)).toBe(false);

    for (const any of [password, "", "-", "\ud800"]) expect(await hasher.verify(null, any)).toBe(false);
    expect(await hasher.verify(good, "")).toBe(false);
    await expect(hasher.hash("")).rejects.toThrow(RangeError);
  });

  test("verifying for a missing account costs the same as for a real one", async () => {
    const hash = await hasher.hash(password);
    const verify = { real: hash, none: null, malformed: "malformed" };
    // Compares the fastest runs: a busy machine slows runs down but never speeds them up, so more rounds converge.
    const quickest = { real: Infinity, none: Infinity, malformed: Infinity };
    const isAlike = (kind: "none" | "malformed") =>
      quickest[kind] > quickest.real / 2 && quickest[kind] < quickest.real * 2;
    for (let round = 0; round < 5 || (round < 200 && !(isAlike("none") && isAlike("malformed"))); round++)
      for (const kind of ["real", "none", "malformed"] as const) {
        const took = await milliseconds(() =>
          hasher.verify(verify[kind], "the password alone does not get past the second factor"),
        );
        quickest[kind] = Math.min(quickest[kind], took);
      }
    expect(quickest.none / quickest.real).toBeWithin(0.5, 2);
    expect(quickest.malformed / quickest.real).toBeWithin(0.5, 2);
  });
});

describe("verifying the password of a missing account", () => {
  test("derives a hash with the same cost and sizes as for a real one", async () => {
    const jobs: Argon2Job[] = [];
    const spy: Argon2Engine = {
      derive: async (job) => {
        jobs.push(job);
        return new Uint8Array(job.tagBytes);
      },
    };
    const hasher = createHasher(spy, permits(1, 0));

    // For a missing account the engine returns exactly the tag of the dummy hash; the password must still be
    // rejected.
    expect(await hasher.verify(null, password)).toBe(false);
    expect(await hasher.verify("malformed", password)).toBe(false);
    expect(await hasher.verify(await hasher.hash(password), password)).toBe(true);

    expect(jobs.map(({ cost, salt, tagBytes }) => ({ cost, salt: salt.length, tagBytes }))).toEqual(
      Array(4).fill({ cost: standardCost, salt: saltBytes, tagBytes }),
    );
  });
});

describe("the hash limiter", () => {
  test("runs up to its concurrency, queues up to its limit, and rejects the rest at once", async () => {
    const engine = handEngine();
    const hasher = createHasher(engine, permits(2, 3));

    const calls = Array.from({ length: 5 }, (_, index) => hasher.verify(null, `${index}`));
    await expect(hasher.verify(null, "one too many")).rejects.toThrow("full");
    await expect(hasher.hash("one too many")).rejects.toThrow("full");
    expect(engine.started).toEqual(["0", "1"]);

    // Jobs finish out of order, to show that they start in the order of the queue.
    for (const [finished, running] of [
      ["1", ["0", "2"]],
      ["2", ["0", "3"]],
      ["0", ["3", "4"]],
      ["4", ["3"]],
      ["3", []],
    ] as const) {
      engine.finish(finished);
      await settled();
      expect(engine.running()).toEqual([...running]);
    }
    expect(engine.started).toEqual(["0", "1", "2", "3", "4"]);
    expect(engine.max).toBe(2);
    expect(await Promise.all(calls)).toEqual([false, false, false, false, false]);
  });

  // A new job must wait at whichever microtask turn it arrives, because the slot is handed over in one of them.
  test.each([0, 1, 2, 3, 4, 5, 6, 7, 8, 9])(
    "lets a new job that arrives %i microtask turns after a slot became free wait behind the queue",
    async (turns) => {
      const engine = handEngine();
      const hasher = createHasher(engine, permits(1, 2));
      void hasher.verify(null, "first");
      void hasher.verify(null, "second");
      await settled();

      engine.finish("first");
      for (let turn = 0; turn < turns; turn++) await null;
      void hasher.verify(null, "third");
      await settled();
      expect(engine.running()).toEqual(["second"]);

      engine.finish("second");
      await settled();
      expect(engine.running()).toEqual(["third"]);
      engine.finish("third");
      await settled();
      expect(engine.started).toEqual(["first", "second", "third"]);
    },
  );

  test("fails only the caller whose job failed, and frees its slot", async () => {
    const engine = handEngine();
    const hasher = createHasher(engine, permits(1, 1));
    for (let round = 0; round < 5; round++) {
      const failing = hasher.verify(null, "failing");
      const next = hasher.verify(null, "next");
      engine.fail("failing");
      await expect(failing).rejects.toThrow("no memory");
      engine.finish("next");
      expect(await next).toBe(false);
    }

    const throwing: Argon2Engine = {
      derive: () => {
        throw new Error("at once");
      },
    };
    const narrow = createHasher(throwing, permits(1, 0));
    for (let round = 0; round < 3; round++) await expect(narrow.verify(null, "x")).rejects.toThrow("at once");
  });

  test("queues at most two jobs of one requester; further ones are rejected until one of them runs", async () => {
    const engine = handEngine();
    const hasher = createHasher(engine, permits(1, 10));
    const ask = (name: string, key: string) => hasher.verify(null, name, { key, priority: "sign-in" });
    const calls = [ask("0", "ada"), ask("1", "ada"), ask("2", "ada")];
    await expect(ask("3", "ada")).rejects.toThrow("many of one");
    calls.push(ask("4", "grace"));
    await settled();
    engine.finish("0");
    await settled();
    calls.push(ask("5", "ada"));
    await expect(ask("6", "ada")).rejects.toThrow("many of one");
    for (const name of ["1", "2", "4", "5"]) {
      engine.finish(name);
      await settled();
    }
    expect(engine.started).toEqual(["0", "1", "2", "4", "5"]);
    expect(await Promise.all(calls)).toEqual(calls.map(() => false));
  });

  test("gives re-authentications at most half of the slots, and alternates them with sign-ins", async () => {
    const engine = handEngine();
    const hasher = createHasher(engine, permits(1, 5));
    const ask = (name: string, priority: HashRequester["priority"]) =>
      hasher.verify(null, name, { key: name, priority });
    // Three of the six slots: one running and two waiting.
    const calls = ["c0", "c1", "c2"].map((name) => ask(name, "confirmation"));
    await expect(ask("c3", "confirmation")).rejects.toThrow("full");
    calls.push(...["s0", "s1", "s2"].map((name) => ask(name, "sign-in")));
    await expect(ask("s3", "sign-in")).rejects.toThrow("full");
    await settled();
    for (const name of ["c0", "s0", "c1", "s1", "c2", "s2"]) {
      expect(engine.running()).toEqual([name]);
      engine.finish(name);
      await settled();
    }
    await Promise.all(calls);
    // All slots of the hash limiter are free again.
    const again = ["c4", "c5", "c6"].map((name) => ask(name, "confirmation"));
    await expect(ask("c7", "confirmation")).rejects.toThrow("full");
    for (const name of ["c4", "c5", "c6"]) {
      await settled();
      engine.finish(name);
    }
    await Promise.all(again);
  });

  test("throws for a concurrency that would admit no job", () => {
    for (const concurrency of [0, -1, Number.NaN]) {
      expect(() => createHasher(engines.native, permits(concurrency, 1))).toThrow(RangeError);
    }
  });

  test("runs as many jobs as there are cores, minus one if worker threads cannot lower their priority", () => {
    const cores = [1, 2, 4, 16];
    expect(cores.map((count) => hashConcurrency(count, true))).toEqual(cores);
    expect(cores.map((count) => hashConcurrency(count, false))).toEqual([1, 1, 3, 15]);
  });
});

describe("the worker threads", () => {
  const path = "../../../src/platform/passwords/native-worker.ts";
  const worker = () => new Worker(new URL(path, import.meta.url));

  /** Creates an engine of at most two threads; returns it and the threads that it started. */
  function engineOfTwo() {
    const started: Worker[] = [];
    const start = () => {
      const thread = worker();
      started.push(thread);
      return thread;
    };
    return { started, engine: threadedEngine(start, 2) };
  }

  test("are started when all others are busy, up to a limit, and are reused", async () => {
    const { started, engine } = engineOfTwo();
    expect(started).toHaveLength(0);
    await engine.derive(job());
    await engine.derive(job());
    expect(started).toHaveLength(1);
    await Promise.all(Array.from({ length: 5 }, () => engine.derive(job())));
    expect(started).toHaveLength(2);
  });

  test("are replaced when they crash, and their jobs are run again", async () => {
    const { started, engine } = engineOfTwo();
    await Promise.all([engine.derive(job()), engine.derive(job())]);

    const lost = Promise.all([engine.derive(job()), engine.derive(job())]);
    for (const thread of started) thread.terminate();
    for (const tag of await lost) expect(tag).toHaveLength(tagBytes);
    expect(started).toHaveLength(4);

    started[2]?.terminate();
    started[3]?.terminate();
    expect(await engine.derive(job())).toHaveLength(tagBytes);
  });

  test("that cannot start fail every job, until they can start", async () => {
    let from = "../../../src/platform/passwords/no-such-worker.ts";
    const engine = threadedEngine(() => new Worker(new URL(from, import.meta.url)));
    await expect(engine.derive(job())).rejects.toThrow("died");
    await expect(engine.derive(job())).rejects.toThrow("died");

    from = path;
    expect(await engine.derive(job())).toHaveLength(tagBytes);
  });

  test("do not block the event loop", async () => {
    await engines.native.derive(job()); // Starts the password worker.
    let ticks = 0;
    const ticking = setInterval(() => ticks++, 1);

    await engines.native.derive(job({ ...standardCost, passes: 16 }));
    clearInterval(ticking);

    // If hashing blocked the loop, there would be at most one tick.
    expect(ticks).toBeGreaterThan(10);
  });

  test("do not keep the process alive while they are idle", async () => {
    const script = `
      import { loadEngine } from "../../../src/platform/passwords/threads.ts";
      import { Permits } from "../../../src/platform/limits/permits.ts";
      import { createHasher } from "../../../src/platform/passwords/hasher.ts";
      const hasher = createHasher(await loadEngine(), new Permits({ instance: { max: 1, waiting: 1 } }));
      console.log(await hasher.verify(await hasher.hash("a password"), "a password"));
    `;
    const cwd = new URL(".", import.meta.url).pathname;
    const child = Bun.spawn([process.execPath, "-e", script], { cwd, timeout: 20_000 });
    expect(await new Response(child.stdout).text()).toBe("true\n");
    expect(await child.exited).toBe(0);
  });

  test("reject an invalid job and no other", async () => {
    const refused = engines.native.derive({ ...job(), salt: new Uint8Array(1) });
    const fine = engines.native.derive(job());

    await expect(refused).rejects.toThrow("Argon2 failed");
    expect(await fine).toHaveLength(tagBytes);
  });

  test.if(process.platform === "linux")("run at a lower priority than the main thread", async () => {
    const { engine } = engineOfTwo();
    const before = lowered();
    await Promise.all([engine.derive(job()), engine.derive(job())]);
    // Threads of other tests in this process may start or end meanwhile.
    expect(lowered().difference(before).size).toBeGreaterThanOrEqual(2);
  });
});

/** Returns the threads of this process that have a lower priority than the process itself. */
function lowered(): Set<string> {
  const niceOf = (thread: string) => {
    try {
      const stat = readFileSync(`/proc/self/task/${thread}/stat`, "utf8");
      return Number(stat.split(") ")[1]?.split(" ")[16]);
    } catch {
      return Number.NaN; // The thread has ended since it was listed.
    }
  };
  return new Set(readdirSync("/proc/self/task").filter((thread) => niceOf(thread) > getPriority()));
}

describe("the list of common passwords", () => {
  test("contains more than 3,000 distinct passwords of at least ten characters, in NFC and lower case", () => {
    const list = commonPasswords();

    expect(list.length).toBeGreaterThan(3_000);
    expect(new Set(list).size).toBe(list.length);
    for (const one of list) {
      expect([...one].length).toBeGreaterThanOrEqual(10);
      expect(one).toBe(one.normalize("NFC").toLowerCase());
    }
  });

  test.each([
    "1234567890",
    "qwertyuiop",
    "password123",
    "PassWord123",
    "QWERTYUIOP",
    "password1234",
    "0987654321",
  ])("contains %s", (common) => expect(isCommon(common)).toBe(true));

  test.each([
    "Password123!",
    "correct horse battery 42",
    "wide blue yonder",
    "correct horse battery staple",
    "Passw0rd123",
    "CorrectHorse1",
    "S3cret-passw0rd",
    "password123 ",
    "",
  ])("does not contain %s", (rare) => expect(isCommon(rare)).toBe(false));
});

function job(cost = standardCost): Argon2Job {
  return { password: new TextEncoder().encode(password), salt: new Uint8Array(saltBytes), cost, tagBytes };
}

/** An engine whose jobs end when the test says so; each job is named by its password. */
function handEngine() {
  const open = new Map<string, { resolve(): void; reject(error: Error): void }>();
  const engine = {
    started: [] as string[],
    max: 0,
    derive: ({ password, tagBytes }: Argon2Job) =>
      new Promise<Uint8Array>((resolve, reject) => {
        const name = new TextDecoder().decode(password);
        engine.started.push(name);
        open.set(name, { resolve: () => resolve(new Uint8Array(tagBytes)), reject });
        engine.max = Math.max(engine.max, open.size);
      }),
    running: () => [...open.keys()].sort(),
    finish: (name: string) => end(name, (job) => job.resolve()),
    fail: (name: string) => end(name, (job) => job.reject(new Error("no memory"))),
  };

  // A job may start a few event loop turns after its slot became free.
  async function end(name: string, how: (job: NonNullable<ReturnType<typeof open.get>>) => void) {
    while (!open.has(name)) await settled();
    const job = open.get(name);
    open.delete(name);
    if (job) how(job);
  }
  return engine;
}

function settled(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 0));
}

async function milliseconds(work: () => Promise<unknown>): Promise<number> {
  const before = performance.now();
  await work();
  return performance.now() - before;
}
