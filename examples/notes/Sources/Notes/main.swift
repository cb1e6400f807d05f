import DrawbridgeCommand

let notebook = Notebook()

try await GatewayCommand.run { gateway in
    try gateway.register(at: "/notes") { NotesHandler(notebook: notebook) }
}
