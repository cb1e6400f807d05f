// Shortcuts (contracts, section 7): `MyApp.share(data, callback)` for every handler and reply of this page. Both may be
// left out, and there is a promise for who wants one.
//
// uses pristine: attempt, Promise
// uses app: unlessApp
// uses interface: setUp
setUp(['shortcut'], native => {
    /// The callback gets what the promise gets, and progress too.
    const ask = (name, data, callback) => new Promise((resolve, reject) => {
        native.call(name, data, (error, value, isMore) => {
            if (typeof callback === 'function') attempt(() => callback(error || value));
            if (isMore) return;
            if (error) reject(native.failure(error));
            else resolve(value);
        });
    });
    for (const object of native.options.shortcuts || []) {
        const methods = {};
        native.members(methods, ['*'], name => (data, callback) => {
            if (typeof data === 'function') [data, callback] = [undefined, data];
            const answer = ask(name, data, callback);
            // The page need not look at it.
            answer.catch(() => {});
            return answer;
        });
        unlessApp([object], () => native.put(object, native.watched(methods, object)));
    }
});
