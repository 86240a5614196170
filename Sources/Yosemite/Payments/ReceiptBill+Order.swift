internal import Amounts
internal import Hardware
internal import Networking

extension ReceiptBill {
    /// What an order's amount is made of. Where its prices contain the taxes, its customers have seen them so, and so they
    /// stand on the receipt; where that does not add up, because the store rounded otherwise, they stand there without.
    /// What adds up in neither way is left out.
    ///
    /// - Parameters:
    ///   - order: as its store says now.
    ///   - pricesIncludeTax: whether the store's prices contain the taxes.
    ///   - amount: what is paid.
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

/// One way to write down how an order comes to its amount.
private struct OrderSum {
    let order: Networking.Order
    let amount: Money
    /// Whether taxes are in the prices, rather than added to them.
    let isGross: Bool

    private var currency: Currency { amount.currency }

    /// Nil when it does not come to the amount, or has numbers that are no money.
    func breakdown() -> ReceiptBreakdown? {
        var items: [ReceiptItem] = []
        var subtotal: Int128 = 0
        for line in order.lineItems {
            guard let price = units(line.subtotal, line.subtotalTax) else { return nil }
            subtotal += price
            items.append(
                ReceiptItem(
                    title: ShownText.plain(line.name), quantity: line.quantity.withoutEndingZeros, amount: text(price),
                    attributes: line.attributes.compactMap(ReceiptItem.Attribute.init)))
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

    /// From the items to the amount, but for taxes that are added.
    private func steps() -> [Step]? {
        guard var steps = discounts() else { return nil }
        for fee in order.feeLines {
            guard let price = units(fee.total, fee.totalTax) else { return nil }
            let isTip = price > 0 && TipWords.name(fee.name)
            steps.append((isTip ? .tip : .fees, isTip || fee.name.isEmpty ? nil : ShownText.plain(fee.name), price))
        }
        for line in order.shippingLines {
            guard let price = units(line.total, line.totalTax) else { return nil }
            steps.append((.shipping, line.methodTitle.isEmpty ? nil : ShownText.plain(line.methodTitle), price))
        }
        for card in order.giftCards {
            guard let part = units(card.amount, .zero) else { return nil }
            // The code of a gift card is money: it is nothing for paper.
            steps.append((.giftCards, nil, -part))
        }
        // A tip stands last, as it is not for the goods.
        return steps.filter { $0.kind != .tip } + steps.filter { $0.kind == .tip }
    }

    /// A line for each coupon, when together they are what was taken off the items; else one line for all of them.
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

    /// A line for each rate, when together they are the order's tax; else one line for all of them.
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

    /// A price in minor units as the customer sees it.
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
    /// Rounded to the digits of a currency, halves away from zero, as WooCommerce does; nil for what is more than money
    /// can be.
    fileprivate func minorUnits(of currency: Currency) -> Int128? {
        var (units, isHalf) = (coefficient, false)
        for _ in 0..<max(0, scale - currency.exponent) {
            isHalf = (units % 10).magnitude >= 5
            units /= 10
        }
        if isHalf { units += isNegative ? -1 : 1 }
        for _ in 0..<max(0, currency.exponent - scale) {
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
    /// What was chosen, as the store shows it; nil for what is no text.
    fileprivate init?(_ chosen: OrderItemMetaData) {
        guard let value = chosen.displayValue?.textValue ?? chosen.value?.textValue, !value.isEmpty else { return nil }
        self.init(name: ShownText.plain(chosen.displayKey ?? chosen.key), value: ShownText.plain(value))
    }
}

extension OrderTaxLine {
    /// `VAT 20%`; the label alone where it says the rate, or the store does not.
    fileprivate var receiptName: String? {
        guard let ratePercent, !label.contains("%") else { return label.isEmpty ? nil : label }
        return (label.isEmpty ? "" : label + " ") + ratePercent.withoutEndingZeros + "%"
    }
}
