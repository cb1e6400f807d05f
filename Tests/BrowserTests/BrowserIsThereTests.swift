import Testing

/// What is not tried is said: without this, tests of a browser that is missing would just be fewer.
@Suite("The browsers") struct BrowserIsThereTests {
    @Test(opens(.chromium)) func chromiumOpensPages() {}

    @Test(opens(.firefox)) func firefoxOpensPages() {}

    @Test(opens(.webKit)) func webKitOpensPages() {}

    private static func opens(_ browser: Browser) -> ConditionTrait {
        .enabled(
            if: browser.isTried && browser.isThere,
            "\(browser.isTried ? "it is missing: scripts/setup pages browsers" : "scripts/test --all opens pages in it")"
        )
    }
}
