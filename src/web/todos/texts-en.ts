export const todoTexts = {
  todos: "Todos",
  title: "Title",
  done: "Done",
  created: "Created",
  add: "Add",
  newTodo: "Add a todo…",
  none: "You have no todos.",
  every: "All",
  state: "State",
  open: "Open",
  completed: "Done",
  noMatch: "No todos match this filter.",
  remove: "Delete",
  edit: "Edit",
  actionsOf: "Actions for “{title}”",
  own: "My todos",
  everybodys: "All todos",
  owner: "Owner",
  unit: "Unit",
  member: "Member",
  all: "All",
  removeQuestion: "“{title}” will be deleted.",
  myTodos: "My open todos",
  toTodos: "All todos",
  noTodos: "Nothing to do.",
} as const;

export const todoPermissionTexts = {
  "Todos.Read": "See the list of their own todos",
  "Todos.ReadAny": "See the todos of everybody",
  "Todos.ReadOne": "Open their own todos",
  "Todos.Create": "Create todos",
  "Todos.Update": "Change their own todos",
  "Todos.UpdateAny": "Change the todos of everybody",
  "Todos.Delete": "Delete their own todos",
  "Todos.DeleteAny": "Delete the todos of everybody",
} as const;

export const todoScopeTexts = {
  "todos:read": "See todos, your own and those that your roles let you see",
  "todos:write": "Create, change, complete and delete todos",
} as const;

export const todoEntityTexts = {
  Todos: "Todos",
} as const;

export const todoLimitTexts = {
  todos: "Todos",
} as const;
