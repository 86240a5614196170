import Payments
import Terminal
import Text

/// One endpoint of the protocol.
struct StripeRoute: Sendable {
    /// Answers a call. Nil when it has to wait for a reader: it is called again when a reader has ended its work.
    typealias Handler =
        @Sendable (inout StripeTerminal, inout StripeCall, _ id: String) throws(StripeError) -> JSONValue?

    /// The path of what is about the simulation.
    static let control = "/_simulator/"
    /// The path of what people do at simulated readers.
    private static let helpers = "/v1/test_helpers/"

    let method: String
    /// The parts of the path; `:id` stands for an ID.
    let path: [Substring]
    /// The parameters that it takes, besides `expand`.
    let parameters: [String]
    let handler: Handler

    init(_ method: String, _ path: String, _ parameters: [String] = [], _ handler: @escaping Handler) {
        (self.method, self.path) = (method, path.split(separator: "/"))
        (self.parameters, self.handler) = (parameters, handler)
    }

    static let all = readers + actions + inputs + locations + intents + charges + refunds + events + webhooks + others

    /// Finds the endpoint of a call, and runs it.
    static func respond(_ terminal: inout StripeTerminal, _ call: inout StripeCall) throws(StripeError) -> JSONValue? {
        let parts = call.request.path.split(separator: "/", omittingEmptySubsequences: true)
        let isSimulated = terminal.setup.reader == nil
        if !isSimulated, call.request.path.hasPrefix(helpers) { throw .simulatedOnly }
        for route in all where route.method == call.request.method && route.path.count == parts.count {
            var id = ""
            let fits = zip(route.path, parts).allSatisfy { wanted, part in
                if wanted == ":id" { id = String(part) }
                return wanted == ":id" || wanted == part
            }
            guard fits, isSimulated || !call.isControl else { continue }
            try call.parameters.check(only: route.parameters + ["expand"])
            return try route.handler(&terminal, &call, id)
        }
        let path = String(call.request.path.prefix(200))
        throw StripeError(
            status: 404, code: nil, "Unrecognized request URL (\(call.request.method): \(path)).", isStored: false)
    }
}

extension StripeTerminal {
    /// The reader with an ID, as a parameter or in the path.
    func reader(_ id: String) throws(StripeError) -> StripeReader {
        guard let reader = books.readers[id], !reader.isDeleted else { throw .noSuch("terminal.reader", id) }
        return reader
    }

    func intent(_ id: String, parameter: String? = nil) throws(StripeError) -> StripeIntent {
        guard let intent = books.intents[id] else { throw .noSuch("payment_intent", id, parameter: parameter) }
        return intent
    }

    func charge(_ id: String, parameter: String? = nil) throws(StripeError) -> StripeCharge {
        guard let charge = books.charges[id] else { throw .noSuch("charge", id, parameter: parameter) }
        return charge
    }

    /// Carries out work that needs no reader.
    ///
    /// - Returns: how it ended; nil while the call has to wait.
    mutating func office(
        _ call: inout StripeCall, _ reader: String, _ operation: TerminalOperation,
        _ purpose: () -> StripeTask.Purpose
    ) throws(StripeError) -> TerminalOutcome? {
        if let key = call.started {
            guard case .finished(let record)? = desks[reader]?.status(of: key) else { return nil }
            return record.outcome
        }
        guard desks[reader]?.isOfficeBusy == false else { return nil }
        call.started = try start(StripeTask(reader: reader, purpose: purpose()), operation)
        return nil
    }
}

/// A filter of lists by time: `created=1700000000`, or `created[gte]=…`.
struct StripeTimeFilter {
    private var (lowest, highest) = (Int64.min, Int64.max)

    init(_ parameters: StripeParameters) throws(StripeError) {
        guard parameters.has("created") else { return }
        guard let bounds = try? parameters.map("created") else {
            let moment = try parameters.integer("created", in: 0...Int64(Int32.max) * 4) ?? 0
            (lowest, highest) = (moment, moment)
            return
        }
        try bounds.check(only: ["gt", "gte", "lt", "lte"])
        let range: ClosedRange<Int64> = 0...Int64(Int32.max) * 4
        if let bound = try bounds.integer("gt", in: range) { lowest = max(lowest, bound + 1) }
        if let bound = try bounds.integer("gte", in: range) { lowest = max(lowest, bound) }
        if let bound = try bounds.integer("lt", in: range) { highest = min(highest, bound - 1) }
        if let bound = try bounds.integer("lte", in: range) { highest = min(highest, bound) }
    }

    func takes(_ moment: Int64) -> Bool { lowest <= moment && moment <= highest }
}
