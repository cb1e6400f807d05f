// The pull queue, where a URL is only the signal (contracts, section 3).
//
// uses interface: setUp
setUp(['queue'], native => {
    function fetchQueue() {
        native.connect();
        native.global('fetchMessageQueue', [], outcome => {
            if (outcome) native.messages(outcome.value).forEach(run);
            else fetchOne();
        });
    }
    fetchQueue.isSignal = true;

    /// An older page gives one message at a time. If it gives the same again it has not let it go.
    function fetchOne(last) {
        native.global('fetchMessage', [], outcome => {
            const text = outcome && native.write(outcome.value);
            if (!text || text === last || text === 'null' || text === '""' || text === '"null"') return;
            native.messages(outcome.value).forEach(run);
            fetchOne(text);
        });
    }

    function run({ funcName, prama, callbackId }) {
        native.listens();
        const isAnswered = callbackId !== undefined && callbackId !== null;
        native.call(funcName, prama, isAnswered && ((error, value) => {
            native.global('handleCallback', [
                native.write({ responseId: callbackId, responseData: error || value, callbackId }),
            ]);
        }));
    }

    native.opens((url, parts) => parts && parts.isOwn && parts.name === 'fetch_message' && fetchQueue);
});
