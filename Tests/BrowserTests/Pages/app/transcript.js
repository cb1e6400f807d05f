// What a page sees of its app, as lines that are compared between an app alone and one with Drawbridge below the page.
const transcript = [];

function say(what, value) {
    const text = typeof value === 'function' ? 'function' : value === undefined ? 'undefined' : JSON.stringify(value);
    transcript.push(what + ' = ' + text);
    document.documentElement.dataset.transcript = JSON.stringify(transcript);
}

/// How things look that the app has put: `Android`, `webkit.messageHandlers.pay`.
function looks(...paths) {
    for (const path of paths) {
        const names = path.split('.');
        const last = names.pop();
        const owner = names.reduce((object, name) => object[name], window);
        const value = owner[last];
        say(path, {
            type: typeof value,
            in: last in owner,
            same: owner[last] === value,
            keys: value === Object(value) ? Object.keys(value) : undefined,
            isListed: Object.keys(owner).includes(last),
            property: Object.entries(Object.getOwnPropertyDescriptor(owner, last) || {})
                .map(([key, value]) => key + ':' + (typeof value === 'boolean' ? value : typeof value)).join(),
            isNative: typeof value === 'function' ? /\[native code\]/.test(Function.prototype.toString.call(value)) : undefined,
            shows: Object.prototype.toString.call(value),
        });
    }
}

/// What comes of something: a value, a promise's, or an error.
async function heard(what, work) {
    let value;
    try {
        value = work();
    } catch (error) {
        return say(what + ' throws', [error.name, error.constructor === window[error.name], error.message]);
    }
    if (!value || typeof value.then !== 'function') return say(what, value);
    say(what, 'a promise: ' + (value instanceof Promise) + ', ' + Object.keys(value));
    try {
        say(what + ' resolves', await value);
    } catch (error) {
        say(what + ' rejects', [error.name, error.message]);
    }
}

/// What a callback is given.
const called = work => new Promise(done => work((...values) => done(values)));

/// What work gives in a frame of the page's own origin, which has scripts of its own.
function inFrame(work) {
    return new Promise(done => {
        const frame = document.createElement('iframe');
        frame.src = 'frame.html';
        frame.onload = () => done(work(frame.contentWindow));
        document.documentElement.appendChild(frame);
    });
}

async function run(work) {
    try {
        say('the browser', [navigator.userAgent, navigator.appVersion]);
        await work();
    } catch (error) {
        say('it failed', String(error));
    }
    // Each host hears of it by one of these.
    document.title = 'over';
    console.debug('over');
}
