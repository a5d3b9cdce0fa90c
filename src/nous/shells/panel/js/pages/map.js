// @ts-check
// The modules of the projects: how well each is known, and where the trouble is.

import { Fragment, html } from "../../vendor/preact.js";
import { Bar, Empty, Head, More, Shown, When, many, nameOf, useList } from "../parts.js";
import { href, project } from "../state.js";

export default function Modules() {
    const list = useList("/v1/modules", { project: project.value }, 60);
    return html`<${Fragment}>
        <${Head} title="Map" lead="The folders that memories speak of: how well each is known, and where the traps are." />
        <${Shown} of=${list}>
            ${() =>
                list.items.length === 0
                    ? html`<${Empty} title="No map yet"><p>It is drawn from the files that memories are about, and from the code once <code>nous index</code> has read it.</p><//>`
                    : html`<ul class="modules">${list.items.map((row) => html`<${Module} key=${`${row.project_id} ${row.module}`} row=${row} />`)}</ul>
                          <${More} ...${list} />`}
        <//>
    <//>`;
}

/** @param {{row: any}} props */
function Module({ row }) {
    const covered = row.files ? row.known_files / row.files : null;
    return html`<li class="sheet module">
        <div>
            <h2><a href=${href("memories", "", { module: row.module, project: row.project_id })}>${row.module || "(top)"}</a></h2>
            ${!project.value && html`<p class="soft small">${nameOf(row.project_id)}</p>`}
        </div>
        ${covered !== null && html`<div class="small"><${Bar} value=${covered} label=${`${row.known_files} of ${row.files} files known`} /></div>`}
        <div class="meta">
            <span>${many(row.memories, "memory", "memories")}</span>
            ${row.traps > 0 && html`<span class="tag warn">${many(row.traps, "trap")}</span>`}
            <${When} at=${row.last_at} />
        </div>
        ${row.hotspots?.length > 0 && html`<p class="soft small">most spoken of: ${row.hotspots.map((/** @type {any} */ each, /** @type {number} */ at) => html`${at ? ", " : ""}<a href=${href("memories", "", { file: each.file, project: row.project_id })}>${each.file.split("/").pop()}</a> (${each.memories})`)}</p>`}
    </li>`;
}
