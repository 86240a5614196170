public import Determinism
public import Money
public import Settings
public import SmartCard

/// A recorded card trace: one JSON object per line, `{"c": command, "r": response}`, in hexadecimal digits.
///
/// The first line may be a header, an object without `c`: see ``CardTraceHeader``. T=0 responses in several parts (61xx
/// and GET RESPONSE, 6Cxx and the repeated command) are joined, because the kernel works above the transmission
/// protocol.
public struct CardTrace: Hashable, Sendable {
    /// One command and its complete response.
    public struct Exchange: Hashable, Sendable {
        public let command: CommandAPDU
        public let response: ResponseAPDU
        /// The line of the command, counting from 1.
        public let line: Int
    }

    public let header: CardTraceHeader
    public let exchanges: [Exchange]

    /// Parses a trace.
    ///
    /// - Parameters:
    ///   - text: the lines. Empty lines are ignored.
    ///   - file: the file name for error messages.
    /// - Throws: `SettingsError` with line and key.
    public init(jsonLines text: String, file: String) throws(SettingsError) {
        try self.init(
            try SettingsDocument.list(text: text, file: file, limits: Self.limits), file: file)
    }

    /// Reads a regular file.
    ///
    /// - Throws: `SettingsError`, also when the file cannot be read.
    public init(path: String) throws(SettingsError) {
        try self.init(try SettingsDocument.list(path: path, limits: Self.limits), file: path)
    }

    init(header: CardTraceHeader, exchanges: [Exchange]) { (self.header, self.exchanges) = (header, exchanges) }

    private static let limits = SettingsDocument.Limits(bytes: 4 << 20, values: 20_000)

    private init(_ nodes: [SettingsNode], file: String) throws(SettingsError) {
        var header: CardTraceHeader?
        var exchanges: [Exchange] = []
        for node in nodes {
            if let exchange = try Self.exchange(node, line: node.location.line) {
                exchanges.append(exchange)
            } else if header == nil, exchanges.isEmpty {
                header = try CardTraceHeader(node)
            } else {
                throw node.error("a header must come before the first exchange", fix: "write \"c\" and \"r\"")
            }
        }
        guard !exchanges.isEmpty else {
            throw SettingsError(
                location: SettingsLocation(file: file, line: 1, column: 1), keyPath: "",
                problem: .invalid(message: "the trace has no exchange", fix: #"write {"c": …, "r": …}"#))
        }
        self.header = header ?? CardTraceHeader()
        self.exchanges = Self.withoutTransport(exchanges)
    }

    private static func exchange(_ node: SettingsNode, line: Int) throws(SettingsError) -> Exchange? {
        guard let command = try node.optional("c") else { return nil }
        try node.mapping(allowedKeys: ["c", "r", "e"])
        guard try node.optional("e") == nil else {
            throw try node.required("e").error(
                "an exchange without an answer cannot be replayed", fix: "end the trace before it")
        }
        return Exchange(
            command: try apdu(command) { bytes throws(APDUError) in try CommandAPDU(bytes: bytes) },
            response: try apdu(try node.required("r")) { bytes throws(APDUError) in try ResponseAPDU(bytes: bytes) },
            line: line)
    }

    private static func apdu<APDU>(
        _ node: SettingsNode, _ read: ([UInt8]) throws(APDUError) -> APDU
    ) throws(SettingsError) -> APDU {
        // A recorded card may be a real card, so errors never contain its bytes.
        let node = node.concealed
        guard try !node.text(length: 1...200_000).contains("*") else {
            throw node.error(
                "card data is masked here, and a card cannot be played from it", fix: "record a test card unmasked")
        }
        let bytes = try node.hex(length: 2...65_600)
        do throws(APDUError) { return try read(bytes) } catch { throw node.error("\(error)") }
    }

    /// Joins T=0 responses in several parts (ISO/IEC 7816-3 §12).
    private static func withoutTransport(_ exchanges: [Exchange]) -> [Exchange] {
        var whole: [Exchange] = []
        var rest = exchanges[...]
        while let first = rest.popFirst() {
            var response = first.response
            while let next = rest.first {
                let isRepetition = response.status.sw1 == 0x6C && next.command.hasHeader(of: first.command)
                guard isRepetition || response.status.sw1 == 0x61 && next.command.ins == 0xC0 else { break }
                response = ResponseAPDU(
                    data: isRepetition ? next.response.data : response.data + next.response.data,
                    status: next.response.status)
                rest = rest.dropFirst()
            }
            whole.append(Exchange(command: first.command, response: response, line: first.line))
        }
        return whole
    }
}

extension CommandAPDU {
    /// Returns whether CLA, INS, P1, and P2 are equal.
    func hasHeader(of other: CommandAPDU) -> Bool {
        (cla, ins, p1, p2) == (other.cla, other.ins, other.p1, other.p2)
    }
}

/// The header of a trace: data of the recorded terminal that its commands do not contain. Every key is optional:
///
///     {"date": "2025-05-06", "time": "12:30:00", "amount": "12.50", "currency": "EUR",
///      "unpredictableNumber": "8B55633B", "source": "where the trace comes from"}
public struct CardTraceHeader: Hashable, Sendable {
    /// The terminal's local date and time.
    public var date: CivilDate?
    public var amount: Money?
    /// Tag 9F37, 4 bytes.
    public var unpredictableNumber: [UInt8]?
    /// A note about the origin of the trace.
    public var source: String?

    /// Takes what is known of the recorded terminal; nil is left out. `unpredictableNumber` has 4 bytes.
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
