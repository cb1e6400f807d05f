// Cases of a page that tests itself: run one after the other, shown, and posted to the path in `?report=/path` as
// `{"title", "browser", "cases": [{"name", "failed"?, "isLate"}], "html"}`.
//
// The gateway has the handlers /echo (answers its input), /add {a, b}, /fail (418, "no tea"), /nothing, /later {ms}
// (answers its input, after that time), /text (`plain "text"`), /note (keeps its input), /notes (gives what was kept), one
// at / (answers {unnamed: its input}), /special for special.html alone, /ask {name, data, bridge?} (calls the page's
// handler and answers what that answered) and /steps (answers 1 and 2 before, where that is heard, and then
// {heard: [bool, bool]}). Its scheme is `mizhua`, whose item `command` names a call; its message names JSBridge, nothing,
// and with a reply echo, fail, missing and special; its injected functions callNative, echo and claimed; its shortcuts
// are on MyApp.
'use strict';

const title = document.title;
const cases = [];

/// Adds a case. It fails by throwing, or after its time.
function test(name, work, milliseconds = 8000) {
    cases.push({ name, work, milliseconds });
}

function equal(actual, expected, what = 'got') {
    const [a, b] = [actual, expected].map(value => value === undefined ? 'undefined' : JSON.stringify(value, sorted));
    if (a !== b) throw new Error(what + ' ' + shortened(a) + ', expected ' + shortened(b));
}

/// The members of an object have no order.
const sorted = (name, value) =>
    value && typeof value === 'object' && !Array.isArray(value) ? Object.fromEntries(Object.entries(value).sort()) : value;
const shortened = text => text.length > 200 ? text.slice(0, 200) + '… (' + text.length + ')' : text;
const wait = milliseconds => new Promise(done => setTimeout(done, milliseconds));
const pageLoaded = new Promise(done => addEventListener('load', done));

/// A promise, and the function that keeps it.
function promised() {
    let keep;
    const promise = new Promise(done => { keep = done; });
    return [promise, keep];
}

/// What does not come for a while will not come.
async function silent(promise, milliseconds = 300) {
    const outcome = await Promise.race([promise.then(value => ['answered', value]), wait(milliseconds)]);
    equal(outcome, undefined);
}

/// Values that some way of passing text gets wrong.
const values = {
    'a string with quotes': 'say "it\'s" `so`',
    'a string with backslashes': 'C:\\new\\table\\u0041 \\',
    'line separators': 'a\u2028b\u2029c\r\n\td',
    'characters of all lengths': 'é 漢字 😀 👩‍👩‍👧',
    'a NUL': 'a\0b',
    'markup': '</script><!-- %41 + & = ?',
    'an empty string': '',
    'zero': 0,
    'numbers': [1, -1, 0.1, 1e21, 123456789012, 5e-7],
    'truth': [true, false, null],
    'an empty array': [],
    'nested objects': { a: { b: [{ c: 'd', 'e f': [[[]]] }] }, '': {} },
};

/// The cases that every bridge has: `ask(name, data)` gives what the page's callback got.
function commonCases(ask) {
    for (const name of Object.keys(values)) {
        test('echo of ' + name, async () => equal(await ask('echo', values[name]), values[name]));
    }
    test('echo of two megabytes', async () => {
        const text = '0123456789 "漢字"\n'.repeat(131072);
        const answer = await ask('echo', { text });
        if (answer.text !== text) throw new Error('another text came back, of ' + String(answer.text).length);
    }, 20000);
    test('a number as output', async () => equal(await ask('add', { a: 2, b: 3 }), 5));
    test('no output', async () => equal(await ask('nothing', {}), null));
    test('an error', async () => {
        const { code, message } = await ask('fail', {});
        equal({ code, message }, { code: 418, message: 'no tea' });
    });
    test('two calls in one millisecond', async () => {
        equal(await Promise.all([ask('echo', { n: 1 }), ask('echo', { n: 2 })]), [{ n: 1 }, { n: 2 }]);
    });
}

/// For bridges that are requests of the page's own, for which browsers have six connections.
function requestCases(ask) {
    test('2,000 calls in a row', async () => {
        let last = 0;
        const callOnce = async n => equal(await ask('echo', { n }), { n });
        const connection = async () => {
            while (last < 2000) await callOnce(last += 1);
        };
        await Promise.all(Array.from({ length: 6 }, connection));
    }, 30000);
}

/// For bridges that do not block: answers that overtake, and many at once.
function manyCases(ask) {
    test('an answer that comes later', async () => equal(await ask('later', { ms: 150 }), { ms: 150 }));
    test('a short wait overtakes a long one', async () => {
        const seen = [];
        await Promise.all([300, 20].map(ms => ask('later', { ms }).then(() => seen.push(ms))));
        equal(seen, [20, 300]);
    });
    test('2,000 calls in a row', async () => {
        const seen = [];
        await Promise.all(Array.from({ length: 2000 }, (_, n) => ask('echo', { n }).then(answer => seen.push(answer.n))));
        equal(seen.length, 2000);
        seen.forEach((n, place) => equal(n, place));
    }, 4000);
}

/// For bridges with a callback: `call(name, data, callback)`.
function progressCase(call, isHeard) {
    test('answers before the answer ' + (isHeard ? 'are heard' : 'are left out'), async () => {
        const seen = [];
        await new Promise(done => call('steps', {}, answer => {
            seen.push(answer);
            if (answer && answer.heard) done();
        }));
        equal(seen, isHeard ? [1, 2, { heard: [true, true] }] : [{ heard: [false, false] }]);
    });
}

async function runCases() {
    await pageLoaded;
    const done = [];
    const list = document.body.appendChild(document.createElement('ol'));
    for (const { name, work, milliseconds } of cases) {
        const outcome = { name, isLate: false };
        const late = wait(milliseconds).then(() => {
            throw Object.assign(new Error('no end after ' + milliseconds + ' ms'), { isLate: true });
        });
        try {
            await Promise.race([Promise.resolve().then(work), late]);
        } catch (error) {
            outcome.failed = String(error && error.message || error);
            outcome.isLate = Boolean(error && error.isLate);
        }
        late.catch(() => {});
        done.push(outcome);
        list.appendChild(document.createElement('li')).textContent = name + (outcome.failed ? ': ' + outcome.failed : '');
    }
    const path = new URLSearchParams(location.search).get('report');
    const browser = /Firefox/.test(navigator.userAgent) ? 'firefox' : /Chrome/.test(navigator.userAgent) ? 'chromium' : 'webKit';
    const body = JSON.stringify({ title, browser, cases: done, html: document.documentElement.outerHTML });
    if (path) await fetch(path, { method: 'POST', headers: { 'Content-Type': 'application/json' }, body });
    const failed = done.filter(({ failed }) => failed).length;
    document.title = title + ': ' + (failed ? failed + ' failed' : 'all passed');
}
