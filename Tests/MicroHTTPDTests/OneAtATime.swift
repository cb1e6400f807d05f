import Testing

/// The parent of tests that load the machine or count its sockets: none of them runs at the same time as another.
///
/// None of them judges how long something took. What must not wait for a limit is tried with a limit of an hour, so
/// that a wait is what the time limit of the tests ends.
@Suite(.serialized, .timeLimit(.minutes(5))) struct OneAtATime {}
