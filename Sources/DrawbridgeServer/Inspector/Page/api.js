// Asks the gateway, whose answers are {"code", "message", "data"}; an error has the message, which says what to do.
import { authorization, refuse } from './access.js';
import { cut, nearName, read, visible } from './text.js';
import { members } from './write.js';

const base = '/__drawbridge__/';

/// Why the gateway did not do what it was asked for.
const refusal = (status, message, data = null) => Object.assign(new Error(message), { status, data });

/// A path with its query: path('replies', { name: 'pay' }). What is null is left out.
export function path(name, items = {}) {
    const given = Object.entries(items).filter(([, value]) => value !== undefined && value !== null && value !== '');
    return given.length ? `${name}?${new URLSearchParams(given)}` : name;
}

/// The answer itself, whatever it is.
export async function send(method, path, { json, headers, signal } = {}) {
    let answer;
    try {
        answer = await fetch(base + path, {
            method, signal, body: json, cache: 'no-store',
            headers: {
                ...authorization(), ...(json === undefined ? {} : { 'Content-Type': 'application/json' }), ...headers,
            },
        });
    } catch (error) {
        if (error.name === 'AbortError') throw error;
        throw refusal(0, 'The gateway does not answer. Is it running?');
    }
    if (answer.status === 401) refuse();
    return answer;
}

async function checked(method, path, json) {
    const answer = await send(method, path, { json });
    const text = await answer.text();
    if (answer.ok) return text;
    const { message, data } = read(text) ?? { message: text.slice(0, 300) };
    throw refusal(answer.status, String(message || `The gateway answered ${answer.status}.`), data);
}

/// What the gateway answers, as JSON text with all its digits.
export async function askText(method, path, json) {
    return members(await checked(method, path, json)).get('data') ?? 'null';
}

/// What the gateway answers. - Parameter json: the body, already written.
export async function ask(method, path, json) {
    return JSON.parse(await askText(method, path, json));
}

/// Takes a save back, and gives the words that say what came of it.
export async function undo(save) {
    const { names, kept, file } = await ask('POST', 'replies/undo', JSON.stringify({ save }));
    const listed = names => visible(cut(names.join(', '), 100));
    return `Undone: ${listed(names)} in ${nearName(file)}.` +
        (kept.length ? ` Changed since, so not undone: ${listed(kept)}.` : '');
}

/// An answer that is a text.
export const text = path => checked('GET', path);
