@_exported public import DrawbridgeGateway
