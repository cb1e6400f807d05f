// WebViewJavascriptBridge 6, 5 and 4 (contracts, section 4): the page's half, there once the page has asked for it and
// has been parsed; native's half, which speaks to it as an app does, also to one that the page has brought.
//
// uses pristine: console, hearAlways, JSON, loaded, Map, Promise, queueMicrotask, setTimeout, wrap
// uses app: afterApp, isApps, isInView, unlessApp
// uses interface: setUp
setUp(['wvjb', 'wvjb4', 'ownLibrary'], (native, old, brought) => {
    /// How the page has asked for the bridge first, `array` as for 5.x and 6.x, or `event` as for 4.x: no app knows both, so
    /// a page that asks in both ways is answered by that one.
    let asked;
    const isFirst = way => (asked = asked || way) === way;
    let isParsed = document.readyState === 'complete';
    const pageParsed = new Promise(done => {
        hearAlways(document, 'DOMContentLoaded', () => native.later(() => {
            isParsed = true;
            done();
        }));
    });

    let handlers, ownBridge;
    // What is older than 6.x catches what a handler throws.
    let catches = false;

    /// The object that pages know.
    function makeBridge() {
        let queue = [], isFetching = false, isSafe = true, count = 0, callbacks = Object.create(null);
        handlers = Object.create(null);
        handlers._disableJavascriptAlertBoxSafetyTimeout = () => { isSafe = false; };

        function send(message, callback) {
            if (callback) {
                message.callbackId = 'cb_' + ++count + '_' + Date.now();
                callbacks[message.callbackId] = callback;
            }
            native.gatherNow();
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
                const answer = responses.get(callbackId);
                if (answer) answer.heard();
            } catch (error) {
                // It may have answered before.
                native.gatherNow();
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
                const list = queue.map(message => native.attempt(() => native.write(message)).value).filter(Boolean);
                queue = [];
                return '[' + list + ']';
            },
            _handleMessageFromObjC(text) {
                // A call waits for `init`; what the page itself has asked for does not.
                if (early && !JSON.parse(text).responseId) early.push(text);
                else if (isSafe) native.defer(() => dispatch(text));
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
            // What JsBridge calls it today.
            bridge.doSend = bridge.send;
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
        native.put('WebViewJavascriptBridge', ownBridge.bridge);
    }

    /// The page has loaded `__bridge_loaded__`, by the scheme of 5.x.
    function loadWVJB5() {
        catches = catches || asked !== 'event';
        loadWVJB();
    }

    /// The page has loaded `__bridge_loaded__`.
    function loadWVJB() {
        if (!isFirst('array')) return;
        native.connect();
        const install = () => {
            installWVJB();
            native.later(runWaiting);
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
        for (const callback of callbacks) native.attempt(() => callback(window.WebViewJavascriptBridge));
        takeCalls(native);
    }

    const isOfApp = () => isInView && isApps('WebViewJavascriptBridge');
    // At the desk a page may have brought its own.
    const unlessOfApp = work => (isInView ? unlessApp(['WebViewJavascriptBridge'], work, true) : work());

    // 4.x asks by listening. Once it has, `document` has its own method again.
    wrap(document, 'addEventListener', function (name, hear, how) {
        if (name === 'WebViewJavascriptBridgeReady') {
            delete document.addEventListener;
            if (isFirst('event')) {
                native.connect();
                loaded.then(() => native.later(() => unlessOfApp(() => loadOldWVJB(Object(how).isUnasked))));
            }
        }
        return EventTarget.prototype.addEventListener.apply(this, arguments);
    });

    // The apps of 4.x and of Android's JsBridge put it into every page that has loaded, and some pages count on that: those
    // whose own lines speak of it and know no way to ask.
    loaded.then(() => native.later(() => {
        if (asked || window.WebViewJavascriptBridge) return;
        const lines = Array.from(document.scripts, ({ text }) => text)
            .concat(Array.from(document.querySelectorAll('[onclick]'), link => link.getAttribute('onclick'))).join();
        const knowsToAsk = /WVJBCallbacks|WebViewJavascriptBridgeReady|__bridge_loaded__/.test(lines);
        if (lines.includes('WebViewJavascriptBridge') && !knowsToAsk && isFirst('event')) unlessOfApp(() => loadOldWVJB(true));
    }));

    /// - isUnasked: the page does not know that it should call `init`, and neither does one that asks in both ways.
    function loadOldWVJB(isUnasked) {
        const keeps = !ownBridge && !isUnasked && !window.WVJBCallbacks;
        installWVJB();
        if (ownBridge) ownBridge.addOld(keeps);
        const { WebViewJavascriptBridge: bridge } = window;
        document.dispatchEvent(Object.assign(new Event('WebViewJavascriptBridgeReady'), { bridge }));
        takeCalls(old);
    }

    // Native's half.
    const responses = new Map();
    native.forgets(() => responses.clear());
    let takesCalls = false;
    let take;
    const taking = new Promise(done => { take = done; });

    function takeCalls(native) {
        // The page may register its handlers behind an `await`.
        native.later(() => {
            native.listens();
            takesCalls = true;
            take();
        });
    }

    let isLoaded = false;
    loaded.then(() => { isLoaded = true; });

    native.voice({
        reports: true,
        also: ['wvjb4'],
        when: taking,
        isComing: () => asked && !takesCalls && !isOfApp(),
        has: name => !isOfApp() && (takesCalls || isLoaded && !asked) && (ownBridge ? name in handlers
            : Object(window.WebViewJavascriptBridge)._handleMessageFromObjC),
        call(handlerName, data, answer) {
            const message = { handlerName, data };
            if (answer.isWanted) {
                message.callbackId = 'objc_cb_' + answer.id;
                if (answer.isKept) responses.set(message.callbackId, answer);
            }
            deliver(message);
            // A library that the page has brought does not say what has become of it.
            if (!answer.isKept || !ownBridge || window.WebViewJavascriptBridge !== ownBridge.bridge) answer.heard();
        },
    });

    function answered(callbackId) {
        const answer = responses.get(callbackId);
        responses.delete(callbackId);
        return answer;
    }

    function hasFailed(callbackId, error) {
        const answer = answered(callbackId);
        if (answer) answer.error(error || String(error));
    }

    function deliver(message) {
        const library = window.WebViewJavascriptBridge || ownBridge.bridge;
        native.attempt(() => library._handleMessageFromObjC(native.write(message)));
    }

    /// The page has loaded `__wvjb_queue_message__`, so it has a bridge of its own.
    function fetchWVJB() {
        if (!window.WebViewJavascriptBridge) return;
        fetchFrom(window.WebViewJavascriptBridge);
        if (!takesCalls) takeCalls(native);
    }

    function fetchFrom(library) {
        for (const message of native.messages(library._fetchQueue())) {
            const { responseId, responseData, handlerName = '', data, callbackId } = message;
            if (responseId) {
                const answer = answered(responseId);
                if (answer) answer.value(responseData);
            } else {
                // A library that the page has brought forgets its callback with the first answer.
                const by = ownBridge && library === ownBridge.bridge ? native : brought;
                by.call(handlerName, data, callbackId && ((error, value, more) => {
                    deliver({ responseId: callbackId, responseData: error || value, more: more || undefined });
                }));
            }
        }
    }

    native.gather(() => {
        if (ownBridge) fetchFrom(ownBridge.bridge);
    });

    native.opens((url, parts) => {
        const { scheme, name } = Object(parts);
        if (scheme !== 'https' && scheme !== 'wvjbscheme') return undefined;
        const isLoad = name === '__bridge_loaded__';
        if (!isLoad && name !== '__wvjb_queue_message__') return undefined;
        const work = !isLoad ? fetchWVJB : scheme === 'https' ? loadWVJB : loadWVJB5;
        if (!isInView) return work;
        // The app is to hear of the URL.
        return isLoad ? unlessOfApp(work) : afterApp(work);
    });
    loadWVJB.isLoad = loadWVJB5.isLoad = fetchWVJB.isSignal = true;
});
