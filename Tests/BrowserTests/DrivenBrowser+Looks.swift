import Drawbridge

// What somebody would miss who sees little, or taps with a thumb.
extension DrivenBrowser {
    /// Texts whose contrast with what is behind them is below 4.5 to 1 (WCAG 2.2, 1.4.3).
    func paleTexts() async throws -> JSON { try await evaluate(Self.pale) }

    /// What can be pressed, and is lower than 44 pixels (WCAG 2.2, 2.5.5).
    func lowTargets() async throws -> JSON {
        try await evaluate(
            """
            [...document.querySelectorAll('button, a')].filter(e => e.offsetHeight && e.offsetHeight < 44)
                .map(e => e.textContent)
            """)
    }

    private static let pale = """
        (() => {
            const parse = c => { const m = c.match(/[\\d.]+/g).map(Number); return [m[0], m[1], m[2], m[3] ?? 1]; };
            const over = (a, b) => [0, 1, 2].map(i => a[i] * a[3] + b[i] * (1 - a[3])).concat(1);
            const linear = v => (v /= 255) <= .03928 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4;
            const light = c => .2126 * linear(c[0]) + .7152 * linear(c[1]) + .0722 * linear(c[2]);
            const behind = e => {
                let color = getComputedStyle(document.body).backgroundColor;
                const all = [];
                for (; e; e = e.parentElement) all.push(parse(getComputedStyle(e).backgroundColor));
                return all.reverse().reduce((under, c) => over(c, under), parse(color));
            };
            const found = new Set();
            const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
            let looked = 0;
            for (let node; node = walker.nextNode();) {
                const e = node.parentElement;
                if (!node.data.trim() || !e.checkVisibility() || e.closest('button:disabled, .unseen, #live')) continue;
                looked += 1;
                const back = behind(e);
                const a = light(over(parse(getComputedStyle(e).color), back)), b = light(back);
                const ratio = (Math.max(a, b) + .05) / (Math.min(a, b) + .05);
                if (ratio < 4.5) found.add(`${e.tagName}.${e.className} ${ratio.toFixed(2)} ${node.data.slice(0, 20)}`);
            }
            return looked < 10 ? ['only so many texts: ' + looked] : [...found];
        })()
        """
}
