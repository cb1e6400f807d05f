// swift run Orders
// curl -d user=ann http://127.0.0.1:8080/__jsbridge__/login
import DrawbridgeCommand

let shop = Shop()

try await GatewayCommand.run { gateway in try shop.register(on: gateway) }
