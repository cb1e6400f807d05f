// The catalogue: every handler and reply with what it was last asked, to be tried and answered otherwise.
import { Answer } from './answer.js';
import { askText, path } from './api.js';
import { action, busy, make, one, plainInput, put, said, statusLine } from './dom.js';
import { Editor } from './editor.js';
import { on, workingSession } from './state.js';
import { answerer, count } from './text.js';
import { pretty, preview, tree } from './tree.js';
import { elements, members, print } from './write.js';

class Card {
    #answer = null;

    constructor(name, goTo) {
        Object.assign(this, { name, goTo });
        this.summary = make('summary');
        this.body = make('div', { class: 'trial' });
        this.element = make('details', { class: 'handler', ontoggle: () => {
            if (this.element.open && !this.body.childElementCount) this.#open();
        } }, this.summary, this.body);
    }

    update(raw) {
        const value = name => raw.has(name) ? JSON.parse(raw.get(name)) : null;
        this.raw = raw;
        const calls = value('calls') ?? 0;
        put(this.summary, said(this.name, { class: 'name' }), ' ',
            said(answerer(value('by')), { class: 'dim' }),
            make('span', { class: 'count' }, count(calls, 'call')));
        this.element.classList.toggle('unused', calls === 0);
    }

    #open() {
        const { element, tell } = statusLine();
        const result = make('div');
        // A pattern means many names, of which one is called.
        const called = /[*:]/.test(this.name) ? plainInput({ value: this.name }) : null;
        const editor = new Editor({
            label: 'Input', text: pretty(this.raw.get('input') ?? '{}'),
            hint: 'Enter tries it. Shift+Enter begins a new line.', enters: () => button.click(),
        });
        const button = action('Try', tell, async () => {
            const node = editor.value();
            if (!node) return;
            put(result);
            tell('Called; it has not been answered yet.');
            const output = await this.#try(called?.value.trim() || this.name, node, tell);
            if (output !== undefined) put(result, tree(output));
        }, { class: 'primary' });
        const otherwise = make('button', { onclick: () => this.#otherwise(otherwise) }, 'Answer otherwise');
        const last = this.raw.get('output');
        this.body.append(
            ...(called ? [make('label', { class: 'called' }, 'Name to call', called)] : []), editor.element,
            make('div', { class: 'actions' }, button, otherwise), element, result,
            ...(last === undefined ? [] : [make('p', { class: 'dim' }, 'It answered last: ', preview(last))]));
    }

    /// Calls it, and gives what was answered as JSON text.
    async #try(name, input, tell) {
        const body = `{"name": ${JSON.stringify(name)}, "input": ${print(input)}}`;
        const call = members(await askText('POST', path('calls', { session: workingSession() }), body));
        const number = JSON.parse(call.get('number') ?? 'null');
        const state = JSON.parse(call.get('state') ?? '"waiting"');
        tell(`Call ${number}: ${state}.`, state === 'error' ? 'bad' : 'good', ' ',
            make('button', { class: 'inline', onclick: () => this.goTo(number) }, 'Show it'));
        return call.get('output');
    }

    #otherwise(button) {
        this.#answer = new Answer({
            name: this.name, session: workingSession(), output: this.raw.get('output') ?? '',
            isCut: this.raw.has('outputIsCut'),
        });
        button.remove();
        this.body.append(this.#answer.element);
        this.#answer.focus();
    }

    end() { this.#answer?.end(); }
}

export class Catalogue {
    #cards = new Map();
    #isOpen = false;
    #timer = null;
    /// The answer to a name that nobody has called yet.
    #own = null;

    /// - Parameter goTo(number): shows a record.
    constructor(goTo) {
        this.goTo = goTo;
        const { element, tell } = statusLine();
        this.tell = tell;
        one('handlers').before(element);
        one('own').addEventListener('submit', event => {
            event.preventDefault();
            this.#own?.end();
            this.#own = new Answer({ name: one('own-name').value.trim(), session: workingSession() });
            put(one('own-answer'), this.#own.element);
            this.#own.focus();
        });
        on('replies', () => this.changed());
        on('session', () => this.changed(true));
    }

    /// The panel is opened or closed.
    show(isOpen) {
        this.#isOpen = isOpen;
        if (isOpen) this.changed(true);
    }

    /// A call came, or a reply was set: the list is asked for again, soon and once.
    changed(isNow = false) {
        if (!this.#isOpen || (this.#timer && !isNow)) return;
        clearTimeout(this.#timer);
        this.#timer = setTimeout(() => {
            this.#timer = null;
            busy(null, this.tell, () => this.#load());
        }, isNow ? 0 : 1000);
    }

    async #load() {
        const list = elements(await askText('GET', path('handlers', { session: workingSession() })));
        const seen = new Set();
        for (const item of list) {
            const raw = members(item);
            const name = JSON.parse(raw.get('name') ?? '""');
            // Some pages may have a handler of the name for themselves.
            const key = `${name} ${raw.get('pages') ?? ''}`;
            seen.add(key);
            if (!this.#cards.has(key)) {
                const card = new Card(name, this.goTo);
                this.#cards.set(key, card);
                one('handlers').append(card.element);
            }
            this.#cards.get(key).update(raw);
        }
        for (const [key, card] of this.#cards) {
            if (seen.has(key)) continue;
            card.end();
            card.element.remove();
            this.#cards.delete(key);
        }
        this.tell(list.length ? '' : 'Nothing is answered yet.');
    }
}
