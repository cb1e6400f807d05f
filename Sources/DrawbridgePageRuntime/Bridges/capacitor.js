// Capacitor, as its app for iOS has it: a call of `Plugin.method` is `Plugin/method`. The user's own copy of
// `native-bridge.js` may come behind this one; without it, this is enough for what a page has bundled.
//
// options of a handler: returns ("callback" for a method that calls back again and again, "none"; else "promise")
drawbridge.bridge({
    waits: true, progress: true, there: ['webkit.messageHandlers.bridge', 'androidBridge', 'Capacitor'],
}, native => {
    const own = { addListener: 'callback', removeListener: 'callback', removeAllListeners: 'promise' };
    const PluginHeaders = [];
    native.names(names => {
        const plugins = Object.create(null);
        for (const name of names) {
            const [plugin, method, more] = name.split('/');
            if (!method || more !== undefined) continue;
            const methods = plugins[plugin] = plugins[plugin] || { ...own };
            methods[method] = native.optionsOf(name).returns || 'promise';
        }
        PluginHeaders.splice(0, Infinity, ...Object.entries(plugins).map(([name, methods]) => (
            { name, methods: Object.entries(methods).map(([name, rtype]) => ({ name, rtype })) })));
    });

    /// What listens to `Plugin/event`, by the ids of the callbacks.
    const listeners = Object.create(null);
    const listening = event => Array.from((listeners[event.replace('.', '/')] || new Map()).values());

    /// Calls a method: `answer({save, success, data, error})`.
    function call({ callbackId, pluginId, methodName, options = {} }, answer) {
        const event = pluginId + '/' + options.eventName;
        if (methodName === 'addListener') {
            listeners[event] = (listeners[event] || new Map()).set(callbackId, answer);
            native.listens();
        } else if (methodName === 'removeListener') {
            if (listeners[event]) listeners[event].delete(options.callbackId);
        } else if (methodName === 'removeAllListeners') {
            for (const name of Object.keys(listeners)) if (name.startsWith(pluginId + '/')) delete listeners[name];
            answer({ save: false, success: true });
        } else {
            native.call(pluginId + '/' + methodName, options, callbackId === '-1' ? undefined : (error, data, save) => {
                if (!error) return answer({ save, success: true, data });
                const { message, isMissing } = error;
                const code = isMissing ? 'UNIMPLEMENTED' : String(error.code);
                answer({ save, success: false, error: { message, errorMessage: message, code, data: error.data } });
            });
        }
    }

    let lastCallback = 0;
    function nativeCallback(pluginId, methodName, options, callback) {
        if (typeof options === 'function') [options, callback] = [{}, options];
        const callbackId = 'own_' + ++lastCallback;
        call({ callbackId, pluginId, methodName, options }, ({ data, error }) => {
            if (callback) callback(error ? null : data, error);
        });
        return callbackId;
    }
    const nativePromise = (...input) => new Promise((resolve, reject) => {
        nativeCallback(...input.slice(0, 3), (data, error) => {
            if (error) reject(Object.assign(new Error(error.message), error));
            else resolve(data);
        });
    });

    native.put('WEBVIEW_SERVER_URL', location.origin);
    native.put('Capacitor', { PluginHeaders, DEBUG: false, isLoggingEnabled: false, nativeCallback, nativePromise });
    native.messageHandler('bridge', message => {
        const { type, callbackId, pluginId, methodName } = Object(message);
        if (type !== 'message' || pluginId === 'Console') return;
        call(message, result => window.Capacitor.fromNative({ callbackId, pluginId, methodName, ...result }));
    });
    // What its own half asks at the start: whether cookies and requests go by native.
    native.dialog('prompt', text => (/^\{"type":"Capacitor(Cookies|Http)/.test(text) ? 'false' : undefined));

    native.voice({
        has: event => listening(event).length > 0,
        hear(event, data) {
            const all = listening(event);
            for (const answer of all) native.attempt(() => answer({ save: true, success: true, data }));
            return all.length > 0;
        },
    });
});
