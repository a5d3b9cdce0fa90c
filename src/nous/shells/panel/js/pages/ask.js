// @ts-check
// A question, and the memories that answer it, each with its certainty and why it was found; with a model an answer.

import { Fragment, html, useState } from "../../vendor/preact.js";
import { get } from "../api.js";
import { Cite, Empty, Head, Marks, Section, Shares, Shown, Type, When, Words, nameOf, useData } from "../parts.js";
import { complain, href, model, narrow, project, route } from "../state.js";

const FIRST = 5;

export default function Ask() {
    const { query } = route.value;
    return html`<${Fragment}>
        <${Head} title="Ask" lead="What a session would find, with its sources." />
        <${Question} key=${query.q} q=${query.q ?? ""} />
        <div style=${{ marginTop: "2rem" }}>${query.q ? html`<${Answer} q=${query.q} key=${query.q} />` : html`<${Ideas} />`}</div>
    <//>`;
}

const IDEAS = ["how do I run the tests", "what did we decide about the database", "which errors come back"];

/** @param {{q: string}} props */
function Question({ q }) {
    const [text, setText] = useState(q);
    const ask = (/** @type {Event} */ event) => (event.preventDefault(), narrow({ q: text.trim() || undefined }));
    return html`<form class="row" onSubmit=${ask} role="search">
        <div class="search grow"><input class="input" type="search" aria-label="Your question" placeholder="Where do delayed jobs live?" value=${text} onInput=${(/** @type {any} */ event) => setText(event.target.value)} dir="auto" /></div>
        <button class="button main">Ask</button>
    </form>`;
}

const Ideas = () =>
    html`<${Empty} title="Ask in your own words">
        <p>Names, commands and error messages work best.</p>
        <div class="row">${IDEAS.map((idea) => html`<button class="button" onClick=${() => narrow({ q: idea })}>${idea}</button>`)}</div>
    <//>`;

/** @param {{q: string}} props */
function Answer({ q }) {
    const found = useData("/v1/search", { q, project: project.value, limit: 10, records: "memories" }, { still: true });
    const before = useData("/v1/search", { q, project: project.value, limit: 5, records: "exchanges" }, { still: true });
    const exchanges = before.data?.items ?? [];
    return html`<${Shown} of=${found}>
        ${(/** @type {any} */ { items }) =>
            items.length + exchanges.length === 0
                ? html`<${Empty} title="Nothing found"><p>Teach it, and every later session will know.</p><div class="row"><a class="button main" href=${href("teach")}>Teach it</a></div><//>`
                : html`<div class="stack wide">
                      ${model.value && html`<${InSentences} q=${q} />`}
                      <ol class="stack">${items.slice(0, FIRST).map((/** @type {any} */ hit) => html`<${Source} key=${hit.id} hit=${hit} q=${q} />`)}</ol>
                      ${items.length > FIRST && html`<details><summary>${items.length - FIRST} more that may matter</summary><ul class="stack tight">${items.slice(FIRST).map((/** @type {any} */ hit) => html`<li><${Words} text=${hit.content} marked=${q} /> <${Cite} id=${hit.id} /></li>`)}</ul></details>`}
                      ${exchanges.length > 0 && html`<${Exchanges} items=${exchanges} q=${q} />`}
                  </div>`}
    <//>`;
}

/** What the chosen model makes of the hits, when somebody wants it: it costs a call. @param {{q: string}} props */
function InSentences({ q }) {
    const [said, setSaid] = useState(/** @type {any} */ (null));
    const [isBusy, setBusy] = useState(false);
    const ask = async () => {
        setBusy(true);
        await get("/v1/ask", { question: q, project: project.value }).then(setSaid, complain);
        setBusy(false);
    };
    if (!said) return html`<div><button class="button" disabled=${isBusy} onClick=${ask}>${isBusy ? "Asking …" : `Let ${model.value} answer in sentences`}</button></div>`;
    if (!said.answer) return html`<p class="note" role="status">${said.reason ?? "The memories found do not answer this."}</p>`;
    return html`<p class="sheet lead" role="status">${said.sentences.map((/** @type {any} */ one) => html`<${Words} text=${one.text} /> ${one.cites.map((/** @type {any} */ id) => typeof id === "number" && html`<${Cite} id=${id} /> `)}`)}</p>`;
}

/** @param {{hit: any, q: string}} props */
const Source = ({ hit, q }) =>
    html`<li class="sheet stack tight">
        <p style=${{ fontSize: "1.08rem" }}><${Words} text=${hit.content} marked=${q} /> <${Cite} id=${hit.id} /></p>
        <div class="meta"><${Type} type=${hit.type} /><${When} at=${hit.valid_from ?? hit.created_at} />${!project.value && html`<span>${nameOf(hit.project_id)}</span>`}<span>${Math.round(100 * hit.confidence)} % sure</span><${Marks} memory=${hit} stale=${hit.stale} /></div>
        <details class="small">
            <summary>Why this</summary>
            <div class="stack tight"><${Shares} shares=${hit.shares ?? {}} /><p class="soft">Found by ${hit.found_by?.join(", ")}; ${hit.score.toFixed(3)} in all. Scores compare within one answer only.</p></div>
        </details>
    </li>`;

/** What was said in sessions. @param {{items: any[], q: string}} props */
const Exchanges = ({ items, q }) =>
    html`<${Section} title="From sessions">
        <ul class="list">
            ${items.map(
                (row) => html`<li class="item plain"><div>
                    <a class="open" href=${href("sessions", row.session_id, { turn: row.id })}><span class="clamp"><${Words} text=${row.content} marked=${q} /></span></a>
                    <div class="meta"><${When} at=${row.created_at} /><span>session ${row.session_id.slice(0, 8)}</span>${!project.value && html`<span>${nameOf(row.project_id)}</span>`}</div>
                </div></li>`,
            )}
        </ul>
    <//>`;
