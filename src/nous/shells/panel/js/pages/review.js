// @ts-check
// Questions that only a person can answer, one question at a time and one key per decision.

import { Fragment, html, useState } from "../../vendor/preact.js";
import { post } from "../api.js";
import { useKeys } from "../keys.js";
import { Empty, Head, Meta, Reword, Shown, When, Words, many, useData } from "../parts.js";
import { href, perform, project, route, undo } from "../state.js";

/** @type {Record<string, string>} */
const KEYS = { keep: "k", edit: "e", merge: "m", supersede: "s", reject: "r", pin: "p", later: "l" };
/** @type {Record<string, string>} */
const DONE = { keep: "Kept.", edit: "Edited.", merge: "Merged.", supersede: "Decided: the other one has ended.", reject: "Deleted.", pin: "Pinned.", later: "Asked again another day." };
const QUOTED = 400; // characters of a quote

/** What an action means here. @param {any} item @param {string} action */
function meaning(item, action) {
    if (action === "keep") return item.other ? "Both hold" : "Keep";
    if (action === "reject") return item.kind === "scope" ? "Only this project" : "Delete";
    return { edit: "Edit", merge: "They say the same", pin: "Pin", later: "Later" }[action] ?? action;
}

/** Whether a person chooses between two. @param {any} item */
const isChoice = (item) => Boolean(item.other) && item.actions.includes("supersede");

export default function Review() {
    const found = useData("/v1/review", { project: project.value, kind: route.value.query.kind, limit: 10 });
    return html`<${Fragment}>
        <${Head} title="Review" lead="The few questions that only you can answer, one at a time." />
        <${Shown} of=${found}>${(/** @type {any} */ data) => html`<${Queue} data=${data} />`}<//>
    <//>`;
}

/** @param {{data: any}} props */
function Queue({ data }) {
    const [done, setDone] = useState(0);
    const [later, setLater] = useState(/** @type {string[]} */ ([]));
    const items = data.items.filter((/** @type {any} */ item) => !later.includes(item.id));
    const total = done + items.length;
    const back = () => (setDone(Math.max(0, done - 1)), setLater([]), void undo());
    useKeys({ u: back });
    const item = items[0];
    if (!item)
        return html`<${Empty} title=${done ? "All decided" : "Nothing to decide"}>
            <p>${done ? `${many(done, "decision")} made; each can be taken back.` : "Contradictions, doubts and outdated memories will appear here."}</p>
            <div class="row">
                ${done > 0 && html`<button class="button" onClick=${back}>Undo the last one <kbd>u</kbd></button>`}
                <a class="button" href=${href("memories")}>Look at the memories</a>
            </div>
        <//>`;
    return html`<div class="stack question">
        <div class="stack tight">
            <p class="soft small" role="status">${`${done + 1} of ${total}`}</p>
            <div class="progress" aria-hidden="true"><i style=${{ width: `${(100 * done) / total}%` }}></i></div>
        </div>
        <${Question} key=${item.id} item=${item} decided=${(/** @type {string} */ action) => (setDone(done + 1), action === "later" && setLater([...later, item.id]))} back=${back} canGoBack=${done > 0} />
    </div>`;
}

/** @param {{item: any, decided: (action: string) => void, back: () => void, canGoBack: boolean}} props */
function Question({ item, decided, back, canGoBack }) {
    const [rewording, setRewording] = useState(false);
    const choice = isChoice(item);
    const decide = async (/** @type {string} */ action, /** @type {{text?: string, swap?: boolean}} */ { text = "", swap = false } = {}) => {
        if (action === "edit" && !text) return setRewording(true);
        const done = await perform(() => post(`/v1/review/${encodeURIComponent(item.id)}`, { action, swap, ...(text ? { text } : {}) }), () => DONE[action]);
        if (done) decided(action);
    };
    const others = item.actions.filter((/** @type {string} */ action) => !choice || !["supersede", "reject", "edit"].includes(action));
    const holds = (/** @type {boolean} */ swap) => decide("supersede", { swap });
    useKeys({
        ...Object.fromEntries(others.map((/** @type {string} */ action) => [KEYS[action], () => void decide(action)])),
        ...(choice ? { 1: () => void holds(false), 2: () => void holds(true) } : {}),
    });
    return html`<${Fragment}>
        <div>
            <h2 class="asked">${choice ? "Which one holds?" : item.question}</h2>
            ${item.why && html`<p class="soft"><${Words} text=${item.why} /></p>`}
        </div>
        <div class="pair">
            <${Side} memory=${item.memory} act=${choice && html`<button class="button main" onClick=${() => holds(false)}>This one holds <kbd>1</kbd></button>`} />
            ${item.other && html`<${Side} memory=${item.other} act=${choice && html`<button class="button main" onClick=${() => holds(true)}>This one holds <kbd>2</kbd></button>`} />`}
        </div>
        <div class="choices">
            ${others.map((/** @type {string} */ action, /** @type {number} */ at) => html`<button class=${`button ${at === 0 && !choice ? "main" : ""} ${action === "reject" ? "danger" : ""}`} onClick=${() => decide(action)}>${meaning(item, action)} <kbd>${KEYS[action]}</kbd></button>`)}
        </div>
        <div class="row">${canGoBack && html`<button class="button quiet" onClick=${back}>Undo <kbd>u</kbd></button>`}</div>
        ${rewording && html`<${Reword} memory=${item.memory} title="Edit" act=${(/** @type {string} */ text) => decide("edit", { text })} close=${() => setRewording(false)} />`}
    <//>`;
}

/** A memory with the words that somebody said, and when. @param {{memory: any, act?: any}} props */
function Side({ memory, act }) {
    const quote = useData(`/v1/memories/${memory.id}`).data?.said?.[0];
    return html`<div class="sheet stack tight">
        <p><${Words} text=${memory.content} /></p>
        ${quote && html`<blockquote class="quote small"><${Words} text=${quote.text.slice(0, QUOTED)} />${quote.text.length > QUOTED ? "…" : ""}<div class="soft">said <${When} at=${quote.at} /></div></blockquote>`}
        <${Meta} memory=${memory} />
        <a class="small" href=${href("memories", memory.id)}>where it comes from<span class="hidden">: memory ${memory.id}</span></a>
        ${act && html`<div>${act}</div>`}
    </div>`;
}
