import Synchronization

// The soak is built as a release is, which has none of it.
#if canImport(Testing)
import Testing
#endif

/// Something that happens once; whoever waits for it goes on then.
package final class Event: Sendable {
    private let stream: AsyncStream<Void>
    private let continuation: AsyncStream<Void>.Continuation

    package init() { (stream, continuation) = AsyncStream.makeStream() }

    package func happen() { continuation.finish() }

    /// Waits for it, also in a task that is cancelled.
    package func wait() async {
        await Task { for await _ in stream {} }.value
    }
}

/// Notes what happened, in order, from any thread.
package final class Notebook: Sendable {
    private let notes = Mutex<[String]>([])

    package init() {}

    package func note(_ text: String) { notes.withLock { $0.append(text) } }

    package var entries: [String] { notes.withLock { $0 } }

    /// Waits until so many notes are there.
    package func wait(for count: Int) async { await until { self.entries.count >= count } }
}

/// Goes on when the condition holds, which nothing tells; the time limit of the test ends what never comes, and then the
/// line that waited is named.
///
/// Between two looks it sleeps: what it waits for needs the processor.
package func until(
    _ condition: @Sendable () -> Bool, fileID: String = #fileID, filePath: String = #filePath,
    line: Int = #line,
    column: Int = #column
) async {
    while !condition() {
        if Task.isCancelled {
            #if canImport(Testing)
            let place = SourceLocation(fileID: fileID, filePath: filePath, line: line, column: column)
            Issue.record("what this line waits for never came", sourceLocation: place)
            return
            #else
            fatalError("what \(fileID):\(line) waits for never came")
            #endif
        }
        try? await Task.sleep(for: .milliseconds(1))
    }
}
