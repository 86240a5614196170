import Payments
import ScenarioFormat
import Sessions
import StripeTerminal
import Text

/// The till of a scenario that speaks a terminal protocol: what it has kept of answers, and its terminal.
struct TillPlay: Sendable {
    /// The terminal, by its protocol.
    private enum Terminal: Sendable {
        case stripe(StripePlay)
    }

    private var terminal: Terminal
    private var kept: [String: String] = [:]

    /// How a request was answered.
    struct Result: Sendable {
        /// The payment that was taken during the request; nil for none.
        var payment: Payment?
        /// What the till did not expect, with its key.
        var differences: [(key: String, difference: Difference)] = []
    }

    init(_ tillProtocol: TillProtocol, in session: SimulatedSession) {
        switch tillProtocol {
        case .stripe: terminal = .stripe(StripePlay(seed: session.plan.seed, now: session.now))
        }
    }

    /// Sends a request, lets the session do what it asks for, and compares the answer.
    ///
    /// - Parameters:
    ///   - request: the request.
    ///   - session: the session.
    ///   - options: those of a payment with a card; nil for the scenario's card.
    /// - Returns: how it was answered.
    /// - Throws: `SimulatedSessionError` when a name was not kept before, and when the session failed.
    mutating func ask(
        _ request: TillRequest, in session: SimulatedSession, _ options: (String?) -> PaymentOptions
    ) async throws(SimulatedSessionError) -> Result {
        switch (terminal, request.message) {
        case (.stripe(var play), .http(let http)):
            let sent = try stripe(http)
            // Also after an error: what happened before it did happen.
            defer { terminal = .stripe(play) }
            let (answer, payment) = try await play.answer(sent, in: session, options)
            return Result(payment: payment, differences: compare(answer, with: request))
        }
    }

    // MARK: Requests

    private func stripe(_ request: TillHTTPRequest) throws(SimulatedSessionError) -> StripeRequest {
        var fields: [String] = []
        for field in request.form {
            fields.append("\(Self.encoded(field.name))=\(Self.encoded(try filled(field.value)))")
        }
        var headers = [StripeRequest.Header("Authorization", "Bearer sk_test_1")]
        if !fields.isEmpty {
            headers.append(StripeRequest.Header("Content-Type", "application/x-www-form-urlencoded"))
        }
        if let key = request.key { headers.append(StripeRequest.Header("Idempotency-Key", try filled(key))) }
        return StripeRequest(
            method: request.method.rawValue.uppercased(), target: try filled(request.path), headers: headers,
            body: Array(fields.joined(separator: "&").utf8))
    }

    /// Puts kept values in the places of their names.
    private func filled(_ text: String) throws(SimulatedSessionError) -> String {
        var parts = text.split(separator: "<", omittingEmptySubsequences: false)
        var filled = String(parts.removeFirst())
        for part in parts {
            guard let end = part.firstIndex(of: ">") else {
                filled += "<" + part
                continue
            }
            let name = String(part[..<end])
            guard let value = kept[name] else { throw .plan("no request before has kept '\(name)'") }
            filled += value + part[part.index(after: end)...]
        }
        return filled
    }

    /// A name or a value of a form (application/x-www-form-urlencoded).
    private static func encoded(_ text: String) -> String {
        text.utf8.map { byte in
            switch byte {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x5F: String(UnicodeScalar(byte))
            default: "%" + byte.hexadecimal
            }
        }.joined()
    }

    // MARK: Answers

    private mutating func compare(
        _ answer: StripeAnswer?, with request: TillRequest
    ) -> [(key: String, difference: Difference)] {
        guard let answer else {
            return [("answer", Difference(expected: ["an answer"], seen: ["none: the request still waits"]))]
        }
        guard !answer.isLost, !request.isLost else {
            guard answer.isLost != request.isLost else { return [] }
            let (lost, status) = (["a lost answer"], ["status \(answer.response.status)"])
            let (expected, seen) = answer.isLost ? (status, lost) : (lost, status)
            return [("answer", Difference(expected: expected, seen: seen))]
        }
        var differences: [(key: String, difference: Difference)] = []
        func add(_ key: String, _ expected: String, _ seen: String) {
            differences.append((key, Difference(expected: [expected], seen: [seen])))
        }
        let (response, json) = (answer.response, answer.response.json)
        let words = "\(response.status)" + (json["error"]?["message"]?.textValue.map { ": \($0)" } ?? "")
        if let status = request.status {
            if status != response.status { add("status", "\(status)", words) }
        } else if response.status >= 400 {
            add("status", "no error", words)
        }
        let isReplayed = response.headers.contains { $0.name == "Idempotent-Replayed" }
        if let expected = request.isReplayed, expected != isReplayed {
            add("replayed", "\(expected)", "\(isReplayed)")
        }
        for field in request.fields {
            let seen = Self.text(at: field.place, in: json)
            let expected = (try? filled(field.text)) ?? field.text
            if let seen, TextPattern(expected).matches(seen) { continue }
            add("fields", "\(field.place): \(expected)", "\(field.place): \(seen ?? "not there")")
        }
        for field in request.kept {
            guard let value = Self.text(at: field.place, in: json) else {
                add("keep", "\(field.place) for '\(field.text)'", "not there")
                continue
            }
            kept[field.text] = value
        }
        return differences
    }

    /// The value at a place such as `data.0.id`; nil when there is none.
    private static func text(at place: String, in json: JSONValue) -> String? {
        var value = json
        for part in place.split(separator: ".") {
            switch value {
            case .list(let values):
                guard let index = Int(part), values.indices.contains(index) else { return nil }
                value = values[index]
            default:
                guard let member = value[String(part)] else { return nil }
                value = member
            }
        }
        return value.textValue ?? value.jsonText
    }
}
