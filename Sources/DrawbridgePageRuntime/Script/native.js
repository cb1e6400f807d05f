// What comes from native: answers, calls in each bridge's own way, scripts, events (contracts, sections 4 to 6).
//
// gives: answerTo, apply, defer, forgetAnswers, forgettings, voices
// uses pristine: attempt, console, globalEval, later, loaded, Promise, wrap
// uses channel: life, post
// uses calls: replied
// uses names: nameAll
// uses asking: overPage, withdrawn

/// The page halves of bridges: `{names, has, looks, isComing, when, isThere, call, hear, reports}`. They are asked from the
/// last to the first, which is `function` and takes what nobody else does. One that `reports` says itself when the page has
/// heard a call; any other has made it heard when `call` returns.
const voices = [];
/// How often native has called by them.
let lastSpoken = 0;
/// What bridges forget with the life in which it was asked.
const forgettings = [];

function forgetAnswers() {
    owed = 0;
    forgettings.forEach(attempt);
}

/// How much will be heard in a later task.
let late = 0;
/// Whether this task is that of one answer of native's, which was not heard yet.
let isFresh = false;

/// Makes something heard in a task of its own: these run in their order.
function defer(work, of) {
    if (isFresh && !late) {
        isFresh = false;
        return work(of);
    }
    late += 1;
    later(() => {
        late -= 1;
        work(of);
    });
}

/// Makes something heard behind what native sent before it.
const inTurn = (work, of) => (late ? defer(work, of) : work(of));

const kinds = {
    __proto__: null, reply: replied, call: called, has: sought, evaluate: it => inTurn(evaluate, it), names: nameAll,
    ask: it => overPage(it), withdraw: it => withdrawn(it), event: it => inTurn(happened, it),
    log: it => console.warn(it.log), reload: () => location.reload(),
};

/// - Parameter isAlone: whether nothing else comes in this task.
function apply(message, isAlone) {
    isFresh = isAlone && 'reply' in message;
    attempt(() => {
        for (const kind in kinds) if (kind in message) return kinds[kind](message);
    });
    isFresh = false;
}

// The events of native's that the page has begun to listen for.
const listened = new Set();
wrap(window, 'addEventListener', function (type) {
    listened.add(String(type));
    return EventTarget.prototype.addEventListener.apply(this, arguments);
});

function happened({ event, data, id }) {
    const type = 'drawbridge:' + event;
    window.dispatchEvent(new CustomEvent(type, { detail: data }));
    const bridges = voices.filter(({ hear }) => hear).map(({ when, hear }) => when.then(() => (
        attempt(() => hear(event, data)).value !== false)));
    const answer = answerTo(id);
    if (listened.has(type)) return answer({});
    Promise.all(bridges).then(heard => answer(heard.includes(true) ? {}
        : { error: { code: 400, message: 'the page does not listen for ' + type } }));
}

/// What sends `{value}` or `{error}` to native as its answer; a promise's, where the value is one.
function answerTo(id, kind = 'result') {
    if (id === undefined) return () => {};
    // An answer is for the life that asked.
    const asked = life;
    const send = outcome => {
        if (asked !== life) return;
        try {
            post(Object.assign({ [kind]: id }, outcome));
        } catch (error) {
            post({ [kind]: id, error: { code: 500, message: String(error) } });
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

/// How a bridge answers a call of native's: `isWanted` says whether the page gets something to answer by, `isKept` whether
/// the bridge waits for that.
function answering(id, hears) {
    const answer = answerTo(id);
    if (!hears) {
        return {
            isWanted: id !== undefined, isKept: id !== undefined, heard() {},
            value: value => answer({ value }), error: error => answer({ error }),
        };
    }
    return hearing(id, answer);
}

/// So many answers that nobody waits for the page may owe; those beyond are dropped when they come.
const mostOwed = 1000;
let owed = 0;

/// Native only wants to know that the page has heard it. What it answers all the same is noted.
function hearing(id, answer) {
    const told = answerTo(id, 'told');
    let isOver = false;
    const end = outcome => {
        if (!isOver) answer(outcome);
        else if (outcome.error !== undefined) told(outcome);
        isOver = true;
    };
    const isKept = owed < mostOwed;
    let owes = isKept;
    if (owes) owed += 1;
    const pay = () => {
        if (owes && owed) owed -= 1;
        owes = false;
    };
    return {
        isWanted: true,
        isKept,
        heard: () => end({}),
        value(value) {
            pay();
            end({});
            if (value !== undefined && value !== null) told({ value });
        },
        error(error) {
            pay();
            end({ error });
        },
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

function called({ call: name, data, id, bridge, hears }) {
    const answer = answering(id, hears && id !== undefined);
    const missing = () => {
        const message = 'the page has no handler for ' + name;
        console.warn('Drawbridge:', message);
        answer.error({ code: 400, message });
    };
    const asked = life;
    const speak = voice => {
        const now = () => {
            // Another gateway has not called.
            if (asked !== life) return;
            const { error } = attempt(() => (
                voice.call(name, data, Object.assign({ id: ++lastSpoken, missing }, answer))));
            if (error) answer.error(error);
            else if (!voice.reports) answer.heard();
        };
        if (!voice.isThere) voice.when.then(now);
        else voice.reports ? now() : inTurn(now);
    };
    if (bridge) return speak(voices.find(({ names }) => names.includes(bridge)) || voices[voices.length - 1]);
    choose(name, voices, voice => (voice ? speak(voice) : missing()));
}

/// Finds the voice that has a name; nothing, where none has.
function choose(name, voices, found, isLoaded) {
    const again = () => choose(name, voices, found, true);
    const voice = voices.find(({ has }) => attempt(() => has(name)).value);
    if (voice) return found(voice);
    // Before load, and before its bridge is there, the page may still be about to register a handler.
    if (!isLoaded) return loaded.then(again);
    const coming = voices.find(({ isComing }) => isComing());
    if (coming) return coming.when.then(again);
    const look = ([voice, ...others]) => (
        voice ? voice.looks(name, isIt => (isIt ? found(voice) : look(others))) : found());
    look(voices);
}

/// Whether the page has a handler of this name, or by the bridge `event` a listener: by that native chooses a page.
function sought({ has: name, bridge, id }) {
    const found = voice => answerTo(id)({ value: !!voice });
    if (bridge === 'event') found(listened.has('drawbridge:' + name) || voices.some(({ hear, has }) => hear && has(name)));
    else choose(name, bridge ? voices.filter(({ names }) => names.includes(bridge)) : voices, found);
}
