import Determinism
import Money
import Payments
import StripeTerminal
import Terminal

extension FuzzTarget {
    /// The calls of tills over HTTP. Each line is a call: the method's first letter, the target, a blank, and the form.
    /// `~` stands for the newest reader and `^` for the newest payment. A line that begins otherwise ends what runs.
    static let stripeCalls = FuzzTarget(
        "stripe-calls", longestInput: 1024,
        seeds: {
            let opening = ["P/v1/terminal/readers registration_code=simulated-wpe", "P/v1/payment_intents "]
            let sale = "amount=1250&currency=usd&payment_method_types[]=card_present"
            let process = "P/v1/terminal/readers/~/process_payment_intent payment_intent=^"
            let present = "P/v1/test_helpers/terminal/readers/~/present_payment_method"
            return [
                [opening[0], opening[1] + sale, process, present, "+", "P/v1/refunds payment_intent=^&amount=5", "+"],
                [
                    opening[0], opening[1] + sale + "&capture_method=manual", process, present, "+",
                    "P/v1/payment_intents/^/capture amount_to_capture=7", "+",
                    "G/v1/charges?expand[]=data.payment_intent",
                ],
                [opening[0], opening[1] + sale, process, "P/v1/terminal/readers/~/cancel_action", "+", present, "-"],
                [
                    "P/v1/webhook_endpoints url=http://a/&enabled_events[]=*", opening[1] + "amount=1&currency=eur",
                    "P/v1/terminal/locations display_name=A&address[country]=DE&metadata[a+b]=%C3%A9",
                    "G/v1/events?limit=1",
                    "D/v1/terminal/readers/~", "P/_simulator/faults fault=reader_offline&times=2",
                ],
                [
                    opening[0],
                    "P/v1/terminal/readers/~/collect_inputs inputs[0][type]=email&inputs[0][custom_text][title]=Mail"
                        + "&inputs[1][type]=selection&inputs[1][custom_text][title]=Fit&inputs[1][required]=true"
                        + "&inputs[1][selection][choices][0][id]=a&inputs[1][selection][choices][0][text]=A",
                    "P/_simulator/inputs reader=~&answers[]=a@b&answers[]=a", opening[1] + sale,
                    process + "&process_config[tipping][amount_eligible]=9", present + " amount_tip=100", "+",
                ],
            ].map { Array($0.joined(separator: "\n").utf8) }
        },
        run: { input in
            var world = CallWorld()
            for line in input.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: true) { world.take(line) }
            world.end()
        })
}

/// An account whose till and readers follow the input.
private struct CallWorld {
    private var account: StripeTerminal
    private var now = VirtualTimeSource.standardStart
    private var calls = 0
    private var open: Set<Int> = []
    private var running: [TerminalRequest] = []
    private var (reader, intent) = ("tmr_", "pi_")
    private static let date = CivilDate(year: 2026, month: 11, day: 23)

    init() { account = StripeTerminal(random: SeededRandomSource(seed: 1), now: VirtualTimeSource.standardStart) }

    mutating func take(_ line: ArraySlice<UInt8>) {
        let methods = [UInt8(ascii: "P"): "POST", UInt8(ascii: "G"): "GET", UInt8(ascii: "D"): "DELETE"]
        guard let first = line.first, let method = methods[first] else {
            finish(approves: line.first == UInt8(ascii: "+"))
            return
        }
        let text = filled(line.dropFirst())
        let target = text.prefix { $0 != UInt8(ascii: " ") }
        calls += 1
        now = now.advanced(by: .seconds(1))
        open.insert(calls)
        account.receive(
            StripeRequest(
                method: method, target: String(decoding: target, as: UTF8.self),
                headers: [.init("Authorization", "Bearer sk_test_1")], body: Array(text.dropFirst(target.count + 1))),
            call: calls, at: now)
        obey()
    }

    private func filled(_ line: ArraySlice<UInt8>) -> [UInt8] {
        line.flatMap { byte -> [UInt8] in
            switch byte {
            case UInt8(ascii: "~"): Array(reader.utf8)
            case UInt8(ascii: "^"): Array(intent.utf8)
            default: [byte]
            }
        }
    }

    private mutating func obey() {
        while let work = account.nextWork() {
            switch work {
            case .terminal(_, .begin(let request)):
                running.append(request)
                // A question stays as it is until it is answered or canceled.
                if case .input = request.operation { continue }
                try? account.report(request.operation.needsCard ? .waitingForCard : .working, of: request.key, at: now)
            case .terminal(_, .cancel(let key, let reason)):
                running.removeAll { $0.key == key }
                try? account.finish(key, .canceled(reason), on: Self.date, at: now)
            case .present(_, let key, _):
                for step in [TerminalProgress.cardPresented, .authorizing] {
                    try? account.report(step, of: key, at: now)
                }
            case .answer(let answer, let key, _):
                running.removeAll { $0.key == key }
                try? account.finish(key, answer.outcome, on: Self.date, at: now)
            case .tip(let tip, let key, _):
                running = running.map { $0.key == key ? $0.adding(tip: tip) ?? $0 : $0 }
            case .terminal(_, .recover), .terminal(_, .print): break
            }
        }
        while let answer = account.nextAnswer() { check(answer) }
    }

    private mutating func check(_ answer: StripeAnswer) {
        hold(open.remove(answer.call) != nil, "a call gets one answer")
        hold((200..<500).contains(answer.response.status), "an error is the till's")
        let text = String(decoding: answer.response.body, as: UTF8.self)
        hold(text.first == "{" && text.last == "}", "an answer is an object")
        hold(answer.response.status == 200 || text.hasPrefix(#"{"error":{"#), "an error is an error object")
        if let id = id(text, "tmr_") { reader = id }
        if let id = id(text, "pi_") { intent = id }
    }

    /// The ID of an answer's own object, with this prefix.
    private func id(_ text: String, _ prefix: String) -> String? {
        let start = #"{"id":""#
        guard text.hasPrefix(start + prefix) else { return nil }
        return String(text.dropFirst(start.count).prefix { $0 != "\"" })
    }

    /// Ends what runs.
    private mutating func finish(approves: Bool) {
        let requests = running
        running = []
        for request in requests {
            guard case .running(let progress) = account.status(of: request.key) else { continue }
            if progress == .waitingForCard {
                running.append(request)
                continue
            }
            try? account.finish(request.key, outcome(of: request, approves: approves), on: Self.date, at: now)
        }
        obey()
    }

    private func outcome(of request: TerminalRequest, approves: Bool) -> TerminalOutcome {
        guard request.operation.movesMoney else { return .done(TerminalReport()) }
        guard approves, let currency = try? Currency(code: "USD"),
            let amount = try? Money(minorUnits: 1, currency: currency)
        else { return .declined(TerminalDecline(responseCode: "05", date: Self.date)) }
        return .approved(TerminalTransaction(receiptNumber: 1, trace: 1, amount: amount, date: Self.date))
    }

    /// Lets every reader end. Then no call waits.
    mutating func end() {
        // A call that waited may begin what others wait for.
        for _ in 0..<1000 where !open.isEmpty {
            for request in running { try? account.report(.cardPresented, of: request.key, at: now) }
            for request in running { try? account.report(.authorizing, of: request.key, at: now) }
            finish(approves: false)
        }
        hold(open.isEmpty, "every call gets an answer")
    }
}
