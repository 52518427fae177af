// Chat: with the memory alone, or with its language model.

import { events, get } from "../api.js";
import { el, field, options, problem } from "../dom.js";

export default async function chat(sheet) {
  const models = (await get("/v1/models")).data;
  const model = options("model", models.map((m) => [m.id, m.id === "quipu" ? "the memory alone" : "with the language model"]), "quipu");
  const question = el("textarea", { name: "question", required: true });
  const log = el("div", { role: "log", "aria-label": "Conversation", tabindex: "0" });
  const form = el("form", {}, field("Say something", question, true), field("Answered by", model), el("button", { class: "main", type: "submit" }, "Send"));
  const said = [];
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const text = question.value;
    question.value = "";
    said.push({ role: "user", content: text });
    const answer = el("div", { class: "card turn" });
    log.append(el("div", { class: "card turn mine" }, text), answer);
    let told = "";
    try {
      const body = JSON.stringify({ model: model.value, messages: said, stream: true });
      for await (const data of events("/v1/chat/completions", { method: "POST", headers: { "Content-Type": "application/json" }, body })) {
        if (data === "[DONE]") break;
        told += JSON.parse(data).choices[0]?.delta.content || "";
        answer.textContent = told;
      }
      said.push({ role: "assistant", content: told });
    } catch (error) {
      answer.replaceChildren(problem(error));
    }
    answer.scrollIntoView({ block: "nearest" });
  });
  sheet.append(log, form);
  question.focus();
}
