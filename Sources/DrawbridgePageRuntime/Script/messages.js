// `window.webkit.messageHandlers` and the JSBridge message (contracts, section 5).
//
// uses pristine: console, globalNamed, Map, Promise
// uses interface: setUp
setUp(['message', 'reply'], (native, replying) => {
    const { messageHandlers: named = [], replyHandlers = [] } = native.options;
    if (named.length) {
        const messageHandlers = {};
        native.members(messageHandlers, named, name => native.receiver(body => {
            if (replyHandlers.includes(name) || !named.includes(name) && replyHandlers.includes('*')) {
                const answer = replying.promise(name, body);
                // The page need not look at it.
                answer.catch(() => {});
                return answer;
            }
            if (name === 'JSBridge') jsBridge(body);
            else native.call(name, body);
            return undefined;
        }));
        native.put('webkit', { messageHandlers: native.watched(messageHandlers, 'webkit.messageHandlers') });
    }

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
});
