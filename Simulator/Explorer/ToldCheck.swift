import Money
import Payments
public import Sessions
import Simulator
import Yosemite

/// The words with which a command of the program shows an answer: to the program that called it, and to the clerk.
public struct CommandWords: Hashable, Sendable {
    /// The exit code.
    public var exitCode: Int32
    /// The value of `outcome` in the JSON.
    public var outcome: String
    /// The words at the beginning of the text; empty when the command writes only an error.
    public var text: String

    /// Takes the exit code, `outcome` of the JSON, and the words at the beginning of the text.
    public init(exitCode: Int32, outcome: String, text: String) {
        (self.exitCode, self.outcome, self.text) = (exitCode, outcome, text)
    }
}

/// Returns the words of the command of a telling, as the program itself makes them; nil for a command without an
/// outcome.
public typealias CommandTeller = @Sendable (SessionTelling) -> CommandWords?

/// Finds what a session told people and what did not stay true: exit codes, JSON, text, display. Receipts and
/// paper are in ``ReceiptCheck``.
///
/// It compares them with the attempts and the issuer's ledger as they are at the end, and with each other. It has no
/// part of the program's own mapping from states to words.
struct ToldCheck {
    /// The part of an answer that is about money.
    private enum Verdict {
        case approved
        /// Certainly nothing moved.
        case nothing
        /// It is not known yet.
        case open
    }

    private let record: SessionRecord
    private let teller: CommandTeller?

    init(_ record: SessionRecord, _ teller: CommandTeller?) { (self.record, self.teller) = (record, teller) }

    var violations: [Violation] { commands + displays + ReceiptCheck(record).violations }

    private func found(_ words: String) -> Violation { Violation(.toldIsTrue, words) }

    // MARK: Commands

    private var commands: [Violation] {
        record.tellings.flatMap { telling -> [Violation] in
            let words = teller?(telling)
            var found = words.map { disagreements(of: $0, with: telling) } ?? []
            if case .recovery(let report) = telling.answer {
                for payment in report.finished {
                    guard let verdict = Self.verdict(payment.outcome) else { continue }
                    let sales = attempts(of: telling, "sale").filter {
                        $0.payment == record.number(payment.id.rawValue, of: telling.till)
                    }
                    found += check(verdict, sales, telling, amount: nil)
                }
                return found
            }
            let told = words == nil ? verdict(of: telling) : words.flatMap { Self.verdict(outcome: $0.outcome) }
            guard let told else { return found }
            let amount = amount(in: telling)
            return found + check(told, subjects(of: telling, told), telling, amount: amount) + shown(in: telling)
        }
    }

    /// The amount that an approval showed, in minor units; nil when the command shows none of one attempt.
    private func amount(in telling: SessionTelling) -> Int64? {
        guard case .payment(let payment, let history) = telling.answer else { return nil }
        return switch telling.command {
        case .pay, .capture: payment.amount.minorUnits
        case .refund: history?.attempts.last { $0.attempt.kind == .refund }?.attempt.amount.minorUnits
        case .increment, .cancelPayment, .recover: nil
        }
    }

    private static func verdict(outcome: String) -> Verdict? {
        switch outcome {
        case "approved": .approved
        case "declined", "cancelled", "failed": .nothing
        case "unknown": .open
        default: nil
        }
    }

    private static func verdict(_ outcome: Payment.Outcome) -> Verdict? {
        switch outcome {
        case .approved: .approved
        case .declined, .canceled, .failed: .nothing
        case .unknown, .pending: .open
        }
    }

    /// The verdict of an action's answer, without the program's words.
    private func verdict(of telling: SessionTelling) -> Verdict? {
        switch telling.answer {
        case .payment(let payment, let history):
            switch telling.command {
            case .pay: return Self.verdict(payment.outcome)
            case .capture: return payment.state.isCaptured ? .approved : .open
            case .cancelPayment: return payment.state == .reversed ? .nothing : .open
            case .refund, .increment:
                let kind: PaymentAttempt.Kind = telling.command == .refund ? .refund : .increment
                return switch history?.attempts.last(where: { $0.attempt.kind == kind })?.attempt.state {
                case .captured, .authorizedOnly: .approved
                case .declined, .canceled, .failed: .nothing
                default: .open
                }
            case .recover: return nil
            }
        case .recovery: return nil
        case .failure(.payments(.unrecorded)): return .open
        case .failure(.payments): return .nothing
        // The till did not answer, or the action was none of its own.
        case .failure: return nil
        }
    }

    private func attempts(of telling: SessionTelling, _ kind: String? = nil) -> [SessionPayment.Attempt] {
        record.attempts.filter { attempt in
            telling.attempts.contains(attempt.id) && (kind.map { $0 == attempt.kind } ?? true)
        }
    }

    /// The attempts that a telling is about. An approval is one of the last attempt; nothing else may have moved money
    /// when nothing did.
    private func subjects(of telling: SessionTelling, _ verdict: Verdict) -> [SessionPayment.Attempt] {
        guard verdict == .approved else { return attempts(of: telling) }
        let kind =
            switch telling.command {
            case .refund: "refund"
            case .increment: "increment"
            case .pay, .capture, .cancelPayment, .recover: "sale"
            }
        return attempts(of: telling, kind).suffix(1)
    }

    private func check(
        _ verdict: Verdict, _ attempts: [SessionPayment.Attempt], _ telling: SessionTelling, amount: Int64?
    ) -> [Violation] {
        let place = "the command '\(telling.command.rawValue)'"
        switch verdict {
        case .approved:
            guard !attempts.isEmpty || telling.command == .recover else {
                return [found("\(place) was shown as approved, and recorded no attempt")]
            }
            let isCapture = telling.command == .capture
            return attempts.flatMap { approval(of: $0, place, amount: amount, isCapture: isCapture) }
        case .nothing: return attempts.flatMap { refusal(of: $0, place, since: telling.events.upperBound) }
        case .open:
            return attempts.filter { !$0.isFinal }.map { found("\(place) is shown as unknown, and stays \($0.state)") }
        }
    }

    private func moved(_ attempt: SessionPayment.Attempt) -> Int64 {
        record.charges.first { $0.key == attempt.key }?.minorUnits ?? 0
    }

    /// Whether a person canceled a pre-authorization later.
    private func wasCanceledLater(_ attempt: SessionPayment.Attempt) -> Bool {
        record.tellings.contains { $0.command == .cancelPayment && $0.attempts.contains(attempt.id) }
    }

    /// An approval that was shown stays one, and the issuer has it. `amount` is what was shown, in minor units.
    private func approval(
        of attempt: SessionPayment.Attempt, _ place: String, amount: Int64?, isCapture: Bool = false
    ) -> [Violation] {
        let name = attempt.name
        if isCapture, attempt.state != "captured" {
            return [found("\(place) told \(name) as captured, and it is \(attempt.state)")]
        }
        if attempt.wasHeld {
            let isRight = ["authorizedOnly", "authorized", "captured"].contains(attempt.state)
            if !isRight, !wasCanceledLater(attempt) {
                return [found("\(place) told \(name) as approved, and it is \(attempt.state)")]
            }
            return isRight ? held(attempt, place, amount: amount, isCapture: isCapture) : []
        }
        guard attempt.state == "captured" else {
            return [found("\(place) told \(name) as approved, and it is \(attempt.state)")]
        }
        var violations: [Violation] = []
        let told = amount ?? attempt.amount.minorUnits
        if moved(attempt) != told {
            violations.append(
                found("\(place) told \(name) as approved with \(told), and the issuer moved \(moved(attempt))"))
        }
        return violations
    }

    /// The issuer held the amount that a pre-authorization showed, and moved the one that its capture showed.
    private func held(
        _ attempt: SessionPayment.Attempt, _ place: String, amount: Int64?, isCapture: Bool
    ) -> [Violation] {
        guard let amount else { return [] }
        if isCapture {
            guard attempt.state == "captured", moved(attempt) != amount else { return [] }
            return [
                found(
                    "\(place) told \(attempt.name) as approved with \(amount), and the issuer moved \(moved(attempt))")
            ]
        }
        let line = record.book.first { $0.kind == .authorization && $0.key.rawValue == attempt.key && $0.isApproved }
        guard let line, line.minorUnits != amount else { return [] }
        return [
            found("\(place) told \(attempt.name) as approved with \(amount), and the issuer held \(line.minorUnits)")
        ]
    }

    /// An attempt that was shown as declined, canceled, or failed moves nothing, also later. `moment` is the number of
    /// events when it was shown.
    private func refusal(of attempt: SessionPayment.Attempt, _ place: String, since moment: Int) -> [Violation] {
        var violations: [Violation] = []
        let name = attempt.name
        if !attempt.movedNothing {
            violations.append(found("\(place) told that \(name) moved nothing, and it is \(attempt.state)"))
        }
        if moved(attempt) != 0 {
            violations.append(found("\(place) told that \(name) moved nothing, and the issuer has \(moved(attempt))"))
        }
        let later = zip(record.book, record.bookMoments).contains { line, written in
            written >= moment && line.key.rawValue == attempt.key && line.isApproved
                && [.authorization, .refund, .increment].contains(line.kind)
        }
        if later { violations.append(found("\(name) was approved after \(place) had told that it moved nothing")) }
        return violations
    }

    /// The exit code, the JSON, the text, and the answer of the action say the same.
    private func disagreements(of words: CommandWords, with telling: SessionTelling) -> [Violation] {
        let name = "the command '\(telling.command.rawValue)'"
        let isCancellation = telling.command == .cancelPayment
        let codes: [String: (Int32) -> Bool] = [
            "approved": { $0 == 0 }, "declined": { $0 == 2 }, "cancelled": { $0 == (isCancellation ? 0 : 3) },
            "unknown": { $0 == 4 }, "failed": { ![0, 2, 3, 4].contains($0) },
        ]
        guard let isRight = codes[words.outcome] else {
            return [found("\(name) has the outcome '\(words.outcome)', which is none")]
        }
        var violations: [Violation] = []
        if !isRight(words.exitCode) {
            violations.append(found("\(name) is \(words.outcome) in JSON, and ends with exit code \(words.exitCode)"))
        }
        if !words.text.isEmpty, Self.texts[words.outcome]?.contains(words.text) != true {
            violations.append(found("\(name) is \(words.outcome) in JSON, and writes '\(words.text)'"))
        }
        if telling.command == .pay, case .payment(let payment, _) = telling.answer {
            let answered = payment.outcome == .pending ? "unknown" : payment.outcome.rawValue
            if answered != words.outcome {
                violations.append(found("\(name) is \(words.outcome) in JSON, and the payment \(answered)"))
            }
        }
        return violations
    }

    /// The words that a text may begin with, by the outcome in JSON.
    private static let texts: [String: Set<String>] = [
        "approved": ["APPROVED", "AUTHORIZED", "REFUNDED", "CAPTURED", "RAISED"],
        "declined": ["DECLINED", "NOT REFUNDED", "NOT RAISED"],
        "cancelled": ["CANCELLED", "CANCELED", "NOT REFUNDED"],
        "failed": ["FAILED", "NOT REFUNDED", "NOT RAISED"],
        "unknown": [
            "UNKNOWN", "PENDING", "REFUND OPEN", "CAPTURE OPEN", "INCREMENT OPEN", "CANCELLATION OPEN",
        ],
    ]

    // MARK: The display

    /// The last message at the reader is that of an approval.
    private func shown(in telling: SessionTelling) -> [Violation] {
        guard telling.command == .pay else { return [] }
        let events = record.events.dropFirst(telling.events.lowerBound).prefix(telling.events.count)
        let isShown = events.contains { event in
            event.kind == .approvedAndRemoved
                && record.eventsOfSecondTill.contains(event.number) == (telling.till == .second)
        }
        guard isShown else { return [] }
        return attempts(of: telling, "sale").suffix(1).flatMap { approval(of: $0, "the reader", amount: nil) }
    }

    private var displays: [Violation] {
        record.displays.flatMap { display -> [Violation] in
            guard let attempt = record.attempts.first(where: { $0.key == display.key }) else {
                return [found("the display showed an approval without an attempt")]
            }
            return approval(of: attempt, "the display", amount: nil)
        }
    }
}

extension Explorer {
    /// Returns the explorer, which then judges what the program's own commands show, too.
    ///
    /// - Parameter teller: makes what the command of a telling shows.
    /// - Returns: the explorer.
    public func judging(_ teller: @escaping CommandTeller) -> Explorer {
        var explorer = self
        explorer.judge = { InvariantCheck($0, teller).violations }
        return explorer
    }
}
