/// A gateway has stopped, and handlers that ignored their cancellation still run.
///
/// The log has said so, and how many they are.
public struct HandlersLeftBehindError: Error, CustomStringConvertible, Equatable {
    /// How many there are.
    public let count: Int

    /// What happened, for a person.
    public var description: String {
        "\(count) handlers ignored their cancellation and were left behind; let a handler end when its task is cancelled"
    }
}
