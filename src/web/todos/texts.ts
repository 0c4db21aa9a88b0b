import { dictionary } from "../lib/i18n.tsx";

export const todoTexts = dictionary(
  {
    todos: "Todos",
    title: "Title",
    done: "Done",
    created: "Created",
    add: "Add",
    newTodo: "New todo",
    none: "You have no todos.",
    remove: "Delete",
    removeQuestion: (title: string) => `“${title}” will be deleted.`,
  },
  {
    todos: "Εργασίες",
    title: "Τίτλος",
    done: "Έτοιμη",
    created: "Δημιουργήθηκε",
    add: "Προσθήκη",
    newTodo: "Νέα εργασία",
    none: "Δεν έχετε εργασίες.",
    remove: "Διαγραφή",
    removeQuestion: (title) => `Η εργασία «${title}» θα διαγραφεί.`,
  },
);
