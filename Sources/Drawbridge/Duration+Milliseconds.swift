extension Duration {
    /// Milliseconds for people and for `Server-Timing`: `0.3`, `9.7`, `12`.
    package var milliseconds: String {
        let tenths = Int(self / .milliseconds(1) * 10)
        return tenths < 100 ? "\(tenths / 10).\(tenths % 10)" : "\(tenths / 10)"
    }
}
