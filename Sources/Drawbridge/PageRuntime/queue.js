// The pull queue and its relations: a URL is only the signal, and the page's own functions hand over what it has to say
// (contracts, section 3); command URLs, which are the call themselves; the iframe form of `__jsbridge__` (section 2).

/// Takes all that waits in the page's queue, in order.
function fetchQueue() {
    connect();
    callGlobal('fetchMessageQueue', [], outcome => {
        if (outcome) messagesIn(outcome.value).forEach(run);
        else fetchOne();
    });
}

/// An older page gives one message at a time. One that gives the same again has not let it go.
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
    call(data[config.commandItem] || path.replace(/^\/|\/$/g, ''), data, 'command');
}

// The iframe form has no ids: answers go out in the order of the calls, so each waits for those before it.
let lastAnswer = Promise.resolve();

function frameCall(path, query) {
    const { action = '', data, ...others } = items(query);
    const name = path.replace(/^\/|\/$/g, '') || action;
    const answer = new Promise(resolve => {
        call(name, data === undefined ? others : parsed(data), 'iframe', (error, value) => {
            resolve(typeof value === 'string' ? value : write(error || { code: 200, message: '', data: value }));
        });
    });
    lastAnswer = lastAnswer.then(() => answer).then(text => callGlobal('responseFromObjC', [text]));
}

/// Text that may be JSON.
function parsed(text) {
    try {
        return JSON.parse(text);
    } catch (error) {
        return text;
    }
}
