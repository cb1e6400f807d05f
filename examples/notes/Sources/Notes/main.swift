import DrawbridgeCommand

let notebook = Notebook()

try await GatewayCommand.run { gateway in
    gateway.register(at: "/notes") { NotesHandler(notebook: notebook) }
}
