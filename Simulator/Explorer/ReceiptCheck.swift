import Money
import Payments
import Sessions
import Simulator
import Text

/// Finds receipts and paper that say something else than what is true at the end.
struct ReceiptCheck {
    private let record: SessionRecord

    init(_ record: SessionRecord) { self.record = record }

    var violations: [Violation] { receipts + papers }

    private func found(_ words: String) -> Violation { Violation(.toldIsTrue, words) }

    private var receipts: [Violation] {
        record.receipts.flatMap { receipt -> [Violation] in
            guard let attempt = record.attempts.first(where: { $0.id == receipt.attempt }) else {
                return [found("a receipt has no attempt")]
            }
            let (content, name) = (receipt.content, "a receipt of \(attempt.name)")
            var violations: [Violation] = []
            let payment = record.payments.first { $0.id == attempt.payment }
            if content.payment != payment?.name { violations.append(found("\(name) is one of another payment")) }
            if content.currency != attempt.amount.currency.code {
                violations.append(found("\(name) is in another currency"))
            }
            switch (content.outcome, content.kind) {
            case (.approved, .sale), (.approved, .refund):
                if attempt.state != "captured" {
                    violations.append(found("\(name) says approved, and it is \(attempt.state)"))
                } else if content.approvedAmount != attempt.amount.decimalText {
                    violations.append(found("\(name) has another amount"))
                }
            case (.approved, .preauthorization):
                let amount = held(after: attempt)?.decimalText(scale: attempt.amount.currency.exponent)
                if content.approvedAmount != amount {
                    violations.append(
                        found("\(name) says that \(content.approvedAmount) is held, and it was \(amount ?? "nothing")"))
                }
            case (.approved, .void), (.declined, _), (.canceled, _):
                if !attempt.movedNothing {
                    violations.append(
                        found("\(name) says that nothing moved, and it is \(attempt.state)"))
                } else if content.outcome == .approved, content.approvedAmount != attempt.amount.decimalText {
                    violations.append(found("\(name) has another amount"))
                }
            case (.unknown, _):
                let isLast = record.receipts.last { $0.attempt == receipt.attempt }?.id == receipt.id
                if isLast, attempt.isFinal {
                    violations.append(found("the last receipt of \(attempt.name) says unknown, and it is final"))
                }
            }
            return violations
        }
    }

    /// The paper has the name, the outcome, and the amount of its receipt. Only paper in English is read.
    private var papers: [Violation] {
        record.papers.flatMap { paper -> [Violation] in
            guard let receipt = record.receipts.first(where: { $0.id == paper.receipt }) else { return [] }
            guard paper.lines.contains(where: { $0.contains("CUSTOMER COPY") || $0.contains("MERCHANT COPY") }) else {
                return []
            }
            let (content, name) = (receipt.content, "the paper of a receipt of \(receipt.content.payment)")
            var violations: [Violation] = []
            if !paper.lines.contains(where: { $0.contains(content.payment) }) {
                violations.append(found("\(name) is one of another payment"))
            }
            let word = Self.word(content.outcome)
            if !paper.lines.contains(where: { $0.contains(word) }) {
                violations.append(found("\(name) does not say \(word)"))
            }
            let others = ReceiptContent.Outcome.allCases.filter { $0 != content.outcome }.map(Self.word)
            if let other = others.first(where: { other in paper.lines.contains { $0.trimmed == other } }) {
                violations.append(found("\(name) says \(other)"))
            }
            let (label, amount) = Self.amount(content)
            let digits = amount.filter(\.isNumber)
            if !paper.lines.contains(where: { $0.contains(label) && $0.filter(\.isNumber) == digits }) {
                violations.append(found("\(name) has another amount"))
            }
            return violations
        }
    }

    private static func word(_ outcome: ReceiptContent.Outcome) -> String {
        switch outcome {
        case .approved: "APPROVED"
        case .declined: "DECLINED"
        case .canceled: "CANCELLED"
        case .unknown: "OUTCOME UNKNOWN"
        }
    }

    /// The label before the amount that counts, and the amount.
    private static func amount(_ content: ReceiptContent) -> (label: String, amount: String) {
        switch (content.outcome, content.kind) {
        case (.approved, .sale): ("TOTAL", content.approvedAmount)
        case (.approved, .refund): ("REFUNDED", content.approvedAmount)
        case (.approved, .void): ("VOIDED", content.approvedAmount)
        case (.approved, .preauthorization): ("AUTHORISED", content.approvedAmount)
        case (.declined, _), (.canceled, _): ("Approved amount", content.approvedAmount)
        case (.unknown, _): ("Amount", content.amount)
        }
    }

    /// Returns the sum that a pre-authorization held after an attempt, in minor units: what the issuer approved of its
    /// sale, and more with each increment until then. The receipt of an increment has the sum.
    private func held(after attempt: SessionPayment.Attempt) -> Int64? {
        let before = record.attempts.filter { $0.payment == attempt.payment && $0.id <= attempt.id }
        guard let sale = before.last(where: { $0.kind == "sale" }),
            let line = record.book.first(where: {
                $0.kind == .authorization && $0.key.rawValue == sale.key && $0.isApproved
            })
        else { return nil }
        return before.filter { $0.kind == "increment" && $0.id > sale.id && $0.wasHeld }.reduce(line.minorUnits) {
            $0 + $1.amount.minorUnits
        }
    }
}

extension String {
    /// The text without the spaces around it.
    fileprivate var trimmed: Substring {
        let start = drop { $0 == " " }
        guard let last = start.lastIndex(where: { $0 != " " }) else { return start.prefix(0) }
        return start[...last]
    }
}
