import Networking

/// Measures tills that pay through the Stripe-compatible protocol at `cardpresent simulate terminal`: many terminals in
/// one process at the pace of shops, and then whole payments as fast as a few tills can make them.
struct TerminalBenchmark {
    let program: String
    var terminals = 200
    /// The number of payments of each terminal.
    var payments = 10
    /// The time from one payment of a terminal to the next one.
    var pause = Duration.seconds(2)
    /// The number of payments that are made without pauses.
    var fastPayments = 2_000
    /// The number of tills that make them at the same time.
    var jobs = 2

    private static let target = (milliseconds: 50.0, megabytes: 300.0, seconds: 60.0)

    func run() async throws -> String { try await [paced(), fast()].joined(separator: "\n") }

    private func started() throws -> (RunningServer, address: String) {
        let server = try RunningServer(
            program, ["simulate", "terminal", "--protocol", "stripe", "--port", "0", "--seed", "1"], until: "\n  key")
        return (server, try server.address(after: "Terminals at "))
    }

    // MARK: Many terminals

    private func paced() async throws -> String {
        let (server, address) = try started()
        let network = try CurlNetwork()
        var (tills, first) = ([TerminalTill](), TerminalTimes())
        for number in 0..<terminals {
            let till = try await TerminalTill(name: "till-\(number)", at: address, network)
            // The first payment of a terminal makes its reader, cards, issuer, and journal.
            try await till.pay("first", baselines: 0, &first)
            tills.append(till)
        }
        let start = ContinuousClock.now
        let times = try await eachTill(tills) { [payments, pause, terminals] number, till in
            var times = TerminalTimes()
            for payment in 0..<payments {
                // Terminals begin at different times, like customers, and a slow payment does not delay the next one.
                try await Task.sleep(until: start + pause * payment + pause * number / terminals)
                try await till.pay(String(payment), baselines: 1, &times)
            }
            return times
        }
        let memory = try Double(Machine.residentKilobytes(of: server.process, atPeak: true)) / 1000
        let all = times.reduce(into: TerminalTimes()) { $0.add($1) }
        let least = all[.unknownObject]
        var table = MarkdownTable(
            "\(terminals) terminals", "requests", "median, ms", "p99, ms", "p99 against the baseline's",
            "target for p99")
        for step in TerminalStep.allCases {
            let samples = all[step]
            table.add(
                step.rawValue, String(samples.values.count), samples.median.text(1), samples.percentile(99).text(1),
                (samples.percentile(99) / least.percentile(99)).text(1), "")
        }
        let opening = first[.present]
        table.add(
            "the same at a new terminal, one after the other", String(opening.values.count), opening.median.text(1),
            opening.percentile(99).text(1), (opening.percentile(99) / least.percentile(99)).text(1), "")
        let any = all.payments
        table.add(
            "any request of a payment", String(any.values.count), any.median.text(1), any.percentile(99).text(1),
            (any.percentile(99) / least.percentile(99)).text(1),
            verdict(any.percentile(99), atMost: Self.target.milliseconds))
        return """
            ### Terminals of tills

            A payment every \(pause.components.seconds) seconds at each terminal, all in one process, through the \
            Stripe-compatible API. Peak memory of the process in MB: \(memory.text(0)) \
            (\(verdict(memory, atMost: Self.target.megabytes))). Load \(Machine.load).

            \(table.text)
            """
    }

    // MARK: As fast as they go

    private func fast() async throws -> String {
        let (server, address) = try started()
        defer { withExtendedLifetime(server) {} }
        let network = try CurlNetwork()
        var tills: [TerminalTill] = []
        for number in 0..<jobs {
            tills.append(try await TerminalTill(name: "job-\(number)", at: address, network))
        }
        let times = try await eachTill(tills) { [fastPayments, jobs] _, till in
            var times = TerminalTimes()
            // As many requests as a payment has, before each one: a slow minute of the machine affects both.
            for payment in 0..<fastPayments / jobs {
                try await till.pay(String(payment), baselines: 3, &times)
            }
            return times
        }
        // The slowest till ends the whole.
        let payments = (times.map { $0.payments.sum }.max() ?? 0) / 1000
        let least = (times.map { $0[.unknownObject].sum }.max() ?? 0) / 1000
        var table = MarkdownTable("\(fastPayments) payments", "s", "payments/s", "against the baseline", "target, s")
        table.add("as many `GET`s of an unknown object (baseline)", least.text(1), "", "1.0", "")
        table.add(
            "whole payments, \(jobs) jobs", payments.text(1), (Double(fastPayments) / payments).text(0),
            (payments / least).text(1), verdict(payments, atMost: Self.target.seconds))
        return """
            ### Whole payments at terminals

            Each is created, sent to a reader, and paid with a card, with everything in it: card, reader, issuer, \
            journal. The baseline has three requests for each payment. Load \(Machine.load).

            \(table.text)
            """
    }

    /// Runs `body` for every till at the same time.
    private func eachTill(
        _ tills: [TerminalTill], _ body: @escaping @Sendable (Int, TerminalTill) async throws -> TerminalTimes
    ) async throws -> [TerminalTimes] {
        try await withThrowingTaskGroup(of: TerminalTimes.self) { group in
            for (number, till) in tills.enumerated() { group.addTask { try await body(number, till) } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
    }
}

/// A request that is measured.
private enum TerminalStep: String, CaseIterable {
    case unknownObject = "`GET` of an unknown object (baseline)"
    case create = "create a payment intent"
    case process = "send it to the reader"
    case present = "present the card, until the approval"
}

/// The times of requests, in milliseconds.
private struct TerminalTimes {
    private var samples: [TerminalStep: Samples] = [:]

    subscript(step: TerminalStep) -> Samples { samples[step] ?? Samples() }

    /// The requests of payments.
    var payments: Samples {
        Samples(samples.filter { $0.key != .unknownObject }.flatMap(\.value.values))
    }

    mutating func add(_ milliseconds: Double, to step: TerminalStep) {
        samples[step, default: Samples()].add(milliseconds)
    }

    mutating func add(_ others: TerminalTimes) {
        samples.merge(others.samples) { Samples($0.values + $1.values) }
    }
}

extension Samples {
    fileprivate var sum: Double { values.reduce(0, +) }
}

/// A till with a reader of its own.
private struct TerminalTill: Sendable {
    private let name: String
    private let address: String
    private let network: CurlNetwork
    private let reader: String

    init(name: String, at address: String, _ network: CurlNetwork) async throws {
        (self.name, self.address, self.network) = (name, address, network)
        let made = try await Self.ask(
            .post, address + "/v1/terminal/readers", "registration_code=simulated-wpe", key: name, network)
        reader = try Self.id(made)
    }

    /// Takes a payment of 12.50 dollars, after requests for an object that does not exist.
    func pay(_ number: String, baselines: Int, _ times: inout TerminalTimes) async throws {
        for _ in 0..<baselines {
            _ = try await measured(.unknownObject, .get, "/v1/payment_intents/pi_none", nil, key: nil, &times)
        }
        let key = "\(name)-\(number)-"
        let intent = try Self.id(
            await measured(
                .create, .post, "/v1/payment_intents", "amount=1250&currency=usd", key: key + "create", &times))
        let place = "/terminal/readers/\(reader)/"
        _ = try await measured(
            .process, .post, "/v1\(place)process_payment_intent", "payment_intent=\(intent)", key: key + "process",
            &times)
        let paid = try await measured(
            .present, .post, "/v1/test_helpers\(place)present_payment_method", "", key: key + "present", &times)
        guard paid.contains(#""status":"succeeded""#) else { throw BenchmarkError("a payment was not approved") }
    }

    private func measured(
        _ step: TerminalStep, _ method: HTTPMethod, _ path: String, _ form: String?, key: String?,
        _ times: inout TerminalTimes
    ) async throws -> String {
        var text = ""
        let time = try await seconds {
            text = try await Self.ask(method, address + path, form, key: key, network)
        }
        times.add(time * 1000, to: step)
        return text
    }

    /// Sends a request as the libraries of the protocol do: each POST has a key of its own.
    private static func ask(
        _ method: HTTPMethod, _ address: String, _ form: String?, key: String?, _ network: CurlNetwork
    ) async throws -> String {
        var headers: HTTPHeaders = ["Authorization": "Bearer sk_test_1"]
        if form != nil { headers.add("Content-Type", "application/x-www-form-urlencoded") }
        if let key { headers.add("Idempotency-Key", key) }
        let response = try await network.response(
            for: HTTPRequest(
                method: method, address: try WebAddress(address), headers: headers, body: form.map { Array($0.utf8) }))
        guard response.status == (form == nil ? 404 : 200) else {
            throw BenchmarkError("the terminals answered \(response.status)")
        }
        return String(decoding: response.body, as: UTF8.self)
    }

    /// The ID of an object, which comes first in it.
    private static func id(_ object: String) throws -> String {
        let start = #"{"id":""#
        guard object.hasPrefix(start) else { throw BenchmarkError("the terminals answered without an ID") }
        return String(object.dropFirst(start.count).prefix { $0 != "\"" })
    }
}
