const ask = message => prompt(JSON.stringify(message));
const early = ask({ method: 'Shop/pay', n: 1 });
window.title = text => text + '!';
window.told = value => { told.push(value); };
report({
    early: () => JSON.parse(early),
    text: () => ask({ type: 'App/name' }),
    nothing: () => ask({ action: 'Shop/told' }),
    error: () => String(ask({ method: 'Shop/fail' })),
    missing: () => String(ask({ method: 'nobody' })),
});
