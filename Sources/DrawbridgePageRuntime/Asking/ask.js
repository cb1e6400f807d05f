// A question over the page: a dialog in an open shadow root of <drawbridge-app>, a child of <html>, while one is shown.
// Loaded when first needed, in one function behind `const css`. It makes no markup from text, and its styles are objects,
// so policies allow it; nothing of the page's styles gets into the root.
const host = document.createElement('drawbridge-app'), root = host.attachShadow({ mode: 'open' });
const sheet = new CSSStyleSheet();
sheet.replaceSync(css);
root.adoptedStyleSheets = [sheet];
host.style.setProperty('all', 'initial', 'important');
host.style.setProperty('display', 'contents', 'important');

/// What is shown, the newest last: `{element, show}`, a question also `{inputs, buttons, take}`.
const shown = [];
const questions = () => shown.filter(card => card.buttons);
/// What had the focus before the first question.
let before;
let count = 0, later;

const cut = text => String(text).slice(0, 1000);

function make(name, traits, ...children) {
    const element = document.createElement(name);
    for (const trait of Object.keys(traits)) element.setAttribute(trait, traits[trait]);
    element.append(...children.filter(Boolean));
    return element;
}

const button = (text, value) =>
    make('button', { type: 'button', value, dir: 'auto' }, make('span', {}, cut(text)));

function inputFor(name, label) {
    const isSecret = /^pin$|[^a-z]pin$|Pin$|[Pp]ass(word|code|phrase)|[Ss]ecret/.test(name);
    const input = make('input', { name, type: isSecret ? 'password' : 'text', dir: 'auto', autocomplete: 'off',
        autocapitalize: 'off', spellcheck: 'false' });
    return { input, row: make('label', {}, make('span', {}, cut(label || name)), input) };
}

/// Draws a question, or without `answer` a notice, which goes by itself. `answer` gets a choice, `{name: text}` of the
/// fields or `null`, once. Returns what withdraws it.
function draw({ name, title, message, choices = [], fields, labels }, answer, setTimeout) {
    later = setTimeout;
    count += 1;
    const ids = { title: 'title' + count, message: 'message' + count };
    const text = [
        title && make('h2', { id: ids.title, dir: 'auto' }, cut(title)),
        message && make('p', { id: ids.message, dir: 'auto' }, cut(message)),
    ];
    const card = answer ? makeQuestion() : makeNotice();
    const end = () => remove(card);
    if (answer && !questions().length) before = focused();
    shown.push(card);
    place();
    return end;

    function makeNotice() {
        for (const old of shown.filter(card => !card.buttons)) remove(old);
        setTimeout(() => end(), 2500);
        const element = make('output', { class: 'card', 'data-name': name, popover: 'manual' }, ...text);
        return { element, show: () => element.matches(':popover-open') || element.showPopover() };
    }

    function makeQuestion() {
        const rows = (fields || []).map((field, at) => inputFor(field, labels[at])), inputs = rows.map(({ input }) => input);
        const buttons = fields ? [button('OK', 'ok'), button('Cancel', 'cancel')] : choices.map(one => button(one, one));
        const isSheet = choices.length > 3 || choices.some(choice => choice.length > 24);
        const element = make('dialog', {
            'class': isSheet ? 'card sheet' : 'card', 'data-name': name, role: 'alertdialog', tabindex: -1, closedby: 'none',
            ...title || message ? { 'aria-labelledby': title ? ids.title : ids.message } : { 'aria-label': name },
            ...title && message ? { 'aria-describedby': ids.message } : {},
        }, ...text, ...rows.map(({ row }) => row), make('div', { class: 'buttons' }, ...buttons));
        const card = { element, inputs, buttons, show, take };
        element.oncancel = event => event.preventDefault();
        element.onclose = () => shown.includes(card) && show();
        return card;

        function show() {
            if (element.matches(':modal')) return;
            element.close();
            element.showModal();
            settle(card);
        }

        function take(chosen) {
            if (chosen.disabled || !remove(card)) return;
            if (!fields) answer(chosen.value);
            else if (chosen === buttons[1]) answer(null);
            else answer(Object.fromEntries(inputs.map(input => [input.name, input.value])));
        }
    }
}

/// A button takes a click only after half a second in its place, so that nobody presses one that has just come there.
function settle(card) {
    const { element, inputs, buttons } = card;
    const turn = card.turn = {};
    for (const button of buttons) button.disabled = true;
    (inputs[0] || element).focus();
    if (navigator.webdriver) ready();
    else later(() => card.turn === turn && ready(), 500);

    function ready() {
        for (const button of buttons) button.disabled = false;
        if (!inputs.length && buttons.length && (!root.activeElement || root.activeElement === element)) {
            buttons[0].focus({ preventScroll: true });
        }
    }
}

function remove(card) {
    const place = shown.indexOf(card);
    if (place < 0) return false;
    const isTop = card === questions().pop();
    shown.splice(place, 1);
    if (card.buttons) card.element.close();
    card.element.remove();
    const top = questions().pop();
    if (isTop && top) settle(top);
    if (!shown.length) leave();
    if (isTop && !top && document.activeElement !== before) before.focus({ preventScroll: true });
    return true;
}

function focused() {
    let element = document.activeElement || document.documentElement;
    while (element.shadowRoot && element.shadowRoot.activeElement) element = element.shadowRoot.activeElement;
    return element;
}

// The page may take the host away, or write a new document.
const observer = new MutationObserver(() => host.parentNode === document.documentElement || later(place));
const others = ['focus', 'blur', 'wheel', 'touchmove', 'touchcancel', 'pointermove', 'pointerover', 'pointerout', 'pointercancel',
    'mousemove', 'mouseover', 'mouseout', 'copy', 'cut', 'paste', 'dragstart', 'dragover', 'drop', 'compositionstart',
    'compositionupdate', 'compositionend'];

function place() {
    const html = document.documentElement;
    if (!shown.length) return;
    observer.observe(document, { childList: true });
    if (!html) return;
    observer.observe(html, { childList: true });
    for (const type of others) window.addEventListener(type, hear, true);
    if (host.parentNode !== html) html.append(host);
    root.append(...shown.map(card => card.element).filter(element => element.parentNode !== root));
    for (const card of shown.slice()) card.show();
}

function leave() {
    observer.disconnect();
    for (const type of others) window.removeEventListener(type, hear, true);
    host.remove();
}

/// Hears an event before the page does, and keeps what happens in a dialog from it.
function hear(event) {
    const path = event.composedPath();
    if (!path.includes(root)) return;
    event.stopImmediatePropagation();
    const card = questions().find(({ element }) => path.includes(element));
    if (!card || !event.isTrusted) return;
    const chosen = card.buttons.find(button => path.includes(button));
    if (event.type === 'click' && chosen) card.take(chosen);
    if (event.type === 'keydown') press(event, card, chosen);
}

function press(event, { inputs, buttons, take }, chosen) {
    const { key, repeat, shiftKey, isComposing } = event;
    if (key === 'Escape' || repeat && chosen && (key === 'Enter' || key === ' ')) event.preventDefault();
    if (key === 'Enter' && !repeat && !isComposing && inputs.includes(root.activeElement)) take(buttons[0]);
    if (key !== 'Tab') return;
    // The ends are joined, so the focus does not leave the dialog.
    const stops = [...inputs, ...buttons].filter(stop => !stop.disabled), last = stops.length - 1;
    const at = stops.indexOf(root.activeElement);
    if (last >= 0 && at !== (shiftKey ? 0 : last) && !(shiftKey && at < 0)) return;
    event.preventDefault();
    if (last >= 0) stops[shiftKey ? last : 0].focus();
}

draw.hear = hear;
window[Symbol.for('drawbridge')]('ask.js', () => draw);
