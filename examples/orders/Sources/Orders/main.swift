// swift run Orders
// curl -d user=ann http://127.0.0.1:8080/__jsbridge__/login
import DrawbridgeCommand
import OrdersHandlers

try await GatewayCommand.run { gateway in try registerHandlers(on: gateway) }
