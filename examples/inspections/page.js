// The page shares the origin of console and API: the session of the console is the session of the product.
const { base, appUrl } = document.body.dataset;
const form = document.querySelector("form");
let token = null;
let refreshing = null;

/** Gets an access token by the session's cookie, or sends the person to sign in and back. */
async function refresh() {
  const response = await fetch("/api/auth/refresh", { method: "POST", keepalive: true });
  if (response.status === 401) location.assign(`${appUrl}/sign-in?next=${encodeURIComponent(location.href)}`);
  if (!response.ok) throw new Error("Your session could not be renewed. Reload the page.");
  token = (await response.json()).accessToken;
}

/** Sends a request with the access token, once more with a new one if it has expired. */
async function request(method, path, body, isRepeated = false) {
  if (token === null) {
    refreshing ??= refresh().finally(() => {
      refreshing = null;
    });
    await refreshing;
  }
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  const response = await fetch(path, { method, headers, body: body && JSON.stringify(body) });
  if (response.status === 401 && !isRepeated) {
    token = null;
    return request(method, path, body, true);
  }
  const answer = await response.json();
  if (!response.ok) throw new Error(answer.message);
  return answer;
}

/** Runs what a person asked for, reports a failure, and shows the list anew. */
async function act(work) {
  let text = "";
  try {
    await work?.();
  } catch (error) {
    text = error.message;
  }
  try {
    show((await request("GET", `${base}/api/inspections`)).data);
  } catch (error) {
    text ||= error.message;
  }
  document.querySelector("[role=status]").textContent = text;
}

function show(inspections) {
  const element = (name, ...children) => {
    const made = document.createElement(name);
    made.append(...children);
    return made;
  };
  const button = (text, work) => {
    const made = element("button", text);
    made.addEventListener("click", () => act(work));
    return made;
  };
  const me = () => JSON.parse(atob(token.split(".")[1].replaceAll("-", "+").replaceAll("_", "/"))).sub;
  const rows = inspections.map(({ id, title, state, reason, assigneeName }) => {
    const path = `${base}/api/inspections/${id}`;
    const actions = element(
      "td",
      button("Assign to me", () => request("POST", `${path}/assign`, { userId: me() })),
      button("Complete", () => request("POST", `${path}/complete`)),
      button("Delete", () => request("DELETE", path)),
    );
    return element(
      "tr",
      element("td", title),
      element("td", reason ?? state),
      element("td", assigneeName ?? ""),
      actions,
    );
  });
  document.querySelector("tbody").replaceChildren(...rows);
}

form.addEventListener("submit", (event) => {
  event.preventDefault();
  const { title, unitId } = Object.fromEntries(new FormData(form));
  act(async () => {
    await request("POST", `${base}/api/inspections`, { title, unitId: unitId || null });
    form.reset();
  });
});

act(async () => {
  const { data } = await request("GET", "/api/units").catch(() => ({ data: [] }));
  form.unitId.append(...data.map(({ id, name }) => new Option(name, id)));
});
