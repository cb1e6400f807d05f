// With it are scripts that fail, and one that looks for what is not its own.
report({
    handle: () => window.handleAtFirst,
    spied: () => window.spied,
    mark: () => thrown(() => window.kept.bridge({}, () => {})),
    frozen: () => Object.isFrozen(window.keptNative),
    others: () => window.flutter_inappwebview.callHandler('Shop/pay', { n: 1 }),
    twice: () => window.Both.by,
    console: () => window.said,
});
