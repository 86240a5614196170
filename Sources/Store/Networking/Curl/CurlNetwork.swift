import CCurl
import Concurrency
import Glibc
import Synchronization

/// HTTP over libcurl. All requests run on one dedicated thread.
///
/// Connections are reused, HTTP/2 is used where available, certificates are always verified, and proxies come from
/// `http_proxy`, `https_proxy` and `no_proxy` (curl(1), ENVIRONMENT). libcurl measures timeouts in real time.
public final class CurlNetwork: Network {
    private let loop: CurlLoop
    private let thread: LoopThread
    private let lastID = Atomic<UInt64>(0)

    /// - Throws: ``NetworkError/transportUnavailable(_:)``
    public init(configuration: CurlConfiguration = CurlConfiguration()) throws(NetworkError) {
        loop = try CurlLoop(configuration: configuration)
        do throws(LoopThread.StartError) { thread = try LoopThread(loop.run) } catch {
            throw .transportUnavailable("cannot start its thread (error \(error.code))")
        }
    }

    deinit {
        loop.stop()
        // The last reference can be released on the loop's own thread.
        thread.join()
    }

    public func response(for request: HTTPRequest) async throws(NetworkError) -> HTTPResponse {
        let id = lastID.add(1, ordering: .relaxed).newValue
        let result: Result<HTTPResponse, NetworkError> = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                loop.submit(CurlJob(id: id, request: request, continuation: continuation))
            }
        } onCancel: {
            loop.cancel(id)
        }
        // Without cancellation the loop does not know the ID.
        if Task.isCancelled { loop.forget(id) }
        return try result.get()
    }
}

/// The connection settings of a ``CurlNetwork``.
public struct CurlConfiguration: Hashable, Sendable {
    /// A PEM file of certificate authorities that replaces the machine's own, for sites with a private authority.
    public var authorities: String?
    /// The timeout for establishing a connection.
    public var connectTimeout: Duration
    /// The maximum number of connections per host; further requests wait.
    public var connectionsPerHost: Int

    /// Sets the connections. `authorities` is the path of a PEM file; nil trusts those of the machine.
    public init(authorities: String? = nil, connectTimeout: Duration = .seconds(10), connectionsPerHost: Int = 8) {
        (self.authorities, self.connectTimeout) = (authorities, connectTimeout)
        self.connectionsPerHost = connectionsPerHost
    }
}

/// The thread of a ``CurlNetwork``: it takes requests from an inbox, runs them with libcurl and returns the responses.
final class CurlLoop: Sendable {
    /// The messages of other threads to the loop.
    private struct Inbox {
        var jobs: [CurlJob] = []
        var canceled: Set<UInt64> = []
        var isClosed = false
        private(set) var hasNews = false
        private var isWaiting = false

        /// Marks the inbox as changed.
        ///
        /// - Returns: Whether the thread is waiting and this caller must wake it.
        mutating func announce() -> Bool {
            hasNews = true
            defer { isWaiting = false }
            return isWaiting
        }

        /// Takes the new messages.
        mutating func take() -> (jobs: [CurlJob], canceled: Set<UInt64>, isClosed: Bool) {
            (hasNews, isWaiting) = (false, false)
            defer { jobs = [] }
            return (jobs, canceled, isClosed)
        }

        /// - Returns: Whether the inbox is unchanged. If so, the thread must be woken from now on.
        mutating func beginWaiting() -> Bool {
            isWaiting = !hasNews
            return isWaiting
        }
    }

    private let library: CurlLibrary
    private let configuration: CurlConfiguration
    private let inbox = Mutex(Inbox())
    // Other threads only wake it, which libcurl allows from any thread. They hold a reference to the loop meanwhile.
    private nonisolated(unsafe) let multi: UnsafeMutableRawPointer

    init(configuration: CurlConfiguration) throws(NetworkError) {
        library = try CurlLibrary.load()
        self.configuration = configuration
        guard let multi = library.functions.curl_multi_init() else {
            throw .transportUnavailable("libcurl is out of memory")
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
            guard !inbox.isClosed, !inbox.canceled.contains(job.id) else { return (false, false) }
            inbox.jobs.append(job)
            return (true, inbox.announce())
        }
        if mustWake { wake() }
        if !isAccepted { job.continuation.resume(returning: .failure(.canceled(wasSent: false))) }
    }

    func cancel(_ id: UInt64) {
        let mustWake = inbox.withLock { inbox in
            inbox.canceled.insert(id)
            return inbox.announce()
        }
        if mustWake { wake() }
    }

    /// Removes the ID of a canceled request that has completed.
    func forget(_ id: UInt64) {
        inbox.withLock { _ = $0.canceled.remove(id) }
    }

    func stop() {
        let mustWake = inbox.withLock { inbox in
            inbox.isClosed = true
            return inbox.announce()
        }
        if mustWake { wake() }
    }

    /// Wakes the thread. Call it outside the lock, which the thread takes at once. A wake-up before the wait ends the
    /// wait immediately.
    private func wake() { _ = library.functions.curl_multi_wakeup(multi) }

    // MARK: The thread

    func run() {
        ccurl_name_calling_thread("http")
        // Signals are handled by other threads.
        var signals = sigset_t()
        sigfillset(&signals)
        pthread_sigmask(SIG_BLOCK, &signals, nil)
        var transfers = CurlTransfers(library: library, configuration: configuration, multi: multi)
        var isClosed = false
        while !isClosed {
            let news = inbox.withLock { $0.take() }
            isClosed = news.isClosed
            // Before its first step, a reused handle still reports the sizes of its previous request.
            for job in news.jobs {
                if news.canceled.contains(job.id) {
                    job.continuation.resume(returning: .failure(.canceled(wasSent: false)))
                } else {
                    transfers.begin(job)
                }
            }
            if !news.canceled.isEmpty { transfers.cancel(news.canceled) }
            let hasAnswered = transfers.advance()
            if hasAnswered, receivesNextRequest(transfers.isEmpty ? Self.pollsWhenIdle : Self.pollsWhenBusy) {
                continue
            }
            if !isClosed, inbox.withLock({ $0.beginWaiting() }) {
                _ = library.functions.curl_multi_poll(multi, nil, 0, 1000, nil)
            }
        }
        transfers.cancelAll()
    }

    /// Polls for a new request for a moment. A caller often sends the next request at once, and waking a thread takes
    /// longer than a response over an open connection.
    private func receivesNextRequest(_ polls: Int) -> Bool {
        for _ in 0..<polls {
            if inbox.withLockIfAvailable({ $0.hasNews }) ?? true { return true }
            sched_yield()
        }
        return false
    }

    /// The number of polls without other transfers: about 30 µs on an idle machine.
    private static let pollsWhenIdle = 100
    /// The number of polls with other transfers running: long enough to collect several requests.
    private static let pollsWhenBusy = 8
}

/// A request for the loop, with the waiting task.
struct CurlJob: Sendable {
    let id: UInt64
    let request: HTTPRequest
    let continuation: CheckedContinuation<Result<HTTPResponse, NetworkError>, Never>
}

/// The running requests. Used only on the loop's thread.
struct CurlTransfers {
    private let library: CurlLibrary
    private let configuration: CurlConfiguration
    private let multi: UnsafeMutableRawPointer
    private var running: [UnsafeMutableRawPointer: (job: CurlJob, transfer: CurlTransfer)] = [:]
    /// Handles for reuse: creating one costs more than cleaning it.
    private var idle: [CurlHandle] = []

    private static let idleLimit = 16

    init(library: CurlLibrary, configuration: CurlConfiguration, multi: UnsafeMutableRawPointer) {
        (self.library, self.configuration, self.multi) = (library, configuration, multi)
    }

    var isEmpty: Bool { running.isEmpty }

    mutating func begin(_ job: CurlJob) {
        guard let handle = idle.popLast() ?? CurlHandle(library: library, configuration: configuration) else {
            job.continuation.resume(returning: .failure(.transportUnavailable("libcurl is out of memory")))
            return
        }
        let transfer = CurlTransfer(request: job.request, handle: handle)
        let code = library.functions.curl_multi_add_handle(multi, handle.pointer)
        guard code == CURLM_OK else {
            job.continuation.resume(returning: .failure(.transportUnavailable("libcurl rejected a request (\(code))")))
            return
        }
        running[handle.pointer] = (job, transfer)
    }

    /// Cancels the requests with these IDs and ignores unknown IDs.
    mutating func cancel(_ ids: Set<UInt64>) {
        for (pointer, entry) in running where ids.contains(entry.job.id) { abandon(pointer) }
    }

    mutating func cancelAll() {
        for pointer in running.keys { abandon(pointer) }
    }

    /// Advances all transfers without waiting and completes those that ended.
    ///
    /// - Returns: Whether any transfer ended.
    mutating func advance() -> Bool {
        var hasEnded = false
        var count: Int32 = 0
        _ = library.functions.curl_multi_perform(multi, &count)
        while let message = library.functions.curl_multi_info_read(multi, &count) {
            guard message.pointee.msg == CURLMSG_DONE, let pointer = message.pointee.easy_handle else { continue }
            let code = ccurl_message_result(message)
            guard let entry = running.removeValue(forKey: pointer) else { continue }
            let result = entry.transfer.result(code)
            remove(entry.transfer)
            entry.job.continuation.resume(returning: result)
            hasEnded = true
        }
        return hasEnded
    }

    private mutating func abandon(_ pointer: UnsafeMutableRawPointer) {
        guard let entry = running.removeValue(forKey: pointer) else { return }
        let wasSent = entry.transfer.wasSent
        remove(entry.transfer)
        entry.job.continuation.resume(returning: .failure(.canceled(wasSent: wasSent)))
    }

    private mutating func remove(_ transfer: CurlTransfer) {
        _ = library.functions.curl_multi_remove_handle(multi, transfer.handle.pointer)
        guard idle.count < Self.idleLimit else { return }
        transfer.handle.clean(isPlain: transfer.isPlain)
        idle.append(transfer.handle)
    }
}
