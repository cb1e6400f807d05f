// How things are written: times, counts, short forms of values, and characters that would not be seen.

/// Characters that are not seen, or that turn the direction of others.
export const unseen = new RegExp(
    '[\\u0000-\\u0008\\u000b-\\u001f\\u007f-\\u009f\\u00ad\\u061c\\u200b\\u200e\\u200f\\u2028-\\u202e\\u2060-\\u2069' +
    '\\ufeff\\ufff9-\\ufffb]', 'g');

/// A text in which such characters are written out.
export function visible(text) {
    const sign = character => `U+${character.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}`;
    return String(text).replace(unseen, sign);
}

/// 2026-05-04 23:00:17.123, where the reader is.
export function moment(at) {
    const local = new Date(at - 60_000 * new Date(at).getTimezoneOffset());
    return local.toISOString().slice(0, -1).replace('T', ' ');
}

/// The time of it alone.
export const clock = at => moment(at).slice(11);

/// 0.4 ms, 17 ms, 3.00 s, 2 min 5 s.
export function took(milliseconds) {
    if (milliseconds === null || milliseconds === undefined || Number.isNaN(milliseconds)) return '';
    if (milliseconds < 9.95) return `${milliseconds.toFixed(1)} ms`;
    if (milliseconds < 999.5) return `${Math.round(milliseconds)} ms`;
    if (milliseconds < 59_995) return `${(milliseconds / 1000).toFixed(2)} s`;
    const seconds = Math.round(milliseconds / 1000);
    return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}

/// 1 call, 2 calls, 10,000 calls.
export function count(number, one, many = `${one}s`) {
    return `${number.toLocaleString('en')} ${number === 1 ? one : many}`;
}

/// The beginning of a text, without half a character at its end.
export function cut(text, most) {
    if (text.length <= most) return text;
    const code = text.charCodeAt(most - 1);
    return text.slice(0, code >= 0xd800 && code < 0xdc00 ? most - 1 : most) + '…';
}

/// A value in one line, without the quotes of its names: {channel: "wechat"}.
export function short(json, most = 160) {
    if (json === undefined || json === null) return '';
    return cut(json, most).replace(/\s+/g, ' ').replace(/"([A-Za-z_$][\w$]*)" ?: ?/g, '$1: ').replace(/,(?=\S)/g, ', ');
}

/// What a table has of a name; nothing where the name is one that every object has.
export function known(table, name) {
    return Object.hasOwn(table, name) ? table[name] : undefined;
}

/// What a text is as JSON, or null where it is none.
export function read(text) {
    try {
        return JSON.parse(text);
    } catch {
        return null;
    }
}

/// The first line of a text.
export function firstLine(text) {
    return String(text).trimStart().split('\n', 1)[0];
}

/// The name of a file without its folders, which may be longer than a button.
export function fileName(path) {
    return String(path).split('/').at(-1);
}

/// The same with the folder that it is in, which says which file it is.
export function nearName(path) {
    return String(path).split('/').slice(-2).join('/');
}

/// Whether a mock of this name answers other names too.
export const isPattern = name => name.split('/').some(part => part.startsWith(':') || part.startsWith('*'));

/// Who answered. A mock is a reply in files and in the gateway's own words.
export const answerer = by => by === 'reply' ? 'mock' : by ?? '';

/// Whether a link may lead there.
export const isWebAddress = text => ['http:', 'https:'].includes(URL.parse(text)?.protocol);

/// Whether a page is at a path.
export const isAt = (page, path) => (URL.parse(page.url)?.pathname ?? '') === path;
