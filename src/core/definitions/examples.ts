/*
 * Examples in the OpenAPI document that name the sample resource, in parts of other features. Without that resource they are
 * still valid texts; a product may put its own resource here.
 */
export const EXAMPLES = {
  /** A scope that an app may ask for. */
  scope: "todos:read",
  /** Several scopes as OAuth has them in one text. */
  scopes: "todos:read todos:write",
  /** What the scope lets an app do. */
  scopeText: "List your todos; See the todos of members",
  /** Limits of a plan: a number, and an unlimited one. */
  limits: { members: 50, todos: null },
  /** The description of a role. */
  roleDescription: "Keeps the todos tidy",
  /** The path of a page in a browser. */
  pagePath: "/todos",
};
