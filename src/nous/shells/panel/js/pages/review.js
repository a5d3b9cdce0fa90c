// @ts-check
// What only a person can decide, one question at a time and one key per decision.

import { Fragment, html, useState } from "../../vendor/preact.js";
import { post } from "../api.js";
import { useKeys } from "../keys.js";
import { Empty, Head, Meta, Reword, Shown, Words, many, useData } from "../parts.js";
import { href, perform, project, route, undo } from "../state.js";

/** @type {Record<string, string>} */
const KEYS = { keep: "k", edit: "e", merge: "m", supersede: "s", reject: "r", pin: "p", later: "l" };
/** @type {Record<string, string>} */
const DONE = { keep: "Kept.", edit: "Reworded.", merge: "Made one.", supersede: "Replaced.", reject: "Gone.", pin: "Pinned.", later: "Asked again another day." };

/** What an action means here. @param {any} item @param {string} action */
function meaning(item, action) {
    if (item.kind === "edge") return { keep: "Yes", reject: "No", later: "Later" }[action] ?? action;
    if (action === "keep") return item.other ? "Both hold" : "It holds";
    if (action === "reject") return item.kind === "scope" ? "Only in its project" : item.other ? "A goes" : "It goes";
    return { edit: "Say it better", merge: "B is part of A", supersede: "A replaces B", pin: "Pin it", later: "Later" }[action] ?? action;
}

export default function Review() {
    const found = useData("/v1/review", { project: project.value, kind: route.value.query.kind, limit: 10 });
    return html`<${Fragment}>
        <${Head} title="Review" lead="The few questions that change what sessions are told. What does no harm is not asked." />
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
            <p>${done ? `${many(done, "decision")} made; each can be taken back.` : "Conflicts, doubts and what may be outdated come here by themselves."}</p>
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
        ${items.length > 1 && html`<div class="stack tight then"><h3>Then</h3><ol class="stack tight">${items.slice(1, 5).map((/** @type {any} */ next) => html`<li class="soft small clamp"><${Words} text=${next.memory.content} /></li>`)}</ol></div>`}
    </div>`;
}

/** @param {{item: any, decided: (action: string) => void, back: () => void, canGoBack: boolean}} props */
function Question({ item, decided, back, canGoBack }) {
    const [swap, setSwap] = useState(false);
    const [rewording, setRewording] = useState(false);
    const [first, second] = swap ? [item.other, item.memory] : [item.memory, item.other];
    const canSwap = item.other && item.kind !== "edge";
    const decide = async (/** @type {string} */ action, /** @type {string} */ text = "") => {
        if (action === "edit" && !text) return setRewording(true);
        const done = await perform(() => post(`/v1/review/${encodeURIComponent(item.id)}`, { action, swap, ...(text ? { text } : {}) }), () => DONE[action]);
        if (done) decided(action);
    };
    useKeys({
        ...Object.fromEntries(item.actions.map((/** @type {string} */ action) => [KEYS[action], () => void decide(action)])),
        ...(canSwap ? { x: () => setSwap(!swap) } : {}),
    });
    return html`<${Fragment}>
        <div>
            <h2 class="asked">${item.question}</h2>
            ${item.why && html`<p class="soft"><${Words} text=${item.why} /></p>`}
        </div>
        <div class="pair">
            <${Side} letter=${second ? "A" : ""} memory=${first} />
            ${second && html`<${Side} letter="B" memory=${second} />`}
        </div>
        ${item.relation && html`<p>A <strong>${item.relation.replaceAll("_", " ")}</strong> B</p>`}
        <div class="choices">
            ${item.actions.map((/** @type {string} */ action, /** @type {number} */ at) => html`<button class=${`button ${at === 0 ? "main" : ""} ${action === "reject" ? "danger" : ""}`} onClick=${() => decide(action)}>${meaning(item, action)} <kbd>${KEYS[action]}</kbd></button>`)}
        </div>
        <div class="row">
            ${canSwap && html`<button class="button quiet" onClick=${() => setSwap(!swap)}>Swap A and B <kbd>x</kbd></button>`}
            ${canGoBack && html`<button class="button quiet" onClick=${back}>Undo <kbd>u</kbd></button>`}
        </div>
        ${rewording && html`<${Reword} memory=${first} title="Say it better" act=${(/** @type {string} */ text) => decide("edit", text)} close=${() => setRewording(false)} />`}
    <//>`;
}

/** @param {{letter: string, memory: any}} props */
const Side = ({ letter, memory }) =>
    html`<div class="sheet stack tight">
        ${letter && html`<h3>${letter}</h3>`}
        <p><${Words} text=${memory.content} /></p>
        <${Meta} memory=${memory} />
        <a class="small" href=${href("memories", memory.id)}>where it comes from<span class="hidden">: memory ${memory.id}</span></a>
    </div>`;
