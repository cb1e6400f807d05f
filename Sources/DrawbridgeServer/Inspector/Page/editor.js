// A field for JSON: while somebody types it says what is not JSON yet, and where. What is nearly JSON becomes JSON.
import { make, put, said } from './dom.js';
import { parse } from './json.js';
import { print } from './write.js';

let made = 0;

export class Editor {
    /// - Parameters:
    ///   - label: what the field is called.
    ///   - hint: what is below it while there is nothing to say.
    ///   - enters(node): Enter was pressed and the value is complete.
    ///   - changes(): somebody typed.
    constructor({ label, text = '', hint = '', placeholder = '', enters = () => {}, changes = () => {} }) {
        Object.assign(this, { hint, enters, changes });
        const id = `editor-${++made}`;
        this.area = make('textarea', {
            id, value: text, placeholder, rows: 3, spellcheck: 'false', autocomplete: 'off', autocapitalize: 'off',
            'aria-describedby': `${id}-said`,
            oninput: () => { this.changes(); this.check(); }, onkeydown: event => this.#keyed(event),
        });
        this.line = make('p', { id: `${id}-said`, class: 'said', 'aria-live': 'polite' });
        this.element = make('div', { class: 'editor' }, make('label', { for: id }, label), this.area, this.line);
        this.check();
    }

    get text() { return this.area.value; }

    set text(text) {
        this.area.value = text;
        this.check();
    }

    focus() {
        this.area.focus();
        this.area.setSelectionRange(0, this.area.value.length);
    }

    /// The value, or null where it is not JSON; then the field says so.
    value(isInsisting = true) {
        const { node, problem } = parse(this.text);
        if (node && !problem) return node;
        if (isInsisting) {
            this.check(true);
            this.area.focus();
        }
        return null;
    }

    /// Says what is wrong. - Parameter isInsisting: also that there is nothing.
    check(isInsisting = false) {
        const lines = this.text.split('\n');
        const long = lines.reduce((sum, line) => sum + Math.floor(line.length / 60), lines.length);
        // While somebody types it does not shrink: what is below would come up under the mouse.
        const least = document.activeElement === this.area ? this.area.rows : 3;
        this.area.rows = Math.max(least, Math.min(18, long));
        const { node, problem, isUnfinished } = parse(this.text);
        const isEmpty = !this.text.trim();
        const isWrong = Boolean(problem) && (!isEmpty || isInsisting);
        // What only goes on yet is told, but is not wrong.
        const goesOn = isUnfinished && problem.offset === this.text.length && !isInsisting;
        this.area.setAttribute('aria-invalid', String(isWrong && !goesOn));
        this.line.classList.toggle('wrong', isWrong && !goesOn);
        if (!isWrong) return void put(this.line, this.hint);
        const { line, column, message } = problem;
        const text = isEmpty ? 'Type a JSON value.'
            : lines.length > 1 ? `Line ${line}, column ${column}: ${message}` : `Column ${column}: ${message}`;
        const mend = make('button', { class: 'inline', onclick: () => this.#mend(node) }, 'Write it as JSON');
        put(this.line, said(text), node ? [' ', mend] : []);
    }

    #mend(node) {
        this.text = print(node);
        this.changes();
        this.area.focus();
        put(this.line, 'It is JSON now. Press Enter again.');
    }

    #keyed(event) {
        if (event.key !== 'Enter' || event.isComposing || event.shiftKey || event.altKey) return;
        const { node, problem, isUnfinished } = parse(this.text);
        const isForced = event.ctrlKey || event.metaKey;
        // The next line of a value that goes on.
        if (isUnfinished && !isForced && this.text.trim()) return;
        event.preventDefault();
        if (node && !problem) return this.enters(node);
        if (node) return this.#mend(node);
        this.check(true);
    }
}
