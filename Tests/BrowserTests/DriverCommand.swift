/// What tests say to browsers, in the words of WebDriver.
enum DriverCommand: String, Sendable {
    case newSession = "NewSession"
    case setTimeouts = "SetTimeouts"
    case setWindowRect = "SetWindowRect"
    case getWindowHandle = "GetWindowHandle"
    case newWindow = "NewWindow"
    case closeWindow = "CloseWindow"
    case switchToWindow = "SwitchToWindow"
    case navigate = "Navigate"
    case refresh = "Refresh"
    case execute = "ExecuteAsyncScript"
    case performActions = "PerformActions"
    case takeScreenshot = "TakeScreenshot"
    /// Chromium's own way to all that its developer tools can do.
    case devTools = ""

    /// Where it goes by HTTP, below the session.
    var path: String {
        switch self {
        case .newSession: ""
        case .setTimeouts: "/timeouts"
        case .setWindowRect: "/window/rect"
        case .getWindowHandle, .switchToWindow, .closeWindow: "/window"
        case .newWindow: "/window/new"
        case .navigate: "/url"
        case .refresh: "/refresh"
        case .execute: "/execute/async"
        case .performActions: "/actions"
        case .takeScreenshot: "/screenshot"
        case .devTools: "/goog/cdp/execute"
        }
    }

    /// Its method by HTTP.
    var method: String {
        switch self {
        case .getWindowHandle, .takeScreenshot: "GET"
        case .closeWindow: "DELETE"
        default: "POST"
        }
    }
}
