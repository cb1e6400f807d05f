import DrawbridgeCommand

@main
struct Drawbridge {
    static func main() async { await GatewayCommand.run { _ in } }
}
