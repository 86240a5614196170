internal import CCurl
internal import Glibc
internal import Synchronization

/// HTTP over libcurl, with all requests on one thread of their own.
///
/// Connections are kept and used again, HTTP/2 is spoken where the server does, certificates are always verified, and
/// proxies are taken from `http_proxy`, `https_proxy` and `no_proxy` (curl(1), ENVIRONMENT). Deadlines are counted by
/// libcurl in real time, because what it waits for is real.
public final class CurlNetwork: Network {
    private let loop: CurlLoop
    private let thread: pthread_t
    private let lastID = Atomic<UInt64>(0)

    /// - Throws: ``NetworkError/transportUnavailable(_:)``
    public init(configuration: CurlConfiguration = CurlConfiguration()) throws(NetworkError) {
        loop = try CurlLoop(configuration: configuration)
        var started = pthread_t()
        let argument = Unmanaged.passRetained(loop)
        let failure = pthread_create(&started, nil, runCurlLoop, argument.toOpaque())
        guard failure == 0 else {
            argument.release()
            throw .transportUnavailable("its thread cannot be started (error \(failure))")
        }
        thread = started
    }

    deinit {
        loop.stop()
        // The last reference may be dropped on the loop's own thread, which cannot wait for itself.
        if pthread_equal(thread, pthread_self()) != 0 {
            pthread_detach(thread)
        } else {
            pthread_join(thread, nil)
        }
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
        // Else nobody has told the loop of it.
        if Task.isCancelled { loop.forget(id) }
        return try result.get()
    }
}

// A function of the file, not a closure: a closure would belong to the isolation that it was written in, and the
// runtime stops a program that runs it on another thread.
private func runCurlLoop(_ argument: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    guard let argument else { return nil }
    Unmanaged<CurlLoop>.fromOpaque(argument).takeRetainedValue().run()
    return nil
}
