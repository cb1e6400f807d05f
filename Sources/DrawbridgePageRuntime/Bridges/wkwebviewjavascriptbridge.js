// WKWebViewJavascriptBridge by Lision: a WebViewJavascriptBridge whose signals are message handlers. The app brings the
// page's half when the page asks for it.
drawbridge.bridge({ progress: true, there: ['webkit.messageHandlers.iOS_Native_InjectJavascript'] }, native => {
    const handlers = Object.create(null);
    const bridge = {
        registerHandler(name, handler) { handlers[name] = handler; },
        callHandler(name, data, callback) {
            if (typeof data === 'function') [data, callback] = [null, data];
            native.call(name, data, callback && ((error, value) => callback(error || value)));
        },
    };

    let isSetUp;
    const when = new Promise(done => { isSetUp = done; });
    function install() {
        native.put('WKWebViewJavascriptBridge', bridge);
        const callbacks = window.WKWVJBCallbacks || [];
        delete window.WKWVJBCallbacks;
        for (const callback of callbacks) native.attempt(() => callback(bridge));
        native.later(isSetUp);
    }
    native.messageHandler('iOS_Native_InjectJavascript', () => {
        if (document.readyState === 'loading') document.addEventListener('DOMContentLoaded', install);
        else native.later(install);
    });
    native.messageHandler('iOS_Native_FlushMessageQueue', () => {});

    native.voice({
        when,
        has: name => name in handlers,
        call(name, data, answer) {
            if (handlers[name]) handlers[name](data, value => answer.value(value));
            else answer.missing();
        },
    });
});
