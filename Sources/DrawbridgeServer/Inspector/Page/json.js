// Reads JSON exactly: numbers keep their digits and objects their order. What is nearly JSON is read too, and the first
// thing that is wrong with it is said with its place.

class Fault extends Error {
    constructor(message, offset, isUnfinished = false) {
        super(message);
        Object.assign(this, { offset, isUnfinished });
    }
}

/// How deep values may be nested; what is deeper is shown as plain text.
const mostDeep = 400;

/// Words of other languages.
const meant = { undefined: 'null', NaN: 'null', Infinity: 'null', None: 'null', True: 'true', False: 'false' };

/// What is in a text before its end or an escape.
const parts = { '"': /[^"\\]*/y, "'": /[^'\\]*/y, '`': /[^`\\]*/y };

class Reader {
    at = 0;
    depth = 0;
    problem = null;

    constructor(text) { this.text = text; }

    complain(message, offset = this.at) { this.problem ??= { message, offset }; }

    match(pattern) {
        pattern.lastIndex = this.at;
        const found = pattern.exec(this.text)?.[0] ?? '';
        this.at += found.length;
        return found;
    }

    unfinished(message) { throw new Fault(message, this.text.length, true); }

    space() {
        for (;;) {
            const found = this.match(/[ \t\r\n\u00a0\ufeff]*/y);
            if (/[\u00a0\ufeff]/.test(found)) this.complain('JSON does not allow this space', this.at - found.length);
            if (!this.text.startsWith('//', this.at) && !this.text.startsWith('/*', this.at)) return;
            this.complain('JSON has no comments');
            const end = this.text.startsWith('//', this.at) ? '\n' : '*/';
            const to = this.text.indexOf(end, this.at + 2);
            this.at = to < 0 ? this.text.length : to + end.length;
        }
    }

    whole() {
        this.space();
        if (this.at >= this.text.length) this.unfinished('type a JSON value');
        const from = this.at;
        const node = this.value();
        this.space();
        if (this.at >= this.text.length) return node;
        if (node.isBare) {
            this.at = this.text.length;
            return { type: 'string', text: this.text.slice(from).trim() };
        }
        throw new Fault('nothing may follow the value', this.at);
    }

    value() {
        this.space();
        if (this.at >= this.text.length) this.unfinished('a value is missing');
        const character = this.text[this.at];
        if (character === '{' || character === '[') {
            if (++this.depth > mostDeep) throw new Fault('this is too deep', this.at);
            const node = character === '{' ? this.object() : this.array();
            this.depth -= 1;
            return node;
        }
        if (character === '"' || character === "'" || character === '`') return { type: 'string', text: this.string() };
        return this.word();
    }

    word() {
        const from = this.at;
        const word = this.match(/[^\s,:{}[\]"'`]+/y);
        if (!word) throw new Fault(`no value begins with ${this.text[from]}`, from);
        if (/^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/.test(word)) return { type: 'number', text: word };
        if (word === 'true' || word === 'false' || word === 'null') return { type: 'word', text: word };
        if (Object.hasOwn(meant, word)) {
            this.complain(`JSON has no ${word}; write ${meant[word]}`, from);
            return { type: 'word', text: meant[word] };
        }
        if (/^[+\-.\d]/.test(word) && Number.isFinite(Number(word))) {
            this.complain(`a number is written ${Number(word)}`, from);
            return { type: 'number', text: String(Number(word)) };
        }
        this.complain(`a text is written in double quotes: ${JSON.stringify(word.slice(0, 40))}`, from);
        return { type: 'string', text: word, isBare: true };
    }

    string() {
        const from = this.at;
        const quote = this.text[from];
        if (quote !== '"') this.complain('texts are written in double quotes, not in single ones', from);
        let text = '';
        this.at += 1;
        for (;;) {
            const start = this.at;
            const part = this.match(parts[quote]);
            const control = part.search(/[\u0000-\u001f]/);
            if (control >= 0) this.complain('a line break in a text is written \\n', start + control);
            text += part;
            if (this.at >= this.text.length) this.unfinished(`the text that began with ${quote} does not end`);
            if (this.text[this.at] === quote) {
                this.at += 1;
                return text;
            }
            text += this.escape();
        }
    }

    escape() {
        const from = this.at;
        const character = this.text[from + 1];
        if (character === undefined) this.unfinished('the text does not end');
        this.at += 2;
        if (character === 'u') {
            const digits = this.text.slice(this.at, this.at + 4);
            if (!/^[0-9a-fA-F]{4}$/.test(digits)) throw new Fault('four hex digits must follow \\u', from);
            this.at += 4;
            return String.fromCharCode(parseInt(digits, 16));
        }
        const known = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t', '"': '"', '\\': '\\', '/': '/' }[character];
        if (known === undefined) this.complain(`JSON has no \\${character}`, from);
        return known ?? character;
    }

    array() {
        const items = [];
        this.list(']', 'list', () => items.push(this.value()));
        return { type: 'array', items };
    }

    object() {
        const members = [];
        this.list('}', 'object', () => {
            const name = this.name();
            this.space();
            if (this.at >= this.text.length) this.unfinished('a colon and a value are missing');
            if (this.text[this.at] !== ':') throw new Fault('a colon is missing: {"name": value}', this.at);
            this.at += 1;
            members.push([name, this.value()]);
        });
        return { type: 'object', members };
    }

    name() {
        if (/["'`]/.test(this.text[this.at])) return this.string();
        const from = this.at;
        const name = this.match(/[^\s,:{}[\]"'`]+/y);
        if (!name) throw new Fault('a name in double quotes is missing', from);
        this.complain(`names are written in double quotes: "${name.slice(0, 40)}"`, from);
        return name;
    }

    list(end, what, item) {
        this.at += 1;
        for (let comma = -1; ;) {
            this.space();
            if (this.at >= this.text.length) this.unfinished(`the ${what} does not end: ${end} is missing`);
            if (this.text[this.at] === end) {
                if (comma >= 0) this.complain('remove the comma after the last item', comma);
                this.at += 1;
                return;
            }
            item();
            this.space();
            comma = -1;
            if (this.text[this.at] === ',') {
                comma = this.at;
                this.at += 1;
            } else if (this.at < this.text.length && this.text[this.at] !== end) {
                throw new Fault(`a comma or ${end} is missing`, this.at);
            }
        }
    }
}

/// What a text is: its `node`, or null; a `problem` with message, line and column where it is not JSON; and whether
/// more may make it JSON (`isUnfinished`). A node with a problem is what was probably meant.
export function parse(text) {
    const reader = new Reader(text);
    let node = null;
    let isUnfinished = false;
    try {
        node = reader.whole();
    } catch (error) {
        if (!(error instanceof Fault)) throw error;
        isUnfinished = error.isUnfinished;
        reader.problem ??= { message: error.message, offset: error.offset };
    }
    const problem = reader.problem;
    if (problem) {
        const before = text.slice(0, problem.offset).split('\n');
        problem.line = before.length;
        problem.column = before.at(-1).length + 1;
    }
    return { node, problem, isUnfinished };
}
