// Answers a call differently from now on: in the file, until Drawbridge stops, once, late, or with a failure.
import { ask, path, undo } from './api.js';
import { action, make, put, statusLine } from './dom.js';
import { Editor } from './editor.js';
import { parse } from './json.js';
import { on, setReply, state } from './state.js';
import { fileName, isPattern, nearName } from './text.js';
import { preview } from './tree.js';
import { behind, failure, held, late, once, print, same } from './write.js';

/// Longer replies are changed in their file.
const mostLong = 100_000;

/// What a mock is called where it comes before another.
const called = ({ reply, source }) => source === '--reply' ? `--reply ${reply}` : reply;

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
    ///   - input(): what was sent, as JSON text; null where nothing or its beginning alone is known.
    ///   - page: the path of the page that called.
    ///   - hasFailed: whether it was an error.
    ///   - gives(isGiven): another answer is given from now on, or not any more.
    ///   - follows(isOnce): the buttons for what comes then, such as "Reload the page".
    constructor({
        name, session, output = '', isCut = false, hasFailed = false, input = () => null, page = null,
        gives = () => {}, follows = () => [],
    }) {
        Object.assign(this, { name, session, input, page, gives, follows });
        const present = output && !isCut ? parse(output) : null;
        this.#answered = this.#begun = present?.node && !present.problem ? print(same(present.node, hasFailed)) : '';
        this.editor = new Editor({
            label: `What the app answers to ${name}`, text: drafts.get(this.#key) ?? this.#begun,
            placeholder: 'JSON, such as {"nick": "Ann"}', enters: () => this.#entered(),
            changes: () => {
                const { text } = this.editor;
                keep(this.#key, text.trim() && text !== this.#begun ? text : null);
                this.#line.tell('');
            },
        });
        put(this.#now, isCut ? 'Only the beginning of this answer was kept, so the field is empty.' : []);
        this.element = make('div', { class: 'answer-editor' },
            this.editor.element, this.#now, this.#actions, this.#set, this.#line.element);
        /// Ends its interest in what is set; for whoever takes it out of the document.
        this.end = on('replies', () => {
            this.#draw();
            // Others save too, and so does an editor.
            if (this.#loading) this.#look().then(() => this.#draw(), () => {});
        });
        this.#loading = this.#load();
    }

    /// Whether another answer was given here.
    isGiven = false;
    /// What the call got; and what the field had at first.
    #answered;
    #begun;
    #line = statusLine();
    #now = make('p', { class: 'dim' });
    #loading;
    /// The mock that is asked first for the name, and the one in a file that a save changes; null for none.
    #first = null;
    #written = null;
    /// Whether the field has the whole mock, and not the answer to one input.
    #isWhole = false;
    #actions = make('div', { class: 'actions' });
    #set = make('div', { class: 'set' });
    #primary;
    #file;
    #takesCase = false;
    #shown;

    get #key() { return JSON.stringify([this.session, this.name]); }

    /// Looks at the mocks for its name.
    async #look() {
        const { name, session, page } = this;
        const { first, written } = await ask('GET', path('replies/save', { name, session, page }));
        this.#first = first;
        this.#written = written;
    }

    /// Whether what is saved would be asked after another mock.
    get #isHidden() {
        const [first, written] = [this.#first, this.#written];
        return Boolean(first) && ['reply', 'file', 'line'].some(name => first[name] !== written?.[name]);
    }

    /// A value is shown as it is written; of a mock with words, what this call got, to which a case is typed.
    async #load() {
        await this.#look().catch(() => {});
        if (this.#isWhole) this.#begun = this.#answered;
        this.#isWhole = false;
        this.#draw();
        const [first, written] = [this.#first, this.#written];
        const now = this.#isHidden ? first : written ?? first;
        if (!now || now.source?.startsWith('session ')) return;
        const { node } = now.text.length > mostLong ? {} : parse(now.text);
        const isOwn = now === written && (!isPattern(now.reply) || now.reply.startsWith(this.name));
        const hasWords = now === written && /"\$[a-z]+"/.test(now.text);
        if (node && !hasWords) this.#begun = print(node);
        const place = now.file === undefined ? '' : ` in ${placed(now.file, now.line)}`;
        const button = (text, work) => make('button', { class: 'inline', onclick: () => {
            keep(this.#key, null);
            work();
            this.focus();
        } }, text);
        if (drafts.has(this.#key)) {
            const show = button('Show the current answer', () => this.#load());
            return void put(this.#now, `What you typed is not used yet. ${called(now)}${place} answers now. `, show);
        }
        this.editor.text = this.#begun;
        if (document.activeElement === this.editor.area) this.focus();
        const whole = isOwn && hasWords && node && button('Edit the whole mock', () => {
            this.#isWhole = true;
            this.#begun = this.editor.text = print(node);
            put(this.#now, `This is the whole mock${place}. Save replaces it.`);
            this.#draw();
        });
        put(this.#now, !node ? `${now.reply} is too long to change here${place}.`
            : this.#isHidden ? `${called(now)}${place} answers it, and wins over what you save.`
            : `${called(now)}${place} ${hasWords ? 'is tried first' : 'answers it now'}. `, whole);
    }

    focus() { this.editor.focus(); }

    /// Enter gives it.
    async #entered() {
        await this.#loading;
        this.#primary.click();
    }

    #draw() {
        const { file } = state.replies;
        const set = setReply(this.session, this.name);
        this.#drawSet(set);
        const takesCase = Boolean(file && this.#written) && !this.#isWhole && this.input() !== null;
        if (this.#actions.childElementCount && this.#file === file && this.#takesCase === takesCase) return;
        this.#file = file;
        this.#takesCase = takesCase;
        const enters = takesCase ? `adds it to ${this.name} in ${nearName(this.#written.file)} as a case for this input`
            : file ? `saves it in ${nearName(file)}` : 'gives this answer until Drawbridge stops';
        this.editor.hint = `Enter ${enters}. Shift+Enter begins a new line.`;
        this.editor.check();
        const button = (text, work, kind = '', title) => action(text, this.#line.tell, async () => {
            this.#line.tell('');
            await this.#loading;
            await work();
        }, { class: kind, title });
        const stops = `Until Drawbridge stops, ${this.name} gets this answer`;
        const until = button(
            'Until Drawbridge stops', () => this.#give(`${stops}.`, node => this.#send(node)), file ? '' : 'primary',
            'No file is changed');
        const one = takesCase && button('Add a case for this input', () => this.#addCase(), 'primary',
            'Enter: the rest of the mock stays, for other inputs');
        const place = this.#written?.file ?? file;
        const save = file && button(`Save in ${fileName(place)}`, () => this.#save(), one ? '' : 'primary',
            `${one ? '' : 'Enter: '}${place}`);
        this.#primary = one || save || until;
        put(this.#actions, one, save, until,
            button('Once', () => this.#once(), '', 'For the next call; later ones are answered as before'),
            button(
                '3 s late', () => this.#give(`${stops} after 3 seconds.`, node => this.#send(late(node, 3000))), '',
                'This answer, 3 seconds later'),
            button('Fail once', () => this.#fail(), '', 'The next call fails with code 500; later ones are as before'),
            button('Hold once', () => this.#hold(), '', 'The next call waits until you press go on or fail'));
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
            action('Take back', this.#line.tell, () => this.#takeBack()),
        ] : []);
        this.#set.hidden = !text;
    }

    /// - Parameter was: the mock that it replaces, where somebody has said yes to what is lost.
    async #save(was) {
        const node = this.editor.value();
        if (!node) return;
        const isSame = this.editor.text === this.#begun && parse(this.#written?.text ?? '').node;
        if (isSame && print(isSame) === this.#begun && setReply(this.session, this.name) === undefined &&
            !state.replies.problem) return this.#line.tell('This answer is already saved.', '', this.#next());
        try {
            await this.#write({ reply: print(node), ...was === undefined ? {} : { was: JSON.stringify(was) } });
            // Who mends what he has typed saves it again.
            this.#isWhole = true;
            this.#draw();
        } catch (error) {
            if (error.status !== 409 || !error.data) throw error;
            await this.#look();
            if (!error.data.lost || was !== undefined) throw error;
            const { tell } = this.#line;
            tell(`Saving replaces all of ${this.name}, and loses its ${error.data.lost}.`, 'warn', ' ',
                this.#takesCase ? action('Add a case instead', tell, () => this.#addCase()) : '', ' ',
                action('Replace it', tell, () => this.#save(error.data.was)));
        }
    }

    async #addCase() {
        const node = this.editor.value();
        if (node) await this.#write({ reply: print(node), when: `{"$equals": ${this.input()}}` });
    }

    /// What was set for a while would come before what is saved.
    async #write(members) {
        const { text } = this.editor;
        const body = Object.entries({ name: JSON.stringify(this.name), ...members })
            .map(([name, json]) => `"${name}": ${json}`).join(', ');
        const to = path('replies/save', { session: this.session, page: this.page });
        const { file, line, save } = await ask('POST', to, `{${body}}`);
        this.#begun = text;
        if (setReply(this.session, this.name) !== undefined) await this.#unset();
        await this.#look();
        put(this.#now, []);
        const saved = `Saved in ${placed(file, line)}.`;
        const rest = this.#isHidden ? `${called(this.#first)} still wins over it.`
            : `The page gets it with its next call${members.when ? ' with this input' : ''}.`;
        this.#given(text, `${saved} ${rest}`, { kind: this.#isHidden ? 'warn' : 'good', save });
    }

    async #give(words, send, isOnce = false) {
        const node = this.editor.value();
        if (!node) return;
        const { text } = this.editor;
        await send(node);
        this.#given(text, words, { isOnce });
    }

    #once() {
        const words = `The next call of ${this.name} gets this answer; later ones are answered as before.`;
        return this.#give(words, node => this.#sendOnce(node), true);
    }

    /// What was typed is not given by it, and stays.
    async #fail() {
        await this.#sendOnce(failure(500, 'The app failed.'));
        const words = `The next call of ${this.name} fails with code 500. ` +
            'For another error type {"$error": {"code": 6001, "message": "Cancelled"}}, and press Once.';
        this.#given(null, words, { isOnce: true });
    }

    async #hold() {
        await this.#sendOnce(held(this.name));
        const words = `The next call of ${this.name} waits at the top until you press go on or fail. ` +
            'If it goes on, it gets the answer that is set by then.';
        this.#given(null, words, { isOnce: true });
    }

    /// - Parameter text: what the field had when it was sent; somebody may have typed on.
    #given(text, words, { kind = 'good', isOnce = false, save } = {}) {
        if (drafts.get(this.#key) === text) keep(this.#key, null);
        this.isGiven = true;
        this.editor.check();
        const { element, tell } = this.#line;
        const back = async () => this.#takenBack(await undo(save));
        tell(words, kind, this.#next(isOnce), ...save === undefined ? [] : [' ', action('Undo', tell, back)]);
        this.gives(true);
        // After one Enter, the next presses the first button of what follows.
        if (kind === 'good' && document.activeElement === this.editor.area) element.querySelector('button')?.focus();
    }

    async #takenBack(words) {
        await this.#load();
        this.isGiven = false;
        this.gives(false);
        this.#line.tell(words, 'good', this.#next());
    }

    /// What is set until Drawbridge stops answers later calls; one that is the same again begins anew.
    async #sendOnce(node) {
        let rest = null;
        if (setReply(this.session, this.name) !== undefined) {
            await this.#look();
            rest = behind(parse(this.#first?.text ?? '').node);
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
        await this.#takenBack(`${this.name} is answered as before.`);
        this.focus();
    }

    #next(isOnce = false) { return make('span', { class: 'next' }, ...this.follows(isOnce)); }
}
