// Answers a call differently from now on: in the file, until Drawbridge stops, once, late, or with a failure.
import { ask, askText, path } from './api.js';
import { busy, make, put, statusLine } from './dom.js';
import { Editor } from './editor.js';
import { parse } from './json.js';
import { on, setReply, state } from './state.js';
import { fileName, nearName } from './text.js';
import { preview } from './tree.js';
import { elements, failure, late, members, once, print, same } from './write.js';

/// Longer replies are changed in their file.
const mostLong = 100_000;

/// The reply that answers a name now, before all others; null where none does.
async function standing(name, session) {
    try {
        const [first] = elements(await askText('GET', path('handlers', { name, session })));
        const reply = members(first ?? '');
        const value = name => JSON.parse(reply.get(name) ?? 'null');
        return value('text') === null ? null
            : { title: value('reply'), file: value('file'), line: value('line'), source: value('source'), text: value('text') };
    } catch {
        return null;
    }
}

/// What a reply is called where it comes before another.
const called = ({ title, source }) => source === '--reply' ? `--reply ${title}` : title;

const placed = (file, line) => line === null || line === undefined ? nearName(file)
    : `${nearName(file)}, line ${line}`;

/// What was typed and not given yet, by session and name: it is there again when somebody comes back.
const drafts = new Map();

export class Answer {
    /// - Parameters:
    ///   - output: what was answered, as JSON text; empty where nobody has.
    ///   - isCut: whether that is its beginning alone.
    ///   - hasFailed: whether it was an error.
    ///   - gives(): another answer is given from now on.
    ///   - follows(): the buttons for what comes then, such as "Reload the page".
    constructor({
        name, session, output = '', isCut = false, hasFailed = false, gives = () => {}, follows = () => [],
    }) {
        Object.assign(this, { name, session, gives, follows });
        const present = output && !isCut ? parse(output) : null;
        const isGood = present?.node && !present.problem;
        this.editor = new Editor({
            label: `What the app answers to ${name}`,
            text: drafts.get(this.#key) ?? (isGood ? print(same(present.node, hasFailed)) : ''),
            placeholder: 'JSON, such as {"nick": "Ann"}', enters: () => this.#entered(),
            changes: () => {
                drafts.set(this.#key, this.editor.text);
                this.#line.tell('');
            },
        });
        this.#line = statusLine();
        this.#actions = make('div', { class: 'actions' });
        this.#set = make('div', { class: 'set' });
        this.#now = make('p', { class: 'dim' });
        put(this.#now, isCut ? 'Of what was answered only the beginning is kept, so nothing of it stands here.' : []);
        this.element = make('div', { class: 'answer-editor' },
            this.editor.element, this.#now, this.#actions, this.#set, this.#line.element);
        /// Ends its interest in what is set; for whoever takes it out of the document.
        this.end = on('replies', () => this.#draw());
        this.#loading = this.#load();
    }

    /// Whether another answer was given here.
    isGiven = false;
    #line;
    #now;
    #loading;
    /// The reply of the file, as the field had it first; null where it is none of the file.
    #written = null;
    #actions;
    #set;
    #primary;
    #file;
    #shown;

    get #key() { return JSON.stringify([this.session, this.name]); }

    /// A reply is shown as it is written: who saves what it came to loses its cases, templates and steps. What was set
    /// for a while is not.
    async #load() {
        const now = await standing(this.name, this.session);
        if (!now || now.title === `${this.name} (set)`) return;
        const { file } = state.replies;
        const isReplaced = now.file !== null && now.file === file && now.title === this.name;
        const { node } = now.text.length > mostLong ? {} : parse(now.text);
        if (!drafts.has(this.#key)) {
            this.editor.text = node ? print(node) : '';
            if (isReplaced && node) this.#written = this.editor.text;
            if (document.activeElement === this.editor.area) this.focus();
        }
        const place = now.file === null ? '' : ` in ${placed(now.file, now.line)}`;
        put(this.#now, !node ? `${now.title} is long${place}: change it there. What is saved here takes its place.`
            : isReplaced ? `Now it stands${place}. A save replaces it.`
            : file && this.#isAbove(now) ? `${called(now)}${place} comes before what is saved.`
            : `${called(now)}${place} answers it now.`);
    }

    /// Whether a reply has the very name, and stands where nothing is saved: in a scenario, or given at the start.
    #isAbove({ title, source }) { return title.startsWith(`${this.name} (`) || source === '--reply'; }

    focus() { this.editor.focus(); }

    /// Enter gives it; the next Enter presses the first button of what follows.
    async #entered() {
        await this.#commit(this.#primary);
        if (this.#line.element.classList.contains('good')) this.#line.element.querySelector('button')?.focus();
    }

    #commit(button) {
        return busy(button, this.#line.tell, async () => {
            await this.#loading;
            await button.work();
        });
    }

    #draw() {
        const { file } = state.replies;
        const set = setReply(this.session, this.name);
        this.#drawSet(set);
        if (this.#actions.childElementCount && this.#file === file) return;
        this.#file = file;
        this.editor.hint = file
            ? `Enter saves it in ${nearName(file)}. Shift+Enter begins a new line.`
            : 'Enter sets it until Drawbridge stops. Shift+Enter begins a new line.';
        this.editor.check();
        const button = (text, work, kind = '', title) => Object.assign(make('button', {
            class: kind, title, onclick: event => this.#commit(event.currentTarget),
        }, text), { work });
        const until = button(
            'Until Drawbridge stops', () => this.#put(node => node, 'until Drawbridge stops'), file ? '' : 'primary',
            'Changes no file');
        const save = file && button(`Save in ${fileName(file)}`, () => this.#save(), 'primary', `Enter: ${file}`);
        this.#primary = save || until;
        put(this.#actions, save, until,
            button('Once', () => this.#put(once, 'for the next call; then as before'), '', 'Then as before'),
            button(
                '3 s late', () => this.#put(node => late(node, 3000), 'three seconds late, until Drawbridge stops'), '',
                'This answer, three seconds later'),
            button('Fail once', () => this.#fail(), '', 'The bridge itself fails, with code 500; then as before'));
    }

    #drawSet(set) {
        const text = set === undefined ? '' : JSON.stringify(set);
        if (text === this.#shown) return;
        this.#shown = text;
        const [first, rest] = set?.$sequence?.length === 2 ? set.$sequence : [];
        const isOnce = rest?.$pass === true;
        put(this.#set, text ? [
            make('span', {}, isOnce ? 'Set for one call: ' : 'Set until Drawbridge stops: '),
            preview(isOnce ? JSON.stringify(first) : text), ' ',
            make('button', {
                onclick: event => busy(event.currentTarget, this.#line.tell, () => this.#takeBack()),
            }, 'Take back'),
        ] : []);
        this.#set.hidden = !text;
    }

    /// What was set for a while would come before what is saved.
    async #save() {
        const node = this.editor.value();
        if (!node) return;
        if (this.editor.text === this.#written && setReply(this.session, this.name) === undefined) {
            return this.#line.tell('It is written so already.', '', ...this.#next());
        }
        const name = JSON.stringify(this.name);
        const { file, line } = await ask('POST', 'replies/save', `{"name": ${name}, "reply": ${print(node)}}`);
        if (setReply(this.session, this.name) !== undefined) await this.#unset();
        const now = await standing(this.name, this.session);
        const isHidden = now && (now.file !== file || now.line !== line);
        this.#written = isHidden ? null : this.editor.text;
        put(this.#now, []);
        const saved = `Saved in ${placed(file, line)}.`;
        if (isHidden) this.#given(`${saved} ${called(now)} still comes before it.`, 'warn');
        else this.#given(`${saved} The page has it when it calls again.`);
    }

    async #put(reply, words) {
        const node = this.editor.value();
        if (!node) return;
        await this.#send(reply(node));
        this.#given(`${this.name} is answered so ${words}.`);
    }

    async #fail() {
        await this.#send(once(failure(500, 'The app failed.')));
        this.#given(`The next ${this.name} fails with code 500; then as before. ` +
            'For another failure type {"$error": {"code": 6001, "message": "Cancelled"}}.');
    }

    #given(words, kind = 'good') {
        drafts.delete(this.#key);
        this.isGiven = true;
        this.#line.tell(words, kind, ...this.#next());
        this.gives();
    }

    async #send(reply) {
        await ask('PUT', path('replies', { name: this.name, session: this.session }), print(reply));
    }

    #unset() { return ask('DELETE', path('replies', { name: this.name, session: this.session })); }

    async #takeBack() {
        await this.#unset();
        await this.#load();
        this.#line.tell(`${this.name} is answered as before.`, 'good', ...this.#next());
    }

    #next() {
        const buttons = this.follows();
        return buttons.length ? [make('span', { class: 'next' }, ...buttons)] : [];
    }
}
