// Answers a call differently from now on: in the file, until the gateway ends, once, late, or with a failure.
import { ask, askText, path } from './api.js';
import { busy, make, put, statusLine } from './dom.js';
import { Editor } from './editor.js';
import { parse } from './json.js';
import { on, setReply, state } from './state.js';
import { fileName } from './text.js';
import { preview } from './tree.js';
import { elements, failure, late, members, once, print, verbatim } from './write.js';

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
const called = ({ title, source }) => source === '--reply' ? `--reply ${title}`
    : title.endsWith(' (set)') ? 'What is set until the gateway ends' : title;

const placed = (file, line) => line === null || line === undefined ? fileName(file) : `${fileName(file)}, line ${line}`;

export class Answer {
    /// - Parameters:
    ///   - output: what was answered, as JSON text; empty where nobody has.
    ///   - isCut: whether that is its beginning alone.
    ///   - follows(): the buttons for what comes after it was saved, such as "Call again".
    constructor({ name, session, output = '', isCut = false, follows = () => [] }) {
        Object.assign(this, { name, session, follows });
        const present = output && !isCut ? parse(output) : null;
        const isGood = present?.node && !present.problem;
        this.editor = new Editor({
            label: `What the app answers to ${name}`, text: isGood ? print(verbatim(present.node)) : '',
            placeholder: '{"nick": "Ann"}', enters: () => this.#entered(),
            changes: () => this.#line.tell(''),
        });
        this.#line = statusLine();
        this.#actions = make('div', { class: 'actions' });
        this.#set = make('div', { class: 'set' });
        this.#now = make('p', { class: 'dim' });
        put(this.#now, isCut ? 'Of what was answered only the beginning is kept, so nothing of it stands here.' : []);
        this.element = make('div', { class: 'answer-editor' },
            this.#set, this.editor.element, this.#now, this.#actions, this.#line.element);
        /// Ends its interest in what is set; for whoever takes it out of the document.
        this.end = on('replies', () => this.#draw());
        this.#loading = this.#load(this.editor.text);
    }

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

    /// A reply is shown as it is written: who saves what it came to loses its cases, templates and steps.
    async #load(shown) {
        const now = await standing(this.name, this.session);
        if (!now) return;
        const { file } = state.replies;
        const isReplaced = now.file !== null && now.file === file && now.title === this.name;
        const { node } = now.text.length > mostLong ? {} : parse(now.text);
        if (this.editor.text === shown) {
            this.editor.text = node ? print(node) : '';
            if (isReplaced && node) this.#written = this.editor.text;
            if (document.activeElement === this.editor.area) this.focus();
        }
        const place = now.file === null ? '' : ` in ${placed(now.file, now.line)}`;
        put(this.#now, !node ? `${now.title} is long${place}: change it there. What is saved here takes its place.`
            : isReplaced ? `So it is written${place}.`
            : file && this.#isAbove(now) ? `${called(now)}${place} comes before what is saved.`
            : `${called(now)}${place} answers it now.`);
    }

    /// Whether a reply has the very name, and stands where nothing is saved: set, in a scenario, or given at the start.
    #isAbove({ title, source }) { return title.startsWith(`${this.name} (`) || source === '--reply'; }

    focus() { this.editor.focus(); }

    /// Enter saves it, and the next Enter calls again.
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
            ? `Enter saves it in ${fileName(file)}. Shift+Enter begins a new line.`
            : 'Enter sets it until the gateway ends. Shift+Enter begins a new line.';
        this.editor.check();
        const button = (text, work, kind = '', title) => Object.assign(make('button', {
            class: kind, title, onclick: event => this.#commit(event.currentTarget),
        }, text), { work });
        const until = button(
            'Until the gateway ends', () => this.#put(node => node, 'until the gateway ends'), file ? '' : 'primary',
            'Changes no file');
        const save = file && button(`Save in ${fileName(file)}`, () => this.#save(), 'primary', `Enter: ${file}`);
        this.#primary = save || until;
        put(this.#actions, save, until,
            button('Once', () => this.#put(once, 'for the next call; then as before'), '', 'Then as before'),
            button(
                '3 s late', () => this.#put(node => late(node, 3000), 'three seconds late'), '',
                'The same answer, three seconds later'),
            button('Fail', () => this.#fail(), '', 'The bridge itself fails: code 500'));
    }

    #drawSet(set) {
        const text = set === undefined ? '' : JSON.stringify(set);
        if (text === this.#shown) return;
        this.#shown = text;
        put(this.#set, text ? [
            make('span', {}, 'Set until the gateway ends: '), preview(text), ' ',
            make('button', {
                onclick: event => busy(event.currentTarget, this.#line.tell, () => this.#takeBack()),
            }, 'Take back'),
        ] : []);
        this.#set.hidden = !text;
    }

    async #save() {
        const node = this.editor.value();
        if (!node) return;
        if (this.editor.text === this.#written) return this.#line.tell('It is written so already.', '', ...this.#next());
        const name = JSON.stringify(this.name);
        const { file, line } = await ask('POST', 'replies/save', `{"name": ${name}, "reply": ${print(node)}}`);
        const now = await standing(this.name, this.session);
        const isHidden = now && (now.file !== file || now.line !== line);
        this.#written = isHidden ? null : this.editor.text;
        put(this.#now, []);
        this.#line.tell(
            `Saved in ${placed(file, line)}.` + (isHidden ? ` ${called(now)} still comes before it.`
                : ' It is live: reload the page, or call again.'),
            'good', ...this.#next());
    }

    async #put(reply, words) {
        const node = this.editor.value();
        if (!node) return;
        await this.#send(reply(node));
        this.#line.tell(`${this.name} is answered so ${words}.`, 'good', ...this.#next());
    }

    async #fail() {
        const reply = failure(500, 'The app failed.');
        await this.#send(reply);
        this.editor.text = print(reply);
        this.#line.tell(
            `${this.name} fails now, until the gateway ends or you take it back. ` +
                'Change code and message above as you like.',
            'good', ...this.#next());
    }

    async #send(reply) {
        await ask('PUT', path('replies', { name: this.name, session: this.session }), print(reply));
    }

    async #takeBack() {
        await ask('DELETE', path('replies', { name: this.name, session: this.session }));
        this.#line.tell(`${this.name} is answered as before.`, 'good', ...this.#next());
    }

    #next() {
        const buttons = this.follows();
        return buttons.length ? [make('span', { class: 'next' }, ...buttons)] : [];
    }
}
