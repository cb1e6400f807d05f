// swift run own-command --help
// curl 'http://127.0.0.1:8080/greet?_mobile_bridge=1&name=Ann'
import DrawbridgeCommand

try await GatewayCommand.run { gateway in
    gateway.register(GreetHandler.self, at: "/greet")
}
