/// A request on its way to the loop, and who waits for it.
struct CurlJob: Sendable {
    let id: UInt64
    let request: HTTPRequest
    let continuation: CheckedContinuation<Result<HTTPResponse, NetworkError>, Never>
}
