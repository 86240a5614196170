import Determinism
import Money
import Networking
import Payments

extension Order: CommandResult, TableRow {
    var json: JSONObject {
        let object: JSONObject = [
            "id": id, "site": siteID,
            // The order number that the customer sees.
            "number": number, "status": status.rawValue,
            // A decimal, as the store writes it.
            "total": total.description,
            // In minor units; null when the total has more decimals than the currency.
            "amount": try? amount().minorUnits,
            "isPaymentDue": isPaymentDue, "customer": accountID,
            "name": billing?.fullName, "email": billing?.email?.nonEmpty, "items": lineItems.count,
            "paymentMethod": paymentMethod, "createdAt": dateCreatedGMT?.description,
            "modifiedAt": dateModifiedGMT?.description, "paidAt": datePaidGMT?.description,
        ]
        return object.amounts(inCode: currency)
    }

    static var heads: [String] { ["order", "time", "total", "status", "customer"] }

    var cells: [String] {
        [
            "#\(id)" + (number == String(id) ? "" : " (\(number.harmless))"), dateCreatedGMT?.minuteText ?? "no date",
            amountText, status.rawValue.harmless,
            (billing?.fullName ?? billing?.email?.nonEmpty ?? "guest").harmless,
        ]
    }

    var colors: [Int: WordColor] { status.color.map { [3: $0] } ?? [:] }

    /// The columns that are amounts.
    static let amountColumns: Set = [2]

    var text: String {
        zip(cells, [8, 17, 16, 10, 0]).enumerated().map { column, cell in
            WordColor.onOutput(cell.0, colors[column], paddedTo: cell.1)
        }.joined(separator: "  ") + "\n"
    }

    /// The customer's ID; nil for a guest.
    fileprivate var accountID: Int64? { customerID.flatMap { $0 > 0 ? $0 : nil } }

    /// The total with the currency's decimals; as the store writes it when it has more.
    var amountText: String { (try? amount().description) ?? "\(total) \(currency.harmless)" }
}

extension OrderStatusEnum {
    /// The color of the status; nil when it says neither good nor bad.
    var color: WordColor? {
        switch self {
        case .processing, .completed: .good
        case .failed: .bad
        case .pending, .onHold, .canceled: .doubtful
        case .autoDraft, .refunded, .custom: nil
        }
    }
}

extension Address {
    private var personName: String { [firstName, lastName].filter { !$0.isEmpty }.joined(separator: " ") }

    /// The person's name, otherwise the company; nil when neither is known.
    var fullName: String? { personName.nonEmpty ?? company.nonEmpty }

    /// The address as JSON, without unknown fields; nil when no field is known.
    var json: JSONObject? {
        guard line != nil else { return nil }
        return JSONObject(known: [
            "name": personName.nonEmpty, "company": company.nonEmpty, "address1": address1.nonEmpty,
            "address2": address2.nonEmpty, "postcode": postcode.nonEmpty, "city": city.nonEmpty,
            "state": state.nonEmpty, "country": country.nonEmpty, "email": email?.nonEmpty, "phone": phone?.nonEmpty,
        ])
    }

    /// The address on one line; nil when no field is known.
    var line: String? {
        let place = [postcode, city].filter { !$0.isEmpty }.joined(separator: " ")
        let parts = [personName, company, address1, address2, place, state, country, email ?? "", phone ?? ""]
        return parts.filter { !$0.isEmpty }.joined(separator: ", ").harmless.nonEmpty
    }
}

/// An order with its details. Amounts are decimals as the store writes them.
struct OrderDetails: CommandResult {
    /// A fee, shipping method, coupon, tax, gift card, or refund.
    private struct Line {
        let id: Int64
        let name: String
        let total: ExactDecimal
        var tax: ExactDecimal?

        var json: JSONObject { ["id": id, "name": name, "total": total.description, "tax": tax?.description] }
    }

    /// The tax of one rate, on the goods and on their shipping.
    private struct TaxLine {
        let line: Line
        let shipping: ExactDecimal

        var json: JSONObject {
            ["id": line.id, "name": line.name, "total": line.total.description, "shipping": shipping.description]
        }

        /// The whole tax of the rate.
        var whole: ExactDecimal { line.total.adding(shipping) ?? line.total }
    }

    let order: Order
    var notes: [OrderNote] = []
    /// The payments taken by this till.
    var payments: [Payment] = []

    private var fees: [Line] {
        order.feeLines.map { Line(id: $0.id, name: $0.name, total: $0.total, tax: $0.totalTax) }
    }
    private var shippingLines: [Line] {
        order.shippingLines.map { Line(id: $0.id, name: $0.methodTitle, total: $0.total, tax: $0.totalTax) }
    }
    private var coupons: [Line] {
        order.couponLines.map { Line(id: $0.id, name: $0.code, total: $0.discount, tax: $0.discountTax) }
    }
    private var taxes: [TaxLine] {
        order.taxLines.map {
            TaxLine(line: Line(id: $0.id, name: $0.label, total: $0.taxTotal), shipping: $0.shippingTaxTotal)
        }
    }
    private var giftCards: [Line] { order.giftCards.map { Line(id: $0.id, name: $0.code, total: $0.amount) } }
    private var refunds: [Line] { order.refunds.map { Line(id: $0.id, name: $0.reason ?? "", total: $0.total) } }

    var json: JSONObject {
        let totals: JSONObject = [
            "discount": order.discountTotal.description, "discountTax": order.discountTax.description,
            "shipping": order.shippingTotal.description, "shippingTax": order.shippingTax.description,
            // All taxes, including those of shipping.
            "tax": order.totalTax.description, "total": order.total.description,
            // What the lines don't add up to: the total less all lines. Null when it can't be calculated.
            "notItemized": notItemized?.description,
        ]
        return [
            "order": order.json, "lines": order.lineItems.map(\.json), "fees": fees.map(\.json),
            "shippingLines": shippingLines.map(\.json), "coupons": coupons.map(\.json), "taxes": taxes.map(\.json),
            "giftCards": giftCards.map(\.json), "refunds": refunds.map(\.json), "totals": totals,
            "billing": order.billing?.json, "shipping": order.shipping?.json, "customerNote": order.customerNote,
            "paymentMethodTitle": order.paymentMethodTitle, "transactionID": order.transactionID?.nonEmpty,
            "notes": notes.json, "payments": payments.json,
        ]
    }

    var text: String {
        let number = order.number == String(order.id) ? "" : ", number \(order.number.harmless)"
        var details = DetailText("#\(order.id)\(number)  \(order.amountText)  \(order.status.rawValue.harmless)")
        details.add("created", order.dateCreatedGMT?.secondText)
        details.add("paid", order.datePaidGMT?.secondText ?? (order.isPaymentDue ? "no" : nil))
        details.add("method", order.paymentMethodTitle.harmless.nonEmpty)
        details.add("customer", order.accountID.map { String($0) })
        details.add("billing", order.billing?.line)
        details.add("shipping", order.shipping?.line)
        details.add("customer note", order.customerNote.harmless.nonEmpty)
        for row in rows { details.add(line: row) }
        for line in (notes.text + payments.text).split(separator: "\n") { details.add(line: "  " + line) }
        return details.text
    }

    /// The parts of the order, its total, and its refunds. Amounts are in one column, however long the names are.
    private var rows: [String] {
        var rows: [(name: String, amount: String, remark: String)] = []
        func add(_ name: String, _ amount: ExactDecimal, _ remark: String = "", sign: String = "") {
            rows.append((name.harmless, sign + amount.description, remark.harmless))
        }
        func add(_ lines: [Line], as what: String = "", sign: String = "") {
            for line in lines { add(what + line.name, line.total, sign: sign) }
        }
        for item in order.lineItems {
            let name = (item.parent == nil ? "" : "  ") + "\(item.quantity) x " + item.fullName
            // 'refund --item' takes the ID of the line.
            add(
                name, item.subtotal, [item.sku?.nonEmpty, "line \(item.id)"].compactMap(\.self).joined(separator: "  "))
        }
        add(fees + shippingLines)
        add(coupons, as: "coupon ", sign: "-")
        if let discountWithoutCoupon, discountWithoutCoupon != .zero {
            add("discount", discountWithoutCoupon.negated)
        }
        for tax in taxes { add(tax.line.name, tax.whole) }
        add(giftCards, as: "gift card ", sign: "-")
        if let notItemized, notItemized != .zero {
            add("not itemized", notItemized)
        }
        add("total", order.total, (try? Currency(code: order.currency)) == nil ? "" : order.currency)
        for refund in refunds {
            // The till's own reason begins with the word.
            let isNamed = refund.name.lowercased().hasPrefix("refund")
            add([refund], as: isNamed ? "" : "refund ")
        }
        let width = rows.reduce(40) { max($0, $1.name.count) }
        return rows.map { row in
            "  " + row.name.padded(to: width) + "  " + row.amount.padded(toLeft: 12)
                + (row.remark.isEmpty ? "" : "  " + row.remark)
        }
    }

    /// The discount of the items that no coupon gave.
    private var discountWithoutCoupon: ExactDecimal? {
        Self.sum(
            order.lineItems.flatMap { [$0.subtotal, $0.total.negated] } + order.couponLines.map(\.discount.negated))
    }

    /// The total less everything that is listed.
    private var notItemized: ExactDecimal? {
        guard let discountWithoutCoupon else { return nil }
        let listed: [ExactDecimal] =
            order.lineItems.map(\.subtotal) + (fees + shippingLines).map(\.total) + coupons.map(\.total.negated)
            + [discountWithoutCoupon.negated] + taxes.map(\.whole) + giftCards.map(\.total.negated)
        return Self.sum([order.total] + listed.map(\.negated))
    }

    /// Returns the sum; nil when it has too many digits.
    private static func sum(_ amounts: [ExactDecimal]) -> ExactDecimal? {
        amounts.reduce(.zero) { sum, amount in sum?.adding(amount) }
    }

}

extension OrderItem {
    fileprivate var json: JSONObject {
        [
            "id": id, "name": name, "product": productID, "variation": variationID, "sku": sku,
            // The name of the product of a variation.
            "parentName": parentName,
            "quantity": quantity.description,
            // Before discounts and taxes.
            "subtotal": subtotal.description,
            // After discounts, before taxes.
            "total": total.description, "tax": totalTax.description,
            // The ID of the item that contains this one.
            "partOf": parent,
        ]
    }
}
