// Cordova, behind the page's own `cordova.js`, which is that of the app for iOS or for Android: an action of a service is
// `Service/action`, and its data is the list of arguments. What is binary or has several parts passes as the one for iOS
// writes and reads it: `{"CDVType": "ArrayBuffer", "data": "<base64>"}`, `{"CDVType": "MultiPart", "messages": [...]}`.
drawbridge.bridge({
    waits: true, progress: true, there: ['webkit.messageHandlers.cordova', '_cordovaNative'],
}, native => {
    const status = { ok: 1, missing: 2, error: 9 };

    /// `answer(status, message, isKept)`; without it nobody waits.
    function call(service, action, input, answer) {
        native.call(service + '/' + action, input, answer && ((error, value, isMore) => {
            if (!error) answer(status.ok, value, isMore);
            else if (error.isMissing) answer(status.missing, error.message, false);
            else answer(status.error, error.data === undefined ? error.message : error.data, false);
        }));
    }

    native.messageHandler('cordova', ([id, service, action, input]) => {
        const answer = (...result) => window.cordova.require('cordova/exec').nativeCallback(id, ...result);
        call(service, action, input, id === 'INVALID' ? undefined : answer);
    });

    // Android's: a prompt whose second text says what is wanted, and whose first has the arguments.
    const own = ['messageChannel', 'show', 'overrideBackbutton', 'overrideButton'];
    function read(value) {
        const { CDVType: type, data, messages } = Object(value);
        if (type === 'MultiPart') return messages.flatMap(read);
        return [type === 'ArrayBuffer' ? window.cordova.require('cordova/base64').toArrayBuffer(data) : value];
    }
    native.dialog('prompt', (text, wanted) => {
        const [, kind, rest] = /^gap(|_init|_poll|_bridge_mode):(.*)/.exec(wanted) || [];
        // The number is a secret, of which every later prompt has to know.
        if (kind === '_init') return '1';
        if (kind !== '') return kind && '';
        const [service, action, id] = native.parsed(rest).slice(-3);
        if (service === 'CoreAndroid' && own.includes(action)) return '';
        const isHeard = Object(window.cordova.callbacks)[id];
        call(service, action, native.parsed(text), isHeard && ((code, message, isKept) => {
            window.cordova.callbackFromNative(id, code === status.ok, code, read(message), isKept);
        }));
        return '';
    });

    const when = new Promise(done => document.addEventListener('deviceready', () => done()));
    native.voice({
        when,
        hear: (event, data) => window.cordova && window.cordova.fireDocumentEvent(event, data),
    });
});
