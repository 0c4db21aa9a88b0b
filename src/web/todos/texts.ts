import { dictionary } from "../lib/i18n.tsx";
import * as el from "./texts-el.ts";
import * as en from "./texts-en.ts";

export const todoTexts = dictionary(en.todoTexts, el.todoTexts);
export const todoPermissionTexts = dictionary(en.todoPermissionTexts, el.todoPermissionTexts);
export const todoScopeTexts = dictionary(en.todoScopeTexts, el.todoScopeTexts);
export const todoEntityTexts = dictionary(en.todoEntityTexts, el.todoEntityTexts);
export const todoLimitTexts = dictionary(en.todoLimitTexts, el.todoLimitTexts);
