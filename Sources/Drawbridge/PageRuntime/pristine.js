// The page runtime: it plays the web view for a hybrid page. The gateway puts these files into one function, in this
// order, after a `var config = {…};`: pristine, channel, calls, urls, wvjb, queue, messages, inject, shortcuts, native.
//
// This one keeps what the page may replace. The names below hide the global ones, so what the runtime says is always
// the original; that is also why a page that wraps `fetch` or `setTimeout` never sees ours go by.
const mark = Symbol.for('drawbridge');
// Once in a document is enough.
if (window[mark]) return;

const { JSON, Map, Promise, WebSocket, XMLHttpRequest, Request, Headers, MutationObserver, console } = window;
const { open: xhrOpen, send: xhrSend, setRequestHeader: xhrHeader } = XMLHttpRequest.prototype;
const fetch = window.fetch.bind(window);
const setTimeout = window.setTimeout.bind(window);
const globalEval = window.eval;
const sendBeacon = navigator.sendBeacon;
const clone = window.structuredClone || (value => new MessageChannel().port1.postMessage(value));

const tag = document.currentScript;
// A page may have a <base>, so our own addresses are absolute.
const origin = location.origin;
const nonce = tag && tag.nonce;
let token = tag && tag.dataset.token || '';
if (tag) tag.removeAttribute('data-token');

/// Puts something on `window` as web views do: an ordinary property. A `function`, `var`, `let` or `const` of the page
/// wins without an error.
function put(name, value) {
    try {
        Object.defineProperty(window, name, { value, writable: true, enumerable: true, configurable: true });
    } catch (error) {
        console.warn('Drawbridge: the page has no room for window.' + name + ':', error.message);
    }
}

/// Replaces a method by one that takes the original's place in every other respect.
function wrap(object, name, method) {
    const was = Object.getOwnPropertyDescriptor(object, name);
    Object.defineProperty(method, 'name', { value: name });
    Object.defineProperty(object, name, was
        ? Object.assign(was, { value: method }) : { value: method, writable: true, configurable: true });
}

/// Runs something in a later task, in the order of asking. In a hidden tab timers wait for a second, so there it is as
/// soon as this task's scripts have ended.
const tasks = [];
function later(work) {
    tasks.push(work);
    const step = () => tasks.shift()();
    if (document.hidden) window.queueMicrotask(step);
    else setTimeout(step);
}

/// Runs code of the page. What it throws is reported as the page's, and holds up nothing here.
function attempt(work) {
    try {
        return work();
    } catch (error) {
        report(error);
    }
}

function report(error) {
    setTimeout(() => { throw error; });
}

/// What is finished when the page's own scripts are: `loaded.then(…)`.
const loaded = new Promise(done => {
    if (document.readyState === 'complete') done();
    else window.addEventListener('load', () => setTimeout(done));
});

/// JSON that every reader takes: half a character, as cutting a string leaves it, becomes U+FFFD.
function write(value) {
    const text = JSON.stringify(value);
    if (!text || !text.includes('\\ud')) return text;
    return text.replace(/\\\\|\\ud[89a-f]../g, found => found[1] === 'u' ? '\ufffd' : found);
}

/// The value of a global name of the page, also of a top-level `let`, `const` or `class`, which is not on `window`.
/// Where the page's policy forbids `eval`, a script of our own origin looks, and `found` is called later.
const readers = new Map();
function globalNamed(name, found) {
    const read = readers.get(name);
    if (read) return found(read());
    if (Object.prototype.hasOwnProperty.call(window, name) || !/^[A-Za-z_$][\w$]*$/.test(name)) return found(window[name]);
    let value;
    try {
        value = globalEval('typeof ' + name + ' === "undefined" ? undefined : ' + name);
    } catch (error) {
        if (!(error instanceof ReferenceError)) return look(name, found);
    }
    return found(value);
}

function look(name, found) {
    const script = document.createElement('script');
    script.src = origin + '/__drawbridge__/global.js?name=' + name;
    script.nonce = nonce;
    script.onload = script.onerror = () => {
        script.remove();
        const read = readers.get(name);
        found(read && read());
    };
    document.documentElement.appendChild(script);
}

// Not enumerable, and the only trace in a page that uses no bridge: it says that the runtime is there.
Object.defineProperty(window, mark, {
    value(name, read) {
        readers.set(name, () => {
            try {
                return read();
            } catch (error) {
                // Not declared yet.
            }
        });
    },
});

/// Calls a function of the page by its name, as `bridge.handleNativeMsg`, with `this` as in the page. `done` gets
/// `{value}` or `{error}`, or nothing where there is no such function.
function callGlobal(path, input, done = () => {}) {
    const [first, ...members] = path.split('.');
    globalNamed(first, value => {
        let owner;
        for (const member of members) {
            owner = value;
            value = owner === undefined || owner === null ? undefined : owner[member];
        }
        if (typeof value !== 'function') return done();
        let outcome;
        try {
            outcome = { value: value.apply(owner, input) };
        } catch (error) {
            report(error);
            outcome = { error };
        }
        done(outcome);
    });
}
