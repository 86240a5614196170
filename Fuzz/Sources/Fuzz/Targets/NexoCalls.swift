import CardSecrets
import Determinism
import Money
import NexoTerminal
import Payments
import Terminal

extension FuzzTarget {
    /// Messages of tills that speak nexo. Each line is a path, a blank, and a body. `~` stands for the rest of a
    /// header, and `^` for the newest transaction. A line that begins with `+` or `-` ends what runs.
    static let nexoCalls = FuzzTarget(
        "nexo-calls", longestInput: 2048,
        seeds: {
            func message(_ category: String, _ id: Int, _ request: String) -> String {
                #"{"SaleToPOIRequest":{"MessageHeader":{"MessageCategory":"\#(category)","ServiceID":"\#(id)",~},"#
                    + #""\#(category)Request":\#(request)}}"#
            }
            let sale =
                #"{"SaleData":{"SaleTransactionID":{"TransactionID":"1","TimeStamp":"x"}},"#
                + #""PaymentTransaction":{"AmountsReq":{"Currency":"EUR","RequestedAmount":12.5}}}"#
            let original =
                #"{"OriginalPOITransaction":{"POITransactionID":{"TransactionID":"^","TimeStamp":"x"}},"#
                + #""ReversalReason":"MerchantCancel","ReversedAmount":1}"#
            let reference = #"{"MessageReference":{"ServiceID":"1"},"AbortReason":"x"}"#
            return [
                ["/sync " + message("Payment", 1, sale), "+", "/nexo/ " + message("Reversal", 2, original), "+"],
                [
                    "/async " + message("Payment", 1, sale), "/sync " + message("Abort", 2, reference),
                    "/sync " + message("TransactionStatus", 3, #"{"MessageReference":{"ServiceID":"1"}}"#), "-",
                ],
                [
                    "/_simulator/faults {\"fault\":\"response_lost\"}", "/sync " + message("Payment", 1, sale), "+",
                    "/sync " + message("Payment", 1, sale),
                    "/sync " + message("Diagnosis", 2, #"{"HostDiagnosisFlag":true}"#), "+",
                ],
                [#"/nexo {"SaleToPOIRequest":{"MessageHeader":{~},"NexoBlob":"AAAA","SecurityTrailer":{}}}"#],
            ].map { Array($0.joined(separator: "\n").utf8) }
        },
        run: { input in
            var world = try NexoWorld()
            for line in input.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: true) { world.take(line) }
            world.end()
        })
}

/// A terminal whose till and reader follow the input.
private struct NexoWorld {
    private var terminal: NexoTerminal
    private var now = VirtualTimeSource.standardStart
    private var calls = 0
    private var open: Set<Int> = []
    private var running: [TerminalRequest] = []
    private var transaction = "none"
    private static let date = CivilDate(year: 2026, month: 11, day: 23)
    private static let header =
        #""ProtocolVersion":"3.0","MessageClass":"Service","MessageType":"Request","SaleID":"T","POIID":"A-1""#

    /// Derived once: its 4,000 rounds would take most of the time of an input.
    private static let key = Result {
        try NexoKey(passphrase: SensitiveBytes([1, 2, 3]), identifier: "key", version: 1)
    }

    init() throws {
        terminal = NexoTerminal(
            NexoTerminalOptions(terminals: ["A-1"], key: try Self.key.get()), random: SeededRandomSource(seed: 1),
            now: VirtualTimeSource.standardStart)
    }

    mutating func take(_ line: ArraySlice<UInt8>) {
        guard line.first == UInt8(ascii: "/") else { return finish(approves: line.first == UInt8(ascii: "+")) }
        let text = line.flatMap { byte -> [UInt8] in
            switch byte {
            case UInt8(ascii: "~"): Array(Self.header.utf8)
            case UInt8(ascii: "^"): Array(transaction.utf8)
            default: [byte]
            }
        }
        let target = text.prefix { $0 != UInt8(ascii: " ") }
        calls += 1
        now = now.advanced(by: .seconds(1))
        open.insert(calls)
        terminal.receive(
            NexoRequest(
                method: "POST", target: String(decoding: target, as: UTF8.self),
                body: Array(text.dropFirst(target.count + 1))), call: calls, at: now)
        obey()
    }

    private mutating func obey() {
        while let work = terminal.nextWork() {
            switch work {
            case .terminal(_, .begin(let request)):
                running.append(request)
                try? terminal.report(
                    request.operation.needsCard ? .waitingForCard : .working, of: request.key, at: now)
            case .terminal(_, .cancel(let key, let reason)):
                running.removeAll { $0.key == key }
                try? terminal.finish(key, .canceled(reason), on: Self.date, at: now)
            case .cancel(let key, _): try? terminal.finish(key, .canceled(.byCardholder), on: Self.date, at: now)
            case .terminal(_, .recover), .terminal(_, .print), .present, .answer: break
            }
        }
        while let answer = terminal.nextAnswer() { check(answer) }
        for delivery in terminal.takeDeliveries(at: now) { terminal.record(200, of: delivery, at: now) }
    }

    private mutating func check(_ answer: NexoAnswer) {
        hold(open.remove(answer.call) != nil, "a call gets one answer")
        hold((200..<500).contains(answer.response.status), "an error is the till's")
        let text = String(decoding: answer.response.body, as: UTF8.self)
        hold(text.isEmpty || text == "ok" || text.first == "{" && text.last == "}", "an answer is an object")
        let mark = #""POITransactionID":{"TransactionID":""#
        guard let range = text.firstRange(of: mark) else { return }
        transaction = String(text[range.upperBound...].prefix { $0 != "\"" })
    }

    /// Ends what runs.
    private mutating func finish(approves: Bool) {
        let requests = running
        running = []
        for request in requests {
            for step in [TerminalProgress.cardPresented, .authorizing] where request.operation.needsCard {
                try? terminal.report(step, of: request.key, at: now)
            }
            let outcome = outcome(of: request, approves: approves)
            try? terminal.finish(request.key, outcome, on: Self.date, at: now)
        }
        obey()
    }

    private func outcome(of request: TerminalRequest, approves: Bool) -> TerminalOutcome {
        guard request.operation.movesMoney else { return .done(TerminalReport()) }
        guard approves, let currency = try? Currency(code: "EUR"),
            let amount = try? Money(minorUnits: 1, currency: currency)
        else { return .declined(TerminalDecline(responseCode: "05", date: Self.date)) }
        return .approved(TerminalTransaction(receiptNumber: 1, trace: 1, amount: amount, date: Self.date))
    }

    /// Lets what runs end. Then no call waits.
    mutating func end() {
        for _ in 0..<100 where !open.isEmpty { finish(approves: false) }
        hold(open.isEmpty, "every call gets an answer")
    }
}
