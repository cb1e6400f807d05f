import Dispatch
import Glibc
import Synchronization

/// A thread with an epoll: it runs the HTTP server's daemon, tasks that prefer this executor, and guests' sockets.
///
/// libmicrohttpd does not run its own epoll thread, because that can hang when exactly 128 connections are ready, and
/// is not woken when a connection is resumed.
@usableFromInline package final class Loop: TaskExecutor {
    enum Work {
        case job(UnownedJob)
        /// One step of a task whose executor schedules its jobs on this loop.
        case step(@Sendable () -> Void)
        case call(@Sendable () -> Void)
    }

    private struct Inbox {
        var work: [Work] = []
        var isClosed = false
    }

    struct State: ~Copyable {
        var waiter: EpollWaiter
        var local: [Work] = []
        var nextLocal = 0
        /// Set until the loop has ended, because the thread calls it.
        var driven: (any Driven)?
        var drivenSocket: Int32 = -1
        var listeningSocket: Int32 = -1
        var isRunDue = true
        var isStopped = false
        var nextTick = Loop.now + 1000
        var isTickOverdue = false
        var guests: [Int32: any Guest] = [:]
        var timers: [(due: Int, guest: any Guest)] = []
        var attachment: (any AnyObject)?
    }

    private let wakeUp: WakeUp
    private let inbox = Guarded(Inbox())
    private let isWoken = Atomic<Bool>(false)
    /// Runs work that is enqueued after the loop has ended.
    private let afterwards = DispatchQueue(label: "drawbridge-loop-afterwards")
    /// The id of the loop's thread; ``unborn`` before it starts, ``ended`` after it has finished.
    private let thread = Atomic<UInt>(Loop.unborn)
    private static let unborn: UInt = 0
    private static let ended = UInt.max

    /// All state except atomics and the inbox.
    ///
    /// Only ``state`` reads it: on the loop's thread, or before that thread starts, or after it has finished.
    private let memory: StateMemory<State>

    /// The loop's state, for the loop's thread only; debug builds trap on any other thread.
    ///
    /// A ``LoopBound`` would do the same check, but retains the loop, which would be a reference cycle.
    var state: State {
        unsafeAddress { UnsafePointer(here) }
        unsafeMutableAddress { here }
    }

    private var here: UnsafeMutablePointer<State> {
        assert(isOwnedHere, "this belongs to a loop, and was asked for on another thread")
        return memory.address
    }

    /// An object of a guest that lives as long as the loop; for the loop's thread only.
    package var attachment: (any AnyObject)? {
        get { state.attachment }
        set { state.attachment = newValue }
    }

    package init() throws {
        wakeUp = try WakeUp()
        var waiter = try EpollWaiter()
        try waiter.add(wakeUp.descriptor, for: .readable)
        memory = StateMemory(State(waiter: waiter))
    }

    /// Milliseconds of the coarse monotonic clock, a few ms late; it is cheap, and every request reads it several
    /// times; the timeouts measured with it are seconds.
    package static var now: Int {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC_COARSE, &time)
        return time.tv_sec * 1000 + time.tv_nsec / 1_000_000
    }

    /// The loop that runs on the current thread; nil on any other thread.
    package static var current: Loop? {
        pthread_getspecific(currentKey).map { Unmanaged<Loop>.fromOpaque($0).takeUnretainedValue() }
    }

    private static let currentKey: pthread_key_t = {
        var key = pthread_key_t()
        pthread_key_create(&key, nil)
        return key
    }()

    // MARK: From any thread

    package var isCurrent: Bool { thread.load(ordering: .relaxed) == UInt(pthread_self()) }

    /// Whether the current thread may use the loop's state: it is the loop's, or that has not started or has ended.
    ///
    /// Before the start only the code that makes the loop has a reference to it. After the end, the remaining work runs
    /// on one thread at a time, and the state is freed with the last reference.
    @usableFromInline package var isOwnedHere: Bool {
        switch thread.load(ordering: .relaxed) {
        case Self.unborn, Self.ended: true
        case let id: id == UInt(pthread_self())
        }
    }

    /// Enqueues a task's job; it never runs inside this call, but maybe in a callback of the library (`drainTasks`).
    @usableFromInline package func enqueue(_ job: consuming ExecutorJob) { add(.job(UnownedJob(job))) }

    /// Enqueues a step like a job, for an executor that wraps its jobs.
    package func enqueue(_ step: @escaping @Sendable () -> Void) { add(.step(step)) }

    /// Runs `call` on the loop: immediately if this is the loop's thread, else enqueued.
    package func perform(_ call: @escaping @Sendable () -> Void) {
        if isCurrent { call() } else { addToInbox(.call(call)) }
    }

    /// Enqueues `call`; it never runs inside this call, nor inside a callback of the library.
    ///
    /// It runs after everything that any thread has enqueued before. What it enqueues this way runs in a later round of
    /// the loop, so that other work is not starved.
    package func performSoon(_ call: @escaping @Sendable () -> Void) {
        // If woken, the inbox may contain earlier work of other threads: append there to keep the order.
        if isWoken.load(ordering: .relaxed) { addToInbox(.call(call)) } else { add(.call(call)) }
    }

    private func add(_ work: Work) {
        if isCurrent { state.local.append(work) } else { addToInbox(work) }
    }

    private func addToInbox(_ work: Work) {
        // The work may release the last other reference to the loop and run before this function returns.
        let own = Unmanaged.passRetained(self)
        defer { own.release() }
        let isClosed = inbox.withLock { inbox in
            inbox.work.append(work)
            return inbox.isClosed
        }
        if isClosed { afterwards.async { self.runLeftOver() } } else { wake() }
    }

    private func wake() {
        guard !isWoken.exchange(true, ordering: .sequentiallyConsistent) else { return }
        wakeUp.ring()
    }

    /// Runs work that was enqueued after the loop's end, by a handler that ignored its cancellation for example.
    ///
    /// It runs asynchronously: the caller may be cancelling a task, and running that task here could free it meanwhile.
    private func runLeftOver() {
        while let work = inbox.withLock({ $0.work.isEmpty ? nil : $0.work.removeFirst() }) { run(work) }
    }

    // MARK: On the loop

    /// Starts the thread, which runs until ``stop()``.
    ///
    /// - Parameters:
    ///   - driven: the HTTP server; nil for a loop that has only guests.
    ///   - socket: the server's epoll, readable when `driven` must run.
    package func start(_ driven: (any Driven)?, socket: Int32?) throws {
        state.driven = driven
        if let socket {
            state.drivenSocket = socket
            try state.waiter.add(socket, for: .readable)
        }
        var id = pthread_t()
        let box = Unmanaged.passRetained(self)
        let run: @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? = { box in
            guard let box else { return nil }
            Linux.nameThread("drawbridge-loop")
            Unmanaged<Loop>.fromOpaque(box).takeRetainedValue().run()
            return nil
        }
        let code = pthread_create(&id, nil, run, box.toOpaque())
        guard code == 0 else {
            box.release()
            state.driven = nil
            throw SystemError("cannot start the thread of a loop", code: code)
        }
        pthread_detach(id)
    }

    /// Ends the loop after the current round.
    package func stop() { state.isStopped = true }

    /// Makes the daemon run in the next round: needed after a connection is resumed or closed, which causes no event.
    package func setRunDue() { state.isRunDue = true }

    /// Runs at most `count` jobs and steps until `isDone`; it stops at a `call`: this function is called inside a
    /// callback of the library, and a call might stop the library.
    package func drainTasks(atMost count: Int, until isDone: () -> Bool) {
        var left = count
        while left > 0, !isDone(), isTaskNext {
            run(popLocal())
            left -= 1
        }
    }

    private var isTaskNext: Bool {
        guard state.nextLocal < state.local.count else { return false }
        if case .call = state.local[state.nextLocal] { return false }
        return true
    }

    /// Runs at most `count` pieces of work; a `call` that is enqueued meanwhile waits for the next drain.
    private func drain(atMost count: Int) {
        let end = state.local.count
        var left = count
        while left > 0, state.nextLocal < end || isTaskNext {
            run(popLocal())
            left -= 1
        }
        if state.nextLocal > 0, state.nextLocal == state.local.count {
            state.local.removeAll(keepingCapacity: state.nextLocal < 1024)
            state.nextLocal = 0
        } else if state.nextLocal >= 1024, state.nextLocal > state.local.count / 2 {
            // If a task yields in a loop, the queue is never empty, so its finished part is removed here.
            state.local.removeFirst(state.nextLocal)
            state.nextLocal = 0
        }
    }

    private func run() {
        let driven = state.driven
        thread.store(UInt(pthread_self()), ordering: .relaxed)
        pthread_setspecific(Self.currentKey, Unmanaged.passUnretained(self).toOpaque())
        while true {
            state.waiter.wait(milliseconds: waitTime)
            var isDrivenReady = false
            var isAcceptDue = false
            while let (socket, readiness) = state.waiter.next() {
                switch socket {
                case wakeUp.descriptor: takeInbox()
                case state.drivenSocket: isDrivenReady = true
                case state.listeningSocket: isAcceptDue = true
                default: state.guests[socket]?.ready(socket, readiness)
                }
            }
            if !state.timers.isEmpty { callTimers() }
            drain(atMost: 1024)
            // The daemon is freed before `stop()` is called, so `driven` must not run again.
            if state.isStopped { break }
            if isAcceptDue { driven?.accept() }
            if isDrivenReady || state.isRunDue || driven?.timeout == 0 {
                state.isRunDue = false
                driven?.run()
            }
            drain(atMost: 1024)
            if state.isStopped { break }
            let late = Loop.now - state.nextTick
            guard late >= 0 else { continue }
            state.nextTick += late + 1000
            // After the process was paused (suspended laptop, debugger), skip one tick: first read the data that
            // arrived meanwhile, so that the tick does not time out connections that are not slow.
            state.isTickOverdue = late >= 1000 && !state.isTickOverdue
            if !state.isTickOverdue { driven?.tick() }
        }
        end()
    }

    /// Runs the work that still waits; later work runs on the queue `afterwards`.
    private func end() {
        takeInbox()
        while state.nextLocal < state.local.count { drain(atMost: .max) }
        thread.store(Self.ended, ordering: .relaxed)
        pthread_setspecific(Self.currentKey, nil)
        inbox.withLock { $0.isClosed = true }
        afterwards.sync {
            runLeftOver()
            state.guests = [:]
            state.timers = []
            attachment = nil
            state.driven = nil
        }
    }

    private var waitTime: Int32 {
        if state.isRunDue || state.nextLocal < state.local.count { return 0 }
        let now = Loop.now
        var untilTick = Int32(max(0, min(1000, state.nextTick - now)))
        for timer in state.timers { untilTick = min(untilTick, Int32(clamping: max(0, timer.due - now))) }
        let timeout = state.driven?.timeout ?? -1
        return timeout < 0 ? untilTick : min(timeout, untilTick)
    }

    private func callTimers() {
        let now = Loop.now
        for timer in state.timers where timer.due <= now {
            // A guest called before may have removed this timer, or replaced it.
            let place = state.timers.firstIndex { $0.guest === timer.guest && $0.due == timer.due }
            guard let place else { continue }
            state.timers.remove(at: place)
            timer.guest.timeIsUp()
        }
    }

    private func takeInbox() {
        wakeUp.clear()
        // Before the inbox is read: a thread that adds work after the exchange wakes the loop again.
        _ = isWoken.exchange(false, ordering: .sequentiallyConsistent)
        let work = inbox.withLock { inbox in
            let work = inbox.work
            inbox.work.removeAll(keepingCapacity: work.count < 1024)
            return work
        }
        state.local += work
    }

    private func popLocal() -> Work {
        defer { state.nextLocal += 1 }
        return state.local[state.nextLocal]
    }

    private func run(_ work: Work) {
        switch work {
        case .job(let job): job.runSynchronously(on: asUnownedTaskExecutor())
        case .step(let work), .call(let work): work()
        }
    }
}
