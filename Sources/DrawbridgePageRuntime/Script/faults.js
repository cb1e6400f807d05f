// What nobody catches in the page, told to native's journal: often it explains why a call never came. Where there is no
// journal this file is left out. The console is left as it is, since whoever is between a page and its console takes
// the lines of the page's own files from it.
//
// uses pristine: hearAlways, later
// uses channel: post
const mostFaults = 100;
let faults = 0;

function tellFault(fault, error, more) {
    // A page in a sandbox has no way to say it.
    if (faults === mostFaults || window.origin === 'null') return;
    faults += 1;
    const text = value => String(value).slice(0, 4000);
    const message = { fault, message: text(error && error.message || error), ...more };
    if (error && error.stack) message.stack = text(error.stack);
    later(() => post(message));
}

hearAlways(window, 'error', ({ error, message, filename, lineno }) => {
    if (message) tellFault('error', error || message, { source: filename, line: lineno });
});
hearAlways(window, 'unhandledrejection', ({ reason }) => tellFault('rejection', reason));
