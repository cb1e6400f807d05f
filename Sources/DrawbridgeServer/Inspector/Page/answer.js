// Answers a call differently from now on: in the file, until Drawbridge stops, once, late, or with a failure.
import { ask, askText, path } from './api.js';
import { busy, make, put, statusLine } from './dom.js';
import { Editor } from './editor.js';
import { parse } from './json.js';
import { on, setReply, state } from './state.js';
import { fileName, nearName } from './text.js';
import { preview } from './tree.js';
import { behind, elements, failure, late, members, once, print, same } from './write.js';

/// Longer replies are changed in their file.
const mostLong = 100_000;

/// The reply that answers a name now, before all others; null where none does.
async function standing(name, session) {
    try {
        const [first] = elements(await askText('GET', path('handlers', { name, session })));
        const reply = members(first ?? '');
        const value = name => JSON.parse(reply.get(name) ?? 'null');
        return value('text') === null ? null
            : {
                title: value('reply'), file: value('file'), line: value('line'), source: value('source'),
                text: value('text'),
            };
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

const mostDrafts = 50;

function keep(key, text) {
    drafts.delete(key);
    if (text !== null) drafts.set(key, text);
    if (drafts.size > mostDrafts) drafts.delete(drafts.keys().next().value);
}

export class Answer {
    /// - Parameters:
    ///   - output: what was answered, as JSON text; empty where nobody has.
    ///   - isCut: whether that is its beginning alone.
    ///   - hasFailed: whether it was an error.
    ///   - gives(isGiven): another answer is given from now on, or not any more.
    ///   - follows(isOnce): the buttons for what comes then, such as "Reload the page".
    constructor({
        name, session, output = '', isCut = false, hasFailed = false, gives = () => {}, follows = () => [],
    }) {
        Object.assign(this, { name, session, gives, follows });
        const present = output && !isCut ? parse(output) : null;
        this.#begun = present?.node && !present.problem ? print(same(present.node, hasFailed)) : '';
        this.editor = new Editor({
            label: `What the app answers to ${name}`, text: drafts.get(this.#key) ?? this.#begun,
            placeholder: 'JSON, such as {"nick": "Ann"}', enters: () => this.#entered(),
            changes: () => {
                const { text } = this.editor;
                keep(this.#key, text.trim() && text !== this.#begun ? text : null);
                this.#line.tell('');
            },
        });
        this.#line = statusLine();
        this.#actions = make('div', { class: 'actions' });
        this.#set = make('div', { class: 'set' });
        this.#now = make('p', { class: 'dim' });
        put(this.#now, isCut ? 'Only the beginning of this answer was kept, so the field is empty.' : []);
        this.element = make('div', { class: 'answer-editor' },
            this.editor.element, this.#now, this.#actions, this.#set, this.#line.element);
        /// Ends its interest in what is set; for whoever takes it out of the document.
        this.end = on('replies', () => this.#draw());
        this.#loading = this.#load();
    }

    /// Whether another answer was given here.
    isGiven = false;
    /// What the field had at first.
    #begun;
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
        this.#begun = node ? print(node) : '';
        const place = now.file === null ? '' : ` in ${placed(now.file, now.line)}`;
        if (drafts.has(this.#key)) {
            const show = make('button', { class: 'inline', onclick: () => {
                keep(this.#key, null);
                this.#load();
                this.focus();
            } }, 'Show that');
            return void put(this.#now, `What you typed is not given yet. ${called(now)}${place} answers now. `, show);
        }
        this.editor.text = this.#begun;
        this.#written = isReplaced && node ? this.#begun : null;
        if (document.activeElement === this.editor.area) this.focus();
        put(this.#now, !node ? `${now.title} is too long to change here${place}. A save here replaces it.`
            : isReplaced ? `This is the mock${place}. A save replaces it.`
            : file && this.#isAbove(now) ? `${called(now)}${place} answers it, and comes before what is saved.`
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
            this.#line.tell('');
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
            : 'Enter gives this answer until Drawbridge stops. Shift+Enter begins a new line.';
        this.editor.check();
        const button = (text, work, kind = '', title) => Object.assign(make('button', {
            class: kind, title, onclick: event => this.#commit(event.currentTarget),
        }, text), { work });
        const stops = `Until Drawbridge stops, ${this.name} gets this answer`;
        const until = button(
            'Until Drawbridge stops', () => this.#put(node => node, `${stops}.`), file ? '' : 'primary',
            'Changes no file');
        const save = file && button(`Save in ${fileName(file)}`, () => this.#save(), 'primary', `Enter: ${file}`);
        this.#primary = save || until;
        put(this.#actions, save, until,
            button('Once', () => this.#once(), '', 'For the next call; later ones are answered as before'),
            button(
                '3 s late', () => this.#put(node => late(node, 3000), `${stops} after 3 seconds.`), '',
                'This answer, 3 seconds later'),
            button('Fail once', () => this.#fail(), '', 'The next call fails with code 500; later ones are as before'));
    }

    #drawSet(set) {
        const text = set === undefined ? '' : JSON.stringify(set);
        if (text === this.#shown) return;
        this.#shown = text;
        const [first, rest] = set?.$sequence?.length === 2 ? set.$sequence : [set];
        const isThen = rest !== undefined && !rest?.$pass;
        put(this.#set, ...text ? [
            make('span', {}, rest === undefined ? 'Set until Drawbridge stops: ' : 'Set for one call: '),
            preview(JSON.stringify(first)), ...isThen ? ['; then ', preview(JSON.stringify(rest))] : [], ' ',
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
        const isSame = this.editor.text === this.#written && setReply(this.session, this.name) === undefined;
        if (isSame && !state.replies.problem) {
            return this.#line.tell('It is written so already.', '', ...this.#next());
        }
        const name = JSON.stringify(this.name);
        const { text } = this.editor;
        const { file, line } = await ask('POST', 'replies/save', `{"name": ${name}, "reply": ${print(node)}}`);
        if (setReply(this.session, this.name) !== undefined) await this.#unset();
        const now = await standing(this.name, this.session);
        const isHidden = now && (now.file !== file || now.line !== line || now.title !== this.name);
        this.#written = isHidden ? null : text;
        put(this.#now, []);
        const saved = `Saved in ${placed(file, line)}.`;
        this.#give(text, isHidden ? `${saved} ${called(now)} still comes before it.`
            : `${saved} The page gets it with its next call.`, { kind: isHidden ? 'warn' : 'good' });
    }

    async #put(reply, words) {
        const node = this.editor.value();
        if (!node) return;
        const { text } = this.editor;
        await this.#send(reply(node));
        this.#give(text, words);
    }

    async #once() {
        const node = this.editor.value();
        if (!node) return;
        const { text } = this.editor;
        await this.#sendOnce(node);
        const words = `The next call of ${this.name} gets this answer; later ones are answered as before.`;
        this.#give(text, words, { isOnce: true });
    }

    /// What was typed is not given by it, and stays.
    async #fail() {
        await this.#sendOnce(failure(500, 'The app failed.'));
        const words = `The next call of ${this.name} fails with code 500. ` +
            'For another error type {"$error": {"code": 6001, "message": "Cancelled"}}, and press Once.';
        this.#give(null, words, { isOnce: true });
    }

    /// - Parameter text: what the field had when it was sent; somebody may have typed on.
    #give(text, words, { kind = 'good', isOnce = false } = {}) {
        if (drafts.get(this.#key) === text) keep(this.#key, null);
        this.isGiven = true;
        this.editor.check();
        this.#line.tell(words, kind, ...this.#next(isOnce));
        this.gives(true);
    }

    /// What is set until Drawbridge stops answers later calls; one that is the same again begins anew.
    async #sendOnce(node) {
        let rest = null;
        if (setReply(this.session, this.name) !== undefined) {
            rest = behind(parse((await standing(this.name, this.session))?.text ?? '').node);
            await this.#unset();
        }
        await this.#send(once(node, rest));
    }

    async #send(reply) {
        await ask('PUT', path('replies', { name: this.name, session: this.session }), print(reply));
    }

    #unset() { return ask('DELETE', path('replies', { name: this.name, session: this.session })); }

    async #takeBack() {
        await this.#unset();
        await this.#load();
        this.isGiven = false;
        this.gives(false);
        this.#line.tell(`${this.name} is answered as before.`, 'good', ...this.#next());
        this.focus();
    }

    #next(isOnce = false) {
        const buttons = this.follows(isOnce);
        return buttons.length ? [make('span', { class: 'next' }, ...buttons)] : [];
    }
}
