// What comes from native: answers, calls of the page's handlers in each bridge's own way, scripts to evaluate, events
// (contracts, sections 4 to 6).

// Answers that the page still owes are for the process that asked.
let generation = 0;

function forgetAnswers() {
    generation += 1;
    startupCalls.length = 0;
    responses.clear();
    answersTo.clear();
}

function apply(message) {
    if ('reply' in message) replied(message);
    else if ('call' in message) called(message);
    else if ('evaluate' in message) evaluate(message);
    else if ('event' in message) {
        window.dispatchEvent(new CustomEvent('drawbridge:' + message.event, { detail: message.data }));
    } else if ('log' in message) console.warn(message.log);
}

/// Gives what sends the answer to a question of native's: `{value}` or `{error}`, a promise's where there is one.
function answerTo(id) {
    if (id === undefined) return () => {};
    const asked = generation;
    const send = outcome => {
        if (asked !== generation) return;
        try {
            post(Object.assign({ result: id }, outcome));
        } catch (error) {
            post({ result: id, error: { code: 500, message: String(error) } });
        }
    };
    const fail = error => {
        const { code, message } = Object(error);
        send({ error: { code: Number.isInteger(code) ? code : 500, message: String(message || error) } });
    };
    return ({ value, error }) => {
        if (error !== undefined) return fail(error);
        if (value && typeof value.then === 'function') return value.then(found => send({ value: found }), fail);
        return send({ value });
    };
}

function evaluate({ evaluate: script, id }) {
    const answer = answerTo(id);
    try {
        answer({ value: globalEval(script) });
    } catch (error) {
        answer({ error });
        if (id === undefined) throw error;
    }
}

function called({ call: name, data, id, dialect }) {
    const answer = answerTo(id);
    const done = id === undefined ? undefined : value => answer({ value });
    const otherwise = outcome => {
        if (outcome && !outcome.error) return;
        answer({ error: outcome ? outcome.error : { code: 400, message: 'the page has no handler ' + name } });
        if (!outcome) console.warn('Drawbridge: native called "' + name + '", and the page has no such handler');
    };
    const byFunction = () => {
        const input = data === undefined ? [] : [].concat(data);
        callGlobal(name, input, outcome => (outcome ? answer(outcome) : otherwise()));
    };

    if (dialect === 'wvjb' || dialect === 'wvjb4') return callWVJB(name, data, id, done);
    if (dialect === 'message') return callMessage(name, data, id, done, otherwise);
    if (dialect) return byFunction();
    // What the page's scripts are about to register cannot be looked for yet.
    const choose = () => {
        if (isAsked && !takesCalls || handlers && name in handlers) return callWVJB(name, data, id, done);
        globalNamed('bridge', bridge => {
            if (!bridge || typeof bridge.handleNativeMsg !== 'function') return byFunction();
            // A page that shows its listeners shows what it does not listen to.
            globalNamed('bridgeMsgListener', listeners => {
                if (listeners && !(name in listeners)) byFunction();
                else callMessage(name, data, id, done, otherwise);
            });
        });
    };
    if (document.readyState === 'complete') choose();
    else loaded.then(choose);
}
