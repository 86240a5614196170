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
    }

    private let library: CurlLibrary
    private let configuration: CurlConfiguration
    private let inbox = Mutex(Inbox())
    // Other threads only wake it, which libcurl lets any thread do, and only under the lock while the inbox is open:
    // it is cleaned up after the inbox was closed.
    private nonisolated(unsafe) let multi: UnsafeMutableRawPointer

    init(configuration: CurlConfiguration) throws(NetworkError) {
        library = try CurlLibrary.load()
        self.configuration = configuration
        guard let multi = library.functions.curl_multi_init() else {
            throw .transportUnavailable("libcurl has no memory")
        }
        self.multi = multi
        withUnsafePointer(to: library.functions) { functions in
            _ = ccurl_multi_set_long(
                functions, multi, CURLMOPT_MAX_HOST_CONNECTIONS, max(1, configuration.connectionsPerHost))
            _ = ccurl_multi_set_long(functions, multi, CURLMOPT_MAXCONNECTS, 32)
        }
    }

    // MARK: For any thread

    func submit(_ job: CurlJob) {
        let isAccepted = inbox.withLock { inbox in
            guard !inbox.isClosed, !inbox.cancelled.contains(job.id) else { return false }
            inbox.jobs.append(job)
            _ = library.functions.curl_multi_wakeup(multi)
            return true
        }
        if !isAccepted { job.continuation.resume(returning: .failure(.cancelled(wasSent: false))) }
    }

    func cancel(_ id: UInt64) {
        inbox.withLock { inbox in
            inbox.cancelled.insert(id)
            if !inbox.isClosed { _ = library.functions.curl_multi_wakeup(multi) }
        }
    }

    /// The request has its answer.
    func forget(_ id: UInt64) {
        inbox.withLock { _ = $0.cancelled.remove(id) }
    }

    func stop() {
        inbox.withLock { inbox in
            inbox.isClosed = true
            _ = library.functions.curl_multi_wakeup(multi)
        }
    }

    /// Instead of ``run()``, when there is no thread.
    func discard() {
        _ = library.functions.curl_multi_cleanup(multi)
    }

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
            let news = inbox.withLock { inbox in
                defer { inbox.jobs = [] }
                return (jobs: inbox.jobs, cancelled: inbox.cancelled, isClosed: inbox.isClosed)
            }
            isClosed = news.isClosed
            for job in news.jobs { transfers.begin(job) }
            if !news.cancelled.isEmpty { transfers.cancel(news.cancelled) }
            transfers.advance()
            // A wake-up that comes before the wait ends it at once.
            if !isClosed { _ = library.functions.curl_multi_poll(multi, nil, 0, 1000, nil) }
        }
        transfers.cancelAll()
        _ = library.functions.curl_multi_cleanup(multi)
    }
}
