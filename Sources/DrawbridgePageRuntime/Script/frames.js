// The iframe form of `__jsbridge__` (contracts, section 2). It has no ids: each answer waits for those to the calls
// before it.
//
// uses pristine: Promise
// uses interface: setUp
setUp(['iframe'], native => {
    let lastAnswer = Promise.resolve();

    native.opens((url, parts) => parts && parts.name === '__jsbridge__' && (() => {
        const { action = '', data, ...others } = native.items(parts.query || '');
        const input = data !== undefined ? native.parsed(data) : Object.keys(others).length ? others : undefined;
        const answer = new Promise(resolve => {
            native.call(parts.path.replace(/^\/|\/$/g, '') || action, input, (error, value) => {
                const whole = error || { code: 200, message: '', data: value };
                resolve(typeof value === 'string' ? value : native.write(whole));
            });
        });
        lastAnswer = lastAnswer.then(() => answer).then(text => native.global('responseFromObjC', [text]));
    }));
});
