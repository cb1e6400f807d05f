// The channel to the gateway, for bridges 3 to 7 of the contracts: one WebSocket, opened by the first use of a bridge.
// Messages are numbered in both directions and kept until the other side has taken them: a connection that breaks loses
// none and doubles none.
//
// A page has one id and lives one after the other. A life ends when the gateway gives the page up, and when the `epoch`
// tells of another gateway. Every life numbers its messages from 1 on, in both directions. All that goes up says of which
// life it is and how far that has come. So the gateway does nothing twice, and takes no old word for a new one.
//
// gives: adopt, areSent, carrying, connect, flush, isOver, lastNumber, life, notePlace, page, post, ready, taken
// gives: viewer, waiting
// uses pristine: console, fetch, hearAlways, home, JSON, later, queueMicrotask, sendBeacon, setTimeout, socketSend
// uses pristine: token, tried, WebSocket, write
// uses app: hasApp
// uses calls: failCalls
// uses native: apply, forgetAnswers
let { epoch } = config, life = 1;
const page = Array.from(crypto.getRandomValues(new Uint8Array(32)), byte => (byte & 15).toString(16)).join('');
const bridges = [];
const viewer = navigator.webdriver || /Headless/.test(navigator.userAgent) ? 'driver' : 'person';

// What goes up, until it is taken: `{n, text, id, isAnswer, isPlace, isSent}`.
let waiting = [];
// Where the page is, as the last of these says, and as it was before the first.
let said, saidBefore, lastNumber = 0;
// The last number that was sent in this life by any way, and the one that was sent over this connection.
let toldNumber = 0, sentNumber = 0, isFlushing = false;
// What came down.
let received = 0, acknowledged = 0, timer = 0;
let socket = null, hasGreeted = false, isWelcome = false, isGone = false, leaving = false, delay = 0;
// How often in a row the gateway has refused what it got.
let refusals = 0;

/// Sends a message, together with the others of this task. `id` is its call's.
function post(message, id) {
    const text = write(message);
    notePlace();
    waiting.push({ n: ++lastNumber, text, id, isAnswer: 'result' in message });
    connect();
    if (isFlushing) return;
    isFlushing = true;
    queueMicrotask(() => {
        isFlushing = false;
        flush();
    });
}

function batch(messages) {
    return '[' + messages.map(({ n, text }) => '[' + n + ',' + text + ']') + ']';
}

/// Says where the page is, and whether it is seen, in front of what is sent there: by that its handlers are chosen.
function notePlace() {
    const text = write({ url: location.href, title: document.title, hidden: document.hidden });
    if (text === said) return;
    said = text;
    if (saidBefore) waiting.push({ n: ++lastNumber, text, isPlace: true });
    else saidBefore = text;
}

/// The body of a request that carries messages in the channel's place.
function carrying(messages, more) {
    const text = write(Object.assign(lifeSign(), JSON.parse(saidBefore), more));
    return text.slice(0, -1) + ',"up":' + batch(messages) + '}';
}

/// Who sends this, in which life, and how far that has come; in which session, and whether it is in a frame or was opened
/// by another page.
function lifeSign() {
    return {
        page, life, n: toldNumber, received, epoch, session: config.session, frame: top !== window, opened: !!top.opener,
        hasApp, viewer,
    };
}

/// These messages are on their way, or the gateway has them already.
function areSent(messages) {
    for (const message of messages) {
        message.isSent = true;
        toldNumber = Math.max(toldNumber, message.n);
    }
}

function flush() {
    if (isGone) sendLast();
    if (!isWelcome) return;
    notePlace();
    let frame = [], length = 0;
    for (const message of waiting) {
        if (message.n <= sentNumber) continue;
        if (length && (refusals || length + message.text.length > 1e6)) {
            send(',"up":' + batch(frame));
            frame = [];
            length = 0;
        }
        frame.push(message);
        length += message.text.length;
        sentNumber = message.n;
    }
    if (length) send(',"up":' + batch(frame));
    areSent(waiting);
}

function send(members) {
    acknowledged = received;
    socketSend.call(socket, '{"life":' + life + ',"ack":' + received + members + '}');
}

/// The gateway has all up to number `n`.
function taken(n) {
    keep(message => message.n > n);
}

function keep(isKept) {
    for (const message of waiting) if (message.isPlace && !isKept(message)) saidBefore = message.text;
    waiting = waiting.filter(isKept);
}

function acknowledge() {
    timer = 0;
    if (isWelcome && acknowledged !== received) send('');
}

function connect() {
    if (socket || isGone) return;
    if (window.origin === 'null') {
        // A page in a sandbox has no origin by which the gateway could know it.
        const message = 'a page in a sandbox needs allow-same-origin';
        console.warn('Drawbridge:', message);
        setTimeout(() => failCalls({ code: 403, message }, () => true));
        waiting = [];
        return;
    }
    // A server in front of several gateways finds the one of the session by it: a WebSocket has no header of ours.
    const url = home.replace('http', 'ws') + 'channel' + (config.session ? '?session=' + config.session : '');
    socket = tried(() => new WebSocket(url, ['drawbridge', 'token.' + token]), null);
    // The page's policy may forbid it.
    isGone = !socket;
    if (isGone) return;
    const own = socket;
    let wasOpen = false;
    own.onopen = () => {
        if (own !== socket) return;
        wasOpen = hasGreeted = true;
        notePlace();
        socketSend.call(own, write({ hello: Object.assign(lifeSign(), { bridges }, JSON.parse(saidBefore)) }));
    };
    own.onmessage = event => {
        if (own === socket) take(JSON.parse(event.data), event.data.length);
    };
    own.onclose = ({ code }) => {
        if (own !== socket) return;
        if (isWelcome && [1007, 1009].includes(code)) refusals += 1;
        // A gateway that goes away has said what it took: the rest can go to another one.
        if (isWelcome && code === 1001) for (const one of waiting) one.isSent = false;
        isWelcome = hasGreeted = false;
        if (wasOpen) reconnect(own);
        // Refused: perhaps by another process, which has another token.
        else renew().then(() => reconnect(own));
    };
}

/// At once, then after 100, 200, 400, … milliseconds, a second at most, until a connection is of use or lasts: one that
/// is welcomed and closed, again and again, is neither.
function reconnect(last) {
    setTimeout(() => {
        if (socket !== last) return;
        socket = null;
        connect();
    }, delay);
    delay = Math.min(delay * 2 || 100, 1000);
}

function renew() {
    return fetch(home + 'token', { cache: 'no-store', headers: { 'X-Drawbridge-Page': page } })
        .then(response => response.json()).then(adopt).catch(() => {});
}

function adopt(current) {
    token = current.token || token;
    if (current.epoch && current.epoch !== epoch) beginLife(current.epoch);
}

/// The gateway says that a life is over there.
function isOver({ over, epoch: current }) {
    if (over === life) beginLife(current);
}

/// Begins anew with a gateway that knows nothing of this life. Calls that were sent before fail, and say why; what was
/// not sent is numbered again.
function beginLife(current) {
    const message = current !== epoch ? 'the gateway was restarted'
        : 'the gateway gave the page up: it was away or took no answers';
    epoch = current;
    life += 1;
    received = acknowledged = toldNumber = sentNumber = lastNumber = 0;
    keep(({ isSent, isAnswer, isPlace }) => isPlace || !isSent && !isAnswer);
    const kept = new Set(waiting.map(({ id }) => id));
    for (const message of waiting) {
        message.n = ++lastNumber;
        message.isSent = false;
    }
    forgetAnswers();
    failCalls({ code: 503, message }, id => !kept.has(id));
    // It greeted for the life before.
    isWelcome = false;
    if (hasGreeted) socket.close();
}

function take(frame, length) {
    if (frame.over) return isOver(frame);
    if (frame.life !== life) return;
    if (frame.welcome) {
        const { welcome } = frame;
        taken(welcome.received);
        // Refused twice, and the second time alone: it will never be taken, and the next ones must be.
        if (refusals > 1 && waiting.length) {
            const [first] = waiting;
            failCalls({ code: 413, message: 'the gateway refused this call' }, id => id === first.id);
            first.text = '{}';
            refusals = 0;
        }
        sentNumber = welcome.received;
        isWelcome = true;
        const own = socket;
        setTimeout(() => {
            if (own === socket) delay = 0;
        }, 1000);
        flush();
    }
    if (frame.ack) {
        delay = 0;
        taken(frame.ack);
        if (!waiting.length) refusals = 0;
    }
    if (!frame.down) return;
    for (const [n, message] of frame.down) {
        // It came before, over the last connection.
        if (n <= received) continue;
        received = n;
        delay = 0;
        apply(message, !frame.down[1]);
    }
    // The next call says it too. What is much holds up what comes behind it, and in a hidden tab timers take a second.
    if (received - acknowledged >= 64 || length > 2e4) acknowledge();
    else timer = timer || setTimeout(acknowledge, 20);
}

function ready(bridge) {
    if (bridges.includes(bridge)) return;
    bridges.push(bridge);
    post({ ready: bridge });
}

/// The page goes, perhaps to come back.
function leave(event) {
    if (!socket) return;
    isGone = true;
    leaving = !event.persisted;
    sendLast();
    if (isWelcome && leaving) send(',"bye":true');
    socket.close();
    socket = null;
    isWelcome = hasGreeted = false;
}

/// What the gateway has not taken travels by a request that outlives the page, for which browsers have 64 KB.
function sendLast() {
    notePlace();
    let last = waiting, body;
    for (;;) {
        body = new Blob([carrying(last, { token, leaving })], { type: 'application/json' });
        if (body.size < 6e4 || !last.length) break;
        last = last.slice(0, last.length >> 1);
    }
    areSent(last);
    sendBeacon.call(navigator, home + 'messages', body);
}

hearAlways(window, 'pagehide', leave);
hearAlways(window, 'pageshow', event => {
    if (!event.persisted || !isGone) return;
    isGone = false;
    delay = 0;
    connect();
});
for (const name of ['popstate', 'hashchange', 'visibilitychange']) {
    // Not while it goes: then it has said its last.
    hearAlways(window, name, () => later(() => isWelcome && flush()), true);
}
if (config.wanted === true) connect();
