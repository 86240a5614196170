public import Money
import Networking
public import Payments
import Storage

/// A line of an order to refund.
public struct RefundItem: Hashable, Sendable {
    /// The ID of the line of the order.
    public let line: Int64
    /// The pieces to refund; nil for all that are left.
    public let quantity: Int64?

    /// Names an order line by its ID. `quantity` is nil for all pieces that were not refunded.
    public init(line: Int64, quantity: Int64? = nil) { (self.line, self.quantity) = (line, quantity) }
}

/// The amount of a refund that names lines of an order, as the store has them now.
public struct RefundQuote: Hashable, Sendable {
    /// The sum of the lines, with taxes.
    public let amount: Money
    public let lines: [RefundedLine]
}

/// Why lines of an order cannot be refunded.
public enum RefundLineProblem: Error, Hashable, Sendable, CustomStringConvertible {
    /// The payment is for no order of a store.
    case noOrder(PaymentID)
    /// The order has no line with this ID, and the IDs that it has.
    case unknownLine(Int64, order: Int64, known: [Int64])
    /// The line is shipping or a fee.
    case notAProduct(Int64)
    /// The line has a quantity like 1.5.
    case notInPieces(Int64)
    /// The line is named twice.
    case namedTwice(Int64)
    /// All of the line was refunded before.
    case nothingLeft(Int64)
    case tooMany(Int64, requested: Int64, left: Int64)
    /// The amounts of the line are no amounts of the order's currency.
    case unusableAmount(Int64)
    /// The refund has this amount, and its lines have that one.
    case otherAmount(Money, lines: Money)

    public var description: String {
        switch self {
        case .noOrder(let id): "payment \(id) is for no order of a store, so it has no lines: give an amount"
        case .unknownLine(let line, let order, let known):
            "order \(order) has no line \(line): "
                + (known.isEmpty ? "it has no products" : "name \(known.map(String.init).joined(separator: ", "))")
        case .notAProduct(let line): "line \(line) is shipping or a fee: refund it by its amount"
        case .notInPieces(let line): "line \(line) has no whole pieces: refund it by its amount"
        case .namedTwice(let line): "line \(line) is named twice: name it once, with its quantity"
        case .nothingLeft(let line): "line \(line) was refunded before: name another line"
        case .tooMany(let line, let requested, let left):
            "line \(line) has \(left) left to refund, and \(requested) are requested: name \(left) or fewer"
        case .unusableAmount(let line): "line \(line) has no amount that can be refunded: refund it by its amount"
        case .otherAmount(let amount, let lines):
            "the amount is \(amount), and the lines cost \(lines): leave out one of them"
        }
    }
}

/// Calculates what lines of an order cost.
struct RefundPreparation: Sendable {
    let journal: PaymentJournal
    let site: PaymentSite?

    /// Loads the order of a payment and its refunds, and returns what the items cost.
    func quote(_ id: PaymentID, _ items: [RefundItem]) async throws(CardPresentPaymentsError) -> RefundQuote {
        let payment: Payment
        do throws(JournalError) { payment = try journal.paymentWithNotification(id) } catch { throw .journal(error) }
        guard let orderID = payment.orderID, let capture = payment.notification else { throw .refund(.noOrder(id)) }
        guard let site, site.covers(capture, of: payment) else { throw .noStoreSite }
        let order: Networking.Order
        let refunds: ElementList<Networking.Refund>
        do throws(NetworkError) {
            order = try await site.orders.loadOrder(siteID: site.siteID, orderID: orderID)
            refunds = try await site.allRefunds(of: orderID)
        } catch {
            throw .site(.network(error))
        }
        // A refund that can't be read may be of these lines.
        if let failure = refunds.rejected.first { throw .site(.network(.undecodable(failure))) }
        return try RefundQuote(items, of: order, after: refunds.elements, currency: payment.amount.currency)
    }
}

extension PaymentSite {
    /// Loads all refunds of an order, newest first. After one that cannot be read, no other page is loaded.
    func allRefunds(of orderID: Int64) async throws(NetworkError) -> ElementList<Networking.Refund> {
        var found: [Networking.Refund] = []
        var wanted: PageRequest? = PageRequest(size: PageRequest.largest)
        while let request = wanted {
            let page = try await refunds.loadRefunds(siteID: siteID, orderID: orderID, page: request)
            found += page.elements
            guard page.list.rejected.isEmpty else {
                return ElementList(elements: found, rejected: page.list.rejected)
            }
            wanted = page.hasNext && !page.elements.isEmpty ? request.next : nil
        }
        return ElementList(elements: found)
    }
}

extension RefundQuote {
    /// Calculates what items of an order cost: parts of a line are rounded to the currency, the last part of a line is
    /// what is left of it. The amount of a line is rounded with its taxes, as customers pay it.
    ///
    /// - Throws: ``CardPresentPaymentsError/refund(_:)``
    init(
        _ items: [RefundItem], of order: Networking.Order, after refunds: [Networking.Refund], currency: Currency
    ) throws(CardPresentPaymentsError) {
        var lines: [RefundedLine] = []
        do throws(RefundLineProblem) {
            for item in items {
                guard !lines.contains(where: { $0.id == item.line }) else { throw .namedTwice(item.line) }
                lines.append(try Self.line(item, of: order, after: refunds, currency))
            }
        } catch {
            throw .refund(error)
        }
        try self.init(lines, currency: currency)
    }

    /// - Throws: ``CardPresentPaymentsError/journal(_:)`` when they cost too much.
    init(_ lines: [RefundedLine], currency: Currency) throws(CardPresentPaymentsError) {
        self.lines = lines
        let sum = lines.reduce(Int128(0)) { $0 + Int128($1.gross ?? .max) }
        do throws(MoneyError) {
            amount = try Money(minorUnits: Int64(exactly: sum) ?? .max, currency: currency)
        } catch {
            throw .journal(.money(error))
        }
    }

    private static func line(
        _ item: RefundItem, of order: Networking.Order, after refunds: [Networking.Refund], _ currency: Currency
    ) throws(RefundLineProblem) -> RefundedLine {
        guard let line = order.lineItems.first(where: { $0.id == item.line }) else {
            let others = order.shippingLines.map(\.id) + order.feeLines.map(\.id)
            guard !others.contains(item.line) else { throw .notAProduct(item.line) }
            throw .unknownLine(item.line, order: order.id, known: order.lineItems.map(\.id))
        }
        let earlier = refunds.flatMap(\.lineItems).filter { $0.refundedItemID == line.id }
        guard let pieces = line.quantity.pieces, pieces > 0,
            let given = earlier.reduce(
                Optional(Int64(0)),
                { sum, part in
                    guard let sum, let pieces = part.quantity.pieces else { return nil }
                    return sum.subtractingReportingOverflow(pieces).partialValue
                })
        else { throw .notInPieces(line.id) }
        let left = max(0, pieces - min(pieces, given))
        guard left > 0 else { throw .nothingLeft(line.id) }
        let quantity = item.quantity ?? left
        guard quantity <= left else { throw .tooMany(line.id, requested: quantity, left: left) }

        /// Returns the part of an amount that is refunded, in minor units with more digits.
        func part(_ whole: ExactDecimal, _ earlier: [ExactDecimal]) throws(RefundLineProblem) -> Share {
            // The amounts of earlier refunds are negative.
            guard let rest = earlier.reduce(Optional(whole), { $0?.adding($1) }),
                let share = quantity == left
                    ? Share(rest, of: 1, 1, currency) : Share(whole, of: quantity, pieces, currency),
                let bound = Share(rest, of: 1, 1, currency)
            else { throw .unusableAmount(line.id) }
            return min(max(share, .zero), max(bound, .zero))
        }
        var taxes: [RefundedLine.Tax] = []
        var gross = try part(line.total, earlier.map(\.total))
        for tax in line.taxes {
            guard let total = tax.total else { continue }
            let share = try part(total, earlier.flatMap(\.taxes).filter { $0.id == tax.id }.compactMap(\.total))
            gross = gross + share
            taxes.append(RefundedLine.Tax(rate: tax.id, total: share.rounded))
        }
        taxes = taxes.filter { $0.total > 0 }
        let net = gross.rounded - taxes.reduce(0) { $0 + $1.total }
        guard gross.rounded > 0, net >= 0 else { throw .nothingLeft(line.id) }
        return RefundedLine(id: line.id, quantity: quantity, total: net, taxes: taxes)
    }
}

/// A part of an amount, in millionths of a minor unit: the sum of a line and its taxes is rounded once.
private struct Share: Comparable {
    private let millionths: Int128

    static let zero = Share(millionths: 0)
    private static let unit: Int128 = 1_000_000

    private init(millionths: Int128) { self.millionths = millionths }

    /// `count` of `total` parts of an amount. Nil when it is larger than any payment.
    init?(_ amount: ExactDecimal, of count: Int64, _ total: Int64, _ currency: Currency) {
        var (above, below) = (amount.coefficient, Int128(total))
        guard above.magnitude < 1_000_000_000_000_000_000, amount.scale <= 12 else { return nil }
        above *= Int128(count) * Self.unit
        for _ in 0..<currency.exponent { above *= 10 }
        for _ in 0..<amount.scale { below *= 10 }
        millionths = (2 * above + (above < 0 ? -below : below)) / (2 * below)
        guard millionths.magnitude < Int128(1) << 80 else { return nil }
    }

    static func < (first: Share, second: Share) -> Bool { first.millionths < second.millionths }

    static func + (first: Share, second: Share) -> Share { Share(millionths: first.millionths + second.millionths) }

    /// The part in minor units, halves away from zero.
    var rounded: Int64 {
        let half = millionths < 0 ? -Self.unit / 2 : Self.unit / 2
        return Int64(clamping: (millionths + half) / Self.unit)
    }
}

extension ExactDecimal {
    /// The number of pieces; nil when they are not whole.
    fileprivate var pieces: Int64? {
        var (rest, scale) = (coefficient, scale)
        while scale > 0, rest % 10 == 0 { (rest, scale) = (rest / 10, scale - 1) }
        guard scale == 0, rest.magnitude <= 1_000_000 else { return nil }
        return Int64(rest)
    }
}
