import Money
import Networking
import Payments
import Text

/// The items and totals of an amount, for its receipt.
struct ReceiptBill: Hashable, Sendable {
    /// Nil when there is nothing to list, or the totals do not add up.
    var breakdown: ReceiptBreakdown?
    var note: ReceiptContent.BreakdownNote?

    /// An amount without items.
    static let none = ReceiptBill()

    /// Splits an amount into the part without the tip, and the tip.
    init?(_ amount: Money, tip: Money) {
        guard tip.currency == amount.currency,
            let rest = try? Money(minorUnits: amount.minorUnits - tip.minorUnits, currency: amount.currency)
        else { return nil }
        breakdown = ReceiptBreakdown(
            items: [],
            totals: [ReceiptTotal(.subtotal, amount: rest.decimalText), ReceiptTotal(.tip, amount: tip.decimalText)])
    }

    init(breakdown: ReceiptBreakdown? = nil, note: ReceiptContent.BreakdownNote? = nil) {
        (self.breakdown, self.note) = (breakdown, note)
    }
}

extension ReceiptBill {
    /// Lists the items and totals of an order. When the store's prices include taxes, the receipt shows them including
    /// taxes, as the customer saw them; when that does not add up because of the store's rounding, it shows them
    /// without taxes. When neither adds up, the breakdown is left out.
    ///
    /// - Parameters:
    ///   - order: The order, as the store returns it now.
    ///   - pricesIncludeTax: Whether the store's prices include taxes.
    ///   - amount: The amount of the payment.
    init(_ order: Networking.Order, pricesIncludeTax: Bool, amount: Money) {
        for isGross in pricesIncludeTax ? [true, false] : [false] {
            if let breakdown = OrderSum(order: order, amount: amount, isGross: isGross).breakdown() {
                self.init(breakdown: breakdown)
                return
            }
        }
        self.init(note: .doesNotAddUp)
    }
}

/// One way to list the items and totals of an order.
private struct OrderSum {
    let order: Networking.Order
    let amount: Money
    /// Whether prices include taxes.
    let isGross: Bool

    private var currency: Currency { amount.currency }

    /// Returns the breakdown; nil when it does not add up to the amount, or has invalid numbers.
    func breakdown() -> ReceiptBreakdown? {
        var items: [ReceiptItem] = []
        var subtotal: Int128 = 0
        for line in order.lineItems {
            guard let price = units(line.subtotal, line.subtotalTax) else { return nil }
            subtotal += price
            let title = line.fullName.onOneLine
            items.append(
                ReceiptItem(
                    title: title, quantity: line.quantity.withoutEndingZeros, amount: text(price),
                    attributes: line.attributes.compactMap(ReceiptItem.Attribute.init)
                        .filter { !title.isVariation(with: $0.value) }))
        }
        guard let steps = steps(), let taxes = taxes() else { return nil }
        let sum = steps.reduce(subtotal) { $0 + $1.units } + (isGross ? 0 : taxes.reduce(0) { $0 + $1.units })
        guard sum == Int128(amount.minorUnits) else { return nil }
        var totals = (steps + taxes).filter { $0.units != 0 }.map(total)
        if !items.isEmpty, totals.contains(where: { $0.kind != .includedTaxes }) {
            totals.insert(ReceiptTotal(.subtotal, amount: text(subtotal)), at: 0)
        }
        return items.isEmpty && totals.isEmpty ? nil : ReceiptBreakdown(items: items, totals: totals)
    }

    private typealias Step = (kind: ReceiptTotal.Kind, detail: String?, units: Int128)

    /// Returns the totals from the items to the amount, except for taxes that are added.
    private func steps() -> [Step]? {
        guard var steps = discounts() else { return nil }
        for fee in order.feeLines {
            guard let price = units(fee.total, fee.totalTax) else { return nil }
            let isTip = price > 0 && TipWords.name(fee.name)
            steps.append((isTip ? .tip : .fees, isTip || fee.name.isEmpty ? nil : fee.name.onOneLine, price))
        }
        for line in order.shippingLines {
            guard let price = units(line.total, line.totalTax) else { return nil }
            steps.append((.shipping, line.methodTitle.isEmpty ? nil : line.methodTitle.onOneLine, price))
        }
        for card in order.giftCards {
            guard let part = units(card.amount, .zero) else { return nil }
            // The code of a gift card is worth money and must not be printed.
            steps.append((.giftCards, nil, -part))
        }
        // A tip comes last, because it is not for the goods.
        return steps.filter { $0.kind != .tip } + steps.filter { $0.kind == .tip }
    }

    /// Returns a line for each coupon, if they add up to the discount of the items; otherwise one line for all of them.
    private func discounts() -> [Step]? {
        var taken: Int128 = 0
        for line in order.lineItems {
            guard let before = units(line.subtotal, line.subtotalTax), let after = units(line.total, line.totalTax)
            else { return nil }
            taken += before - after
        }
        var coupons: [Step] = []
        for coupon in order.couponLines {
            guard let part = units(coupon.discount, coupon.discountTax) else { return nil }
            coupons.append((.discount, coupon.code, -part))
        }
        if coupons.reduce(0, { $0 + $1.units }) == -taken { return coupons }
        let codes = order.couponLines.map(\.code).joined(separator: ", ")
        return [(.discount, codes.isEmpty ? nil : codes, -taken)]
    }

    /// Returns a line for each tax rate, if they add up to the order's tax; otherwise one line for all of them.
    private func taxes() -> [Step]? {
        let kind: ReceiptTotal.Kind = isGross ? .includedTaxes : .taxes
        guard let whole = order.totalTax.minorUnits(of: currency) else { return nil }
        var rates: [Step] = []
        for line in order.taxLines {
            guard let goods = line.taxTotal.minorUnits(of: currency),
                let shipping = line.shippingTaxTotal.minorUnits(of: currency)
            else { return nil }
            rates.append((kind, line.receiptName, goods + shipping))
        }
        return rates.reduce(0, { $0 + $1.units }) == whole ? rates : [(kind, nil, whole)]
    }

    /// Returns a price in minor units, as shown to the customer.
    private func units(_ net: ExactDecimal, _ tax: ExactDecimal) -> Int128? {
        guard let price = net.minorUnits(of: currency), let tax = tax.minorUnits(of: currency) else { return nil }
        return isGross ? price + tax : price
    }

    private func total(_ step: Step) -> ReceiptTotal {
        ReceiptTotal(step.kind, detail: step.detail, amount: text(step.units))
    }

    private func text(_ units: Int128) -> String {
        ExactDecimal(coefficient: units, scale: currency.exponent).description
    }
}

extension ExactDecimal {
    /// Returns the number rounded to the currency's digits, halves away from zero, as WooCommerce does; nil on
    /// overflow.
    fileprivate func minorUnits(of currency: Currency) -> Int128? {
        let rounded = rounded(to: currency)
        var units = rounded.coefficient
        for _ in 0..<max(0, currency.exponent - rounded.scale) {
            guard units.magnitude <= Int128(Money.maximumMinorUnits).magnitude else { return nil }
            units *= 10
        }
        return units.magnitude <= Int128(Money.maximumMinorUnits).magnitude ? units : nil
    }

    /// `2` for `2.00`.
    fileprivate var withoutEndingZeros: String {
        guard scale > 0 else { return description }
        let text = description.reversed().drop { $0 == "0" }
        return String((text.first == "." ? text.dropFirst() : text).reversed())
    }
}

extension ReceiptItem.Attribute {
    /// Creates an attribute from the chosen option, as the store displays it; nil when it is not text.
    fileprivate init?(_ chosen: OrderItemMetaData) {
        guard let value = chosen.displayValue?.textValue ?? chosen.value?.textValue, !value.isEmpty else { return nil }
        self.init(name: (chosen.displayKey ?? chosen.key).onOneLine, value: HTMLText.plain(value).onOneLine)
    }
}

extension String {
    /// The text with single blanks instead of line breaks.
    fileprivate var onOneLine: String {
        contains(where: \.isNewline) ? split(whereSeparator: \.isNewline).joined(separator: " ") : self
    }

    /// Whether the name of a variation contains an option, so that it need not be listed: WooCommerce names a variation
    /// `T-Shirt - Red, L` when it has few options. This is the rule by which WooCommerce itself leaves them out
    /// (`wc_is_attribute_in_product_name`).
    fileprivate func isVariation(with option: String) -> Bool {
        let (name, option) = (lowercased(), option.lowercased())
        return !option.isEmpty && (name.contains(" \(option),") || name.hasSuffix(" \(option)"))
    }
}

extension OrderTaxLine {
    /// `VAT 20%`; only the label when it contains the rate, or the store did not send the rate.
    fileprivate var receiptName: String? {
        guard let ratePercent, !label.contains("%") else { return label.isEmpty ? nil : label }
        return (label.isEmpty ? "" : label + " ") + ratePercent.withoutEndingZeros + "%"
    }
}

/// The names that stores use for a tip, which is a fee for them.
enum TipWords {
    /// Whether a word in the name of a fee means tip.
    static func name(_ fee: String) -> Bool {
        fee.lowercased().split { !$0.isLetter }.contains { words.contains(String($0)) }
            || inside.contains { fee.contains($0) }
    }

    private static let words: Set = [
        "tip", "tips", "gratuity", "propina", "pourboire", "trinkgeld", "mancia", "gorjeta", "fooi", "dricks",
        "بقشيش", "إكرامية",
    ]
    /// Words of languages without spaces between words.
    private static let inside = ["チップ", "小費", "小费"]
}
