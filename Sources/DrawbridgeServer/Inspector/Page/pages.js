// The panel of pages: which are open, and what native does with one: calls a function, emits an event, runs a script.
import { askText } from './api.js';
import { busy, link, make, one, plainInput, put, said, statusLine } from './dom.js';
import { Editor } from './editor.js';
import { phone } from './phone.js';
import { on, state } from './state.js';
import { clock, count, known } from './text.js';
import { tree } from './tree.js';
import { print } from './write.js';

const states = { here: 'here', away: 'away', frozen: 'kept for the back button', leaving: 'leaving', gone: 'gone' };

/// What is sent where a field for JSON is left empty.
const nothing = { type: 'word', text: 'null' };

/// How many pages that went are kept in sight.
const mostGone = 20;

/// A form that does one thing with a page: by a name and JSON, or by a script.
/// - Parameters:
///   - field: what the name is called; null for a script.
///   - does(data, name): asks the gateway, and gives its answer as JSON text.
function deed(verb, field, does) {
    const { element, tell } = statusLine();
    const name = plainInput({ required: true });
    const editor = new Editor({ label: 'Data', placeholder: 'null', enters: () => form.requestSubmit() });
    const script = make('textarea', { rows: 3, spellcheck: 'false', placeholder: 'document.title' });
    const result = make('div');
    const button = make('button', { type: 'submit', class: 'primary' }, verb);
    const work = async () => {
        const node = !field || !editor.text.trim() ? nothing : editor.value();
        if (!node) return;
        const answer = await does(field ? print(node) : script.value, name.value.trim());
        tell('Done.', 'good');
        if (answer !== 'null') put(result, tree(answer));
    };
    const form = make('form', { class: 'deed', onsubmit: event => {
        event.preventDefault();
        put(result);
        tell('');
        busy(button, tell, work);
    } }, field ? [make('label', {}, field, name), editor.element]
        : make('label', {}, 'Script (its value is shown)', script),
        make('div', { class: 'actions' }, button), element, result);
    return form;
}

class Card {
    constructor(page) {
        this.id = page.id;
        this.head = make('div');
        this.deeds = this.#deeds();
        this.element = make('article', { class: 'open-page' }, this.head, this.deeds);
        this.update(page);
    }

    #deeds() {
        const at = `pages/${encodeURIComponent(this.id)}`;
        const askPage = (path, json) => askText('POST', path, json);
        const deeds = [
            ['Call a function', deed('Call', 'Function of the page', (data, name) =>
                askPage(`${at}/call`, `{"name": ${JSON.stringify(name)}, "data": ${data}}`))],
            ['Emit an event', deed('Emit', 'Event', (data, event) =>
                askPage(`${at}/emit`, `{"event": ${JSON.stringify(event)}, "data": ${data}}`))],
            ['Run a script', deed('Run', null, script => askPage(`${at}/evaluate`, JSON.stringify({ script })))],
        ];
        return make('div', { class: 'deeds' }, deeds.map(([title, form]) =>
            make('details', { name: `deeds-${this.id}` }, make('summary', {}, title), form)));
    }

    get isGone() { return this.page.state === 'gone'; }

    get session() { return this.page.session ?? 'default'; }

    /// The gateway speaks no longer of it.
    goes() {
        if (!this.isGone) this.update({ ...this.page, state: 'gone', since: new Date().toISOString() });
    }

    update(page) {
        this.page = page;
        this.deeds.hidden = this.isGone;
        const { state: life, hidden, url, title, session = 'default', since, userAgent } = page;
        const { bridges = [], missed = [] } = page;
        const where = life === 'here' && hidden ? 'hidden' : known(states, life) ?? String(life);
        this.element.classList.toggle('gone', this.isGone);
        put(this.head,
            make('h3', {}, said(title || 'Page without a title'),
                said(where, { class: `badge ${life === 'here' ? 'answered' : ''}` }, 'span'),
                session === 'default' ? null : said(session, { class: 'session' })),
            make('p', {}, link(url)),
            make('p', { class: 'dim' },
                bridges.length ? ['Bridges: ', said(bridges.join(', ')), '. '] : '',
                since ? `${where[0].toUpperCase()}${where.slice(1)} since ${clock(Date.parse(since))}.` : ''),
            missed.length ? make('p', { class: 'warning' }, 'Looked for, but not found: ',
                missed.map((name, place) => [place ? ', ' : '', said(name, { class: 'mono' })]).flat()) : null,
            make('p', { class: 'dim small' }, said(userAgent ?? '')));
    }
}

export class Pages {
    #cards = new Map();

    constructor() {
        phone();
        on('pages', pages => this.#take(pages));
        on('session', () => this.#take(state.pages));
    }

    #take(pages) {
        const there = new Map(pages.map(page => [page.id, page]));
        for (const [id, page] of there) {
            if (this.#cards.has(id)) this.#cards.get(id).update(page);
            else this.#cards.set(id, new Card(page));
        }
        const gone = [...this.#cards.values()].filter(card => !there.has(card.id));
        for (const card of gone) card.goes();
        for (const card of gone.slice(0, -mostGone)) {
            card.element.remove();
            this.#cards.delete(card.id);
        }
        for (const card of this.#cards.values()) {
            const box = one(card.isGone ? 'gone' : 'here');
            if (state.session && card.session !== state.session) card.element.remove();
            else if (card.element.parentElement !== box) box.append(card.element);
        }
        const went = one('gone').childElementCount;
        one('no-page').hidden = one('here').childElementCount > 0;
        one('rest').hidden = went === 0;
        one('rest').firstChild.textContent = `${count(went, 'page')} closed`;
    }
}
