// Writes JSON, replies of it, and the line of a test; finds the members of a record without reading what is in them.
import { parse } from './json.js';

function inline(node, most) {
    switch (node.type) {
    case 'string': return JSON.stringify(node.text);
    case 'number':
    case 'word': return node.text;
    }
    let text = '';
    const isObject = node.type === 'object';
    for (const item of isObject ? node.members : node.items) {
        const value = inline(isObject ? item[1] : item, most);
        if (value === null) return null;
        text += (text ? ', ' : '') + (isObject ? `${JSON.stringify(item[0])}: ` : '') + value;
        if (text.length > most) return null;
    }
    return isObject ? `{${text}}` : `[${text}]`;
}

/// The text of a value, broken into lines where one would be too long.
export function print(node, width = 72, indent = '') {
    const line = inline(node, width - indent.length);
    if (line !== null && (line.length + indent.length <= width || (node.type !== 'object' && node.type !== 'array'))) {
        return line;
    }
    const deeper = indent + '  ';
    const lines = node.type === 'object'
        ? node.members.map(([name, value]) => `${deeper}${JSON.stringify(name)}: ${print(value, width, deeper)}`)
        : node.items.map(value => deeper + print(value, width, deeper));
    const [open, close] = node.type === 'object' ? '{}' : '[]';
    return `${open}\n${lines.join(',\n')}\n${indent}${close}`;
}

const isReply = node => node.type === 'object' && node.members.some(([name]) => name.startsWith('$'));

const string = text => ({ type: 'string', text });
const number = value => ({ type: 'number', text: String(value) });
const object = members => ({ type: 'object', members: Object.entries(members) });

/// A value as a reply: one whose names begin with $ would be taken for words of Drawbridge's.
function verbatim(node) {
    return isReply(node) ? object({ $reply: node }) : node;
}

/// The same reply, later; of several that one is chosen from, each of them. What is not an answer stays as it is.
export function late(node, milliseconds) {
    const delay = ['$delay', number(milliseconds)];
    if (!isReply(node)) return { type: 'object', members: [delay, ['$reply', node]] };
    const has = word => node.members.some(([name]) => name === word);
    if (['$pass', '$silence', '$missing'].some(has)) return node;
    if (!['$sequence', '$cases', '$ask'].some(has)) {
        return { type: 'object', members: [delay, ...node.members.filter(([name]) => name !== '$delay')] };
    }
    const each = value => late(value, milliseconds);
    const inside = (name, value) => {
        if (name === '$choices') return { ...value, members: value.members?.map(([key, reply]) => [key, each(reply)]) };
        return name === '$sequence' || name === '$cases' ? { ...value, items: value.items?.map(each) } : value;
    };
    return { ...node, members: node.members.map(([name, value]) => [name, inside(name, value)]) };
}

const pass = object({ $pass: { type: 'word', text: 'true' } });

/// What lets a held call go on; it is last, since that is taken where no inspector is open any more.
export const goesOn = 'go on';

/// A reply that waits for a person: then the call fails, or gets what answers it by that time.
export function held(name) {
    return object({
        $ask: string(`The call of ${name} is held.`),
        $choices: object({ fail: failure(500, 'The app failed.'), [goesOn]: pass }),
    });
}

/// The reply for one call. - Parameter rest: for those behind it; null for what answers without it.
export function once(node, rest) {
    return object({ $sequence: { type: 'array', items: [node, rest ?? pass] } });
}

/// What answers behind the first call of a reply: all of it, but where it is one for one call; null where nothing does.
export function behind(node) {
    const items = node?.members?.find(([name]) => name === '$sequence')?.[1].items;
    const rest = items?.length === 2 ? items[1] : node;
    return rest?.members?.some(([name]) => name === '$pass') ? null : rest ?? null;
}

/// A reply that fails.
export function failure(code, message) {
    return object({ $error: object({ code: number(code), message: string(message) }) });
}

/// The reply that answers as a call was answered; where it failed, it fails.
export function same(node, hasFailed) {
    const isCode = value => value.type === 'number' && /^-?\d+$/.test(value.text);
    const isFailure = hasFailed && node.type === 'object' && node.members.every(([name, value]) =>
        name === 'code' ? isCode(value) : name === 'message' || name === 'data');
    return isFailure ? object({ $error: node }) : verbatim(node);
}

/// A number by its digits and its power of ten, so that one value has one text.
function plain(text) {
    const [, whole, part = '', exponent = '0'] = /^-?(\d+)\.?(\d*)(?:e([-+]?\d+))?$/i.exec(text);
    const digits = (whole + part).replace(/^0+/, '');
    const kept = digits.replace(/0+$/, '');
    return kept && `${kept}e${Number(exponent) - part.length + digits.length - kept.length}`;
}

/// A value as an expression of JavaScript, in ASCII alone. Throws where JavaScript has no such number.
function javaScript(node) {
    const literal = text => JSON.stringify(text)
        .replace(/[^ -;=-~]/g, unit => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
    switch (node.type) {
    case 'string': return literal(node.text);
    case 'word': return node.text;
    case 'number': {
        const number = String(Number(node.text));
        if (number.endsWith('Infinity') || plain(number) !== plain(node.text)) {
            throw new Error(`JavaScript has no number ${node.text.slice(0, 60)}. Copy the call as curl.`);
        }
        return number;
    }
    case 'array': return `[${node.items.map(javaScript).join(', ')}]`;
    }
    // Without brackets `__proto__` sets the prototype of the object.
    const name = text => (text === '__proto__' ? `[${literal(text)}]` : literal(text));
    return node.members.length ? `{ ${node.members.map(([key, value]) => `${name(key)}: ${javaScript(value)}`).join(', ')} }`
        : '{}';
}

/// The line of a test in JavaScript that verifies a call.
/// - Parameters:
///   - record: its members as texts.
///   - isComparable: whether the gateway could read what was sent; else the line verifies the name alone.
export function verifying(record, isComparable) {
    const [{ text }, input] = ['name', 'input'].map(key => parse(record.get(key) ?? 'null').node);
    // The first slash of a name is not part of it.
    const name = javaScript({ type: 'string', text: text.startsWith('/') ? `/${text}` : text });
    if (!isComparable) return `await native.verify(${name});\n`;
    if (!input) throw new Error('What was sent is nested too deeply for a line. Copy the call as curl.');
    return `await native.verify(${name}, undefined, { equals: ${javaScript(input)} });\n`;
}

/// Where an item of a list, or a member of an object, ends: at the comma or bracket behind it.
function end(text, at) {
    for (let depth = 0; at < text.length; at += 1) {
        const code = text.charCodeAt(at);
        if (code === 0x22) {
            for (at += 1; text.charCodeAt(at) !== 0x22 && at < text.length; at += 1) {
                if (text.charCodeAt(at) === 0x5c) at += 1;
            }
        } else if (code === 0x7b || code === 0x5b) {
            depth += 1;
        } else if (code === 0x7d || code === 0x5d || code === 0x2c) {
            if (depth === 0) return at;
            if (code !== 0x2c) depth -= 1;
        }
    }
    return at;
}

/// The texts of what is in a list, or in an object.
export function elements(text, bracket = '[') {
    const found = [];
    let at = text.search(/\S/);
    if (text[at] !== bracket) return found;
    do {
        const from = at + 1;
        at = end(text, from);
        found.push(text.slice(from, at).trim());
    } while (text[at] === ',');
    return found.filter(Boolean);
}

/// The texts of an object's members, by their names. What is not an object has none.
export function members(text) {
    return new Map(elements(text, '{').map(member => {
        const [name] = /^"(?:[^"\\]|\\.)*"/.exec(member);
        return [JSON.parse(name), member.slice(member.indexOf(':', name.length) + 1).trimStart()];
    }));
}
