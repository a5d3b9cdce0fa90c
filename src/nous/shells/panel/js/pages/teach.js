// @ts-check
// Telling it something: one thing in a sentence, or a file of rules with a look at what it would bring.

import { Fragment, html, useState } from "../../vendor/preact.js";
import { post } from "../api.js";
import { Empty, Head, Section, Type, Words, many, projectName } from "../parts.js";
import { complain, perform, project, projects } from "../state.js";

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
        <div class="columns">
            <${Tell} />
            <${Import} />
        </div>
    <//>`;
}

/** @param {{id: string, value: string, onChange: (value: string) => void, all?: boolean}} props */
const Where = ({ id, value, onChange, all = true }) =>
    html`<select id=${id} value=${value} onChange=${(/** @type {any} */ event) => onChange(event.target.value)}>
        ${all && html`<option value="">every project</option>`}
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

function Import() {
    const [name, setName] = useState("CLAUDE.md");
    const [text, setText] = useState("");
    const [where, setWhere] = useWhere();
    const [preview, setPreview] = useState(/** @type {any} */ (null));
    const body = { name, text, project: where };
    const look = async (/** @type {Event} */ event) => {
        event.preventDefault();
        try {
            setPreview(await post("/v1/import", { ...body, dry_run: true }));
        } catch (problem) {
            complain(problem);
        }
    };
    const take = async () => {
        const done = await perform(() => post("/v1/import", body), (answer) => `${many(answer.items.length, "thing")} taken from ${name}.`);
        if (done) (setPreview(null), setText(""));
    };
    const read = async (/** @type {any} */ event) => {
        const file = event.target.files[0];
        if (!file) return;
        setName(file.name);
        setText(await file.text());
        setPreview(null);
    };
    return html`<${Section} title="A file of rules">
        <form class="stack" onSubmit=${look}>
            <div class="field"><label for="import-file">CLAUDE.md, .cursorrules or another list of rules</label><input class="input" id="import-file" type="file" accept=".md,.txt,.json,.mdc,.cursorrules,text/*" onChange=${read} /></div>
            <div class="field"><label for="import-text">Or paste it</label><textarea id="import-text" dir="auto" value=${text} onInput=${(/** @type {any} */ event) => (setText(event.target.value), setPreview(null))} placeholder="- Use pnpm, never npm."></textarea></div>
            <div class="field"><label for="import-where">Applies to</label><${Where} id="import-where" value=${where} onChange=${setWhere} all=${false} /></div>
            <div><button class="button" disabled=${!text.trim()}>Preview</button></div>
        </form>
        ${preview && html`<${Preview} preview=${preview} take=${take} />`}
    <//>`;
}

/** @param {{preview: any, take: () => void}} props */
function Preview({ preview, take }) {
    const { items } = preview;
    if (!items.length) return html`<${Empty} title="Nothing to import"><p>No line of this file can be kept as a memory.</p><//>`;
    return html`<div class="stack" style=${{ marginTop: "1.4rem" }} role="region" aria-label="What the file brings">
        <ul class="list">
            ${items.map((/** @type {any} */ item) => html`<li class="item plain"><div><${Words} text=${item.text} /><div class="meta"><${Type} type=${item.type} /></div></div></li>`)}
        </ul>
        <div><button class="button main" onClick=${take}>Remember ${many(items.length, "thing")}</button></div>
    </div>`;
}
