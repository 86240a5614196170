public import Amounts
public import Determinism
internal import SettingsFile

/// What the header of a trace says of the recorded terminal where its commands do not say it. Every key may
/// be left out:
///
///     {"date": "2025-05-06", "time": "12:30:00", "amount": "12.50", "currency": "EUR",
///      "unpredictableNumber": "8B55633B", "source": "where the trace comes from"}
public struct CardTraceHeader: Hashable, Sendable {
    /// The day on the terminal's calendar, with its time of day.
    public var date: CivilDate?
    public var amount: Money?
    /// Tag 9F37, 4 bytes.
    public var unpredictableNumber: [UInt8]?
    /// Where the trace comes from, for people.
    public var source: String?

    public init(
        date: CivilDate? = nil, amount: Money? = nil, unpredictableNumber: [UInt8]? = nil, source: String? = nil
    ) {
        (self.date, self.amount) = (date, amount)
        (self.unpredictableNumber, self.source) = (unpredictableNumber, source)
    }

    /// - Throws: `SettingsError`
    init(_ node: SettingsNode) throws(SettingsError) {
        try node.mapping(allowedKeys: ["date", "time", "amount", "currency", "unpredictableNumber", "source"])
        if let day = try node.optional("date")?.civilDate() {
            date = try node.optional("time")?.time(on: day) ?? day
        }
        if let number = try node.optional("amount") {
            let code = try node.required("currency")
            let currency = try Self.value(code) { text throws(MoneyError) in try Currency(code: text) }
            amount = try Self.value(number) { text throws(MoneyError) in try Money(text, currency: currency) }
        }
        unpredictableNumber = try node.optional("unpredictableNumber")?.hex(length: 4)
        source = try node.optional("source")?.text(length: 1...1000)
    }

    private static func value<Value>(
        _ node: SettingsNode, _ read: (String) throws(MoneyError) -> Value
    ) throws(SettingsError) -> Value {
        let text = try node.text(length: 1...20)
        do throws(MoneyError) { return try read(text) } catch { throw node.error("\(error)") }
    }
}
