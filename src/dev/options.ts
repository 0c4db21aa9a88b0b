import { resolve } from "node:path";

const USAGE = `Usage: bun run dev [--port N] [--data DIR] [--no-console]
                   [--product FILE [--product-at URL]]

  --port N          the port of console and API; the other parts take those after it (3000)
  --data DIR        the folder of database and files (.data)
  --no-console      API alone, which starts sooner
  --product FILE    the manifest of a product whose code runs elsewhere
  --product-at URL  where the product listens: the path of its url is forwarded there`;

/** What `bun run dev` was asked for. */
export type DevelopmentOptions = {
  port: number | null;
  data: string | null;
  console: boolean;
  product: string | null;
  productAt: string | null;
};

/** Parses the arguments of `bun run dev`. @throws Error with the usage for others */
export function developmentOptions(given: string[]): DevelopmentOptions {
  const options: DevelopmentOptions = {
    port: null,
    data: null,
    console: true,
    product: null,
    productAt: null,
  };
  const rest = [...given];
  const next = () => {
    const value = rest.shift();
    if (value === undefined || value.startsWith("--")) throw new Error(USAGE);
    return value;
  };
  for (let option = rest.shift(); option !== undefined; option = rest.shift()) {
    if (option === "--no-console") options.console = false;
    else if (option === "--data") options.data = resolve(next());
    else if (option === "--product") options.product = resolve(next());
    else if (option === "--port") options.port = portOf(next());
    else if (option === "--product-at") options.productAt = originOf(next());
    else throw new Error(USAGE);
  }
  if (options.productAt !== null && options.product === null) throw new Error(USAGE);
  return options;
}

function portOf(value: string): number {
  if (!/^\d{1,5}$/.test(value) || Number(value) < 1 || Number(value) > 65_535) throw new Error(USAGE);
  return Number(value);
}

function originOf(value: string): string {
  if (!/^https?:\/\//.test(value) || !URL.canParse(value)) throw new Error(USAGE);
  return new URL(value).origin;
}
