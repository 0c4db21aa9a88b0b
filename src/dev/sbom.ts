import { join } from "node:path";

/**
 * `bun src/dev/sbom.ts <folder of an image's files>`: prints the contents of the image as a CycloneDX document: Bun,
 * the packages below /app/node_modules, and the Debian packages. Throws if npm or Debian packages, or any dependency
 * of /app/package.json, are missing.
 */
type Component = { type: string; name: string; version: string; purl: string; license?: string };

const EXPRESSION = /^\(*[\w.+-]+(\)* (OR|AND|WITH) \(*[\w.+-]+)*\)*$/;

async function npmPackages(root: string): Promise<Component[]> {
  // Two patterns are used, because a pattern with a slash inside of braces matches nothing.
  const files = ["**/node_modules/*/package.json", "**/node_modules/@*/*/package.json"].flatMap((pattern) => [
    ...new Bun.Glob(pattern).scanSync({ cwd: join(root, "app"), dot: true }),
  ]);
  const found = new Map<string, Component>();
  for (const file of files) {
    const { name, version, license } = await Bun.file(join(root, "app", file)).json();
    // A package.json without a version is skipped: subfolders of a package may have one.
    if (!name || !version || !file.endsWith(`node_modules/${name}/package.json`)) continue;
    const purl = `pkg:npm/${name.replace("@", "%40")}@${version}`;
    found.set(purl, { type: "library", name, version, purl, license });
  }
  return [...found.values()];
}

async function debianPackages(root: string): Promise<Component[]> {
  const status = await Bun.file(join(root, "var/lib/dpkg/status")).text();
  return status.split("\n\n").flatMap((entry) => {
    const field = (name: string) => new RegExp(`^${name}: (.+)$`, "m").exec(entry)?.[1] ?? "";
    const [name, version] = [field("Package"), field("Version")];
    if (!field("Status").endsWith(" installed")) return [];
    const purl = `pkg:deb/debian/${name}@${encodeURIComponent(version)}?arch=${field("Architecture")}`;
    return { type: "library", name, version, purl };
  });
}

const licensesOf = ({ license }: Component) =>
  typeof license !== "string"
    ? {}
    : { licenses: [EXPRESSION.test(license) ? { expression: license } : { license: { name: license } }] };

const [root] = process.argv.slice(2);
if (root === undefined) throw new Error("The folder of the image's files is missing");
const { name, version, dependencies } = await Bun.file(join(root, "app/package.json")).json();
const bun = { type: "application", name: "bun", version: Bun.version, purl: `pkg:npm/bun@${Bun.version}` };
const [npm, debian] = [await npmPackages(root), await debianPackages(root)];
const missing = Object.keys(dependencies).filter((wanted) => !npm.some(({ name }) => name === wanted));
if (missing.length > 0) throw new Error(`Dependencies that are not in the image: ${missing.join(", ")}`);
if (npm.length === 0 || debian.length === 0)
  throw new Error(`${npm.length} npm packages and ${debian.length} Debian packages were found`);
const components = [bun, ...npm, ...debian];
const document = {
  bomFormat: "CycloneDX",
  specVersion: "1.6",
  serialNumber: `urn:uuid:${crypto.randomUUID()}`,
  version: 1,
  metadata: { timestamp: new Date().toISOString(), component: { type: "container", name, version } },
  components: components
    .sort((one, other) => (one.purl < other.purl ? -1 : 1))
    .map((component) => {
      const { license: _, ...rest } = component as Component;
      return { ...rest, "bom-ref": rest.purl, ...licensesOf(component) };
    }),
};
console.log(JSON.stringify(document, null, 2));
