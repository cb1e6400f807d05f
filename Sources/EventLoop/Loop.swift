import Dispatch
import Glibc
import Synchronization

/// One thread that waits for sockets: it drives a daemon, runs the tasks that prefer it, and watches sockets.
///
/// libmicrohttpd's own epoll thread can hang when exactly 128 connections are ready, and it wakes nobody when a
/// connection is resumed; so its daemon is driven from here.
public final class Loop: TaskExecutor {
    enum Work {
        case job(UnownedJob)
        /// One step of a task that has an executor of its own.
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
        /// Held until the loop has ended, as the thread calls it.
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
    /// Runs work that is given to the loop after its end.
    private let afterwards = DispatchQueue(label: "drawbridge-loop-afterwards")
    /// The thread that runs it; ``unborn`` before there is one, ``ended`` when there is none any more.
    private let thread = Atomic<UInt>(Loop.unborn)
    private static let unborn: UInt = 0
    private static let ended = UInt.max

    /// All that is neither atomic nor behind `inbox`.
    ///
    /// It is reached by ``state`` alone: on the loop's thread, before that runs and when it has ended.
    private let memory: StateMemory<State>

    /// The loop's state, for its thread only: debug builds trap elsewhere.
    ///
    /// It is not a ``LoopBound``, which holds its loop: that would be a cycle.
    var state: State {
        unsafeAddress { UnsafePointer(here) }
        unsafeMutableAddress { here }
    }

    private var here: UnsafeMutablePointer<State> {
        assert(isOwnedHere, "this belongs to a loop, and was asked for on another thread")
        return memory.address
    }

    /// An object that a guest keeps on this loop until its end; for the loop's thread only.
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

    /// Milliseconds of the monotonic clock, a few behind at most: it is cheap, since every request reads it several
    /// times, and exact enough where nothing is counted in less than a second.
    package static var now: Int {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC_COARSE, &time)
        return time.tv_sec * 1000 + time.tv_nsec / 1_000_000
    }

    /// The loop whose thread this is; nil on any other thread.
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

    /// Whether what belongs to the loop may be touched here: on its thread, before that runs, and when it has ended.
    ///
    /// Before the thread runs, only the maker of the loop has it and what belongs to it. When it has ended, the work
    /// that is left runs on one thread at a time, and the state goes with its last reference.
    @usableFromInline package var isOwnedHere: Bool {
        switch thread.load(ordering: .relaxed) {
        case Self.unborn, Self.ended: true
        case let id: id == UInt(pthread_self())
        }
    }

    /// Runs a job of a task on the loop soon, never at once, but maybe from within the library (`drainTasks`).
    public func enqueue(_ job: consuming ExecutorJob) { add(.job(UnownedJob(job))) }

    /// Runs a step soon in the same way, for an executor that does something around its jobs.
    package func enqueue(_ step: @escaping @Sendable () -> Void) { add(.step(step)) }

    /// Runs `call` on the loop: at once when this is its thread, else soon, in its turn.
    package func perform(_ call: @escaping @Sendable () -> Void) {
        if isCurrent { call() } else { addToInbox(.call(call)) }
    }

    /// Runs `call` on the loop soon and in its turn, never at once, and never from within the library.
    ///
    /// It comes behind all that this thread or another gave to the loop before. What it gives by this itself runs in a
    /// later turn of the loop, so that others have theirs in between.
    package func performSoon(_ call: @escaping @Sendable () -> Void) {
        // The inbox may have earlier work of other threads, behind which this has to queue.
        if isWoken.load(ordering: .relaxed) { addToInbox(.call(call)) } else { add(.call(call)) }
    }

    private func add(_ work: Work) {
        if isCurrent { state.local.append(work) } else { addToInbox(work) }
    }

    private func addToInbox(_ work: Work) {
        // The work may be the last that holds the loop, and be done before this returns.
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

    /// Runs work that was given after the loop's end (by a handler that ignored its cancellation), a piece at a time.
    ///
    /// Never inside the call that gives it: that may be the cancellation of a task, which would be freed there.
    private func runLeftOver() {
        while let work = inbox.withLock({ $0.work.isEmpty ? nil : $0.work.removeFirst() }) { run(work) }
    }

    // MARK: On the loop

    /// Runs until ``stop()``, on a thread of its own.
    ///
    /// - Parameters:
    ///   - driven: the server; nil for a loop that has only guests.
    ///   - socket: becomes readable when `driven` must run.
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

    /// Ends the loop after this round.
    package func stop() { state.isStopped = true }

    /// Called when a connection was resumed or closed: the daemon has to run once more, and does not know it.
    package func setRunDue() { state.isRunDue = true }

    /// Runs waiting tasks until `isDone`, at most `count` steps, and no calls: this runs inside the library, which
    /// a call might stop.
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

    /// Runs waiting work, at most `count` pieces; calls that are added meanwhile wait for the next time.
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
            // A task that yields again and again keeps the queue from ever being empty.
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
            // A stop has ended the daemon before, so it must not be called any more.
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
            // After a pause of the whole process, one tick is left out: first what came meanwhile is read, so that
            // nobody is found too slow.
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
            // A guest before it may have cancelled it, or set it anew.
            let place = state.timers.firstIndex { $0.guest === timer.guest && $0.due == timer.due }
            guard let place else { continue }
            state.timers.remove(at: place)
            timer.guest.timeIsUp()
        }
    }

    private func takeInbox() {
        wakeUp.clear()
        // Before the inbox is read: who adds after that wakes again.
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
