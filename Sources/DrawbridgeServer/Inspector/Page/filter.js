// Which records are shown: name:pay state:error page:/cart session:ann -request, and words of name and input.
import { answerer } from './text.js';

const kinds = ['call', 'push', 'page', 'request', 'notice'];

const begins = (text, wanted) => String(text ?? '').toLowerCase().startsWith(wanted);
const has = (text, wanted) => String(text ?? '').toLowerCase().includes(wanted);

/// JSON as the list shows it and as it was sent, with and without quotes and blanks, is one.
const plain = text => (text ?? '').replace(/"/g, '').replace(/([:,{[]) +/g, '$1');

/// A name may have stars: name:price/*.
function named(text, wanted) {
    if (!wanted.includes('*')) return has(text, wanted);
    const parts = wanted.split('*').map(part => part.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&'));
    return new RegExp(`^${parts.join('.*')}$`, 'is').test(text ?? '');
}

const words = {
    name: (entry, wanted) => named(entry.name, wanted),
    state: (entry, wanted) => begins(entry.state, wanted),
    kind: (entry, wanted) => begins(entry.kind, wanted),
    session: (entry, wanted) => begins(entry.session, wanted),
    bridge: (entry, wanted) => begins(entry.bridge, wanted),
    by: (entry, wanted) => begins(entry.by, wanted) || begins(answerer(entry.by), wanted) || has(entry.who, wanted),
    code: (entry, wanted) => begins(entry.code, wanted),
    page: (entry, wanted) => entry.page !== null &&
        (has(entry.page.path, wanted) || begins(entry.page.id, wanted) || has(entry.page.title, wanted)),
};

/// The words that a filter may have.
export const keys = Object.keys(words).map(key => `${key}:`).join(' ');

const values = { kind: kinds, state: ['waiting', 'answered', 'error', 'missing', 'silent', 'left', 'expired'] };

function condition(word) {
    const isNot = word.length > 1 && word[0] === '-';
    const rest = (isNot ? word.slice(1) : word).toLowerCase();
    const colon = rest.indexOf(':');
    const key = colon > 0 ? rest.slice(0, colon) : '';
    let fits;
    if (Object.hasOwn(words, key)) {
        const wanted = rest.slice(colon + 1).replace(/"/g, '');
        if (!wanted) return null;
        fits = entry => words[key](entry, wanted);
    } else if (isNot && kinds.includes(rest)) {
        fits = entry => entry.kind === rest;
    } else {
        const wanted = plain(rest);
        if (!wanted) return null;
        fits = entry => [entry.name, entry.input, entry.line].some(text => has(plain(text), wanted));
    }
    return isNot ? entry => !fits(entry) : fits;
}

/// Says of a word of the filter what there is instead; undefined where it is known.
function unknown(part) {
    const [, key, value] = part.match(/^-?(\w+):"?([^"]*)/) ?? [];
    if (!key) return;
    if (!Object.hasOwn(words, key.toLowerCase())) return `Nothing matches: the filter has no key ${key}:, only ${keys}`;
    const known = values[key.toLowerCase()];
    if (known && !known.some(one => begins(one, value.toLowerCase()))) {
        return `Nothing matches: ${key} cannot be ${value}, only ${known.join(', ')}`;
    }
}

/// What a record has to fit: the text of the filter box, the session that was picked, and whether what passed, and what
/// pages live through, is shown.
export function filter(text, session, showsPassed, showsLife) {
    const parts = text.match(/(?:"[^"]*"?|[^\s"])+/g) ?? [];
    const conditions = parts.map(condition).filter(Boolean);
    const asked = kind => parts.some(part => kind.test(part));
    const hidesRequests = !showsPassed && !asked(/^kind:r/i);
    const hidesLife = !showsLife && !asked(/^kind:pa/i);
    return {
        isOpen: conditions.length === 0 && !session, unknown: parts.map(unknown).find(Boolean),
        fits: entry => !(hidesRequests && entry.kind === 'request') && !(hidesLife && entry.isLife) &&
            (!session || entry.session === session) && conditions.every(fits => fits(entry)),
    };
}
