// What has happened, kept small: of each record what a row shows, and the beginnings of its values as text. The whole
// of a long one is asked for when somebody looks at it.
import { firstLine, read } from './text.js';
import { members } from './write.js';

/// As many as the gateway keeps: of what passed on, and of all else.
const mostRequests = 2000;
const mostOthers = 10_000;

/// How much of a value, and of a name, is kept of each.
const mostText = 2000;
export const mostName = 300;

/// A copy: a part of a text holds the whole of it in memory, which came with many others.
const own = text => JSON.parse(JSON.stringify(text));

/// The page of the record before, which is that of the next as a rule.
let lastPage = null;

function pageOf(text) {
    if (!text || text === 'null') return null;
    if (lastPage?.text === text) return lastPage.page;
    const { id = '', path = null, title = '' } = JSON.parse(text);
    const page = { id, path: path && String(path).slice(0, mostText), title: String(title ?? '').slice(0, mostName) };
    lastPage = { text: own(text), page };
    return page;
}

/// One record.
export class Entry {
    constructor(text, isKept = true) {
        const raw = members(text);
        const value = name => raw.has(name) ? JSON.parse(raw.get(name)) : null;
        const most = isKept ? mostText : Infinity;
        /// Whether nothing but what the gateway cut is missing.
        this.isWhole = true;
        const beginning = (text, most) => {
            if (text === null || text === undefined) return null;
            if (text.length <= most) return own(text);
            this.isWhole = false;
            return own(text.slice(0, most));
        };
        const name = (name, most = isKept ? mostName : Infinity) => beginning(value(name), most);
        this.number = value('number');
        this.kind = value('kind') ?? 'call';
        this.at = Date.parse(value('at'));
        this.session = name('session') ?? 'default';
        this.page = pageOf(raw.get('page'));
        this.bridge = name('bridge');
        this.method = value('method');
        this.name = name('name') ?? '';
        this.by = value('by');
        this.who = name('reply') ?? name('handler');
        this.state = value('state') ?? '';
        this.code = value('code');
        this.input = beginning(raw.get('input'), most);
        this.output = beginning(raw.get('output'), most);
        this.milliseconds = value('milliseconds');
        /// The setting that gives pages what they lack, as JSON text; and whether it does since.
        this.gives = beginning(raw.get('gives'), mostText);
        this.isGiven = value('given') === true;
        /// What only the detail shows; its text, which most records do not have.
        this.more = null;
        for (const name of ['id', 'why', 'asked', 'resentFrom', 'inputIsCut', 'outputIsCut']) {
            const text = raw.get(name);
            if (text && text !== 'null') (this.more ??= {})[name] = name === 'id' ? value(name) : beginning(text, most);
        }
        /// What a page's error or a notice says in one line.
        this.line = this.kind === 'page' || this.kind === 'notice' ? lineOf(raw) : null;
    }

    /// One of the members that only the detail shows.
    detail(name) {
        const text = this.more?.[name];
        if (text === undefined || text === null) return null;
        return name === 'id' ? text : read(text);
    }

    get isCall() { return this.kind === 'call' || this.kind === 'push'; }

    /// A call, or something that a page looked for in vain.
    get isUnanswered() { return this.by === 'nobody' || this.gives !== null; }

    /// Whether it is what every page lives through: it is hidden, kept for Back, left.
    get isLife() { return this.kind === 'page' && this.name !== 'came' && !pageErrors.has(this.name); }

    /// Whether it is something that went wrong.
    get isBad() {
        if (this.kind === 'page') return pageErrors.has(this.name);
        return this.isUnanswered || this.state === 'error' || this.state === 'expired';
    }
}

/// What pages report that is wrong with them.
export const pageErrors = new Set(['error', 'rejection']);

function lineOf(raw) {
    for (const name of ['output', 'input']) {
        const text = raw.get(name);
        if (!text || text === 'null') continue;
        const value = JSON.parse(text);
        const line = typeof value === 'string' ? value : value.message;
        if (line !== undefined && line !== null) return own(firstLine(line).slice(0, mostName));
    }
    return null;
}

/// The place of the first of a list whose number is at least this.
export function placeOf(list, number) {
    let low = 0;
    let high = list.length;
    while (low < high) {
        const middle = (low + high) >> 1;
        if (list[middle].number < number) low = middle + 1;
        else high = middle;
    }
    return low;
}

/// All records, the oldest first.
export class Records {
    all = [];
    #requests = 0;
    /// The numbers of the calls that nobody answered, and that would be answered now; the gateway says which.
    answered = new Set();
    #listeners = [];

    /// Calls `changed(entry, before)` when one comes or changes, `dropped(isGone)` when those went of which that is true.
    listen({ changed = () => {}, dropped = () => {} }) {
        this.#listeners.push({ changed, dropped });
    }

    take(text) {
        const entry = new Entry(text);
        const place = placeOf(this.all, entry.number);
        const before = this.all[place]?.number === entry.number ? this.all[place] : null;
        if (before) this.all[place] = entry;
        else if (place === this.all.length) this.all.push(entry);
        else this.all.splice(place, 0, entry);
        for (const { changed } of this.#listeners) changed(entry, before);
        if (before) return;
        const isRequest = entry.kind === 'request';
        if (isRequest) this.#requests += 1;
        const many = (isRequest ? this.#requests : this.all.length - this.#requests)
            - (isRequest ? mostRequests : mostOthers);
        // Together, since the others move each time.
        if (many > 200) this.#dropOldest(many, other => (other.kind === 'request') === isRequest);
    }

    #dropOldest(many, isSuch) {
        let left = many;
        const gone = new Set(this.all.filter(entry => left > 0 && isSuch(entry) && left--).map(entry => entry.number));
        this.#remove(entry => gone.has(entry.number));
    }

    /// Whether nobody answered it, nor would now, or pages do not have yet what it names.
    isRed(entry) {
        return entry.isUnanswered && !(entry.gives !== null ? entry.isGiven && !entry.detail('why') : this.answered.has(entry.number));
    }

    get(number) {
        const entry = this.all[placeOf(this.all, number)];
        return entry?.number === number ? entry : null;
    }

    /// Those before a number are gone; of one kind alone where that is said.
    drop({ before, kind }) {
        this.#remove(entry => entry.number < before && (!kind || entry.kind === kind));
    }

    #remove(isGone) {
        const kept = this.all.filter(entry => !isGone(entry));
        if (kept.length === this.all.length) return;
        this.#set(kept);
        for (const { dropped } of this.#listeners) dropped(isGone);
    }

    #set(kept) {
        this.all.splice(0, this.all.length, ...kept);
        this.#requests = kept.filter(entry => entry.kind === 'request').length;
    }

    /// Forgets those of a session, or all.
    clear(session) {
        this.#set(session ? this.all.filter(entry => entry.session !== session) : []);
    }
}
