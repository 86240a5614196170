import Determinism
import Networking
import Payments
import Printing
import Simulator
import StoreSite

/// The connection from a process to its payment host: the issuer itself, or an acquirer behind a wire. Logs every
/// message; a process that has ended can't send any.
struct ProcessHost: PaymentHost {
    let host: any PaymentHost
    let life: ProcessLife
    /// Called with what a message will have on the wire, before it is sent.
    var onIdentity: (@Sendable (MessageIdentity, IdempotencyKey) -> Void)?

    var name: String { host.name }
    var canBeAsked: Bool { host.canBeAsked }
    var knowsKeys: Bool { host.knowsKeys }
    var adviceLimits: AdviceLimits? { host.adviceLimits }
    var sealsCardData: Bool { host.sealsCardData }

    private static let gone = "the process is gone"

    func identity(of subject: MessageSubject) async throws(PaymentHostError) -> MessageIdentity? {
        let identity = try await host.identity(of: subject)
        if let identity { onIdentity?(identity, subject.key) }
        return identity
    }

    func checkCardData(
        for message: MessageOfOriginal, of original: MessageIdentity, key: IdempotencyKey
    ) async throws(PaymentHostError) {
        try await host.checkCardData(for: message, of: original, key: key)
    }

    func authorize(
        _ request: borrowing AuthorizationRequest
    ) async throws(PaymentHostError) -> AuthorizationResponse {
        try send("authorize", request.key)
        do throws(PaymentHostError) {
            return try take("authorize", request.key, try await host.authorize(request)) { $0.responseCode }
        } catch {
            throw fail("authorize", request.key, error)
        }
    }

    func reverse(_ request: ReversalRequest) async throws(PaymentHostError) {
        let reason = request.reason.rawValue
        try await exchange("reverse", of: request.key, about: reason) { () async throws(PaymentHostError) in
            try await host.reverse(request)
        } words: {
            ""
        }
    }

    func advise(_ advice: AdviceRequest) async throws(PaymentHostError) {
        let purpose = advice.purpose.rawValue
        try await exchange("advise", of: advice.key, about: purpose) { () async throws(PaymentHostError) in
            try await host.advise(advice)
        } words: {
            ""
        }
    }

    func inquire(_ key: IdempotencyKey, identity: MessageIdentity?) async throws(PaymentHostError) -> InquiryResult {
        try await exchange("inquire", of: key) { () async throws(PaymentHostError) in
            try await host.inquire(key, identity: identity)
        } words: { result in
            switch result {
            case .notFound: "not_found"
            case .approved: "approved"
            case .declined: "declined"
            case .reversed: "reversed"
            }
        }
    }

    /// Asks without a log entry, because it moves nothing: a process asks once, when it opens.
    func lastNumbers(of identities: [String]) async throws(PaymentHostError) -> [String: Int64] {
        guard life.isAlive else { throw .notSent(Self.gone) }
        let numbers = try await host.lastNumbers(of: identities)
        guard life.isAlive else { throw .outcomeUnknown(Self.gone) }
        return numbers
    }

    func refund(_ request: HostRefundRequest) async throws(PaymentHostError) -> AuthorizationResponse {
        try await exchange("refund", of: request.key) { () async throws(PaymentHostError) in
            try await host.refund(request)
        } words: {
            $0.responseCode
        }
    }

    func increment(_ request: HostIncrementRequest) async throws(PaymentHostError) -> AuthorizationResponse {
        try await exchange("increment", of: request.key) { () async throws(PaymentHostError) in
            try await host.increment(request)
        } words: {
            $0.responseCode
        }
    }

    // MARK: One message

    private func exchange<Answer>(
        _ message: String, of key: IdempotencyKey, about detail: String = "",
        _ body: () async throws(PaymentHostError) -> Answer,
        words: (Answer) -> String
    ) async throws(PaymentHostError) -> Answer {
        try send(message, key, detail)
        do throws(PaymentHostError) {
            return try take(message, key, try await body(), words: words)
        } catch {
            throw fail(message, key, error)
        }
    }

    /// Logs the message as sent. The issuer receives it even if that log entry triggers a crash of the process.
    private func send(
        _ message: String, _ key: IdempotencyKey, _ detail: String = ""
    ) throws(PaymentHostError) {
        guard life.isAlive else { throw .notSent(Self.gone) }
        note(detail.isEmpty ? "\(message) sent" : "\(message) sent \(detail)", of: key)
    }

    private func take<Answer>(
        _ message: String, _ key: IdempotencyKey, _ answer: Answer, words: (Answer) -> String
    ) throws(PaymentHostError) -> Answer {
        let words = words(answer)
        note(words.isEmpty ? "\(message) answered" : "\(message) answered \(words)", of: key)
        guard life.isAlive else { throw .outcomeUnknown(Self.gone) }
        return answer
    }

    private func fail(_ message: String, _ key: IdempotencyKey, _ error: PaymentHostError) -> PaymentHostError {
        switch error {
        case .notSent: note("\(message) not_sent", of: key)
        case .outcomeUnknown: note("\(message) unanswered", of: key)
        }
        return life.isAlive ? error : .outcomeUnknown(Self.gone)
    }

    /// Traces first, because the event can end the process.
    private func note(_ words: String, of key: IdempotencyKey) {
        life.trace(TracedEvent(.host, words, attempt: key.attemptNumber))
        life.note(.host, words)
    }
}

/// The connection from a process to the store site, without sockets. Applies the faults that the site asks for; delays
/// run on the session's clock.
struct ProcessNetwork: Network {
    let site: StoreSite
    let time: any TimeSource
    /// Nil while the store is being prepared; those requests are not logged.
    let life: ProcessLife?
    var observer: (@Sendable (_ target: String, _ body: [UInt8]) -> Void)?
    /// Whether the site's server runs; nil for a server that never dies.
    var server: ServerLife?

    func response(for request: HTTPRequest) async throws(NetworkError) -> HTTPResponse {
        guard life?.isAlive != false else { throw .canceled(wasSent: false) }
        guard server?.isDown != true else {
            let words = "\(request.method.rawValue) \(request.address.path) 0"
            life?.trace(TracedEvent(.site, words))
            life?.note(.site, words)
            throw .cannotConnect(host: request.address.origin.host, reason: "the site is starting again")
        }
        let deaths = server?.deaths
        var headers = request.headers.fields.map { (name: $0.name, value: $0.value) }
        if let authorization = request.authorization { headers.append(("Authorization", authorization.revealed())) }
        if let cookie = request.cookie { headers.append(("Cookie", cookie.revealed())) }
        let target = request.address.path + (request.address.query.map { "?" + $0 } ?? "")
        observer?(target, request.body ?? [])
        let answer = site.answer(
            SiteRequest(method: request.method.rawValue, target: target, headers: headers, body: request.body ?? []))
        let seen = answer.seen
        life?.trace(TracedEvent(.site, "\(seen.method) \(seen.route ?? seen.path) sent"))
        var result: Result<HTTPResponse, NetworkError>
        do throws(NetworkError) {
            result = .success(try await deliver(answer, to: request))
        } catch {
            result = .failure(error)
        }
        if server?.deaths != deaths {
            result = .failure(.connectionLost(host: request.address.origin.host, reason: "the site has died"))
        }
        let status = (try? result.get())?.status ?? 0
        life?.trace(TracedEvent(.site, "\(seen.method) \(seen.route ?? seen.path) \(status)"))
        life?.note(.site, "\(seen.method) \(seen.route ?? seen.path) \(status)")
        guard life?.isAlive != false else { throw .canceled(wasSent: true) }
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
        do throws(CancellationError) { try await time.sleep(for: duration) } catch { throw .canceled(wasSent: true) }
    }
}

/// The connection from a process to the print server. A process that has ended can't print.
struct ProcessPrinter: PrinterService {
    let server: SessionPrintServer
    let time: any TimeSource
    let life: ProcessLife

    func printers() async throws(PrinterError) -> [PrintQueue] {
        try check()
        return [try server.queue()]
    }

    func capabilities(of printer: String?) async throws(PrinterError) -> PrinterCapabilities {
        try check()
        return try server.capabilities(of: printer)
    }

    func submit(
        _ document: PrintDocument, to printer: String?, options: PrintOptions
    ) async throws(PrinterError) -> PrintJob {
        try check()
        return try server.submit(document, to: printer)
    }

    func status(of job: PrintJob) async throws(PrinterError) -> PrintJob {
        try check()
        return try server.status(of: job)
    }

    func cancel(_ job: PrintJob) async throws(PrinterError) -> PrintJob {
        try check()
        return try server.cancel(job)
    }

    func wait(for duration: Duration) async throws(PrinterError) {
        try check()
        do throws(CancellationError) { try await time.sleep(for: duration) } catch { throw .canceled }
    }

    private func check() throws(PrinterError) {
        guard life.isAlive else { throw .canceled }
    }
}
