import NexoTerminal
import Payments
import ScenarioFormat
import Sessions
import StripeTerminal
import Text
import TillConfiguration

/// The till of a scenario that speaks a terminal protocol: what it has kept of answers, and its terminal.
struct TillPlay: Sendable {
    /// The terminal, by its protocol.
    private enum Terminal: Sendable {
        case stripe(StripePlay)
        case nexo(NexoPlay)
        case zvt(ZVTPlay)
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
        case .nexo: terminal = .nexo(NexoPlay(seed: session.plan.seed, now: session.now))
        case .zvt: terminal = .zvt(ZVTPlay(currency: session.plan.till.currency))
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
            return Result(payment: payment, differences: compare(answer.map { TillAnswer($0) }, with: request))
        case (.nexo(var play), .http), (.nexo(var play), .nexo):
            let sent = try nexo(request.message)
            defer { terminal = .nexo(play) }
            let (answer, payment) = try await play.answer(sent, in: session, options)
            return Result(payment: payment, differences: compare(answer.map { TillAnswer($0) }, with: request))
        case (.zvt(var play), .zvt(let command)):
            var command = command
            command.content = try filled(command.content)
            defer { terminal = .zvt(play) }
            let (answer, payment) = try await play.answer(command, in: session, options)
            return Result(payment: payment, differences: compare(answer, with: request))
        default: throw .plan("the request is of another protocol than the till")
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

    /// The categories whose messages have the class Device.
    private static let devices: Set<String> = [
        "CardReaderAPDU", "CardReaderInit", "CardReaderPowerOff", "Display", "Input", "InputUpdate", "PIN", "Print",
        "Sound", "Transmit",
    ]

    private func nexo(_ message: TillRequest.Message) throws(SimulatedSessionError) -> NexoRequest {
        switch message {
        case .http(let http):
            let body = try http.json.map { json throws(SimulatedSessionError) in try filled(json).jsonText } ?? ""
            return NexoRequest(
                method: http.method.rawValue.uppercased(), target: try filled(http.path), body: Array(body.utf8))
        case .nexo(let nexo):
            let header: JSONValue = [
                "ProtocolVersion": "3.0",
                "MessageClass": .text(Self.devices.contains(nexo.category) ? "Device" : "Service"),
                "MessageCategory": .text(nexo.category), "MessageType": "Request",
                "ServiceID": .text(try filled(nexo.service)), "SaleID": "TILL1", "POIID": .text(NexoPlay.terminalID),
            ]
            let content = JSONValue.object([
                .init("MessageHeader", header), .init(nexo.category + "Request", try filled(nexo.content)),
            ])
            let envelope: JSONValue = ["SaleToPOIRequest": content]
            return NexoRequest(method: "POST", target: try filled(nexo.path), body: Array(envelope.jsonText.utf8))
        case .zvt: throw .plan("the request is of another protocol than the till")
        }
    }

    private func filled(
        _ content: TillZVTCommand.Content
    ) throws(SimulatedSessionError) -> TillZVTCommand.Content {
        switch content {
        case .command(let name, let data, let fields):
            var values: [TillZVTCommand.Field] = []
            for field in fields { values.append(TillZVTCommand.Field(field.number, try filled(field.value))) }
            return .command(name, data: try filled(data), fields: values)
        case .bytes(let digits): return .bytes(try filled(digits))
        case .nothing: return content
        }
    }

    /// Puts kept values in the places of their names, in all texts of a value.
    private func filled(_ value: JSONValue) throws(SimulatedSessionError) -> JSONValue {
        switch value {
        case .text(let text): return .text(try filled(text))
        case .list(let values):
            var filled: [JSONValue] = []
            for value in values { filled.append(try self.filled(value)) }
            return .list(filled)
        case .object(let members):
            var filled: [JSONValue.Member] = []
            for member in members { filled.append(.init(member.name, try self.filled(member.value))) }
            return .object(filled)
        case .null, .bool, .number: return value
        }
    }

    /// Puts kept values in the places of their names.
    private func filled(_ text: String) throws(SimulatedSessionError) -> String {
        var parts = text.split(separator: "<", omittingEmptySubsequences: false)
        guard !parts.isEmpty else { return text }
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
        _ answer: TillAnswer?, with request: TillRequest
    ) -> [(key: String, difference: Difference)] {
        guard let answer else {
            return [("answer", Difference(expected: ["an answer"], seen: ["none: the request still waits"]))]
        }
        var differences: [(key: String, difference: Difference)] = []
        func add(_ key: String, _ expected: String, _ seen: String) {
            differences.append((key, Difference(expected: [expected], seen: [seen])))
        }
        if answer.isLost != request.isLost {
            let (lost, status) = ("a lost answer", answer.status.map { "status \($0)" } ?? "an open connection")
            add("answer", request.isLost ? lost : status, request.isLost ? status : lost)
            guard answer.status == nil else { return differences }
        }
        // Over HTTP, a lost answer has nothing to look at.
        if answer.isLost, answer.status != nil { return differences }
        checkErrors(answer, request, add)
        if let patterns = request.messages {
            let (expected, seen) = (patterns.map { (try? filled($0)) ?? $0 }, answer.messageWords)
            let isExpected =
                expected.count == seen.count && zip(expected, seen).allSatisfy { TextPattern($0).matches($1) }
            if !isExpected { differences.append(("messages", Difference(expected: expected, seen: seen))) }
        }
        if let expected = request.isReplayed, expected != answer.isReplayed {
            add("replayed", "\(expected)", "\(answer.isReplayed)")
        }
        for field in request.fields {
            let seen = answer.values(at: field.place)
            let expected = (try? filled(field.text)) ?? field.text
            if seen.contains(where: { TextPattern(expected).matches($0) }) { continue }
            let words = seen.isEmpty ? "not there" : seen.joined(separator: " | ")
            add("fields", "\(field.place): \(expected)", "\(field.place): \(words)")
        }
        for field in request.kept {
            guard let value = answer.values(at: field.place).first else {
                add("keep", "\(field.place) for '\(field.text)'", "not there")
                continue
            }
            kept[field.text] = value
        }
        return differences
    }

    /// Compares the status, and finds an error that nothing is expected of.
    private func checkErrors(
        _ answer: TillAnswer, _ request: TillRequest, _ add: (_ key: String, _ expected: String, _ seen: String) -> Void
    ) {
        let words = answer.problem ?? answer.status.map { "\($0)" } ?? "none"
        if let status = request.status {
            if status != answer.status { add("status", "\(status)", words) }
        } else if let status = answer.status, status >= 400 {
            add("status", "no error", words)
        } else if answer.problem != nil, request.fields.isEmpty, request.messages == nil {
            add("answer", "no error", words)
        }
    }
}

extension TillAnswer {
    /// The messages in words; the same one after another is one.
    fileprivate var messageWords: [String] {
        var words: [String] = []
        for message in messages where message.words != words.last { words.append(message.words) }
        return words
    }
}
