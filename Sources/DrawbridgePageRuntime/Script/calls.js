// Calls of the page to native (contracts, the three rules). Names are paths without their first slash.
//
// gives: after, call, callNow, failCalls, failure, flushNow, gather, gathering, gatherings, replied, sign, signature
// uses pristine: attempt, hearAlways, home, JSON, Map, setTimeout, token, tried, xhrHeader, xhrOpen, xhrSend, XMLHttpRequest
// uses channel: adopt, areSent, carrying, connect, isOver, lastNumber, life, notePlace, page, post, taken, viewer
// uses channel: waiting
// uses urls: gatherURLs
let lastCall = 0;
const calls = new Map();

/// Calls native. `done(error, value, isMore, isMissing)` gets `{code, message}` or the handler's output, nothing being
/// `null`; without it no reply is wanted, and none comes. `traits` say how a bridge waits that native does not know.
function call(name, data, bridge, done, traits) {
    gather();
    const message = { call: String(name).replace(/^\//, ''), data, bridge, ...traits };
    if (!done) return post(message);
    const id = message.id = ++lastCall;
    post(message, id);
    calls.set(id, done);
}

function replied({ reply, error, value = null, more, missing }) {
    const done = calls.get(reply);
    if (!more) calls.delete(reply);
    if (done) done(error, value, more === true, missing === true);
}

function failCalls(error, isLost) {
    for (const [id, done] of Array.from(calls)) {
        if (!isLost(id)) continue;
        calls.delete(id);
        attempt(() => done(error, null, false));
    }
}

function failure({ code, message, data }, isMissing) {
    return Object.assign(new Error(message), { code }, data === undefined ? {} : { data }, isMissing && { isMissing });
}

/// Calls native and waits, the page standing still.
function callNow(name, data, bridge) {
    connect();
    gather();
    const { status, answer } = tellNow('call', { call: name.replace(/^\//, ''), data, bridge });
    if (answer.error) throw failure(answer.error, answer.missing);
    if (status !== 200) throw failure({ code: status || 503, message: answer.message || 'the gateway did not answer' });
    return answer.value;
}

/// Sends what waits to be sent, with something more, and waits until it is taken.
function tellNow(path, more) {
    for (let tries = 0; ; tries += 1) {
        notePlace();
        const { status, answer } = askNow('POST', path, carrying(waiting, more));
        if (tries < 3 && (status === 401 || status === 403)) {
            // The token is of a process that is no more.
            adopt(askNow('GET', 'token').answer);
        } else if (tries < 3 && answer.over) {
            isOver(answer);
        } else {
            areSent(waiting);
            if (answer.received) taken(answer.received);
            return { status, answer };
        }
    }
}

/// Makes the calls that wait for the end of the page's task, before the page makes another one: calls begin in their
/// order, whichever bridge they go by. Of what waits in a bridge and behind the page's URLs, only one has some.
let isGathering = false;
const gatherings = [];
function gather() {
    gathering(() => {
        gatherURLs();
        gatherings.forEach(attempt);
    });
}

/// Makes calls in their order: none of them looks for others before it.
function gathering(work) {
    if (isGathering) return;
    isGathering = true;
    attempt(work);
    isGathering = false;
}

/// Sends what waits and blocks until it is taken, before a synchronous request of the page's own or a beacon; not
/// where the browser would send no such request.
function flushNow() {
    if (waiting.length && mayStandStill()) tellNow('messages');
}

// Browsers refuse synchronous requests while a page goes.
let isGoing = false;
for (const type of ['beforeunload', 'pagehide']) {
    hearAlways(window, type, () => {
        isGoing = true;
        setTimeout(() => { isGoing = false; });
    }, true);
}

/// Whether the browser sends a synchronous request: the page's policy may forbid it, too.
function mayStandStill() {
    const policy = document.permissionsPolicy || document.featurePolicy;
    return !isGoing && !(policy && !policy.allowsFeature('sync-xhr'));
}

function askNow(method, path, body) {
    const request = new XMLHttpRequest();
    xhrOpen.call(request, method, home + path, false);
    xhrHeader.call(request, 'Content-Type', 'application/json');
    sign(request);
    // Where it fails, the status says it.
    const answer = tried(() => {
        xhrSend.call(request, body);
        return JSON.parse(request.responseText);
    }, {});
    return { status: request.status, answer };
}

/// What says which page sends a request that is bound for native.
function signature() {
    const fields = [['Page', page], ['Token', token], ['Path', location.pathname]];
    if (viewer === 'driver') fields.push(['Driven', 1]);
    return config.session ? fields.concat([['Session', config.session]]) : fields;
}

function sign(request, fields = signature()) {
    for (const [name, value] of fields) xhrHeader.call(request, 'X-Drawbridge-' + name, value);
}

/// The message of the page's after which a request of its own comes; nothing where there is none.
function after() {
    gather();
    return lastNumber ? [['After', life + '.' + lastNumber]] : [];
}
