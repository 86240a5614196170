internal import Amounts
internal import Determinism
internal import Hardware
internal import Yosemite

/// Payments as lines for people.
enum PaymentTable {
    static func text(_ payments: [Payment]) -> String { payments.map(line).joined() }

    private static func line(_ payment: Payment) -> String {
        let amount = payment.amount.description
        let card = payment.card.map { card in
            (card.applicationName ?? card.brand) + (card.lastFour.map { " **** \($0)" } ?? "")
        }
        return [
            payment.name, String(payment.createdAt.description.prefix(19)).replacing("T", with: " ") + "Z",
            amount.padded(to: 16), payment.state.padded(to: 10), card ?? payment.errorMessage ?? "",
            payment.capture.map { "order \($0.orderNumber): \($0.state.rawValue)" } ?? "",
        ].joined(separator: "  ").trimmingTrailingBlanks + "\n"
    }
}

extension String {
    fileprivate var trimmingTrailingBlanks: String {
        String(self[..<(lastIndex { $0 != " " }.map { index(after: $0) } ?? startIndex)])
    }
}
