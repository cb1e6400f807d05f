// A question over the page: a dialog in an open shadow root of <drawbridge-app>, a child of <html> while one is shown.
// This is loaded when first needed, in one function with `css`. No markup is made from text, and the styles are objects:
// so every policy allows it, and no style of the page gets in.
const host = document.createElement('drawbridge-app'), root = host.attachShadow({ mode: 'open' });
const sheet = new CSSStyleSheet();
sheet.replaceSync(css);
root.adoptedStyleSheets = [sheet];

/// What is shown, the newest last: `{element}`, a question also `{inputs, buttons, take}`.
const shown = [];
const questions = () => shown.filter(card => card.buttons);
let count = 0, later;
/// What had the focus before the first question.
let before;

/// Draws a question, or without `answer` a notice, which goes by itself. `answer` gets a choice, `{name: text}` of the
/// fields or `null`, once. Returns what withdraws it.
function draw({ name, message, title = message ? '' : name, choices, fields }, answer, setTimeout) {
    later = setTimeout;
    count += 1;
    const texts = [['h2', title], ['p', message]].filter(([, text]) => text).map(([tag, text]) =>
        make(tag, { id: tag + count, class: text.length > 160 ? 'long' : '' }, [cut(text)]));
    const card = answer ? question() : { element: make('output', { 'data-name': name, popover: 'manual' }, texts) };
    const end = () => remove(card);
    if (!answer) {
        shown.filter(card => !card.buttons).forEach(remove);
        setTimeout(end, 2500);
    }
    if (!questions().length) before = focused(document);
    shown.push(card);
    place();
    return end;

    function question() {
        const inputs = (fields || []).map(inputFor), buttons = (fields ? ['ok', 'cancel'] : choices).map(choice =>
            make('button', { value: choice }, [cut(choice)]));
        const isSheet = buttons.length > 3 || buttons.some(({ value }) => value.length > 24);
        const element = make('dialog', {
            'data-name': name, class: isSheet ? 'sheet' : '', role: 'alertdialog', tabindex: -1, closedby: 'none',
            'aria-labelledby': (title ? 'h2' : 'p') + count, 'aria-describedby': title ? 'p' + count : '',
        }, [...texts, ...inputs.map(input => input.parentNode), make('div', {}, buttons)]);
        // Where Escape closes it nonetheless, it is shown again.
        element.onclose = () => host.isConnected && place();
        return { element, inputs, buttons, take };
    }

    function take(button) {
        if (button.disabled || !remove(card)) return;
        const filled = () => Object.fromEntries(card.inputs.map(({ name, value }) => [name, value]));
        answer(!fields ? button.value : button.value === 'cancel' ? null : filled());
    }
}

const cut = text => text.slice(0, 1000);

function make(name, traits, children) {
    const element = document.createElement(name);
    for (const [name, value] of Object.entries(traits)) element.setAttribute(name, value);
    element.append(...children);
    return element;
}

function inputFor({ name, label }) {
    const type = /passw|pin$|secret/i.test(name) ? 'password' : 'text';
    const input = make('input', { name, type, autocomplete: 'off' }, []);
    make('label', {}, [cut(label || name), input]);
    return input;
}

/// A button takes a click only after half a second in its place, so that nobody presses one that has just come there.
function settle(card) {
    const { element, inputs, buttons } = card, turn = card.turn = {};
    for (const button of buttons) button.disabled = true;
    (inputs[0] || element).focus();
    navigator.webdriver ? ready() : later(ready, 500);

    function ready() {
        if (card.turn !== turn) return;
        for (const button of buttons) button.disabled = false;
        if (root.activeElement === element || !root.activeElement) buttons[0].focus({ preventScroll: true });
    }
}

function remove(card) {
    const isTop = card === questions().pop(), place = shown.indexOf(card);
    if (place < 0) return false;
    shown.splice(place, 1);
    quietly(() => {
        if (card.buttons) card.element.close();
        card.element.remove();
        const top = questions().pop();
        if (isTop) top ? settle(top) : before && before.focus({ preventScroll: true });
    });
    if (!shown.length) {
        observer.disconnect();
        hearOthers('remove');
        host.remove();
    }
    return true;
}

/// Also in a component of the page or in its frame.
function focused({ activeElement }) {
    const inner = activeElement && (activeElement.shadowRoot || activeElement.contentDocument);
    return inner && focused(inner) || activeElement;
}

/// Moves the focus from the page's element, and back to it, of which the page hears nothing.
let isQuiet = false;
function quietly(work) {
    isQuiet = true;
    work();
    isQuiet = false;
}

// The page may take the host away, or write another document.
const observer = new MutationObserver(() => host.parentNode === document.documentElement || later(place));
function place() {
    const html = document.documentElement;
    if (!shown.length) return;
    observer.observe(document, { childList: true });
    if (!html) return;
    observer.observe(html, { childList: true });
    hearOthers('add');
    if (host.parentNode !== html) html.append(host);
    for (const card of shown) {
        const { element, buttons } = card;
        if (element.parentNode !== root) root.append(element);
        if (element.matches(':modal, :popover-open')) continue;
        if (!buttons) element.showPopover();
        else quietly(() => {
            element.close();
            element.showModal();
            settle(card);
        });
    }
}

/// What the core does not pass on.
function hearOthers(verb) {
    for (const type of 'focus blur wheel touchmove pointermove mousemove paste'.split(' ')) {
        window[verb + 'EventListener'](type, hear, { capture: true, passive: false });
    }
}

/// Hears an event before the page does, and keeps from it what happens in a dialog, and what a key that went down there
/// does until it is up.
const held = new Set();
function hear(event) {
    const { type, key, repeat } = event, code = event.code || key || type, path = event.composedPath();
    const isInside = path.includes(root);
    if (type === 'keydown' && !repeat) held[isInside ? 'add' : 'delete'](code);
    if (!isInside && !held.has(code) && !(isQuiet && /^(focus|blur)/.test(type))) return;
    event.stopImmediatePropagation();
    if (type === 'keyup') held.delete(code);
    if (!isInside) event.preventDefault();
    const card = questions().find(({ element }) => path.includes(element));
    if (!card || !event.isTrusted) return;
    const { element, inputs, buttons, take } = card, button = buttons.find(button => path.includes(button));
    const does = type === 'keydown' && !event.isComposing ? key : type;
    // The page beneath does not scroll.
    const isFixed = element.scrollHeight <= element.clientHeight && !inputs.includes(path[0]);
    const own = isFixed ? /^(Escape|Enter|Tab|End|Arrow|Page|Home|wheel|touchmove)/ : /^(Escape|Enter|Tab)/;
    if (own.test(does)) event.preventDefault();
    if (does === 'click' && button) take(button);
    if (does === 'Enter' && !repeat) take(button || buttons[0]);
    if (does === 'Tab') moveFocus([...inputs, ...buttons].filter(stop => !stop.disabled), event.shiftKey ? -1 : 1);
}

/// The ends are joined, so that the focus stays in the dialog.
function moveFocus(stops, by) {
    const next = stops[stops.indexOf(root.activeElement) + by] || stops[by < 0 ? stops.length - 1 : 0];
    if (next) next.focus();
}

draw.hear = hear;
window[Symbol.for('drawbridge')]('ask.js', () => draw);
