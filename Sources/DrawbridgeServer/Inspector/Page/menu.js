// A button that opens a menu: arrows move, Enter chooses, Escape closes.
import { make, put } from './dom.js';

export class Menu {
    /// - Parameters:
    ///   - items: functions of no argument by what the menu says, in a list of pairs; read anew each time.
    constructor(label, items, attributes = {}) {
        this.items = items;
        this.button = make('button', {
            'aria-haspopup': 'menu', 'aria-expanded': 'false', ...attributes, onclick: () => this.toggle(),
        }, label, make('span', { class: 'caret', 'aria-hidden': 'true' }));
        this.list = make('div', { class: 'menu', role: 'menu', hidden: true, onkeydown: event => this.#keyed(event) });
        this.element = make('span', {
            class: 'menu-box',
            onfocusout: event => { if (!this.element.contains(event.relatedTarget)) this.close(); },
        }, this.button, this.list);
    }

    get isOpen() { return !this.list.hidden; }

    toggle() {
        if (this.isOpen) this.close();
        else this.open();
    }

    open() {
        put(this.list, this.items().map(([text, act]) => make('button', {
            role: 'menuitem', tabindex: '-1', onclick: () => { this.close(true); act(); },
        }, text)));
        this.list.hidden = false;
        this.button.setAttribute('aria-expanded', 'true');
        // To the side on which there is room.
        this.list.classList.toggle('left', this.button.getBoundingClientRect().left < 200);
        this.list.firstChild?.focus();
    }

    close(returns = false) {
        if (!this.isOpen) return;
        this.list.hidden = true;
        this.button.setAttribute('aria-expanded', 'false');
        if (returns) this.button.focus();
    }

    #keyed(event) {
        const all = [...this.list.children];
        const at = all.indexOf(document.activeElement);
        const to = {
            ArrowDown: (at + 1) % all.length, ArrowUp: (at + all.length - 1) % all.length, Home: 0, End: all.length - 1,
        }[event.key];
        if (event.key === 'Escape') this.close(true);
        else if (to !== undefined) all[to].focus();
        else if (event.key.length === 1 && /\w/.test(event.key)) {
            all.find(item => item.textContent.toLowerCase().startsWith(event.key.toLowerCase()))?.focus();
        } else return;
        event.preventDefault();
        event.stopPropagation();
    }
}
