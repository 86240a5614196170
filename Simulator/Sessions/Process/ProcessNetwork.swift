internal import Determinism
internal import Networking
internal import StoreSite

/// The way from a process to the store site, without sockets: what the site asks to be done to its answers is done, and
/// time goes by on the session's clock.
struct ProcessNetwork: Network {
    let site: StoreSite
    let time: any TimeSource
    /// Nil for whoever prepares the store: nothing of that is told.
    let life: ProcessLife?
    var observer: (@Sendable (_ target: String, _ body: [UInt8]) -> Void)?

    func response(for request: HTTPRequest) async throws(NetworkError) -> HTTPResponse {
        guard life?.isAlive != false else { throw .cancelled(wasSent: false) }
        var headers = request.headers.fields.map { (name: $0.name, value: $0.value) }
        if let authorization = request.authorization { headers.append(("Authorization", authorization.revealed())) }
        if let cookie = request.cookie { headers.append(("Cookie", cookie.revealed())) }
        let target = request.address.path + (request.address.query.map { "?" + $0 } ?? "")
        observer?(target, request.body ?? [])
        let answer = site.answer(
            SiteRequest(method: request.method.rawValue, target: target, headers: headers, body: request.body ?? []))
        let result: Result<HTTPResponse, NetworkError>
        do throws(NetworkError) {
            result = .success(try await deliver(answer, to: request))
        } catch {
            result = .failure(error)
        }
        let seen = answer.seen
        let status = (try? result.get())?.status ?? 0
        life?.note(.site, "\(seen.method) \(seen.route ?? seen.path) \(status)")
        guard life?.isAlive != false else { throw .cancelled(wasSent: true) }
        return try result.get()
    }

    private func deliver(_ answer: SiteAnswer, to request: HTTPRequest) async throws(NetworkError) -> HTTPResponse {
        let host = request.address.origin.host
        guard answer.delay < request.timeout else {
            try await wait(request.timeout)
            throw .timedOut(host: host, wasSent: true)
        }
        try await wait(answer.delay)
        switch answer.delivery {
        case .whole: break
        case .cut, .truncated: throw .connectionLost(host: host, reason: "the site ended the connection")
        case .slow(let bytesPerSecond):
            let needed = Duration.milliseconds(answer.response.body.count * 1000 / max(1, bytesPerSecond))
            guard needed < request.timeout else {
                try await wait(request.timeout)
                throw .timedOut(host: host, wasSent: true)
            }
            try await wait(needed)
        }
        guard answer.response.body.count <= request.sizeLimit else {
            throw .responseTooLarge(limit: request.sizeLimit)
        }
        var received = HTTPHeaders()
        for header in answer.response.headers { received.add(header.name, header.value) }
        return HTTPResponse(status: answer.response.status, headers: received, body: answer.response.body)
    }

    private func wait(_ duration: Duration) async throws(NetworkError) {
        guard duration > .zero else { return }
        do throws(CancellationError) { try await time.sleep(for: duration) } catch { throw .cancelled(wasSent: true) }
    }
}
