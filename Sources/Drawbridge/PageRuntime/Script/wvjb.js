// WebViewJavascriptBridge 6, 5 and 4 (contracts, section 4): the page's half, there once the page has asked for it and
// has been parsed; native's half, which speaks to it as an app does, also to one that the page has brought.
//
// gives: callWVJB, fetchFrom, fetchWVJB, handlers, isAsked, loadWVJB, loadWVJB5, messagesIn, ownBridge, responses
// gives: startupCalls, takesCalls
// uses pristine: attempt, console, JSON, later, loaded, Map, Promise, put, queueMicrotask, setTimeout, wrap, write
// uses channel: connect, ready
// uses calls: callBack, gather
// uses queue: parsed
let isAsked;
let isParsed = document.readyState === 'complete';
const pageParsed = new Promise(done => {
    document.addEventListener('DOMContentLoaded', () => later(() => {
        isParsed = true;
        done();
    }));
});

let handlers;
let ownBridge;
// What is older than 6.x catches what a handler throws.
let catches = false;

/// The object that pages know.
function makeBridge() {
    let queue = [];
    let isFetching = false;
    let isSafe = true;
    let count = 0;
    let callbacks = Object.create(null);
    handlers = Object.create(null);
    handlers._disableJavascriptAlertBoxSafetyTimeout = () => { isSafe = false; };

    function send(message, callback) {
        if (callback) {
            message.callbackId = 'cb_' + ++count + '_' + Date.now();
            callbacks[message.callbackId] = callback;
        }
        gather(true);
        queue.push(message);
        if (isFetching) return;
        isFetching = true;
        queueMicrotask(() => {
            isFetching = false;
            fetchFrom(bridge);
        });
    }

    function dispatch(text) {
        const message = JSON.parse(text);
        const { responseId, callbackId, handlerName } = message;
        if (responseId) {
            const callback = callbacks[responseId];
            if (!message.more) delete callbacks[responseId];
            if (callback) callback(message.responseData);
            return;
        }
        const respond = callbackId
            && (responseData => send({ handlerName, responseId: callbackId, responseData })) || undefined;
        const handler = handlerName ? handlers[handlerName] : bridge._messageHandler;
        if (!handler) {
            console.log('WebViewJavascriptBridge: WARNING: no handler for message from ObjC:', message);
            return hasFailed(callbackId, { code: 400, message: 'the page has no handler for ' + handlerName });
        }
        try {
            handler(message.data, respond);
        } catch (error) {
            // It may have answered before.
            gather();
            hasFailed(callbackId, error);
            if (!catches) throw error;
            console.log('WebViewJavascriptBridge: WARNING: javascript handler threw.', message, error);
        }
    }

    let early;
    const bridge = {
        registerHandler(name, handler) { handlers[name] = handler; },
        callHandler(name, data, callback) {
            if (arguments.length === 2 && typeof data === 'function') {
                callback = data;
                data = null;
            }
            send({ handlerName: name, data }, callback);
        },
        disableJavscriptAlertBoxSafetyTimeout() { isSafe = false; },
        _fetchQueue() {
            const list = queue.map(message => attempt(() => write(message)).value).filter(Boolean);
            queue = [];
            return '[' + list + ']';
        },
        _handleMessageFromObjC(text) {
            if (early) early.push(text);
            else if (isSafe) later(() => dispatch(text));
            else dispatch(text);
        },
    };

    /// What 4.x has more. There, what comes before `init` is kept for it.
    function addOld(keeps) {
        catches = true;
        if (keeps) early = [];
        bridge.init = handler => {
            if (bridge._messageHandler) throw new Error('WebViewJavascriptBridge.init called twice');
            bridge._messageHandler = handler;
            const kept = early || [];
            early = null;
            kept.forEach(bridge._handleMessageFromObjC);
        };
        bridge.send = (data, callback) => send({ data }, callback);
    }
    return { bridge, addOld };
}

/// Puts the bridge on `window`, once; one that the page has brought stays.
function installWVJB() {
    if (ownBridge || window.WebViewJavascriptBridge) return;
    if (!window.onerror) {
        window.onerror = (message, url, line) => {
            console.log('WebViewJavascriptBridge: ERROR:' + message + '@' + url + ':' + line);
        };
    }
    ownBridge = makeBridge();
    put('WebViewJavascriptBridge', ownBridge.bridge);
}

/// The page has loaded `__bridge_loaded__`, by the scheme of 5.x.
function loadWVJB5() {
    catches = true;
    loadWVJB();
}

/// The page has loaded `__bridge_loaded__`.
function loadWVJB() {
    connect();
    isAsked = true;
    const install = () => {
        installWVJB();
        later(runWaiting);
    };
    if (isParsed) return install();
    // Not the event itself: it may have been a moment ago.
    pageParsed.then(install);
    // A page whose scripts are slow gets it all the same.
    setTimeout(install, 3000);
}

/// The page's set-up, and then what waits for the handlers that it registers.
function runWaiting() {
    const callbacks = window.WVJBCallbacks || [];
    if (!Reflect.deleteProperty(window, 'WVJBCallbacks')) window.WVJBCallbacks = undefined;
    for (const callback of callbacks) attempt(() => callback(window.WebViewJavascriptBridge));
    takeCalls('wvjb');
}

// 4.x asks by listening. Once it has, `document` has its own method again.
wrap(document, 'addEventListener', function (name) {
    if (name === 'WebViewJavascriptBridgeReady') {
        delete document.addEventListener;
        connect();
        isAsked = true;
        loaded.then(() => later(loadOldWVJB));
    }
    return EventTarget.prototype.addEventListener.apply(this, arguments);
});

function loadOldWVJB() {
    const isNew = !ownBridge;
    installWVJB();
    if (ownBridge) ownBridge.addOld(isNew);
    const { WebViewJavascriptBridge: bridge } = window;
    document.dispatchEvent(Object.assign(new Event('WebViewJavascriptBridgeReady'), { bridge }));
    takeCalls('wvjb4');
}

// Native's half.
const startupCalls = [];
const responses = new Map();
let takesCalls = false;

function takeCalls(bridge) {
    // The page may register its handlers behind an `await`.
    later(() => {
        ready(bridge);
        takesCalls = true;
        startupCalls.splice(0).forEach(call => call());
    });
}

/// Calls a handler of the page, as soon as there is a bridge; `answer` gets its outcome.
function callWVJB(handlerName, data, id, answer) {
    const message = { handlerName, data };
    if (id !== undefined) {
        message.callbackId = 'objc_cb_' + id;
        responses.set(message.callbackId, answer);
    }
    if (takesCalls) deliver(message);
    else startupCalls.push(() => deliver(message));
}

function hasAnswered(callbackId, outcome) {
    const answer = responses.get(callbackId);
    responses.delete(callbackId);
    if (answer) answer(outcome);
}

function hasFailed(callbackId, error) {
    hasAnswered(callbackId, { error: error || String(error) });
}

function deliver(message) {
    attempt(() => (window.WebViewJavascriptBridge || ownBridge.bridge)._handleMessageFromObjC(write(message)));
}

/// The page has loaded `__wvjb_queue_message__`, so it has a bridge of its own.
function fetchWVJB() {
    if (!window.WebViewJavascriptBridge) return;
    fetchFrom(window.WebViewJavascriptBridge);
    if (!takesCalls) takeCalls('wvjb');
}

function fetchFrom(library) {
    for (const message of messagesIn(library._fetchQueue())) {
        const { responseId, responseData, handlerName = '', data, callbackId } = message;
        if (responseId) {
            hasAnswered(responseId, { value: responseData });
        } else {
            // A library that the page has brought forgets its callback with the first answer.
            const bridge = ownBridge && library === ownBridge.bridge ? 'wvjb' : 'ownLibrary';
            callBack(handlerName, data, bridge, callbackId && ((responseData, more) => {
                deliver({ responseId: callbackId, responseData, more: more || undefined });
            }));
        }
    }
}

/// The messages of a queue, which is text as a rule.
function messagesIn(text) {
    return [].concat(parsed(text) || []).filter(message => {
        const isMessage = typeof message === 'object' && message !== null && !Array.isArray(message);
        if (!isMessage) console.warn('Drawbridge: no message:', message);
        return isMessage;
    });
}
