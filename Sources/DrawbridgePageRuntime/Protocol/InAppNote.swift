/// What the page runtime says about something that an app has, or should have, in its web view.
package struct InAppNote: Sendable {
    package enum State: String, Sendable {
        /// The app has it and answers; ours was left out.
        case there = ""
        /// The page is in a web view that does not have it, so that ours answers.
        case absent
        /// The web view lets nobody replace it.
        case fixed
    }

    /// As scripts write it: `_dsbridge`, `webkit.messageHandlers.pay`; for URLs `mizhua://`.
    package let name: String
    package let state: State

    package init?(_ json: JSON) {
        guard let name = json["app"]?.stringValue, (1...100).contains(name.utf8.count),
            let state = json["state"].map({ $0.stringValue.flatMap(State.init) }) ?? .there
        else { return nil }
        (self.name, self.state) = (name, state)
    }

    /// - Parameters:
    ///   - place: the page and its browser: `/cart (ShopApp/3.2, 192.0.2.7)`.
    ///   - here: an address that a phone reaches by `adb reverse`.
    package func sentence(at place: String, here: String) -> String {
        switch state {
        case .there:
            "\(place): the app's own \(name) answers, mocks are not asked. To use mocks anyway: --in-app mocks"
        case .absent:
            "\(place) is in a web view without \(name): mocks answer. If the app gives its bridge to listed origins alone, "
                + "open \(here) by adb reverse, or list this one"
        case .fixed: "\(place): the web view does not let scripts replace \(name); the app's own answers"
        }
    }
}
