// What a page of a bridge from outside finds out: each other file here has `checks`, functions that give what they
// heard, one after the other. The report goes to native by an ordinary request; `told` is what native has told the page.
'use strict';

const told = [];
const patience = 150;
const wait = milliseconds => new Promise(done => setTimeout(done, milliseconds));

/// What comes of a call by callback: `hear` gets each answer; done at the `count`th, or after a while.
function hearing(start, count = 1) {
    const heard = [];
    return new Promise(done => {
        start(value => {
            heard.push(value);
            if (heard.length === count) done(heard);
        });
        if (count) return setTimeout(() => done(heard), 5000);
        // Native has taken the call when it answers a request that comes behind it.
        return fetch('/__jsbridge__/App/name').then(() => setTimeout(() => done(heard), patience));
    });
}

const failed = promise => promise.then(value => ({ value }), ({ code, message }) => ({ code, message }));

function thrown(work) {
    try {
        return { value: work() };
    } catch (error) {
        return { thrown: error.message };
    }
}

async function report(checks) {
    const found = {};
    for (const [name, check] of Object.entries(checks)) {
        try {
            found[name] = await check();
        } catch (error) {
            found[name] = 'failed: ' + error;
        }
        if (found[name] === undefined) found[name] = 'nothing';
    }
    await fetch('/__jsbridge__/report', { method: 'POST', body: JSON.stringify(found) });
}

/// Native asks for it by their names.
window.toldSoFar = () => told;
window.loadAgain = () => { setTimeout(() => location.reload()); };
