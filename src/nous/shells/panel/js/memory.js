// @ts-check
// One memory: what it says, what can be done with it, where it comes from down to the words said, and what became of it.

import { Fragment, html, useState } from "../vendor/preact.js";
import { useKeys } from "./keys.js";
import { Bar, Cite, Cites, Marks, Reword, Section, Shares, Shown, Type, When, Words, acts, date, many, nameOf, useData } from "./parts.js";
import { go, href, undo } from "./state.js";

const EVENTS = {
    LearningExtracted: "learned",
    SessionRead: "session read",
    BriefWritten: "brief written",
    LearningReinforced: "heard again",
    LearningWeakened: "weakened",
    LearningContradicted: "contradicted",
    LearningSuperseded: "replaced",
    LearningArchived: "taken out of use",
    LearningRestored: "back in use",
    LearningConfirmed: "confirmed",
    LearningPinned: "pinned",
    LearningUnpinned: "no longer pinned",
    LearningDisputed: "put in doubt",
    LearningContested: "doubted by the team",
    LearningReviewed: "reviewed",
    LearningRescoped: "scope changed",
    EdgeSuggested: "a relation was suggested",
    EdgeConfirmed: "a relation was confirmed",
    Undone: "taken back",
};

/** What a person did and may take back. */
const UNDOABLE = new Set(["LearningArchived", "LearningConfirmed", "LearningPinned", "LearningUnpinned", "LearningDisputed", "LearningRestored", "LearningSuperseded", "LearningRescoped"]);

/** @param {string} type */
export const eventName = (type) => EVENTS[/** @type {keyof typeof EVENTS} */ (type)] ?? type.replace(/([a-z])([A-Z])/g, "$1 $2").toLowerCase();

/** @param {{id: string | number, close?: () => void}} props */
export function Detail({ id, close }) {
    const found = useData(`/v1/memories/${id}`);
    return html`<${Fragment}>
        ${close && html`<p class="back"><button class="link" onClick=${close}>Back to the list</button></p>`}
        <${Shown} of=${found}>${(/** @type {any} */ data) => html`<${Whole} memory=${data.memory} said=${data.said} why=${data.explanation} />`}<//>
    <//>`;
}

/** @param {{memory: any, said: any[], why: any}} props */
function Whole({ memory, said, why }) {
    return html`<article class="stack" aria-label=${`Memory ${memory.id}`}>
        <div>
            <div class="meta"><${Type} type=${memory.type} /><span>#${memory.id}</span><${Marks} memory=${memory} /></div>
            <p class="lead" style=${{ marginTop: "0.6rem" }}><${Words} text=${memory.content} /></p>
            <${Actions} memory=${memory} />
        </div>
        <${Replaced} why=${why} />
        <${Said} said=${said} memory=${memory} />
        <${Facts} memory=${memory} why=${why} />
        <${History} id=${memory.id} />
        <${Links} memory=${memory} links=${why.links ?? []} />
        <${Receipts} id=${memory.id} />
        <${Reasons} why=${why} />
    </article>`;
}

/** @param {{memory: any}} props */
function Actions({ memory }) {
    const [rewording, setRewording] = useState(false);
    const isUsed = memory.status === "active";
    const keys = {
        c: () => void acts.confirm(memory),
        e: () => setRewording(true),
        p: () => void acts.pin(memory),
        d: () => void acts.dispute(memory),
        f: () => void (isUsed ? acts.forget(memory) : acts.restore(memory)),
    };
    useKeys(isUsed ? keys : { f: keys.f, v: keys.v });
    return html`<div class="row actions">
        ${isUsed
            ? html`<${Fragment}>
                  <button class="button" onClick=${keys.c} disabled=${memory.confirmed && !memory.disputed}>Keep <kbd>c</kbd></button>
                  <button class="button" onClick=${keys.e}>Edit <kbd>e</kbd></button>
                  <button class="button" onClick=${keys.p}>${memory.pinned ? "Unpin" : "Pin"} <kbd>p</kbd></button>
                  <button class="button" onClick=${keys.d} disabled=${memory.disputed}>Doubt <kbd>d</kbd></button>
                  <button class="button danger" onClick=${keys.f}>Delete <kbd>f</kbd></button>
              <//>`
            : html`<button class="button main" onClick=${keys.f}>Restore <kbd>f</kbd></button>`}
        ${rewording && html`<${Reword} memory=${memory} close=${() => setRewording(false)} />`}
    </div>`;
}

/** @param {{why: any}} props */
function Replaced({ why }) {
    const [by, of] = [why.replaced_by ?? [], why.replaces ?? []];
    if (!by.length && !of.length) return null;
    return html`<div class="note">
        ${by.length > 0 && html`<p>Replaced by <${Cites} ids=${by} /></p>`}
        ${of.length > 0 && html`<p>Replaces <${Cites} ids=${of} /></p>`}
    </div>`;
}

/** @param {{said: any[], memory: any}} props */
function Said({ said, memory }) {
    if (!said.length) return html`<${Section} title="Where it comes from"><p class="soft">${memory.source === "user_review" ? "Taught by hand." : "The source text is no longer stored."}</p><//>`;
    return html`<${Section} title="Source">
        ${said.map(
            (quote) => html`<div class="quote">
                ${quote.text ? html`<p><${Words} text=${quote.text} /></p>` : html`<p class="soft">not kept any more</p>`}
                <p class="meta">
                    <span>${quote.who}</span><${When} at=${quote.at} />
                    ${quote.session_id && html`<a href=${href("sessions", quote.session_id, { turn: quote.uuid, project: undefined })}>open the session</a>`}
                </p>
            </div>`,
        )}
    <//>`;
}

/** Who learned it: rules, a model, a person. @param {string} extractor */
function learnedBy(extractor) {
    if (!extractor) return "";
    const model = /^\w+@[^/]*\/(.+)$/.exec(extractor);
    return extractor === "by-hand" ? "by hand" : model ? `by a model (${model[1]})` : extractor.startsWith("rules-") ? "by rules" : `by ${extractor}`;
}

/** @param {{memory: any, why: any}} props */
function Facts({ memory, why }) {
    const fading = why.fading;
    const narrowed = (/** @type {string} */ name, /** @type {string[]} */ values) =>
        values.map((value, at) => html`${at ? ", " : ""}<a href=${href("memories", "", { [name]: value })}>${value}</a>`);
    return html`<${Section} title="Details">
        <dl class="known">
            <dt>project</dt><dd>${memory.scope === "global" ? "every project" : nameOf(memory.project_id)}${memory.branch ? `, branch ${memory.branch}` : ""}</dd>
            <dt>true from</dt><dd>${date(memory.valid_from ?? memory.created_at)} until ${memory.valid_until ? date(memory.valid_until) : "now"}</dd>
            ${memory.author && html`<dt>author</dt><dd>${memory.author}</dd>`}
            <dt>learned</dt><dd><${When} at=${memory.created_at} /> ${learnedBy(memory.extractor)}</dd>
            <dt>confidence</dt><dd><${Bar} value=${memory.confidence} label=${`${memory.confidence.toFixed(2)}`} /></dd>
            ${fading && html`<dt>now</dt><dd><${Bar} value=${fading.confidence} label=${fading.half_life ? `${fading.confidence.toFixed(2)}; it halves every ${many(Math.round(fading.half_life), "day")}` : `${fading.confidence.toFixed(2)}; it does not fade`} /></dd>`}
            <dt>strength</dt><dd><${Bar} value=${memory.strength} label=${`${memory.strength.toFixed(2)}`} /></dd>
            ${memory.files?.length > 0 && html`<dt>files</dt><dd>${narrowed("file", memory.files)}</dd>`}
            ${memory.entities?.length > 0 && html`<dt>about</dt><dd>${memory.entities.map((/** @type {string} */ name, /** @type {number} */ at) => html`${at ? ", " : ""}<a href=${href("graph", name, { project: memory.project_id })}>${name}</a>`)}</dd>`}
            ${memory.tags?.length > 0 && html`<dt>tags</dt><dd>${narrowed("tag", memory.tags)}</dd>`}
            ${memory.slot && html`<dt>subject</dt><dd>${memory.slot.replace("|", ": ")}</dd>`}
            <dt>used</dt><dd>${many(why.use?.accesses ?? 0, "time")}</dd>
            <dt>global id</dt><dd class="small">${memory.global_id}</dd>
        </dl>
    <//>`;
}

/** @param {{id: number}} props */
function History({ id }) {
    const found = useData(`/v1/memories/${id}/history`);
    return html`<${Section} title="History">
        <${Shown} of=${found}>
            ${(/** @type {any} */ data) => html`<ol class="story">
                ${data.items.map(
                    (/** @type {any} */ entry) => html`<li style=${{ marginLeft: `${Math.min(entry.depth ?? 0, 4) * 0.9}rem` }}>
                        <strong>${eventName(entry.type)}</strong>${" "}
                        ${entry.memory_id && entry.memory_id !== id && html`<${Cite} id=${entry.memory_id} />`}
                        ${entry.type !== "LearningExtracted" && entry.said && html` <${Words} text=${entry.said} />`}
                        <div class="meta">
                            <${When} at=${entry.time} /><span>event ${entry.event_id}</span>
                            ${UNDOABLE.has(entry.type) && html`<button class="link" onClick=${() => void undo([entry.event_id])}>take back<span class="hidden"> event ${entry.event_id}</span></button>`}
                        </div>
                    </li>`,
                )}
            </ol>`}
        <//>
    <//>`;
}

/** @param {{memory: any, links: any[]}} props */
function Links({ memory, links }) {
    if (!links.length) return null;
    return html`<${Section} title="Related to">
        <ul class="stack tight">
            ${links.slice(0, 12).map(
                (one) => html`<li>
                    <span class="soft">${one.direction === "in" ? "← " : ""}${one.relation.replaceAll("_", " ")}${one.status === "suggested" ? " (suggested)" : ""}</span>${" "}
                    ${one.memory_id ? html`<a class="open" href=${href("memories", one.memory_id)}><${Words} text=${one.content} /></a>` : html`<${Words} text=${one.content} />`}
                </li>`,
            )}
        </ul>
        ${links.length > 12 && html`<p class="soft small">and ${links.length - 12} more</p>`}
    <//>`;
}

/** @param {{id: number}} props */
function Receipts({ id }) {
    const found = useData(`/v1/memories/${id}/receipts`);
    return html`<${Section} title="Shown to sessions">
        <${Shown} of=${found}>
            ${(/** @type {any} */ { items, effect }) =>
                items.length === 0
                    ? html`<p class="soft">Never yet.</p>`
                    : html`<p>${many(effect.injected, "time")}, seen in ${effect.acknowledged}, cited in ${effect.referenced}.</p>
                          <ul class="stack tight" style=${{ marginTop: "0.6rem" }}>
                              ${items.slice(0, 8).map(
                                  (/** @type {any} */ row) => html`<li class="meta">
                                      <${When} at=${row.created_at} />
                                      <a href=${href("sessions", row.session_id)}>session ${row.session_id.slice(0, 8)}</a>
                                      <span>${row.hook}</span>
                                      <span>${row.memories.some((/** @type {any} */ one) => one.memory_id === id && one.referenced_at) ? "cited" : row.acknowledged_at ? "seen" : "sent"}</span>
                                  </li>`,
                              )}
                          </ul>`}
        <//>
    <//>`;
}

/** @param {{why: any}} props */
function Reasons({ why }) {
    const need = why.need;
    return html`<details>
        <summary>Why it was kept, and when it is shown</summary>
        <div class="stack">
            ${why.reasons?.length > 0 && html`<div><h3>Why it was kept</h3><p>${why.reasons.join("; ")}</p></div>`}
            ${need?.refused && html`<p>It is not shown at the start of a session: ${need.refused}.</p>`}
            ${why.fading?.reasons?.length > 0 && html`<div><h3>How it fades</h3><p>${why.fading.reasons.join("; ")}</p></div>`}
            ${why.asked && html`<div><h3>The question it answers</h3><p><${Words} text=${why.asked} /></p></div>`}
        </div>
    </details>`;
}
