// The pull queue, where a URL is only the signal; command URLs, which are the call (contracts, section 3); the iframe
// form of `__jsbridge__` (section 2).
//
// gives: command, fetchQueue, frameCall, parsed
// uses pristine: callGlobal, JSON, Promise, write
// uses channel: connect, ready
// uses calls: call, callBack
// uses urls: items
// uses wvjb: messagesIn

function fetchQueue() {
    connect();
    callGlobal('fetchMessageQueue', [], outcome => {
        if (outcome) messagesIn(outcome.value).forEach(run);
        else fetchOne();
    });
}

/// An older page gives one message at a time. If it gives the same again it has not let it go.
function fetchOne(last) {
    callGlobal('fetchMessage', [], outcome => {
        const text = outcome && write(outcome.value);
        if (!text || text === last || text === 'null' || text === '""' || text === '"null"') return;
        messagesIn(outcome.value).forEach(run);
        fetchOne(text);
    });
}

function run({ funcName, prama, callbackId }) {
    ready('queue');
    const isAnswered = callbackId !== undefined && callbackId !== null;
    callBack(funcName, prama, 'queue', isAnswered && (responseData => {
        callGlobal('handleCallback', [write({ responseId: callbackId, responseData, callbackId })]);
    }));
}

/// `<scheme>://name?key=value`: no reply.
function command(path, query) {
    const data = items(query);
    call(data[config.commandItem] || path.replace(/\/$/, ''), query ? data : undefined, 'command');
}

// The iframe form has no ids: each answer waits for those to the calls before it.
let lastAnswer = Promise.resolve();

function frameCall(path, query) {
    const { action = '', data, ...others } = items(query);
    const input = data !== undefined ? parsed(data) : Object.keys(others).length ? others : undefined;
    const answer = new Promise(resolve => {
        call(path.replace(/^\/|\/$/g, '') || action, input, 'iframe', (error, value) => {
            resolve(typeof value === 'string' ? value : write(error || { code: 200, message: '', data: value }));
        });
    });
    lastAnswer = lastAnswer.then(() => answer).then(text => callGlobal('responseFromObjC', [text]));
}

function parsed(text) {
    try {
        return typeof text === 'string' ? JSON.parse(text) : text;
    } catch (error) {
        return text;
    }
}
