// Cordova, as its app for iOS has it, behind the page's own `cordova.js`: an action of a service is `Service/action`,
// and its data is the list of arguments. What is binary or has several parts passes as `cordova.js` writes and reads it:
// `{"CDVType": "ArrayBuffer", "data": "<base64>"}`, `{"CDVType": "MultiPart", "messages": [...]}`.
drawbridge.bridge({
    waits: true, progress: true, there: ['webkit.messageHandlers.cordova', '_cordovaNative'],
}, native => {
    const status = { ok: 1, missing: 2, error: 9 };

    native.messageHandler('cordova', message => {
        const [id, service, action, input] = message;
        native.call(service + '/' + action, input, id === 'INVALID' ? undefined : (error, value, isMore) => {
            const { nativeCallback } = window.cordova.require('cordova/exec');
            if (!error) nativeCallback(id, status.ok, value, isMore);
            else if (error.isMissing) nativeCallback(id, status.missing, error.message, false);
            else nativeCallback(id, status.error, error.data === undefined ? error.message : error.data, false);
        });
    });

    const when = new Promise(done => document.addEventListener('deviceready', () => done()));
    const tell = (event, data) => window.cordova && window.cordova.fireDocumentEvent(event, data);
    native.voice({
        when,
        call(event, data, answer) {
            tell(event, data);
            answer.value(null);
        },
        hear: tell,
    });
});
