// What comes from native: answers, calls in each bridge's own way, scripts, events (contracts, sections 4 to 6).
//
// gives: apply, forgetAnswers
// uses pristine: callGlobal, console, globalEval, globalNamed, loaded
// uses channel: life, post
// uses calls: replied
// uses wvjb: callWVJB, handlers, isAsked, ownBridge, responses, startupCalls, takesCalls
// uses messages: answersTo, callMessage
// uses names: nameAll

function forgetAnswers() {
    startupCalls.length = 0;
    responses.clear();
    answersTo.clear();
}

function apply(message) {
    if ('reply' in message) replied(message);
    else if ('call' in message) called(message);
    else if ('evaluate' in message) evaluate(message);
    else if ('names' in message) nameAll(message);
    else if ('event' in message) {
        window.dispatchEvent(new CustomEvent('drawbridge:' + message.event, { detail: message.data }));
    } else if ('log' in message) console.warn(message.log);
}

/// What sends `{value}` or `{error}` to native as its answer; a promise's, where the value is one.
function answerTo(id) {
    if (id === undefined) return () => {};
    // An answer is for the life that asked.
    const asked = life;
    const send = outcome => {
        if (asked !== life) return;
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

function called({ call: name, data, id, bridge }) {
    const answer = answerTo(id);
    const done = id === undefined ? undefined : value => answer({ value });
    const otherwise = outcome => {
        if (outcome && !outcome.error) return;
        const message = 'the page has no handler for ' + name;
        if (!outcome) console.warn('Drawbridge:', message);
        answer(outcome || { error: { code: 400, message } });
    };
    const byFunction = () => {
        const input = data === undefined ? [] : [].concat(data);
        callGlobal(name, input, outcome => (outcome ? answer(outcome) : otherwise()));
    };

    if (bridge === 'wvjb' || bridge === 'wvjb4') return callWVJB(name, data, id, answer);
    if (bridge === 'message') return callMessage(name, data, id, done, otherwise);
    if (bridge) return byFunction();
    const hasHandler = () => (ownBridge ? name in handlers : window.WebViewJavascriptBridge);
    if (takesCalls && hasHandler()) return callWVJB(name, data, id, answer);
    // Before load, and before its bridge is there, the page may still be about to register one.
    const choose = () => {
        if (isAsked && !takesCalls) return startupCalls.push(choose);
        if (hasHandler()) return callWVJB(name, data, id, answer);
        globalNamed('bridge', found => {
            if (!found || typeof found.handleNativeMsg !== 'function') return byFunction();
            // A page that shows its listeners shows what it does not listen to.
            globalNamed('bridgeMsgListener', listeners => {
                if (listeners && !(name in listeners)) byFunction();
                else callMessage(name, data, id, done, otherwise);
            });
        });
    };
    loaded.then(choose);
}
