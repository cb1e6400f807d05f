// `window.webkit.messageHandlers` and the JSBridge message (contracts, section 5).
//
// gives: answersTo, callMessage
// uses pristine: callGlobal, console, Map, put, structuredClone
// uses channel: ready
// uses calls: call, callBack, promise
// uses names: naming, watched
const answersTo = new Map();

const { messageHandlers: named = [], replyHandlers: replying = [] } = config;
if (named.length) {
    const messageHandlers = {};
    naming(messageHandlers, named, name => ({
        postMessage(body) {
            if (!arguments.length) throw new TypeError('postMessage needs a message');
            // What cannot be cloned throws, as it does in a web view.
            structuredClone(body);
            const replies = replying.includes(name) || !named.includes(name) && replying.includes('*');
            if (replies) return promise(name, body, 'reply');
            if (name === 'JSBridge') jsBridge(body);
            else call(name, body, 'message');
        },
    }));
    put('webkit', { messageHandlers: watched(messageHandlers, 'webkit.messageHandlers') });
}

function jsBridge(body) {
    const { action, data, callbackId } = Object(body);
    const isObject = typeof data === 'object' && data !== null && !Array.isArray(data);
    if (typeof action !== 'string' || !isObject || typeof callbackId !== 'string') {
        console.warn('Drawbridge: JSBridge takes {action: string, data: object, callbackId: string} and dropped', body);
        return;
    }
    ready('message');
    if (action === 'handleH5Response') {
        const done = answersTo.get(callbackId);
        answersTo.delete(callbackId);
        if (done) done(data);
        return;
    }
    callBack(action, data, 'message', callbackId && (answer => {
        callGlobal('bridge.handleNativeMsg', [{ action: 'handleNativeResponse', data: answer, callbackId }]);
    }));
}

/// Calls the page by a message. `done` gets its answer, if one is wanted; `outcome`, what became of the call itself.
function callMessage(action, data, id, done, outcome) {
    const callbackId = done ? 'native_' + id : '';
    if (done) answersTo.set(callbackId, done);
    callGlobal('bridge.handleNativeMsg', [{ action, data: data === undefined ? {} : data, callbackId }], outcome);
}
