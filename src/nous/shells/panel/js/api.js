// @ts-check
// Every request of the panel, in one place: the same HTTP API that any other client uses.

const TOKEN = "nous.token";

/** What went wrong, in one sentence, and what to do about it. */
export class ApiError extends Error {
    /** @param {number} status @param {string} message @param {string} [hint] */
    constructor(status, message, hint = "") {
        super(message);
        this.status = status;
        this.hint = hint;
    }
}

/** @param {Record<string, any>} params */
export function queryOf(params) {
    const given = Object.entries(params).filter(([, value]) => value !== undefined && value !== null && value !== "");
    return new URLSearchParams(given.map(([name, value]) => [name, String(value)])).toString();
}

/** @param {string} path @param {Record<string, any>} [params] @param {AbortSignal} [signal] @returns {Promise<any>} */
export function get(path, params = {}, signal) {
    const query = queryOf(params);
    return request("GET", query ? `${path}?${query}` : path, undefined, signal);
}

/** @param {string} path @param {object} [body] @returns {Promise<any>} */
export const post = (path, body = {}) => request("POST", path, body);

/** @param {string} method @param {string} path @param {object} [body] @param {AbortSignal} [signal] */
async function request(method, path, body, signal) {
    /** @type {Record<string, string>} */
    const headers = { Accept: "application/json", "Nous-Client": "panel" };
    const token = localStorage.getItem(TOKEN);
    if (token) headers.Authorization = `Bearer ${token}`;
    if (body) headers["Content-Type"] = "application/json";
    if (method !== "GET") headers["Idempotency-Key"] = crypto.randomUUID();
    let answer;
    try {
        answer = await fetch(path, { method, headers, body: body && JSON.stringify(body), signal, cache: "no-store" });
    } catch (problem) {
        if (signal?.aborted) throw problem;
        throw new ApiError(0, "The daemon does not answer.", "Start it with `nous up`; this page then reconnects by itself.");
    }
    const said = answer.status === 204 ? null : await answer.json().catch(() => null);
    if (answer.ok) return said;
    const error = said?.error ?? {};
    throw new ApiError(answer.status, error.message ?? `The daemon answered with ${answer.status}.`, error.hint);
}

/** Whether this browser was let in before. */
export const hasKey = () => localStorage.getItem(TOKEN) !== null;

/** Trade the one-time code of `nous panel` for a token. @param {string} code */
export async function enter(code) {
    const { token } = await post("/v1/auth/exchange", { code });
    localStorage.setItem(TOKEN, token);
}
