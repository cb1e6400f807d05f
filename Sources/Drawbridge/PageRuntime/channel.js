// The channel to the gateway: one WebSocket, opened by the first use of a bridge. Messages are numbered in both
// directions and kept until the other side has said that it took them, so that a connection that breaks costs none and
// doubles none. The gateway's `epoch` tells one process of it from the next. (A real page's needs: the contracts' doors 3
// to 7, which all speak through here.)
let epoch = config.epoch;
const page = Array.from(crypto.getRandomValues(new Uint8Array(16)), byte => ('0' + byte.toString(16)).slice(-2)).join('');
const bridges = [];

// What goes up: messages not yet taken, each `{n, text, id, isAnswer, isSent}`.
let waiting = [];
let lastNumber = 0;
let sentNumber = 0;
let isFlushing = false;
// What came down.
let received = 0;
let acknowledged = 0;

let socket = null;
let isWelcome = false;
let wasWelcome = false;
let isGone = false;
let delay = 0;
// How often in a row the gateway has refused what it was sent.
let refusals = 0;
let shown = '';

/// Sends a message, together with the others of this task. `id` is its call's, where a reply is wanted.
function post(message, id) {
    waiting.push({ n: ++lastNumber, text: write(message), id, isAnswer: 'result' in message });
    connect();
    if (isFlushing) return;
    isFlushing = true;
    Promise.resolve().then(() => {
        isFlushing = false;
        flush();
    });
}

/// `[[n,message],…]`; a million characters at most, if it is not one message that is longer.
function batch(messages) {
    return '[' + messages.map(({ n, text }) => '[' + n + ',' + text + ']') + ']';
}

function flush() {
    if (!isWelcome) return;
    const address = location.href + '\n' + document.title;
    if (shown !== address) {
        shown = address;
        waiting.push({ n: ++lastNumber, text: write({ url: location.href, title: document.title }) });
    }
    let frame = [];
    let length = 0;
    for (const message of waiting) {
        if (message.n <= sentNumber) continue;
        if (length && (refusals || length + message.text.length > 1e6)) {
            socket.send('{"up":' + batch(frame) + '}');
            frame = [];
            length = 0;
        }
        frame.push(message);
        length += message.text.length;
        message.isSent = true;
        sentNumber = message.n;
    }
    if (length) socket.send('{"up":' + batch(frame) + '}');
}

/// The gateway has all up to number `n`.
function taken(n) {
    waiting = waiting.filter(message => message.n > n);
}

function acknowledge() {
    if (!isWelcome || acknowledged === received) return;
    acknowledged = received;
    socket.send('{"ack":' + received + '}');
}

function connect() {
    if (socket || isGone) return;
    try {
        socket = new WebSocket(
            origin.replace('http', 'ws') + '/__drawbridge__/channel', ['drawbridge', 'token.' + token]);
    } catch (error) {
        // The page's policy forbids it: only synchronous calls and flagged requests work.
        console.warn('Drawbridge: no channel to the gateway:', error.message);
        isGone = true;
        return;
    }
    const own = socket;
    let wasOpen = false;
    own.onopen = () => {
        wasOpen = true;
        shown = location.href + '\n' + document.title;
        own.send(write({ hello: {
            page, epoch, url: location.href, title: document.title, received, bridges, top: window === window.top,
        } }));
    };
    own.onmessage = event => {
        if (own === socket) take(JSON.parse(event.data));
    };
    own.onclose = event => {
        if (own !== socket) return;
        if (isWelcome && (event.code === 1007 || event.code === 1009)) refusals += 1;
        isWelcome = false;
        if (wasOpen) reconnect(own);
        // Refused: perhaps by another process, which has another token.
        else renew().then(() => reconnect(own));
    };
}

/// At once, then after 100, 200, 400, … milliseconds, a second at most.
function reconnect(last) {
    const now = delay;
    delay = Math.min(delay * 2 || 100, 1000);
    setTimeout(() => {
        if (socket !== last) return;
        socket = null;
        connect();
    }, now);
}

/// Asks for the token and the epoch of the gateway as it is now.
function renew() {
    return fetch(origin + '/__drawbridge__/token', { cache: 'no-store', headers: { 'X-Drawbridge-Page': page } })
        .then(response => response.json()).then(adopt).catch(() => {});
}

function adopt(current) {
    if (current.token) token = current.token;
    if (current.epoch && current.epoch !== epoch) restart(current.epoch);
}

/// Begins anew with a gateway that knows nothing of this page: what was sent to the last one is lost and says so, what
/// was not is numbered again.
function restart(current) {
    epoch = current;
    received = acknowledged = sentNumber = lastNumber = 0;
    const unsent = waiting.filter(message => !message.isSent && !message.isAnswer);
    const kept = new Set(unsent.map(({ id }) => id));
    for (const message of unsent) message.n = ++lastNumber;
    waiting = unsent;
    forgetAnswers();
    failCalls({ code: 503, message: 'the gateway was restarted' }, id => !kept.has(id));
}

function take(frame) {
    if (frame.welcome) {
        const { welcome } = frame;
        const isAnother = welcome.epoch !== epoch;
        if (isAnother) renew();
        if (isAnother || welcome.new && wasWelcome) restart(welcome.epoch);
        taken(welcome.received);
        // Twice refused, the second time alone: this one will never be taken, and the next ones must.
        if (refusals > 1 && waiting.length) {
            const [first] = waiting;
            failCalls({ code: 413, message: 'the gateway refused this call' }, id => id === first.id);
            first.text = '{}';
            refusals = 0;
        }
        sentNumber = welcome.received;
        isWelcome = wasWelcome = true;
        delay = 0;
        flush();
    }
    if (frame.ack) {
        taken(frame.ack);
        if (!waiting.length) refusals = 0;
    }
    if (!frame.down) return;
    for (const [n, message] of frame.down) {
        // Come before, over the last connection.
        if (n <= received) continue;
        received = n;
        attempt(() => apply(message));
    }
    if (received - acknowledged >= 64) acknowledge();
    else setTimeout(acknowledge);
}

/// Says that a bridge can take native's calls.
function ready(bridge) {
    if (bridges.includes(bridge)) return;
    bridges.push(bridge);
    post({ bridge });
}

/// The page goes, perhaps to come back: what the gateway has not taken travels by a request that outlives the page.
function leave(event) {
    if (!socket) return;
    isGone = true;
    const body = messages => '{"page":' + write(page) + ',"token":' + write(token) + ',"epoch":' + write(epoch)
        + ',"up":' + batch(messages) + ',"leaving":' + !event.persisted + '}';
    let last = waiting;
    // Browsers let no more than 64 KB outlive a page. The first of them are what can still be taken in order.
    while (last.length && new Blob([body(last)]).size > 6e4) last = last.slice(0, last.length >> 1);
    if (last.length || !event.persisted) {
        for (const message of last) message.isSent = true;
        const url = origin + '/__drawbridge__/messages';
        if ('keepalive' in Request.prototype) {
            const headers = { 'Content-Type': 'application/json' };
            fetch(url, { method: 'POST', keepalive: true, headers, body: body(last) }).catch(() => {});
        } else {
            sendBeacon.call(navigator, url, body(last));
        }
    }
    if (isWelcome && !event.persisted) socket.send('{"bye":true}');
    socket.close();
    socket = null;
    isWelcome = false;
}

window.addEventListener('pagehide', leave);
window.addEventListener('pageshow', event => {
    if (!event.persisted || !isGone) return;
    isGone = false;
    delay = 0;
    connect();
});
for (const name of ['popstate', 'hashchange']) window.addEventListener(name, () => later(flush));
if (window.navigation) navigation.addEventListener('currententrychange', () => later(flush));
if (config.wanted === true) connect();
