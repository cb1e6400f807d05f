// kerkee: a queue of the page's own, which native empties at a signal, `{clz, method, args}`. A method of a class is
// `clz/method`. The page's half is the page's.
//
// It decides by the browser's name: --user-agent 'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) Mobile/15E148'
drawbridge.bridge({ progress: true }, native => {
    const plain = ({ code, message }) => ({ code, message });
    function run({ clz, method, args = {} }) {
        const { callbackId } = args;
        const answer = value => window.ApiBridge.onCallback(callbackId, value);
        if (clz === 'ApiBridge') return method === 'onBridgeInitComplete' && answer({ isOpenJSLog: false });
        native.call(clz + '/' + method, args, callbackId && ((error, value) => answer(error ? plain(error) : value)));
    }
    native.opens(url => /^kcnative:/i.test(url) && (() => {
        window.ApiBridge.prepareProcessingMessages();
        for (;;) {
            const text = window.ApiBridge.fetchMessages();
            if (!text) return;
            native.parsed(text).forEach(run);
        }
    }));
});
