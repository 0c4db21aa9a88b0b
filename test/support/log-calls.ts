import { join, relative } from "node:path";
import ts from "typescript-5";

/** A call of the logger in src: its level, its message and the names of its fields. */
export type LogCall = { file: string; level: string; message: string; fields: string[] };

const ROOT = join(import.meta.dir, "../..");
const LEVELS = ["info", "warn", "error"];

/** Finds every call of the logger in the sources of the service by their syntax tree. */
export async function listLogCalls(): Promise<LogCall[]> {
  const files = [...new Bun.Glob("src/**/*.{ts,tsx}").scanSync(ROOT)].filter(
    (file) => !/^src\/(dev|client|web)\//.test(file),
  );
  const calls: LogCall[] = [];
  for (const file of files) {
    const text = await Bun.file(join(ROOT, file)).text();
    const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
    const visit = (node: ts.Node) => {
      if (ts.isCallExpression(node)) calls.push(...logCall(node, source));
      ts.forEachChild(node, visit);
    };
    visit(source);
  }
  return calls.sort((one, other) => (one.message < other.message ? -1 : 1));
}

function logCall(call: ts.CallExpression, source: ts.SourceFile): LogCall[] {
  const callee = call.expression;
  if (!ts.isPropertyAccessExpression(callee) || !LEVELS.includes(callee.name.text)) return [];
  if (!/(^|\.)log$/.test(callee.expression.getText())) return [];
  const [message, fields] = call.arguments;
  if (message === undefined) return [];
  return [
    {
      file: relative(".", source.fileName),
      level: callee.name.text,
      message: textOf(message),
      fields: fields === undefined ? [] : fieldsOf(fields, source),
    },
  ];
}

/** Returns the text of a literal; values in a template are replaced by their names in angle brackets. */
function textOf(message: ts.Expression): string {
  if (ts.isStringLiteralLike(message)) return message.text;
  if (!ts.isTemplateExpression(message)) return `? ${message.getText()}`;
  return message.templateSpans.reduce(
    (text, { expression, literal }) => `${text}<${expression.getText()}>${literal.text}`,
    message.head.text,
  );
}

/** Returns the property names of an object literal, including those of a constant that it spreads. */
function fieldsOf(fields: ts.Expression, source: ts.SourceFile): string[] {
  if (!ts.isObjectLiteralExpression(fields)) return [`? ${fields.getText()}`];
  return fields.properties.flatMap((property) => {
    if (!ts.isSpreadAssignment(property)) return property.name?.getText() ?? [];
    const { expression } = property;
    const constant = ts.isObjectLiteralExpression(expression) ? expression : constantOf(expression, source);
    return constant === null ? [`? ${property.getText()}`] : fieldsOf(constant, source);
  });
}

function constantOf(name: ts.Expression, source: ts.SourceFile): ts.Expression | null {
  let found: ts.Expression | null = null;
  const visit = (node: ts.Node) => {
    if (ts.isVariableDeclaration(node) && node.name.getText() === name.getText())
      found = node.initializer ?? null;
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}
