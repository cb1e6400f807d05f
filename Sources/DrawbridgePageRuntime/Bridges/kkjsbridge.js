// KKJSBridge: modules with methods, a synchronous call, events with many listeners. A call of a module's method is
// `module/method`; without a module it is `method`.
//
// The app brings the page's half, so this does; a page's own half speaks by the message handler and by `prompt`.
drawbridge.bridge({ progress: true, there: ['KKJSBridge', 'webkit.messageHandlers.KKJSBridgeMessage'] }, native => {
    const listeners = Object.create(null);
    const path = (module, method) => (module ? module + '/' + method : method);
    const kit = {
        call(module, method, data, callback) {
            if (typeof data === 'function') [data, callback] = [undefined, data];
            native.call(path(module, method), data, callback && ((error, value) => callback(error || value)));
        },
        syncCall: (module, method, data) => native.answerNow(path(module, method), data, null),
        on(event, listener) {
            (listeners[event] = listeners[event] || []).push(listener);
            native.listens();
        },
        once(event, listener) {
            const first = data => {
                listeners[event] = listeners[event].filter(other => other !== first);
                listener(data);
            };
            kit.on(event, first);
        },
        off(event) { delete listeners[event]; },
    };
    native.put('KKJSBridge', kit);
    document.addEventListener('DOMContentLoaded', () => document.dispatchEvent(new Event('KKJSBridgeReady')));

    const toOwnHalf = message => window.KKJSBridge._handleMessageFromNative(native.write(message));
    native.messageHandler('KKJSBridgeMessage', ({ module, method, data, callbackId }) => {
        native.call(path(module, method), data, callbackId && ((error, value) => {
            toOwnHalf({ messageType: 'callback', callbackId, data: error || value });
        }));
    });
    native.dialog('prompt', (name, text) => {
        if (name !== 'KKJSBridge') return undefined;
        const { module, method, data } = Object(native.parsed(text));
        return native.write(kit.syncCall(module, method, data));
    });

    native.voice({
        has: event => event in listeners,
        hear(eventName, data) {
            if (window.KKJSBridge !== kit) return toOwnHalf({ messageType: 'event', eventName, data });
            for (const listener of listeners[eventName] || []) native.attempt(() => listener(data));
            return eventName in listeners;
        },
    });
});
