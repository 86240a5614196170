extension Fault {
    /// What is answered before the request does anything; nil when it is carried out.
    func instead(_ dialect: Dialect) -> SiteResponse? {
        switch self {
        case .refusal(let status, let seconds):
            var response = Self.refusal(status).response(dialect)
            if let seconds { response.headers.append(("Retry-After", String(seconds))) }
            return response
        case .cut: return SiteResponse(status: 500)
        case .html:
            return .html(
                "<!DOCTYPE html><html><head><title>Maintenance</title></head><body><h1>Briefly unavailable for "
                    + "scheduled maintenance. Check back in a minute.</h1></body></html>")
        case .huge(let bytes):
            var body = [UInt8](repeating: UInt8(ascii: " "), count: bytes)
            body[0] = UInt8(ascii: "[")
            return .json(body)
        case .redirect(let address):
            return SiteResponse(status: 302, headers: [("Location", address), ("Content-Type", "text/html")])
        case .latency, .lostAnswer, .failedAnswer, .truncated, .charset, .wrongTypes, .slow: return nil
        }
    }

    /// What becomes of an answer that was made.
    func spoil(_ answer: inout SiteAnswer, _ dialect: Dialect) {
        switch self {
        case .failedAnswer: answer.response = Self.refusal(500).response(dialect)
        case .latency(let milliseconds): answer.delay = .milliseconds(milliseconds)
        case .lostAnswer: answer.delivery = .cut
        case .truncated(let bytes):
            answer.delivery = .truncated(min(bytes, max(0, answer.response.body.count - 1)))
        case .slow(let bytes): answer.delivery = .slow(bytesPerSecond: bytes)
        case .charset:
            let text = String(decoding: answer.response.body, as: UTF8.self)
            answer.response.body =
                [0xFF, 0xFE]
                + text.utf16.flatMap { [UInt8(truncatingIfNeeded: $0), UInt8(truncatingIfNeeded: $0 >> 8)] }
        case .wrongTypes:
            if let node = JSONReader.node(answer.response.body) { answer.response.body = node.confused.bytes }
        case .refusal, .cut, .html, .huge, .redirect: break
        }
    }

    private static func refusal(_ status: Int) -> SiteError {
        switch status {
        case 401: SiteError(401, "rest_forbidden", "Sorry, you are not allowed to do that.")
        case 403: SiteError(403, "rest_forbidden", "Sorry, you are not allowed to do that.")
        case 404: SiteError.noRoute
        case 429: SiteError(429, "too_many_requests", "Too many requests. Please slow down.")
        case 502: SiteError(502, "bad_gateway", "Bad gateway")
        case 503: SiteError(503, "service_unavailable", "The service is unavailable for a moment.")
        default:
            SiteError(
                500, "internal_server_error",
                "<p>There has been a critical error on this website.</p><p><a href=\"https://wordpress.org/"
                    + "documentation/article/faq-troubleshooting/\">Learn more.</a></p>")
        }
    }
}

extension JSONNode {
    /// The same with wrong types throughout.
    fileprivate var confused: JSONNode {
        switch self {
        case .null: [:]
        case .bool: "perhaps"
        case .number: "many"
        case .text(let text): .list([.text(text)])
        case .list(let elements): .list(elements.map(\.confused))
        case .object(let members): .object(members.map { Member(name: $0.name, value: $0.value.confused) })
        }
    }
}
