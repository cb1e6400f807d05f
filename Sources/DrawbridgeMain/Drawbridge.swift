import DrawbridgeCommand

@main
struct Drawbridge {
    static func main() async throws { try await GatewayCommand.run { _ in } }
}
