public import EventLoop

/// A call of the system that failed, with its reason; the loop's own.
public typealias SystemError = EventLoop.SystemError
