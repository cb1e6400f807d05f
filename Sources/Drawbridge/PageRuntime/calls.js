// Calls of the page to native (contracts, rule 1): each door gives a name, data and what is to be done with the answer.
// Names are paths without their first slash.
let lastCall = 0;
const calls = new Map();

/// Calls native. `done(error, value, isMore)` gets `{code, message}` or the handler's output, nothing being `null`;
/// without it no reply is wanted, and none comes.
function call(name, data, door, done) {
    const message = { call: String(name).replace(/^\//, ''), data, door };
    if (!done) return post(message);
    const id = message.id = ++lastCall;
    post(message, id);
    calls.set(id, done);
}

/// A call whose answer goes to a plain callback: its value, or `{code, message}`.
function callBack(name, data, door, callback) {
    call(name, data, door, callback && ((error, value, isMore) => callback(error || value, isMore)));
}

/// A call as a promise.
function promise(name, data, door, progress) {
    const answer = new Promise((resolve, reject) => {
        call(name, data, door, (error, value, isMore) => {
            if (progress) attempt(() => progress(error || value));
            if (isMore) return;
            if (error) reject(failure(error));
            else resolve(value);
        });
    });
    // The page need not look at it.
    answer.catch(() => {});
    return answer;
}

function replied({ reply, error, value = null, more }) {
    const done = calls.get(reply);
    if (!more) calls.delete(reply);
    if (done) done(error, value, more === true);
}

function failCalls(error, isLost) {
    for (const [id, done] of Array.from(calls)) {
        if (!isLost(id)) continue;
        calls.delete(id);
        attempt(() => done(error, null, false));
    }
}

function failure({ code, message }) {
    return Object.assign(new Error(message), { code });
}

/// Calls native and waits, the page standing still. What waits to be sent goes along, and is taken first.
function callNow(name, data, door) {
    connect();
    name = name.replace(/^\//, '');
    let request = askNow(name, data, door);
    if (request.status === 401 || request.status === 403) {
        // The token is of a process that is no more, as a rule.
        const token = new XMLHttpRequest();
        xhrOpen.call(token, 'GET', origin + '/__drawbridge__/token', false);
        xhrHeader.call(token, 'X-Drawbridge-Page', page);
        try {
            xhrSend.call(token);
            adopt(JSON.parse(token.responseText));
            request = askNow(name, data, door);
        } catch (error) {
            // The refusal stands.
        }
    }
    let answer;
    try {
        answer = JSON.parse(request.responseText);
    } catch (error) {
        answer = {};
    }
    if (answer.received) taken(answer.received);
    else if (!request.status) waiting.forEach(message => { message.isSent = true; });
    if (answer.error) throw failure(answer.error);
    if (request.status !== 200) {
        throw failure({ code: request.status || 503, message: answer.message || 'the gateway did not answer' });
    }
    return answer.value;
}

function askNow(call, data, door) {
    const request = new XMLHttpRequest();
    const body = write({ epoch, call, data, door, url: location.href }).slice(0, -1) + ',"up":' + batch(waiting) + '}';
    xhrOpen.call(request, 'POST', origin + '/__drawbridge__/call', false);
    xhrHeader.call(request, 'Content-Type', 'application/json');
    sign(request);
    try {
        xhrSend.call(request, body);
    } catch (error) {
        // Its status stays 0.
    }
    return request;
}

/// Says which page sends a request that is bound for native.
function sign(request) {
    xhrHeader.call(request, 'X-Drawbridge-Page', page);
    xhrHeader.call(request, 'X-Drawbridge-Token', token);
}
