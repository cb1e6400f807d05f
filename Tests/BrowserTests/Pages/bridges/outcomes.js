// Calls each outcome of a reply by each bridge: `heardAll` is a promise of `{outcome: {bridge: [what is heard]}}`, in
// the order in which the page received it. A request receives two things, its status and its JSON.
//
// The gateway has a reply `<outcome>_<bridge>` for each. A document has WebViewJavascriptBridge but once, so those of 5
// and 4 are called by frames, which are this page with `?bridge=`.
'use strict';

const outcomes = ['value', 'reply', 'error', 'silence', 'missing', 'ask', 'chosen', 'delay', 'progress', 'response',
    'refused', 'then', 'sequence', 'cases'];
/// Nothing comes of these at many a bridge, so nobody waits for them.
const maybeNothing = ['silence', 'missing'];
/// What is heard last, where more than one thing is.
const ends = { progress: 'done', then: 'told' };

const ownBridge = new URLSearchParams(location.search).get('bridge') || 'wvjb6';
window.bridged = bridges[ownBridge]();
const wait = milliseconds => new Promise(done => setTimeout(done, milliseconds));
const pageLoaded = new Promise(done => addEventListener('load', done));

const heard = Object.fromEntries(outcomes.map(outcome => [outcome, {}]));
/// What native calls by a step, with the bridge whose call it comes after.
function told(bridge) { top.tell(bridge); }
function tell(bridge) { heard.then[bridge].push('told'); }

const failure = ({ code, message, data }) => ({ code, message, data });
const byCallback = bridge => (name, input, hear) => new Promise(done => {
    bridge.callHandler(name, input, value => done(hear(value)));
});
const byPromise = (promise, hear) => promise.then(hear, error => hear({ rejected: failure(error) }));
const aborting = new AbortController();
const requests = [];
function byRequest(url, input, hear) {
    requests.push(requested(url, input, hear));
    return requests.at(-1);
}
async function requested(url, input, hear) {
    try {
        const answer = await fetch(url, { method: 'POST', body: JSON.stringify(input), signal: aborting.signal });
        hear(answer.status);
        hear(await answer.json());
    } catch (error) {
        hear(error.name === 'AbortError' ? 'aborted' : String(error));
    }
}

async function framed(bridge) {
    const frame = document.createElement('iframe');
    const loaded = new Promise(done => { frame.onload = done; });
    frame.src = 'outcomes.html?bridge=' + bridge;
    document.body.appendChild(frame);
    await loaded;
    return frame.contentWindow.bridged;
}

/// By each bridge, `(name, input, hear)` calls, and gives a promise that ends with the first answer.
const waysThatGoOn = async () => ({
    wvjb6: byCallback(await bridged),
    wvjb5: byCallback(await framed('wvjb5')),
    wvjb4: byCallback(await framed('wvjb4')),
    queue: byCallback(await bridges.queue()),
    message: byCallback(await bridges.messages()),
    async promise(name, input, hear) {
        const handler = webkit.messageHandlers[name];
        if (!handler) return hear('not there');
        await byPromise(handler.postMessage(input), hear);
    },
    shortcut: (name, input, hear) => new Promise(done => {
        if (name in MyApp) MyApp[name](input, value => done(hear(value)));
        else done(hear('not there'));
    }),
    async shortcutPromise(name, input, hear) {
        if (!(name in MyApp)) return hear('not there');
        await byPromise(MyApp[name](input), hear);
    },
    flag: (name, input, hear) => byRequest('/' + name + '?_mobile_bridge=1', input, hear),
    name: (name, input, hear) => byRequest('http://__jsbridge__/' + name, input, hear),
});

/// The page is blocked meanwhile.
const waysThatStand = {
    async standing(action, data, hear) {
        const request = new XMLHttpRequest();
        request.open('POST', 'http://__jsbridge__', false);
        request.send(JSON.stringify({ action, data }));
        hear(request.status);
        hear(JSON.parse(request.responseText));
    },
    async function(name, input, hear) {
        let value;
        try {
            value = callNative(name, input);
        } catch (error) {
            value = { thrown: failure(error) };
        }
        hear(value);
    },
};

/// Calls a name as often as its outcome wants, and waits until all that should come is there.
async function run(outcome, bridge, call) {
    const list = heard[outcome][bridge] = [];
    const began = performance.now();
    for (let times = outcome === 'sequence' ? 4 : 1; times > 0; times -= 1) {
        await call(outcome + '_' + bridge, { by: bridge, n: 7, user: 'Ann' }, value => { list.push(value); });
    }
    // Clocks of pages are coarse.
    if (outcome === 'delay') list.push(performance.now() - began > 140 ? 'waited' : 'did not wait');
    while (ends[outcome] && !JSON.stringify(list).includes(ends[outcome])) await wait(10);
}

async function runAll() {
    await pageLoaded;
    const ways = Object.entries(await waysThatGoOn());
    const runs = outcomes.map(outcome => [outcome, ways.map(([bridge, call]) => run(outcome, bridge, call))]);
    const answered = runs.filter(([outcome]) => !maybeNothing.includes(outcome)).flatMap(([, runs]) => runs);
    await Promise.race([Promise.all(answered), wait(20000)]);
    await wait(300);
    // What has been silent so long is silent.
    aborting.abort();
    // Whoever is aborted learns of it a moment later.
    await Promise.race([Promise.all(requests), wait(20000)]);
    const standing = [];
    for (const outcome of outcomes) {
        for (const [bridge, call] of Object.entries(waysThatStand)) standing.push(run(outcome, bridge, call));
    }
    await Promise.race([Promise.all(standing), wait(20000)]);
    // Whatever is heard twice by mistake has come by now.
    await wait(100);
    return heard;
}

/// Makes calls, each a name and its input, by every bridge: `{bridge: [JSON text of what is heard]}`.
async function callAll(calls) {
    const found = {};
    const callBy = async ([bridge, call]) => {
        const list = found[bridge] = [];
        for (const [name, input] of calls) await call(name, input, value => { list.push(JSON.stringify(value)); });
    };
    await pageLoaded;
    await Promise.all(Object.entries(await waysThatGoOn()).map(callBy));
    for (const way of Object.entries(waysThatStand)) await callBy(way);
    return found;
}

if (window === top && !location.search) window.heardAll = runAll();
