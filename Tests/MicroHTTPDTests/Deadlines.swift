import Testing

/// The parent of tests that mostly wait, for deadlines and handshakes: all of them at the same time.
///
/// They count nothing of their process but sockets on ports of their own.
@Suite(.timeLimit(.minutes(5))) struct Deadlines {}
