window.title = text => text + '!';
window.told = value => { told.push(value); };
const early = window.App.pay(JSON.stringify({ n: 1 }));
report({
    early: () => JSON.parse(early),
    text: () => window.App.name(),
    list: () => JSON.parse(window.App.list('a', 2)),
    error: () => thrown(() => window.App.fail()),
    missing: () => typeof window.App.nobody,
    channel: () => typeof window.Toast.postMessage('hello'),
});
