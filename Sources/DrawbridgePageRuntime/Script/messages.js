// `window.webkit.messageHandlers` and the JSBridge message (contracts, section 5).
//
// uses pristine: console, globalNamed, Map, Promise
// uses app: isApps, unlessApp
// uses interface: handlersOf, setUp
setUp(['message', 'reply'], (native, replying) => {
    const { messageHandlers: said, replyHandlers = [] } = native.options;
    const named = said || ['JSBridge'];
    const answers = new Map();
    native.forgets(() => answers.clear());

    function jsBridge(body) {
        const { action, data, callbackId } = Object(body);
        const isObject = typeof data === 'object' && data !== null && !Array.isArray(data);
        if (typeof action !== 'string' || !isObject || typeof callbackId !== 'string') {
            console.warn(
                'Drawbridge: JSBridge takes {action: string, data: object, callbackId: string} and dropped', body);
            return;
        }
        native.listens();
        if (action === 'handleH5Response') {
            const answer = answers.get(callbackId);
            answers.delete(callbackId);
            if (answer) answer.value(data);
            return;
        }
        native.call(action, data, callbackId && ((error, value) => {
            tell({ action: 'handleNativeResponse', data: error || value, callbackId });
        }));
    }

    function tell(message, done) { native.global('bridge.handleNativeMsg', [message], done); }

    function begin() {
        if (named.length) {
            native.members(handlersOf(), named, name => native.receiver(body => {
                if (replyHandlers.includes(name) || !named.includes(name) && replyHandlers.includes('*')) {
                    return replying.promise(name, body);
                }
                if (name === 'JSBridge') jsBridge(body);
                else native.call(name, body);
                return undefined;
            }));
        }
        native.voice({
            reports: true,
            when: Promise.resolve(),
            // A page that shows its listeners shows what it does not listen to.
            looks: (name, found) => globalNamed('bridge', bridge => {
                if (!bridge || typeof bridge.handleNativeMsg !== 'function') return found(false);
                globalNamed('bridgeMsgListener', listeners => found(!listeners || name in listeners));
            }),
            call(action, data, answer) {
                const callbackId = answer.isWanted ? 'native_' + answer.id : '';
                if (answer.isKept) answers.set(callbackId, answer);
                tell({ action, data: data === undefined ? {} : data, callbackId }, outcome => {
                    if (!outcome) answer.missing();
                    else if (outcome.error !== undefined) answer.error(outcome.error);
                    else answer.heard();
                });
            },
        });
    }

    // Nobody has asked for the usual one: it is left out where the app has others, and where the app is none of Apple's.
    if (!said && (config.view === 'Google' || isApps('webkit'))) return;
    unlessApp((said || []).map(name => 'webkit.messageHandlers.' + name), begin);
});
