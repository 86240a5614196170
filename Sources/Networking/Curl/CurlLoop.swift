internal import CCurl
internal import Glibc
internal import Synchronization

/// What the thread of a ``CurlNetwork`` does: it takes requests from an inbox, lets libcurl carry them out, and hands
/// back the answers.
final class CurlLoop: Sendable {
    /// What other threads ask of the loop.
    private struct Inbox {
        var jobs: [CurlJob] = []
        var cancelled: Set<UInt64> = []
        var isClosed = false
        private(set) var hasNews = false
        private var isWaiting = false

        /// Notes that something is new.
        ///
        /// - Returns: whether the thread waits and has to be woken. Whoever comes next need not do that again.
        mutating func announce() -> Bool {
            hasNews = true
            defer { isWaiting = false }
            return isWaiting
        }

        /// Takes out what is new.
        mutating func take() -> (jobs: [CurlJob], cancelled: Set<UInt64>, isClosed: Bool) {
            (hasNews, isWaiting) = (false, false)
            defer { jobs = [] }
            return (jobs, cancelled, isClosed)
        }

        /// - Returns: whether there is nothing new. From now on the thread has to be woken.
        mutating func beginWaiting() -> Bool {
            isWaiting = !hasNews
            return isWaiting
        }
    }

    private let library: CurlLibrary
    private let configuration: CurlConfiguration
    private let inbox = Mutex(Inbox())
    // Other threads only wake it, which libcurl lets any thread do, and while they do they hold the loop that it lives
    // as long as.
    private nonisolated(unsafe) let multi: UnsafeMutableRawPointer

    init(configuration: CurlConfiguration) throws(NetworkError) {
        library = try CurlLibrary.load()
        self.configuration = configuration
        guard let multi = library.functions.curl_multi_init() else {
            throw .transportUnavailable("libcurl has no memory")
        }
        self.multi = multi
        _ = ccurl_multi_set_long(
            library.table, multi, CURLMOPT_MAX_HOST_CONNECTIONS, max(1, configuration.connectionsPerHost))
        _ = ccurl_multi_set_long(library.table, multi, CURLMOPT_MAXCONNECTS, 32)
    }

    deinit { _ = library.functions.curl_multi_cleanup(multi) }

    // MARK: For any thread

    func submit(_ job: CurlJob) {
        let (isAccepted, mustWake) = inbox.withLock { inbox in
            guard !inbox.isClosed, !inbox.cancelled.contains(job.id) else { return (false, false) }
            inbox.jobs.append(job)
            return (true, inbox.announce())
        }
        if mustWake { wake() }
        if !isAccepted { job.continuation.resume(returning: .failure(.cancelled(wasSent: false))) }
    }

    func cancel(_ id: UInt64) {
        let mustWake = inbox.withLock { inbox in
            inbox.cancelled.insert(id)
            return inbox.announce()
        }
        if mustWake { wake() }
    }

    /// The request that was cancelled has its answer.
    func forget(_ id: UInt64) {
        inbox.withLock { _ = $0.cancelled.remove(id) }
    }

    func stop() {
        let mustWake = inbox.withLock { inbox in
            inbox.isClosed = true
            return inbox.announce()
        }
        if mustWake { wake() }
    }

    /// Outside the lock, which the thread takes as soon as it is awake. A wake-up that comes before the wait ends it at
    /// once.
    private func wake() { _ = library.functions.curl_multi_wakeup(multi) }

    // MARK: The thread

    func run() {
        ccurl_name_calling_thread("http")
        // Signals are for the program's own threads.
        var signals = sigset_t()
        sigfillset(&signals)
        pthread_sigmask(SIG_BLOCK, &signals, nil)
        var transfers = CurlTransfers(library: library, configuration: configuration, multi: multi)
        var isClosed = false
        while !isClosed {
            let news = inbox.withLock { $0.take() }
            isClosed = news.isClosed
            // A handle that libcurl has not begun with still tells of its last request.
            for job in news.jobs {
                if news.cancelled.contains(job.id) {
                    job.continuation.resume(returning: .failure(.cancelled(wasSent: false)))
                } else {
                    transfers.begin(job)
                }
            }
            if !news.cancelled.isEmpty { transfers.cancel(news.cancelled) }
            let hasAnswered = transfers.advance()
            if hasAnswered, isSoonAsked(transfers.isEmpty ? Self.looksAtRest : Self.looksAtWork) { continue }
            if !isClosed, inbox.withLock({ $0.beginWaiting() }) {
                _ = library.functions.curl_multi_poll(multi, nil, 0, 1000, nil)
            }
        }
        transfers.cancelAll()
    }

    /// Whoever got an answer often asks again at once: a moment without sleep spares both sides the kernel's way of waking
    /// a thread, which takes longer than an answer over a kept connection.
    private func isSoonAsked(_ looks: Int) -> Bool {
        for _ in 0..<looks {
            if inbox.withLockIfAvailable({ $0.hasNews }) ?? true { return true }
            sched_yield()
        }
        return false
    }

    /// How often to look when nothing else is under way: some 30 microseconds on an idle machine.
    private static let looksAtRest = 100
    /// The same while other answers are on their way: long enough to take several requests in one go.
    private static let looksAtWork = 8
}
