// What comes from native: answers, calls in each bridge's own way, scripts, events (contracts, sections 4 to 6).
//
// gives: apply, forgetAnswers, forgettings, voices
// uses pristine: attempt, console, globalEval, loaded
// uses channel: life, post
// uses calls: replied
// uses names: nameAll

/// The page halves of bridges: `{names, has, looks, isComing, when, isThere, call, hear}`. They are asked from the last
/// to the first, which is `function` and takes what nobody else does.
const voices = [];
/// How often native has called by them.
let lastSpoken = 0;
/// What bridges forget with the life in which it was asked.
const forgettings = [];

function forgetAnswers() { forgettings.forEach(attempt); }

function apply(message) {
    if ('reply' in message) replied(message);
    else if ('call' in message) called(message);
    else if ('evaluate' in message) evaluate(message);
    else if ('names' in message) nameAll(message);
    else if ('event' in message) {
        window.dispatchEvent(new CustomEvent('drawbridge:' + message.event, { detail: message.data }));
        for (const { when, hear } of voices) {
            if (hear) when.then(() => attempt(() => hear(message.event, message.data)));
        }
    } else if ('log' in message) console.warn(message.log);
    else if ('reload' in message) location.reload();
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
    const missing = () => {
        const message = 'the page has no handler for ' + name;
        console.warn('Drawbridge:', message);
        answer({ error: { code: 400, message } });
    };
    const asked = life;
    const speak = voice => {
        const now = () => {
            // Another gateway has not called.
            if (asked !== life) return;
            const { error } = attempt(() => voice.call(name, data, {
                id: ++lastSpoken, isWanted: id !== undefined, missing,
                value: value => answer({ value }), error: error => answer({ error }),
            }));
            if (error) answer({ error });
        };
        if (voice.isThere) now();
        else voice.when.then(now);
    };
    if (bridge) return speak(voices.find(({ names }) => names.includes(bridge)) || voices[voices.length - 1]);

    const choose = isLoaded => {
        const voice = voices.find(({ has }) => attempt(() => has(name)).value);
        if (voice) return speak(voice);
        // Before load, and before its bridge is there, the page may still be about to register a handler.
        if (!isLoaded) return loaded.then(() => choose(true));
        const coming = voices.find(({ isComing }) => isComing());
        if (coming) return coming.when.then(() => choose(true));
        look(voices);
    };
    const look = ([voice, ...others]) => voice.looks(name, isIt => (isIt ? speak(voice) : look(others)));
    choose();
}
