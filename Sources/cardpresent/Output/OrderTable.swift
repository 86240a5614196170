internal import Amounts
internal import Determinism
internal import Networking

/// Orders as lines for people.
enum OrderTable {
    static func text(_ orders: [Order]) -> String { orders.map(line).joined() }

    private static func line(_ order: Order) -> String {
        let number = order.number == String(order.id) ? "" : " (\(order.number.harmless))"
        return [
            ("#\(order.id)" + number).padded(to: 8), day(order.dateCreatedGMT),
            order.amountText.padded(to: 16), order.status.rawValue.harmless.padded(to: 10),
            (order.billing?.fullName ?? order.billing?.knownEmail ?? "guest").harmless,
        ].joined(separator: "  ") + "\n"
    }

    /// To the minute, in UTC.
    private static func day(_ moment: Timestamp?) -> String {
        guard let moment else { return "no date          " }
        return String(moment.description.prefix(16)).replacing("T", with: " ") + "Z"
    }
}

extension Order {
    /// What is to be paid, in the currency's decimals; as the store writes it when these would not do.
    var amountText: String { (try? amount().description) ?? "\(total) \(currency.harmless)" }
}
