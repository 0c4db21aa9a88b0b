import { dictionary } from "../texts/dictionary.ts";

export const todoTexts = dictionary({
  todos: { en: "Todos", el: "Εργασίες" },
  title: { en: "Title", el: "Τίτλος" },
  done: { en: "Done", el: "Έτοιμη" },
  created: { en: "Created", el: "Δημιουργήθηκε" },
  add: { en: "Add", el: "Προσθήκη" },
  newTodo: { en: "Add a todo…", el: "Νέα εργασία…" },
  none: { en: "You have no todos.", el: "Δεν έχετε εργασίες." },
  every: { en: "All", el: "Όλες" },
  state: { en: "State", el: "Κατάσταση" },
  open: { en: "Open", el: "Ανοιχτές" },
  completed: { en: "Done", el: "Έτοιμες" },
  noMatch: { en: "No todos match this filter.", el: "Καμία εργασία δεν ταιριάζει με το φίλτρο." },
  remove: { en: "Delete", el: "Διαγραφή" },
  edit: { en: "Edit", el: "Επεξεργασία" },
  actionsOf: { en: "Actions for “{title}”", el: "Ενέργειες για «{title}»" },
  own: { en: "My todos", el: "Οι εργασίες μου" },
  everybodys: { en: "All todos", el: "Όλες οι εργασίες" },
  owner: { en: "Owner", el: "Κάτοχος" },
  unit: { en: "Unit", el: "Μονάδα" },
  member: { en: "Member", el: "Μέλος" },
  all: { en: "All", el: "Όλα" },
  removeQuestion: { en: "“{title}” will be deleted.", el: "Η εργασία «{title}» θα διαγραφεί." },
  myTodos: { en: "My open todos", el: "Οι ανοιχτές εργασίες μου" },
  toTodos: { en: "All todos", el: "Όλες οι εργασίες" },
  noTodos: { en: "Nothing to do.", el: "Δεν εκκρεμεί τίποτα." },
});

export const todoPermissionTexts = {
  "Todos.Read": { en: "See the list of their own todos", el: "Προβολή της λίστας των δικών τους εργασιών" },
  "Todos.ReadAny": { en: "See the todos of everybody", el: "Προβολή των εργασιών όλων" },
  "Todos.ReadOne": { en: "Open their own todos", el: "Άνοιγμα των δικών τους εργασιών" },
  "Todos.Create": { en: "Create todos", el: "Δημιουργία εργασιών" },
  "Todos.Update": { en: "Change their own todos", el: "Αλλαγή των δικών τους εργασιών" },
  "Todos.UpdateAny": { en: "Change the todos of everybody", el: "Αλλαγή των εργασιών όλων" },
  "Todos.Delete": { en: "Delete their own todos", el: "Διαγραφή των δικών τους εργασιών" },
  "Todos.DeleteAny": { en: "Delete the todos of everybody", el: "Διαγραφή των εργασιών όλων" },
};

export const todoScopeTexts = {
  "todos:read": {
    en: "See todos, your own and those that your roles let you see",
    el: "Προβολή εργασιών, δικών σας και όσων σας επιτρέπουν οι ρόλοι σας",
  },
  "todos:write": {
    en: "Create, change, complete and delete todos",
    el: "Δημιουργία, αλλαγή, ολοκλήρωση και διαγραφή εργασιών",
  },
};

export const todoEntityTexts = {
  Todos: { en: "Todos", el: "Εργασίες" },
};

export const todoLimitTexts = {
  todos: { en: "Todos", el: "Εργασίες" },
};
