// The live list: of thousands of records only those in view are in the document. It follows the newest while the
// reader is at the end, and stays where it is where not.
import { make, one } from './dom.js';
import { placeOf } from './records.js';
import { row } from './row.js';

/// Rows in the document above and below those in view, and all of them at most.
const spare = 10;
const mostRows = 300;

/// How long a piece of filtering may hold up the tab.
const mostWork = 6;

export class List {
    shown = [];
    selected = null;
    isFollowing = true;
    /// Records that came while the reader was elsewhere in the list.
    unseen = 0;
    filter = { isOpen: true, fits: () => true };
    #rows = new Map();
    #stale = new Set();
    #filtering = 0;
    #isDrawn = true;
    #height = 26;
    /// How far down the list was drawn at last.
    #top = 0;
    /// How high the rows were at last, together.
    #total = 0;
    /// Whether somebody reads a record, which is to stay where it is.
    isRead = false;

    /// - Parameters:
    ///   - selects(entry, how): somebody has chosen a record: by 'key', or to look at it ('open').
    ///   - draws(): it was drawn anew.
    constructor(records, { selects, draws }) {
        Object.assign(this, { records, selects, draws });
        this.box = one('list');
        this.newer = one('newer');
        records.listen({
            changed: (entry, before) => this.#changed(entry, before), dropped: isGone => this.#dropped(isGone),
        });
        this.box.addEventListener('scroll', () => this.#scrolled(), { passive: true });
        this.box.addEventListener('click', event => this.#clicked(event));
        this.newer.addEventListener('click', () => this.follow());
        new ResizeObserver(() => this.#measure()).observe(this.box);
        this.#measure();
    }

    #measure() {
        const probe = make('div', { class: 'row probe' });
        this.box.append(probe);
        this.#height = probe.getBoundingClientRect().height || this.#height;
        probe.remove();
        this.draw();
    }

    // MARK: What is shown

    #changed(entry, before) {
        const list = this.shown;
        const place = placeOf(list, entry.number);
        const isThere = list[place]?.number === entry.number;
        if (this.filter.fits(entry)) {
            if (isThere) list[place] = entry;
            else list.splice(place, 0, entry);
            if (!isThere && !before && !this.isFollowing) this.unseen += 1;
        } else if (isThere) {
            list.splice(place, 1);
        }
        if (before) this.#stale.add(entry.number);
        this.draw();
    }

    #dropped(isGone) {
        const top = Math.floor(this.box.scrollTop / this.#height);
        const above = this.shown.slice(0, top).filter(isGone).length;
        this.shown = this.shown.filter(entry => !isGone(entry));
        // What the reader looks at stays where it is.
        if (!this.isFollowing) this.box.scrollTop -= above * this.#height;
        this.draw();
    }

    /// Forgets all rows.
    clear() {
        this.shown = [];
        this.selected = null;
        this.#toEnd();
    }

    /// Shows other records, found in pieces so that the page goes on meanwhile.
    async apply(filter) {
        const turn = ++this.#filtering;
        const found = [];
        const all = this.records.all;
        let next = 0;
        for (;;) {
            const began = performance.now();
            let place = placeOf(all, next);
            for (let steps = 0; place < all.length; place += 1, steps += 1) {
                if (steps % 64 === 63 && performance.now() - began > mostWork) break;
                if (filter.fits(all[place])) found.push(all[place]);
                next = all[place].number + 1;
            }
            if (place >= all.length) break;
            await new Promise(resolve => setTimeout(resolve));
            if (turn !== this.#filtering) return;
        }
        // Those that went or changed meanwhile.
        this.shown = found.map(entry => this.records.get(entry.number)).filter(entry => entry && filter.fits(entry));
        this.filter = filter;
        const place = this.selected === null ? -1 : this.place(this.selected);
        this.unseen = 0;
        this.isFollowing = place < 0;
        if (place < 0) this.isRead = false;
        this.#total = this.shown.length * this.#height;
        one('sizer').style.height = `${this.#total}px`;
        this.draw();
        if (place >= 0) this.reveal(place);
    }

    // MARK: Where the reader is

    #scrolled() {
        const isAtEnd = this.box.scrollTop + this.box.clientHeight >= this.box.scrollHeight - this.#height / 2;
        // Who goes to the end wants to see what comes.
        if (isAtEnd && !this.isFollowing) this.isRead = false;
        // Who follows is moved by the list itself, and by what takes room above it; only going up ends that.
        this.isFollowing = isAtEnd || (this.isFollowing && this.box.scrollTop >= this.#top - 1);
        if (this.isFollowing) this.unseen = 0;
        this.draw();
    }

    #toEnd() {
        this.isRead = false;
        this.isFollowing = true;
        this.unseen = 0;
        this.draw();
    }

    follow() {
        this.#toEnd();
        this.box.focus({ preventScroll: true });
    }

    /// Where a record is in the list, or -1.
    place(number) {
        const place = placeOf(this.shown, number);
        return this.shown[place]?.number === number ? place : -1;
    }

    reveal(place) {
        const top = place * this.#height;
        const { scrollTop, clientHeight } = this.box;
        if (top < scrollTop) this.box.scrollTop = top - this.#height;
        else if (top + this.#height > scrollTop + clientHeight) {
            this.box.scrollTop = top + 2 * this.#height - clientHeight;
        }
        this.draw();
    }

    /// Chooses a record by its number, whether it is in view or not.
    select(number, how = 'key') {
        const entry = this.records.get(number);
        if (!entry) return false;
        const before = this.selected;
        this.selected = number;
        this.isRead = how === 'open';
        for (const stale of [before, number]) if (stale !== null) this.#stale.add(stale);
        const place = this.place(number);
        if (place >= 0) this.reveal(place);
        this.draw();
        this.selects(entry, how);
        return true;
    }

    /// Goes on by so many rows from the one that is chosen.
    move(by) {
        if (!this.shown.length) return;
        const from = this.selected === null ? (by > 0 ? -1 : this.shown.length) : placeOf(this.shown, this.selected);
        const isBetween = this.selected !== null && this.shown[from]?.number !== this.selected;
        const to = from + by - (isBetween && by > 0 ? 1 : 0);
        this.select(this.shown[Math.max(0, Math.min(this.shown.length - 1, to))].number);
    }

    /// As many rows as are in view.
    get page() { return Math.max(1, Math.floor(this.box.clientHeight / this.#height) - 1); }

    #clicked(event) {
        const element = event.target.closest('.row');
        if (!element || String(getSelection())) return;
        this.select(Number(element.id.slice(4)), 'open');
    }

    // MARK: Drawing

    /// Draws with the next frame, whatever comes until then.
    draw() {
        if (!this.#isDrawn) return;
        this.#isDrawn = false;
        requestAnimationFrame(() => {
            this.#isDrawn = true;
            this.#draw();
        });
    }

    #draw() {
        const total = this.shown.length * this.#height;
        one('sizer').style.height = `${total}px`;
        const view = this.box.clientHeight;
        if (this.isFollowing && this.isRead && total > view && total > this.#total) {
            this.isFollowing = false;
            this.unseen = Math.max(1, Math.round((total - this.#total) / this.#height));
        }
        this.#total = total;
        // A list that ends in view is at its end, however it came there.
        if (!this.isFollowing && this.box.scrollTop + view >= total - this.#height / 2) {
            this.isFollowing = true;
            this.unseen = 0;
        }
        if (this.isFollowing) this.box.scrollTop = total;
        const top = this.isFollowing ? Math.max(0, total - view) : this.box.scrollTop;
        this.#top = top;
        const from = Math.max(0, Math.floor(top / this.#height) - spare);
        const to = Math.min(this.shown.length, from + mostRows, Math.ceil((top + view) / this.#height) + spare);
        one('rows').style.transform = `translateY(${from * this.#height}px)`;
        this.#fill(from, to);
        this.newer.hidden = this.isFollowing || this.unseen === 0;
        if (!this.newer.hidden) this.newer.textContent = `${this.unseen.toLocaleString('en')} new`;
        this.draws();
    }

    #fill(from, to) {
        const wanted = new Map();
        for (let place = from; place < to; place += 1) wanted.set(this.shown[place].number, place);
        for (const [number, element] of this.#rows) {
            if (wanted.has(number) && !this.#stale.has(number)) continue;
            element.remove();
            this.#rows.delete(number);
        }
        this.#stale.clear();
        let next = one('rows').firstChild;
        for (const [number, place] of wanted) {
            const entry = this.shown[place];
            const isPast = entry.isUnanswered && !this.records.isRed(entry);
            let element = this.#rows.get(number);
            if (element?.classList.contains('past') !== isPast) {
                const before = element;
                element = row(entry, isPast);
                if (before) {
                    if (before === next) next = next.nextSibling;
                    before.remove();
                }
                element.setAttribute('aria-selected', String(number === this.selected));
                this.#rows.set(number, element);
            }
            element.setAttribute('aria-posinset', place + 1);
            element.setAttribute('aria-setsize', this.shown.length);
            if (element === next) next = next.nextSibling;
            else one('rows').insertBefore(element, next);
        }
        const active = this.selected !== null && wanted.has(this.selected) ? `row-${this.selected}` : null;
        if (active) this.box.setAttribute('aria-activedescendant', active);
        else this.box.removeAttribute('aria-activedescendant');
    }
}
