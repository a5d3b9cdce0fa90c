// @ts-check
// Telling it something in one sentence.

import { Fragment, html, useState } from "../../vendor/preact.js";
import { post } from "../api.js";
import { Head, Section, projectName } from "../parts.js";
import { perform, project, projects } from "../state.js";

const KINDS = [
    ["preference", "a rule: how I want it done"],
    ["decision", "a decision, and why"],
    ["requirement", "something that must hold"],
    ["gotcha", "a trap"],
    ["procedure", "how something is done here"],
    ["fact", "a fact"],
];

export default function Teach() {
    return html`<${Fragment}>
        <${Head} title="Teach" everywhere lead="Nous learns from sessions by itself. Use this page for what you want it to know now." />
        <${Tell} />
        <p class="soft"><code>nous admin import FILE</code> reads a whole file of rules, such as CLAUDE.md; <code>--dry-run</code> shows first what it would bring.</p>
    <//>`;
}

/** @param {{id: string, value: string, onChange: (value: string) => void}} props */
const Where = ({ id, value, onChange }) =>
    html`<select id=${id} value=${value} onChange=${(/** @type {any} */ event) => onChange(event.target.value)}>
        <option value="">every project</option>
        ${projects.value.map((row) => html`<option value=${row.project_id} selected=${row.project_id === value}>${projectName(row)}</option>`)}
    </select>`;

/** The project that is meant until another is chosen: the one looked at, or the first. @returns {[string, (value: string) => void]} */
function useWhere() {
    const [chosen, choose] = useState(/** @type {string | null} */ (null));
    return [chosen ?? (project.value || (projects.value[0]?.project_id ?? "")), choose];
}

function Tell() {
    const [text, setText] = useState("");
    const [type, setType] = useState("preference");
    const [where, setWhere] = useWhere();
    const [files, setFiles] = useState("");
    const [pin, setPin] = useState(false);
    const save = async (/** @type {Event} */ event) => {
        event.preventDefault();
        const said = { text: text.trim(), type, pin, files: files.split(",").map((file) => file.trim()).filter(Boolean), ...(where ? { project: where, scope: "project" } : { project: projects.value[0]?.project_id, scope: "global" }) };
        const done = await perform(() => post("/v1/memories", said), (answer) => `Remembered as #${answer.memories[0].id}.`);
        if (done) (setText(""), setFiles(""), setPin(false));
    };
    return html`<${Section} title="One memory">
        <form class="stack" onSubmit=${save}>
            <div class="field"><label for="teach-text">A plain sentence that can be understood on its own</label><textarea id="teach-text" dir="auto" value=${text} onInput=${(/** @type {any} */ event) => setText(event.target.value)} placeholder="Migrations are written by hand, because the generated ones lock the table."></textarea></div>
            <div class="field"><label for="teach-type">What it is</label><select id="teach-type" value=${type} onChange=${(/** @type {any} */ event) => setType(event.target.value)}>${KINDS.map(([name, said]) => html`<option value=${name} selected=${name === type}>${said}</option>`)}</select></div>
            <div class="field"><label for="teach-where">Applies to</label><${Where} id="teach-where" value=${where} onChange=${setWhere} /></div>
            <div class="field"><label for="teach-files">Files it is about, separated by commas (optional)</label><input class="input" id="teach-files" value=${files} onInput=${(/** @type {any} */ event) => setFiles(event.target.value)} placeholder="src/jobs.py" /></div>
            <label><input type="checkbox" checked=${pin} onChange=${() => setPin(!pin)} /> Pin it, so that every session sees it</label>
            <div><button class="button main" disabled=${!text.trim()}>Remember</button></div>
        </form>
    <//>`;
}
