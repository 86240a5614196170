public import SettingsFile
public import SmartCard

/// What a card was asked and what it answered, as somebody recorded it: a JSON object a line,
/// `{"c": command, "r": response}` in hexadecimal digits.
///
/// The first line may be a header, an object without `c`: see ``CardTraceHeader``. Answers that T=0 brings in
/// pieces (61xx and GET RESPONSE, 6Cxx and the command again) are put together, because the kernel stands
/// above the transmission protocol.
public struct CardTrace: Hashable, Sendable {
    /// One command and its whole answer.
    public struct Exchange: Hashable, Sendable {
        public let command: CommandAPDU
        public let response: ResponseAPDU
        /// The line of the command, counting from 1.
        public let line: Int
    }

    public let header: CardTraceHeader
    public let exchanges: [Exchange]

    /// Reads a trace.
    ///
    /// - Parameters:
    ///   - text: the lines. Empty ones are left out.
    ///   - file: the name that errors give.
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
                throw node.error("a header stands before the first exchange", fix: "write \"c\" and \"r\"")
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
        // A recorded card is a test card as a rule, but nobody knows: no error repeats its bytes.
        let node = node.concealed
        guard try !node.text(length: 1...200_000).contains("*") else {
            throw node.error(
                "card data is masked here, and a card cannot be played from it", fix: "record a test card unmasked")
        }
        let bytes = try node.hex(length: 2...65_600)
        do throws(APDUError) { return try read(bytes) } catch { throw node.error("\(error)") }
    }

    /// Puts answers together that T=0 brought in pieces (ISO/IEC 7816-3 §12).
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
    /// Whether CLA, INS, P1 and P2 are the same.
    func hasHeader(of other: CommandAPDU) -> Bool {
        (cla, ins, p1, p2) == (other.cla, other.ins, other.p1, other.p2)
    }
}
