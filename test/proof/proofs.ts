type Proof = { file: string; usage: string; does: string };

/** The commands of `bun run proof`, by name. */
export const PROOFS: Readonly<Record<string, Proof>> = {
  bench: {
    file: "test/proof/bench/run.ts",
    usage: "[words]",
    does: "compares the service with a minimal server that returns the same",
  },
  cluster: {
    file: "test/proof/cluster/run.ts",
    usage: "[files]",
    does: "runs the tests on three instances, nginx, PgBouncer and a replica",
  },
  "cluster:restore": {
    file: "test/proof/cluster/restore.ts",
    usage: "",
    does: "runs the backup and restore commands of the documents; 1 minute",
  },
  rolling: {
    file: "test/proof/cluster/rolling.ts",
    usage: "[commit] [requests per second]",
    does: "changes three instances to this version and back under load",
  },
  corpus: {
    file: ".ci/corpus",
    usage: "",
    does: "cleans 1,900 real images and checks them with decoders and exiftool (Debian, as root)",
  },
  fuzz: {
    file: "test/proof/fuzz/api/run.ts",
    usage: "[--short] [--seed S] [--minutes M]",
    does: "sends valid and hostile requests to every operation in every role; 1 minute with --short",
  },
  race: {
    file: "test/proof/race/run.ts",
    usage: "[--short] [--seed S] [--minutes M]",
    does: "runs pairs of writes concurrently on two instances; 1 minute with --short",
  },
  soak: {
    file: "test/proof/soak/run.ts",
    usage: "[minutes] [--short] [--seed S]",
    does: "runs three instances under load while parts of the deployment fail; 30 minutes, 1 with --short",
  },
  planted: {
    file: "test/proof/planted.ts",
    usage: "[words]",
    does: "plants twenty known faults and checks that fuzz, race and soak find them; half an hour",
  },
  without: {
    file: "test/proof/without.ts",
    usage: "<feature> [check | n/parts]",
    does: "removes a feature's folders and lines, and runs check and tests of the rest; 10 minutes",
  },
  flakes: {
    file: "test/proof/flakes.ts",
    usage: "[runs] [words]",
    does: "runs the tests five times beside four busy processes and names those that failed; an hour",
  },
  agents: {
    file: "test/proof/agents.ts",
    usage: "",
    does: "runs recorded requests of agents, a second opinion, and the conformance suite of MCP; 1 minute",
  },
  "fuzz:images": {
    file: "test/proof/fuzz/images.ts",
    usage: "[count] [first seed]",
    does: "cleans randomly mutated images, 200,000 of each format by default; 1 minute",
  },
  pictures: {
    file: "test/proof/pictures/run.ts",
    usage: "[words]",
    does: "takes pictures of all pages of the console, or of those with one of the words in their names; 4 minutes",
  },
  nightly: {
    file: ".ci/nightly",
    usage: "",
    does: "runs what .ci/run is too short for; hours, on Debian as root",
  },
};
