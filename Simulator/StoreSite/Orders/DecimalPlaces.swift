import Text

/// The number of decimals that a client wants in the totals of orders and refunds (`dp`).
struct DecimalPlaces: Hashable, Sendable {
    private let count: Int

    /// Creates the choice of a request; nil without one.
    ///
    /// - Throws: `rest_invalid_param`
    init?(_ parameters: SiteParameters) throws(SiteError) {
        guard parameters["dp"] != nil else { return nil }
        count = try parameters.integer("dp", in: 0...10, default: 2)
    }

    private static let totals: Set<String> = [
        "amount", "discount_total", "discount_tax", "shipping_total", "shipping_tax", "cart_tax", "total", "total_tax",
    ]
    private static let lineTotals: Set<String> = [
        "subtotal", "subtotal_tax", "total", "total_tax", "tax_total", "shipping_tax_total", "discount", "discount_tax",
    ]
    private static let lists: Set<String> = [
        "line_items", "tax_lines", "shipping_lines", "fee_lines", "coupon_lines", "refunds",
    ]

    /// Returns an order or a refund, or a list of them, with these decimals.
    func applied(to node: JSONValue) -> JSONValue {
        switch node {
        case .list(let elements): .list(elements.map(applied))
        case .object(let members):
            .object(
                members.map { member in
                    guard Self.lists.contains(member.name), case .list(let lines) = member.value else {
                        return rounded(member, Self.totals)
                    }
                    return JSONValue.Member(
                        name: member.name,
                        value: .list(
                            lines.map { line in
                                guard case .object(let members) = line else { return line }
                                return .object(members.map { rounded($0, Self.lineTotals) })
                            }))
                })
        default: node
        }
    }

    private func rounded(_ member: JSONValue.Member, _ names: Set<String>) -> JSONValue.Member {
        guard names.contains(member.name), case .text(let text) = member.value, let amount = Amount(text) else {
            return member
        }
        return JSONValue.Member(name: member.name, value: .text(amount.text(decimals: count)))
    }
}

extension Amount {
    /// Returns the amount with a number of decimals; halves are rounded away from zero.
    fileprivate func text(decimals: Int) -> String {
        switch decimals {
        case 0: part(1, of: 100).hundredths.decimalText(scale: 0)
        case 1: part(1, of: 10).hundredths.decimalText(scale: 1)
        default: text + String(repeating: "0", count: decimals - 2)
        }
    }
}
