import { createProduct } from "multi-organization-service-client/server";
import { read } from "./store.js";

const { SERVICE_URL, PRODUCT_KEY } = process.env;
export const APP_URL = process.env.APP_URL ?? SERVICE_URL;
export const manifest = JSON.parse(read("product.json"));
export const product = createProduct({ baseUrl: SERVICE_URL, issuer: APP_URL, key: PRODUCT_KEY });
