// The interface of bridges (the manual: Teaching a bridge): `native`. By it speak the bridges of this folder and those
// from outside, each a script that knows nothing else of the runtime.
//
// gives: handlersOf, nativeFor, parsed, setUp, version
// uses pristine: attempt, callGlobal, console, JSON, later, loaded, ours, Promise, structuredClone, tried, wrap, write
// uses channel: connect, ready
// uses app: define, isApps, put
// uses calls: call, callNow, failure, gather, gatherings
// uses names: naming, namings, watched
// uses urls: openings, sendings
// uses native: defer, forgettings, voices
const version = 1;

/// Sets up a bridge of the runtime's own. It gets `native` once for each of its names; its options are all settings.
function setUp(names, make) {
    make(...names.map(name => Object.assign(nativeFor({ name, options: config }), { connect, defer })));
}

/// A function of a bridge's that holds up nothing where it throws: it gives nothing then.
const guarded = work => (...input) => attempt(() => work(...input)).value;

/// What a bridge gets. One from outside says what it claims, and is listed among the page's bridges with its first
/// call; one of the runtime's own says itself when it listens.
function nativeFor({ name: own, options }, { waits, progress } = {}, claim) {
    const traits = { waits, progress };
    const listens = () => ready(own);
    const begins = claim ? listens : () => {};
    const take = (name, data, done) => {
        begins();
        call(name, data, own, done && ((error, value, isMore, isMissing) => {
            if (error) Object.defineProperty(error, 'isMissing', { value: isMissing });
            done(error, value, isMore);
        }), traits);
    };
    const puts = (name, value) => {
        if (claim) claim('window.' + name);
        put(name, value);
    };
    return {
        version,
        name: own,
        options,
        optionsOf: name => {
            const { '*': all, [name]: one } = Object(options.handlers);
            return Object.assign({}, options, all, one);
        },
        call: take,
        promise: (name, data, progressed) => new Promise((resolve, reject) => {
            take(name, data, (error, value, isMore) => {
                if (error) reject(failure(error, error.isMissing));
                else if (!isMore) resolve(value);
                else if (progressed) guarded(progressed)(value);
            });
        }),
        failure,
        callNow(name, data) {
            begins();
            return callNow(String(name), data, own);
        },
        gather(work) { gatherings.push(work); },
        gatherNow: gather,
        names(take) {
            const follow = ({ names, absent }) => take(names.filter(name => !absent.includes(name)));
            namings.push(follow);
            follow(config);
        },
        members: naming,
        put: puts,
        receiver,
        messageHandler(name, take) {
            if (claim) claim('webkit.messageHandlers.' + name);
            define(handlersOf(), name, receiver(guarded(take)), 'webkit.messageHandlers.' + name);
        },
        dialog(kind, take) {
            const was = window[kind];
            wrap(window, kind, function (message, value) {
                const answer = guarded(take)(String(message), value);
                return answer === undefined ? was.apply(window, arguments) : answer;
            });
        },
        opens(take) { openings.unshift(guarded(take)); },
        sends(take) { sendings.push({ bridge: own, take: guarded(take) }); },
        voice({ also = [], has = () => false, looks = (name, found) => found(false), isComing = () => false,
            when = loaded, hear, call = (name, data, answer) => (
                hear(name, data) === false ? answer.missing() : answer.value(null)), reports }) {
            const voice = {
                names: [own].concat(also), has, looks, isComing, when: Promise.resolve(when), call, hear, reports,
            };
            voices.unshift(voice);
            voice.when.then(() => {
                voice.isThere = true;
                if (when !== loaded) begins();
            });
        },
        listens,
        forgets(work) { forgettings.push(work); },
        global: callGlobal, attempt, later, parsed, messages, items, write, watched,
    };
}

/// The object of message handlers: the app's where it has one and answers, else ours. `webkit` of an app cannot be replaced.
function handlersOf() {
    const { webkit } = window;
    const { messageHandlers } = Object(webkit);
    if (messageHandlers && (isApps('webkit') || ours.has(messageHandlers))) return messageHandlers;
    const made = watched({}, 'webkit.messageHandlers');
    if (messageHandlers) define(webkit, 'messageHandlers', made, 'webkit.messageHandlers');
    else put('webkit', { messageHandlers: made });
    ours.add(made);
    return made;
}

/// What posts messages to `take`. As in a web view it gives a promise, which what cannot be cloned rejects.
function receiver(take) {
    return { postMessage(body) {
        return new Promise(done => {
            if (!arguments.length) throw new TypeError('postMessage needs a message');
            done(take(structuredClone(body)));
        });
    } };
}

/// The value of a text as JSON; the text itself where it is not JSON.
function parsed(text) {
    return typeof text === 'string' ? tried(() => JSON.parse(text), text) : text;
}

/// The messages of a queue, which is text as a rule.
function messages(text) {
    return [].concat(parsed(text) || []).filter(message => {
        const isMessage = typeof message === 'object' && message !== null && !Array.isArray(message);
        if (!isMessage) console.warn('Drawbridge: not a message:', message);
        return isMessage;
    });
}

/// The items of a query. A plus stays a plus, and what is not an encoding stays as it is.
function items(query) {
    const decode = text => tried(() => decodeURIComponent(text), text);
    const found = {};
    for (const item of query.split('&').filter(Boolean)) {
        const at = (item + '=').indexOf('=');
        found[decode(item.slice(0, at))] = decode(item.slice(at + 1));
    }
    return found;
}
