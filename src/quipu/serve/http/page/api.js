// Calls of the API. The key, where one is asked for, is kept for this tab alone.

import { dialog, el, field } from "./dom.js";

const KEY = "quipu-key";

function headers(extra) {
  const key = sessionStorage.getItem(KEY);
  return { ...extra, ...(key ? { "X-API-Key": key } : {}) };
}

async function called(path, options) {
  for (;;) {
    const reply = await fetch(path, { ...options, headers: headers(options.headers) });
    if (reply.status !== 401) return reply;
    await askForKey();
  }
}

async function given(reply) {
  if (reply.ok) return reply.status === 204 ? null : reply.json();
  let told = reply.statusText;
  try {
    told = (await reply.json()).detail || told;
  } catch {
    // not JSON: the status says it
  }
  throw new Error(told);
}

export async function get(path, asked = {}) {
  const query = new URLSearchParams();
  for (const [key, value] of Object.entries(asked)) {
    if (Array.isArray(value)) value.forEach((each) => query.append(key, each));
    else if (value !== null && value !== undefined && value !== "") query.set(key, value);
  }
  const told = query.toString();
  return given(await called(told ? `${path}?${told}` : path, {}));
}

export async function post(path, body = null, method = "POST") {
  return given(await called(path, {
    method,
    headers: body === null ? {} : { "Content-Type": "application/json" },
    body: body === null ? undefined : JSON.stringify(body),
  }));
}

export function ref(text) {
  return text.split("/").map(encodeURIComponent).join("/");
}

// The data of server-sent events, as they come.
export async function* events(path, options = {}) {
  const reply = await called(path, options);
  if (!reply.ok) await given(reply);
  const reader = reply.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    const lines = (rest + value).split(/\r\n|\n/);
    rest = lines.pop();
    for (const line of lines) {
      if (line.startsWith("data:")) yield line.slice(5).trim();
    }
  }
}

function askForKey() {
  return new Promise((done) => {
    const input = el("input", { type: "password", name: "key", autocomplete: "off" });
    const form = el("form", { method: "dialog" }, field("API key", input, true),
      el("button", { class: "main", type: "submit" }, "Use it"));
    const box = dialog("This server asks for a key", el("p", {},
      "Make one with “quipu key create”; it is kept for this tab alone."), form);
    form.addEventListener("submit", () => {
      sessionStorage.setItem(KEY, input.value.trim());
      box.close();
      done();
    });
    input.focus();
  });
}
