// The page runtime plays the web view for a hybrid page. The gateway puts these files into one function, behind
// `var config = {…};` and in the order that RuntimeScript.swift has. Each says which names it gives to others and which
// it uses; a test compares that with its code.
//
// This one keeps what the page may replace: its names hide the global ones, and so always mean the originals.
//
// gives: attempt, callGlobal, console, fetch, globalEval, globalNamed, hearAlways, home, JSON, later, listen, loaded, look
// gives: Map, mark, MutationObserver, openWindow, origin, ours, Promise, queueMicrotask, readers, Request, sendBeacon
// gives: setTimeout, socketSend, structuredClone, token, tried, unlisten, WebSocket, wrap, write, xhrHeader, xhrOpen
// gives: xhrSend, XMLHttpRequest
const tag = document.currentScript;
const { nonce, dataset } = tag;
let { token } = dataset;
tag.removeAttribute('data-token');
// Once in a document is enough.
const mark = Symbol.for('drawbridge');
if (window[mark]) return;
// A page of another site that frames this one gets nothing of it, unless that is allowed.
if (!config.foreignFrames && isFramedByOthers()) {
    window.console.warn('Drawbridge: no native in foreign frames');
    if (config.bridges) {
        // Their scripts come all the same, and do nothing.
        window.drawbridge = { bridge() {} };
        document.addEventListener('DOMContentLoaded', () => { delete window.drawbridge; });
    }
    return;
}

const {
    JSON, Map, Promise, WebSocket, XMLHttpRequest, Request, MutationObserver, console,
    fetch, setTimeout, queueMicrotask, structuredClone, eval: globalEval, open: openWindow,
} = window;
const { stringify: write } = JSON;
const { open: xhrOpen, send: xhrSend, setRequestHeader: xhrHeader } = XMLHttpRequest.prototype;
const { send: socketSend } = WebSocket.prototype;
const { sendBeacon } = navigator;
const { addEventListener: listen, removeEventListener: unlisten } = EventTarget.prototype;

// A page may have a <base>, so our own addresses are absolute.
const { origin } = location, home = origin + '/__drawbridge__/';

function isFramedByOthers() {
    return tried(() => !window.top.location.href, true);
}

/// What some work gives, or something else where it throws.
function tried(work, otherwise) {
    try {
        return work();
    } catch (error) {
        return otherwise;
    }
}

/// What we have put or replaced.
const ours = new WeakSet();

/// Replaces a method, by which nothing else changes.
function wrap(object, name, value) {
    ours.add(value);
    const was = Object.getOwnPropertyDescriptor(object, name) || { writable: true, configurable: true };
    Object.defineProperty(value, 'name', { value: name });
    Object.defineProperty(object, name, Object.assign(was, { value }));
}

/// Listens for ever: `document.open()` takes away the listeners of window and document, and ours are put back.
const lasting = [];
function hearAlways(target, ...listener) {
    lasting.push([target, listener]);
    listen.apply(target, listener);
}
for (const name of ['open', 'write', 'writeln']) {
    const method = Document.prototype[name];
    wrap(Document.prototype, name, function () {
        const value = method.apply(this, arguments);
        if (this === document) for (const [target, listener] of lasting) listen.apply(target, listener);
        return value;
    });
}

/// Runs something in a later task, which no timer of a test's holds up; in a hidden tab at the end of this one.
const tasks = [], bell = new MessageChannel(), run = () => tasks.shift()();
bell.port1.onmessage = run;
function later(work) {
    tasks.push(work);
    document.hidden ? queueMicrotask(run) : bell.port2.postMessage(0);
}

/// Runs code of the page: `{value}` or `{error}`. An error is reported as the page's, and holds up nothing here.
function attempt(work) {
    try {
        return { value: work() };
    } catch (error) {
        setTimeout(() => { throw error; });
        return { error };
    }
}

const loaded = new Promise(done => {
    if (document.readyState === 'complete') done();
    else hearAlways(window, 'load', () => setTimeout(done));
});

/// Finds a global of the page, also a top-level `const`, which is not on `window`. Where a policy forbids `eval`, a
/// script of the gateway's looks, and `found` is called later.
const readers = new Map(), looking = new Map();
function globalNamed(name, found) {
    if (readers.has(name)) return found(readers.get(name)());
    if (Object.hasOwnProperty.call(window, name) || !/^[a-z_$][\w$]*$/i.test(name)) return found(window[name]);
    let value;
    try {
        value = globalEval(name);
    } catch (error) {
        if (error.name === 'EvalError') return look(name, found);
    }
    found(value);
}

// A page may take the addresses of scripts from policies alone (Trusted Types).
let policy = { createScriptURL: String };
function look(name, found, path = 'global.js?name=' + name) {
    if (looking.has(name)) return looking.get(name).push(found);
    const waiting = [found];
    looking.set(name, waiting);
    const script = document.createElement('script');
    if (window.trustedTypes && !policy.name) policy = trustedTypes.createPolicy('drawbridge', policy);
    script.src = policy.createScriptURL(home + path);
    script.nonce = nonce;
    script.onload = script.onerror = () => {
        script.remove();
        looking.delete(name);
        const read = readers.get(name);
        for (const found of waiting) found(read && read());
    };
    document.documentElement.appendChild(script);
}

// Says that the runtime is there, and is what that script calls. To read what there is not throws.
Object.defineProperty(window, mark, { value(name, read) {
    readers.set(name, () => tried(read));
} });

/// Calls a function of the page, like `bridge.handleNativeMsg`. `done` gets its outcome; nothing where there is none. Without
/// `input` it is only looked for.
function callGlobal(path, input, done = () => {}) {
    const [first, ...members] = path.split('.');
    globalNamed(first, value => {
        let owner;
        for (const member of members) {
            owner = value;
            value = Object(owner)[member];
        }
        done(typeof value === 'function' ? input ? attempt(() => value.apply(owner, input)) : value : undefined);
    });
}
