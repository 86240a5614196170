internal import Determinism

/// Tells answers from errors, by the interface that the request was really sent to.
struct ResponseValidator {
    let dialect: Dialect

    /// `now`: what this machine's clock shows, to find one that is wrong.
    /// - Returns: the answer's JSON.
    /// - Throws: ``NetworkError/service(_:)``, ``NetworkError/unreadable(_:)``
    func validate(_ response: HTTPResponse, now: Timestamp) throws(NetworkError) -> JSONDocument {
        let document: JSONDocument
        do throws(JSONSyntaxError) {
            document = try JSONDocument(response.body)
        } catch {
            // An error page says no more than its status does.
            guard response.isSuccess else {
                throw .service(Self.serviceError(response, code: nil, message: nil, now: now))
            }
            throw .unreadable(
                UnreadableContent(
                    problem: error, contentType: response.headers["Content-Type"], status: response.status))
        }
        if let (code, message, status) = error(in: document) {
            throw .service(Self.serviceError(response, status: status, code: code, message: message, now: now))
        }
        guard response.isSuccess else {
            throw .service(Self.serviceError(response, code: nil, message: nil, now: now))
        }
        return document
    }

    /// What the answer says of an error, if it is one. A status inside counts more than that of HTTP, which is the
    /// tunnel's.
    func error(in document: JSONDocument) -> (code: String, message: String?, status: Int?)? {
        let message = text("message", document)
        if dialect != .wordPress, let code = text("error", document) {
            return (code, message, number("status", document))
        }
        // The tunnel passes on the site's errors as they are.
        guard dialect != .dotcom, let code = text("code", document), let message else { return nil }
        let status = document.member("data", of: JSONDocument.root).flatMap { document.member("status", of: $0) }
            .flatMap { Int(document.text(document.nodes[$0])) }
        return (code, message, status)
    }

    private func text(_ name: String, _ document: JSONDocument) -> String? {
        guard let node = document.member(name, of: JSONDocument.root), document.nodes[node].kind == .text else {
            return nil
        }
        return document.text(document.nodes[node])
    }

    private func number(_ name: String, _ document: JSONDocument) -> Int? {
        guard let node = document.member(name, of: JSONDocument.root), document.nodes[node].kind == .number else {
            return nil
        }
        return Int(document.text(document.nodes[node]))
    }

    private static func serviceError(
        _ response: HTTPResponse, status: Int? = nil, code: String?, message: String?, now: Timestamp
    ) -> ServiceError {
        let shown = status ?? response.status
        let server = response.headers["Date"].flatMap(HTTPDate.init)?.moment
        let ahead = server.map { Duration.milliseconds(now.milliseconds - $0.milliseconds) }
        let isOff = ahead.map { $0 > .seconds(300) || $0 < .seconds(-300) } ?? false
        return ServiceError(
            status: shown, code: code, message: message,
            retryAfter: response.headers["Retry-After"].flatMap { HTTPDate.delay($0, now: server ?? now) },
            clockAhead: isOff && (400...403).contains(shown) ? ahead : nil)
    }
}
