export const todoTexts = {
  todos: "Εργασίες",
  title: "Τίτλος",
  done: "Έτοιμη",
  created: "Δημιουργήθηκε",
  add: "Προσθήκη",
  newTodo: "Νέα εργασία…",
  none: "Δεν έχετε εργασίες.",
  every: "Όλες",
  state: "Κατάσταση",
  open: "Ανοιχτές",
  completed: "Έτοιμες",
  noMatch: "Καμία εργασία δεν ταιριάζει με το φίλτρο.",
  remove: "Διαγραφή",
  edit: "Επεξεργασία",
  actionsOf: "Ενέργειες για «{title}»",
  own: "Οι εργασίες μου",
  everybodys: "Όλες οι εργασίες",
  owner: "Κάτοχος",
  unit: "Μονάδα",
  member: "Μέλος",
  all: "Όλα",
  removeQuestion: "Η εργασία «{title}» θα διαγραφεί.",
  myTodos: "Οι ανοιχτές εργασίες μου",
  toTodos: "Όλες οι εργασίες",
  noTodos: "Δεν εκκρεμεί τίποτα.",
} as const;

export const todoPermissionTexts = {
  "Todos.Read": "Προβολή της λίστας των δικών τους εργασιών",
  "Todos.ReadAny": "Προβολή των εργασιών όλων",
  "Todos.ReadOne": "Άνοιγμα των δικών τους εργασιών",
  "Todos.Create": "Δημιουργία εργασιών",
  "Todos.Update": "Αλλαγή των δικών τους εργασιών",
  "Todos.UpdateAny": "Αλλαγή των εργασιών όλων",
  "Todos.Delete": "Διαγραφή των δικών τους εργασιών",
  "Todos.DeleteAny": "Διαγραφή των εργασιών όλων",
} as const;

export const todoScopeTexts = {
  "todos:read": "Προβολή εργασιών, δικών σας και όσων σας επιτρέπουν οι ρόλοι σας",
  "todos:write": "Δημιουργία, αλλαγή, ολοκλήρωση και διαγραφή εργασιών",
} as const;

export const todoEntityTexts = {
  Todos: "Εργασίες",
} as const;

export const todoLimitTexts = {
  todos: "Εργασίες",
} as const;
