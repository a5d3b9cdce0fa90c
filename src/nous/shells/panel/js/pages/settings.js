// @ts-check
// Every setting with its value, and where that value came from. What is shown and spent is changed here, the rest in a
// terminal: some settings name programs, or say where words go.

import { Fragment, html, useState } from "../../vendor/preact.js";
import { post } from "../api.js";
import { Dialog, Head, Section, Shown, Words, useData } from "../parts.js";
import { perform } from "../state.js";

/** @type {Record<string, string>} */
const FROM = { default: "default", file: "config file", environment: "environment" };

export default function Settings() {
    const found = useData("/v1/settings");
    const [words, setWords] = useState("");
    const [changed, setChanged] = useState(false);
    const fits = (/** @type {any} */ row) => (!changed || row.from !== "default") && `${row.name} ${row.description}`.toLowerCase().includes(words.toLowerCase());
    return html`<${Fragment}>
        <${Head} title="Settings" everywhere lead=${html`Each value, and where it comes from. <code>nous config set NAME VALUE</code> changes any of them.`} />
        <div class="stack">
            <${Shown} of=${found}>${(/** @type {any} */ data) => html`<${Model} rows=${data.items} />`}<//>
            <div class="search"><input class="input" type="search" aria-label="Find a setting" placeholder="Find a setting" value=${words} onInput=${(/** @type {any} */ event) => setWords(event.target.value)} /></div>
            <label><input type="checkbox" checked=${changed} onChange=${() => setChanged(!changed)} /> Only what differs from the default</label>
            <${Shown} of=${found}>${(/** @type {any} */ data) => html`<ul class="list">${data.items.filter(fits).sort((/** @type {any} */ a, /** @type {any} */ b) => Number(b.changeable) - Number(a.changeable)).map((/** @type {any} */ row) => html`<${Setting} key=${row.name} row=${row} />`)}</ul>`}<//>
        </div>
    <//>`;
}

/** Which model reads, what it cost today, and what it may cost. @param {{rows: any[]}} props */
function Model({ rows }) {
    const cap = Number(rows.find((row) => row.name === "daily_usd")?.value ?? 0);
    const found = useData("/v1/status");
    return html`<${Section} title="Model">
        <${Shown} of=${found}>${({ spend }) =>
            spend.model === "none"
                ? html`<p>None: nothing is sent anywhere and nothing is spent. <code>nous init --model claude</code> chooses one.</p>`
                : html`<dl class="known">
                      <dt>model</dt><dd>${spend.model}</dd>
                      <dt>cost today</dt><dd>$${Math.max(0, cap - spend.usd).toFixed(2)} of at most $${cap.toFixed(2)}${spend.reason ? `; it is not asked now: ${spend.reason}` : ""}</dd>
                      <dt>switch off</dt><dd><code>nous admin cost --off</code></dd>
                  </dl>`}<//>
    <//>`;
}

/** @param {{row: any}} props */
function Setting({ row }) {
    const [changing, setChanging] = useState(false);
    return html`<li class="setting">
        <div>
            <h2>${row.name}</h2>
            <p class="soft small"><${Words} text=${row.description} /></p>
        </div>
        <div>
            <p><strong><${Words} text=${shown(row.value)} /></strong></p>
            <p class="meta">
                <span class=${row.from === "default" ? "tag" : "tag on"}>${FROM[row.from] ?? row.from}</span>
                ${row.from !== "default" && html`<span>instead of ${shown(row.default)}</span>`}
                <span>${row.variable}</span>
                ${row.changeable && row.from !== "environment" && html`<button class="link" aria-label=${`Change ${row.name}`} onClick=${() => setChanging(true)}>Change</button>`}
            </p>
        </div>
        ${changing && html`<${Change} row=${row} close=${() => setChanging(false)} />`}
    </li>`;
}

/** @param {{row: any, close: () => void}} props */
function Change({ row, close }) {
    const [value, setValue] = useState(String(row.value));
    const save = (/** @type {string | null} */ given) => {
        close();
        void perform(() => post("/v1/settings", { name: row.name, value: given }), () => `${row.name} is saved. It counts after \`nous admin restart\`.`);
    };
    return html`<${Dialog} title=${row.name} close=${close}>
        <form onSubmit=${(/** @type {Event} */ event) => (event.preventDefault(), save(value.trim()))}>
            <div class="field">
                <label for="setting-value">${row.description}</label>
                ${typeof row.value === "boolean"
                    ? html`<select id="setting-value" value=${value} onChange=${(/** @type {any} */ event) => setValue(event.target.value)}><option>true</option><option>false</option></select>`
                    : html`<input id="setting-value" class="input" inputmode="decimal" value=${value} onInput=${(/** @type {any} */ event) => setValue(event.target.value)} />`}
            </div>
            <div class="ends">
                <button class="button" type="button" onClick=${close}>Cancel</button>
                ${row.from !== "default" && html`<button class="button" type="button" onClick=${() => save(null)}>Default: ${shown(row.default)}</button>`}
                <button class="button main" disabled=${!value.trim() || value.trim() === String(row.value)}>Save</button>
            </div>
        </form>
    <//>`;
}

/** @param {any} value */
const shown = (value) => (value === "" || value === null || value === undefined ? "(empty)" : typeof value === "object" ? JSON.stringify(value) : String(value));
