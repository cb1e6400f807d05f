import DrawbridgeCommand
import NotesHandlers

try await GatewayCommand.run { gateway in try registerHandlers(on: gateway) }
