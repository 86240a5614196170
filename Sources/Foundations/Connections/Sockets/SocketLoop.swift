import CLinux
import Concurrency
import Determinism
import Files
import Glibc
import Synchronization

/// The thread that waits for all sockets of the process. It only tells tasks that a socket is ready or that a wait is
/// over; the tasks read and write themselves. It starts with the first socket, and never ends.
///
/// Waits end in real time, by the clock that also counts while the machine sleeps.
final class SocketLoop: Sendable {
    /// An alarm that has not rung.
    struct Alarm: Sendable {
        let moment: Duration
        let ring: @Sendable () -> Void
    }

    private struct State {
        var sockets: [UInt64: SocketReadiness] = [:]
        var alarms: [UInt64: Alarm] = [:]
        var lastNumber = SocketLoop.timerToken
        /// When the timer goes off. No alarm is earlier, but the first one may be later: a removed alarm leaves the
        /// timer as it is, so that a wait that ends before its deadline needs no system call.
        var timer: Duration?
    }

    private static let timerToken: UInt64 = 0

    private let epoll: Int32
    private let timer: Int32
    private let state = Mutex(State())

    /// Returns the loop of the process.
    ///
    /// - Throws: ``ConnectionFailure/system(doing:_:)`` when the process had no free file descriptor or thread for it.
    static func shared() throws(ConnectionFailure) -> SocketLoop {
        try current.withLock { loop throws(ConnectionFailure) in
            if let loop { return loop }
            let started = try SocketLoop()
            do throws(LoopThread.StartError) {
                // The thread never ends, so nothing joins it.
                _ = try LoopThread(started.run)
            } catch {
                throw .system(doing: "start the thread of the sockets", FileError(code: error.code))
            }
            loop = started
            return started
        }
    }

    private static let current = Mutex<SocketLoop?>(nil)

    private init() throws(ConnectionFailure) {
        let epoll = epoll_create1(Int32(EPOLL_CLOEXEC))
        guard epoll >= 0 else { throw .system(doing: "wait for sockets", FileError(code: errno)) }
        let timer = timerfd_create(CLOCK_BOOTTIME, Int32(TFD_CLOEXEC | TFD_NONBLOCK))
        let code = timer < 0 ? errno : epoll_watch(epoll, timer, Self.timerToken)
        guard code == 0 else {
            close(epoll)
            if timer >= 0 { close(timer) }
            throw .system(doing: "wait for sockets", FileError(code: code))
        }
        (self.epoll, self.timer) = (epoll, timer)
    }

    deinit {
        close(timer)
        close(epoll)
    }

    // MARK: For any thread

    /// Reports the readiness of a socket from now on.
    ///
    /// - Returns: The number to ``remove(_:_:)`` it.
    /// - Throws: ``ConnectionFailure/system(doing:_:)``
    func add(_ file: Int32, _ readiness: SocketReadiness) throws(ConnectionFailure) -> UInt64 {
        let number = state.withLock { state in
            state.lastNumber += 1
            state.sockets[state.lastNumber] = readiness
            return state.lastNumber
        }
        let code = epoll_watch(epoll, file, number)
        guard code != 0 else { return number }
        state.withLock { _ = $0.sockets.removeValue(forKey: number) }
        throw .system(doing: "wait for a socket", FileError(code: code))
    }

    /// Call it before the file is closed.
    func remove(_ file: Int32, _ number: UInt64) {
        epoll_forget(epoll, file)
        state.withLock { _ = $0.sockets.removeValue(forKey: number) }
    }

    /// Calls `ring` on the loop's thread after `remaining`; at once when it is not positive.
    ///
    /// - Returns: The number to ``cancel(_:)`` the alarm.
    func alarm(after remaining: Duration, _ ring: @escaping @Sendable () -> Void) -> UInt64 {
        let moment = SystemTimeSource().reading() + min(max(.zero, remaining), .seconds(1 << 32))
        return state.withLock { state in
            state.lastNumber += 1
            state.alarms[state.lastNumber] = Alarm(moment: moment, ring: ring)
            if state.timer.map({ moment < $0 }) ?? true { set(&state, moment) }
            return state.lastNumber
        }
    }

    func cancel(_ alarm: UInt64) { state.withLock { _ = $0.alarms.removeValue(forKey: alarm) } }

    /// The number of sockets and alarms, for tests of leaks.
    var load: (sockets: Int, alarms: Int) { state.withLock { ($0.sockets.count, $0.alarms.count) } }

    // MARK: The thread

    private func run() {
        name_calling_thread("sockets")
        // Signals are handled by other threads.
        var signals = sigset_t()
        sigfillset(&signals)
        pthread_sigmask(SIG_BLOCK, &signals, nil)
        var events = [epoll_event](repeating: epoll_event(), count: 128)
        while true {
            let count = epoll_wait(epoll, &events, Int32(events.count), -1)
            guard count > 0 else { continue }
            report(events.prefix(Int(count)))
        }
    }

    private func report(_ events: ArraySlice<epoll_event>) {
        let ready = state.withLock { state in
            events.map { (event: $0, socket: state.sockets[$0.data.u64]) }
        }
        for (event, socket) in ready {
            guard let socket else {
                if event.data.u64 == Self.timerToken { ringAlarms() }
                continue
            }
            withUnsafePointer(to: event) {
                socket.report(isReadable: epoll_is_readable($0) != 0, isWritable: epoll_is_writable($0) != 0)
            }
        }
    }

    private func ringAlarms() {
        var count: UInt64 = 0
        _ = read(timer, &count, MemoryLayout<UInt64>.size)
        let now = SystemTimeSource().reading()
        let due = state.withLock { state in
            let due = state.alarms.filter { $0.value.moment <= now }.sorted { $0.key < $1.key }
            for (number, _) in due { state.alarms[number] = nil }
            state.timer = nil
            if let next = state.alarms.values.map(\.moment).min() { set(&state, next) }
            return due
        }
        for (_, alarm) in due { alarm.ring() }
    }

    private func set(_ state: inout State, _ moment: Duration) {
        let (seconds, attoseconds) = moment.components
        // A time of zero would stop the timer.
        let time = timespec(tv_sec: Int(seconds), tv_nsec: max(1, Int(attoseconds / 1_000_000_000)))
        var setting = itimerspec(it_interval: timespec(), it_value: time)
        timerfd_settime(timer, Int32(TFD_TIMER_ABSTIME), &setting, nil)
        state.timer = moment
    }
}

/// Whether a socket can be read and written, as the loop's thread reports it, and who waits for it.
final class SocketReadiness: Sendable {
    enum Direction: Sendable { case reading, writing }

    private struct State {
        var isReady = (reading: false, writing: false)
        var waiting: (reading: Wait?, writing: Wait?)
        var isClosed = false
    }

    private let state = Mutex(State())

    /// Call it before a read or write that can find the socket not ready: a report after it is kept for
    /// ``begin(_:_:)``.
    func clear(_ direction: Direction) {
        state.withLock { state in
            switch direction {
            case .reading: state.isReady.reading = false
            case .writing: state.isReady.writing = false
            }
        }
    }

    /// Registers a wait, of which each direction has one at a time. It ends at once when there was a report since
    /// ``clear(_:)``.
    func begin(_ direction: Direction, _ wait: Wait) {
        let early = state.withLock { state -> Wait.Answer? in
            guard !state.isClosed else { return .failure(.closed) }
            switch direction {
            case .reading:
                if state.isReady.reading { return .success(()) }
                state.waiting.reading = wait
            case .writing:
                if state.isReady.writing { return .success(()) }
                state.waiting.writing = wait
            }
            return nil
        }
        if let early { wait.give(early) }
    }

    func end(_ direction: Direction) {
        state.withLock { state in
            switch direction {
            case .reading: state.waiting.reading = nil
            case .writing: state.waiting.writing = nil
            }
        }
    }

    func report(isReadable: Bool, isWritable: Bool) {
        let (reader, writer) = state.withLock { state in
            if isReadable { state.isReady.reading = true }
            if isWritable { state.isReady.writing = true }
            return (isReadable ? state.waiting.reading : nil, isWritable ? state.waiting.writing : nil)
        }
        reader?.give(.success(()))
        writer?.give(.success(()))
    }

    func close() {
        let waiting = state.withLock { state in
            state.isClosed = true
            return state.waiting
        }
        waiting.reading?.give(.failure(.closed))
        waiting.writing?.give(.failure(.closed))
    }
}
