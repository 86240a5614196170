import Determinism
import Money
import Text

/// The totals that an acquirer says it settled: one for each lane, day, and brand.
///
/// The file is CSV (RFC 4180) in UTF-8 with a row of headings: `shop`, `lane`, `day` (`2026-01-02`), `brand`,
/// `currency`, `sales`, `salesAmount`, `refunds`, `refundsAmount`. Amounts are decimals such as `12.50`.
public struct Settlement: Hashable, Sendable {
    /// The headings, in the order of the fields.
    public static let headings = [
        "shop", "lane", "day", "brand", "currency", "sales", "salesAmount", "refunds", "refundsAmount",
    ]

    /// The totals of the acquirer.
    public let totals: [TotalKey: DayTotal]
    /// The first and the last day; nil without totals.
    public let days: ClosedRange<String>?

    /// Returns the fields of a line, in the order of the headings.
    public static func fields(_ key: TotalKey, _ total: DayTotal) -> [String] {
        [
            key.shop, key.lane, key.day, key.brand, key.currency.code, String(total.sales),
            key.amountText(total.salesAmount), String(total.refunds), key.amountText(total.refundsAmount),
        ]
    }

    /// The file, with its lines in order.
    public var text: String {
        CommaSeparatedText.text(
            [Self.headings] + totals.sorted { $0.key < $1.key }.map { Self.fields($0.key, $0.value) })
    }

    /// Takes totals.
    public init(_ totals: [TotalKey: DayTotal]) {
        self.totals = totals
        let days = totals.keys.map(\.day)
        self.days = days.min().flatMap { first in days.max().map { first...$0 } }
    }

    /// Reads a file.
    ///
    /// - Throws: ``FleetError/malformedSettlement(line:problem:)``
    public init(_ text: String) throws(FleetError) {
        var totals: [TotalKey: DayTotal] = [:]
        var hasHeadings = false
        for row in CommaSeparatedRows(text) {
            if let problem = row.problem { throw .malformedSettlement(line: row.line, problem: problem) }
            if row.fields == [""] { continue }
            guard hasHeadings else {
                guard row.fields == Self.headings else {
                    throw .malformedSettlement(
                        line: row.line, problem: "the headings must be \(Self.headings.joined(separator: ","))")
                }
                hasHeadings = true
                continue
            }
            let (key, total) = try Self.total(row.fields, line: row.line)
            guard totals.updateValue(total, forKey: key) == nil else {
                throw .malformedSettlement(line: row.line, problem: "a line before has the same lane, day, and brand")
            }
        }
        guard hasHeadings else { throw .malformedSettlement(line: 1, problem: "there are no headings") }
        self.init(totals)
    }

    /// Reads a sum, which can have more digits than an amount to pay; nil when it is none.
    private static func minorUnits(_ text: String, of currency: Currency) -> Int64? {
        guard text.utf8.allSatisfy({ (0x30...0x39).contains($0) || $0 == UInt8(ascii: ".") }),
            let number = ExactDecimal(text), number.scale <= currency.exponent
        else { return nil }
        var units = number.coefficient
        for _ in number.scale..<currency.exponent {
            let (product, isTooLarge) = units.multipliedReportingOverflow(by: 10)
            guard !isTooLarge else { return nil }
            units = product
        }
        return Int64(exactly: units)
    }

    private static func total(_ fields: [String], line: Int) throws(FleetError) -> (TotalKey, DayTotal) {
        func wrong(_ problem: String) -> FleetError { .malformedSettlement(line: line, problem: problem) }
        guard fields.count == headings.count else {
            throw wrong("\(fields.count) fields, where \(headings.count) are needed")
        }
        let currency: Currency
        do throws(MoneyError) { currency = try Currency(code: fields[4]) } catch { throw wrong(error.description) }
        func amount(_ index: Int) throws(FleetError) -> Int64 {
            guard let amount = minorUnits(fields[index], of: currency) else {
                throw wrong("\(headings[index]) is no amount with at most \(currency.exponent) decimals")
            }
            return amount
        }
        func count(_ index: Int) throws(FleetError) -> Int64 {
            guard let count = Int64(fields[index]), count >= 0 else { throw wrong("\(headings[index]) is no count") }
            return count
        }
        guard BackOffice.isDay(fields[2]) else {
            throw wrong("the day must look like 2026-01-02")
        }
        return (
            TotalKey(
                shop: fields[0], lane: CommaSeparatedText.unguarded(fields[1]), day: fields[2],
                brand: CommaSeparatedText.unguarded(fields[3]), currency: currency),
            DayTotal(
                sales: try count(5), salesAmount: try amount(6), refunds: try count(7), refundsAmount: try amount(8))
        )
    }
}

/// A total on which a back office and an acquirer do not agree.
public struct TotalDifference: Hashable, Sendable {
    /// What is wrong.
    public enum Kind: String, Sendable {
        /// The lane has taken money that the acquirer has not settled.
        case notSettled
        /// The acquirer has settled what the lane does not have.
        case notTaken
        /// Both have it, and counts or amounts differ.
        case differs
    }

    public let key: TotalKey
    public let ours: DayTotal?
    public let theirs: DayTotal?

    public var kind: Kind { ours == nil ? .notTaken : theirs == nil ? .notSettled : .differs }

    /// Compares totals.
    ///
    /// - Returns: the keys on which they differ, in order.
    public static func between(
        _ ours: [TotalKey: DayTotal], and theirs: [TotalKey: DayTotal]
    ) -> [TotalDifference] {
        Set(ours.keys).union(theirs.keys).sorted().compactMap { key in
            ours[key] == theirs[key] ? nil : TotalDifference(key: key, ours: ours[key], theirs: theirs[key])
        }
    }
}
