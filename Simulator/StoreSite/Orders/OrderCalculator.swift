/// Calculates taxes, discounts, and totals of orders, rounding each line separately.
struct OrderCalculator: Sendable {
    let rates: [TaxRate]
    let coupons: [Coupon]
    /// The store's address, which determines the tax of orders without an address.
    let base: PostalAddress
    /// `shipping`, `billing`, or `base`.
    let taxBasedOn: String

    /// Returns the rates of a tax class at a place: the first match of each priority.
    private func rates(_ taxClass: String, _ place: PostalAddress) -> [TaxRate] {
        let slug = taxClass.isEmpty ? "standard" : taxClass
        var chosen: [TaxRate] = []
        for rate in rates where rate.taxClass == slug && rate.fits(place) {
            if !chosen.contains(where: { $0.priority == rate.priority }) { chosen.append(rate) }
        }
        return chosen
    }

    private func place(_ order: StoredOrder) -> PostalAddress {
        let address =
            switch taxBasedOn {
            case "base": base
            case "billing": order.billing
            default: order.shipping.country.isEmpty ? order.billing : order.shipping
            }
        return address.country.isEmpty ? base : address
    }

    /// Distributes the coupons' discounts over the lines, replacing earlier discounts.
    func applyCoupons(_ order: inout StoredOrder) {
        for index in order.items.indices { order.items[index].total = order.items[index].subtotal }
        for index in order.coupons.indices {
            guard let coupon = coupons.first(where: { $0.code == order.coupons[index].code }) else { continue }
            var taken = Amount.zero
            switch coupon.discount {
            case .percent(let percent):
                for item in order.items.indices where order.items[item].bundledBy == nil {
                    let part = min(
                        order.items[item].total, order.items[item].subtotal.part(percent.hundredths, of: 10_000))
                    order.items[item].total -= part
                    taken += part
                }
            case .product(let amount):
                for item in order.items.indices where order.items[item].bundledBy == nil {
                    let part = min(order.items[item].total, amount.times(order.items[item].quantity))
                    order.items[item].total -= part
                    taken += part
                }
            case .cart(let amount):
                let cart = order.items.lazy.map(\.total).sum()
                var left = min(amount, cart)
                for item in order.items.indices where order.items[item].total > .zero {
                    let whole = order.items[item].total
                    // Rounded up, so that the last line gets no discount above its price.
                    let share = whole.part(min(amount, cart).hundredths, of: max(1, cart.hundredths))
                    let part = min(left, min(whole, Amount(hundredths: share.hundredths + 1)))
                    order.items[item].total -= part
                    left -= part
                    taken += part
                }
            }
            order.coupons[index].discount = taken
        }
    }

    /// Calculates the totals from the lines. `nextID` numbers new lines.
    func calculate(_ order: inout StoredOrder, nextID: () -> Int64) {
        let place = place(order)
        var totals = SiteOrderTotals()
        for index in order.items.indices {
            let item = order.items[index]
            let taxes = rates(item.taxClass, place).map { rate in
                ChargedTax(rateID: rate.id, total: rate.tax(on: item.total), subtotal: rate.tax(on: item.subtotal))
            }
            order.items[index].taxes = taxes
        }
        for index in order.fees.indices {
            let fee = order.fees[index]
            let fitting = fee.isTaxed ? rates(fee.taxClass, place) : []
            order.fees[index].taxes = fitting.map { rate in
                ChargedTax(rateID: rate.id, total: rate.tax(on: fee.total), subtotal: .zero)
            }
        }
        for index in order.shippingLines.indices {
            let line = order.shippingLines[index]
            order.shippingLines[index].taxes = rates("", place).filter(\.coversShipping).map { rate in
                ChargedTax(rateID: rate.id, total: rate.tax(on: line.total), subtotal: .zero)
            }
        }
        let cart = order.items.flatMap(\.taxes) + order.fees.flatMap(\.taxes)
        let shipping = order.shippingLines.flatMap(\.taxes)
        for rate in rates {
            let isUsed = cart.contains { $0.rateID == rate.id } || shipping.contains { $0.rateID == rate.id }
            guard isUsed else { continue }
            let known = order.totals.taxLines.first { $0.rateID == rate.id }
            totals.taxLines.append(
                SiteOrderTotals.TaxLine(
                    id: known?.id ?? nextID(), rateID: rate.id,
                    tax: cart.lazy.filter { $0.rateID == rate.id }.map(\.total).sum(),
                    shippingTax: shipping.lazy.filter { $0.rateID == rate.id }.map(\.total).sum()))
        }
        totals.discount = order.items.lazy.map { $0.subtotal - $0.total }.sum()
        totals.discountTax = order.items.lazy.map { $0.subtotalTax - $0.totalTax }.sum()
        totals.shipping = order.shippingLines.lazy.map(\.total).sum()
        totals.shippingTax = shipping.lazy.map(\.total).sum()
        totals.cartTax = cart.lazy.map(\.total).sum()
        let goods = order.items.lazy.map(\.total).sum() + order.fees.lazy.map(\.total).sum()
        let cards = order.giftCards.lazy.map(\.amount).sum()
        totals.total = max(.zero, goods + totals.cartTax + totals.shipping + totals.shippingTax - cards)
        // The first coupon gets the tax, because the discounts cannot be separated any more.
        for index in order.coupons.indices {
            order.coupons[index].discountTax = index == 0 ? totals.discountTax : .zero
        }
        order.totals = totals
    }
}

/// The totals of an order.
struct SiteOrderTotals: Hashable, Sendable {
    /// The tax of one rate on the whole order.
    struct TaxLine: Hashable, Sendable {
        var id: Int64
        var rateID: Int64
        var tax: Amount
        var shippingTax: Amount
    }

    var discount = Amount.zero
    var discountTax = Amount.zero
    var shipping = Amount.zero
    var shippingTax = Amount.zero
    /// The tax on everything except shipping.
    var cartTax = Amount.zero
    var total = Amount.zero
    var taxLines: [TaxLine] = []

    var tax: Amount { cartTax + shippingTax }
}
