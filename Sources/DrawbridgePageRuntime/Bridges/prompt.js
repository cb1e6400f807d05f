// A page that calls by `prompt(JSON)` and has the answer at once, as text: an object as JSON, nothing as an empty text.
// Any other prompt, lists too, is the person's.
//
// options: name (the members that may name a call; the call is `prompt` where none does)
drawbridge.bridge({ there: ['prompt()'] }, native => {
    const { name: names = ['type', 'action', 'method', 'event', 'name', 'command'] } = native.options;
    native.dialog('prompt', text => {
        const body = /^\s*{/.test(text) ? native.parsed(text) : text;
        if (typeof body === 'string') return undefined;
        const field = [].concat(names).find(name => typeof body[name] === 'string' && body[name]);
        const value = native.answerNow(field ? body[field] : 'prompt', body);
        return value === undefined ? null : native.text(value);
    });
});
