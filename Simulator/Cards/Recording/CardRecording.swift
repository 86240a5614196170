import CardSecrets
import EMV
public import Settings
import SmartCard

/// A real card recorded during one payment: commands and answers, without card data.
///
/// The replayed card fills masked bytes with generated data of the same length and structure: a test PAN, a date,
/// zeros. They are always the same, so that replays are reproducible. Some features of the real card cannot be
/// replayed: certificates contain the PAN and are masked, so the card reports no offline data authentication; and
/// since the issuer cannot check its cryptograms, the issuer repeats its recorded responses.
public struct CardRecording: Sendable {
    /// The mapping that the recording was read from.
    public let source: SettingsNode
    let transmission: CardProtocol
    let exchanges: [RecordedExchange]
    /// The issuer's responses, one per authorization.
    let answers: [IssuerAnswer]
    /// The generated PAN, one digit per byte.
    let pan: SealedBytes
    /// The selected application; nil if none was.
    let application: [UInt8]?
    let filling: GeneratedCardData

    /// Reads the mapping under `recorded`.
    ///
    /// - Throws: `SettingsError`, which quotes no byte.
    public init(_ node: SettingsNode) throws(SettingsError) {
        try node.mapping(allowedKeys: ["protocol", "lastFour", "expired", "exchanges", "issuer"])
        source = node
        transmission = try node.optional("protocol")?.choice(CardProtocol.self) ?? .t0
        var exchanges: [RecordedExchange] = []
        for entry in try node.required("exchanges").list(count: 1...2000) {
            exchanges.append(try RecordedExchange(entry))
        }
        self.exchanges = exchanges
        var answers: [IssuerAnswer] = []
        for entry in try node.optional("issuer")?.list(count: 0...100) ?? [] {
            answers.append(try IssuerAnswer(recorded: entry))
        }
        self.answers = answers
        filling = GeneratedCardData(
            lastFour: try node.optional("lastFour")?.fourDigits(),
            isExpired: try node.optional("expired")?.bool() ?? false, exchanges: exchanges)
        pan = SealedBytes(filling.pan)
        application = Self.application(exchanges)
    }

    /// Returns the DF name of the application selected last before GET PROCESSING OPTIONS.
    private static func application(_ exchanges: [RecordedExchange]) -> [UInt8]? {
        var selected: [UInt8]?
        for exchange in exchanges {
            guard case .answered(let answer, .success) = exchange.outcome else { continue }
            switch exchange.command.ins {
            case CardInstruction.select.rawValue:
                selected = (try? BERTLV.parse(answer.bytes))?.first(0x84)?.value ?? exchange.command.data
            case CardInstruction.getProcessingOptions.rawValue: return selected
            default: break
            }
        }
        return nil
    }
}

extension IssuerAnswer {
    /// - Throws: `SettingsError`
    fileprivate init(recorded node: SettingsNode) throws(SettingsError) {
        try node.mapping(allowedKeys: [
            "responseCode", "authorisationCode", "authenticationData", "scriptsBefore", "scriptsAfter",
        ])
        func scripts(_ key: String) throws(SettingsError) -> [[UInt8]] {
            var scripts: [[UInt8]] = []
            for script in try node.optional(key)?.list(count: 0...16) ?? [] {
                scripts.append(try script.hex(length: 1...2048))
            }
            return scripts
        }
        self.init(
            authorizationResponseCode: Array(try node.required("responseCode").responseCode().utf8),
            authorizationCode: try node.optional("authorisationCode")?.text(length: 1...6),
            issuerAuthenticationData: try node.optional("authenticationData")?.hex(length: 8...16),
            scriptsBeforeFinal: try scripts("scriptsBefore"), scriptsAfterFinal: try scripts("scriptsAfter"))
    }
}

/// A command to a recorded card, and its result.
struct RecordedExchange: Sendable {
    enum Outcome: Hashable, Sendable {
        /// The response data, partly masked, and the status word.
        case answered(RecordedBytes, StatusWord)
        /// The card was removed before it answered.
        case removed
        /// The card gave no answer, or none that could be parsed.
        case mute
    }

    /// The command, with zeros for masked bytes.
    let command: CommandAPDU
    let outcome: Outcome

    /// - Throws: `SettingsError`
    init(_ node: SettingsNode) throws(SettingsError) {
        try node.mapping(allowedKeys: ["c", "r", "e"])
        let text = try node.required("c")
        let masked = try RecordedBytes(text)
        do throws(APDUError) { command = try CommandAPDU(bytes: masked.bytes) } catch {
            throw text.concealed.error("\(error)")
        }
        if let failure = try node.optional("e") {
            if let answer = try node.optional("r") { throw answer.error("an exchange has either 'r' or 'e'") }
            outcome = try failure.choice(of: ["removed": .removed, "mute": .mute])
            return
        }
        let response = try node.required("r")
        var answer = try RecordedBytes(response)
        guard answer.bytes.count >= 2, answer.isHidden.suffix(2) == [false, false] else {
            throw response.concealed.error("an answer must end with its status word")
        }
        let status = StatusWord(answer.bytes[answer.bytes.count - 2], answer.bytes[answer.bytes.count - 1])
        answer.bytes.removeLast(2)
        answer.isHidden.removeLast(2)
        outcome = .answered(answer, status)
    }
}

/// Bytes that are partly unknown: hexadecimal digits, and `**` for each masked byte.
struct RecordedBytes: Hashable, Sendable {
    /// The bytes, with zeros for masked ones.
    var bytes: [UInt8] = []
    var isHidden: [Bool] = []

    /// - Throws: `SettingsError`, which does not quote the text.
    init(_ node: SettingsNode) throws(SettingsError) {
        let digits = Array(try node.concealed.text(length: 0...140_000).utf8)
        guard digits.count % 2 == 0 else { throw Self.failure(node) }
        for start in stride(from: 0, to: digits.count, by: 2) {
            let (high, low) = (digits[start], digits[start + 1])
            if high == UInt8(ascii: "*"), low == high {
                bytes.append(0)
                isHidden.append(true)
            } else if let high = Self.digit(high), let low = Self.digit(low) {
                bytes.append(high << 4 | low)
                isHidden.append(false)
            } else {
                throw Self.failure(node)
            }
        }
    }

    private static func failure(_ node: SettingsNode) -> SettingsError {
        node.concealed.error(
            "not hexadecimal bytes", fix: "write two hexadecimal digits for each byte, or ** for a masked one")
    }

    private static func digit(_ character: UInt8) -> UInt8? {
        switch character {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): character - UInt8(ascii: "0")
        case UInt8(ascii: "A")...UInt8(ascii: "F"): character - UInt8(ascii: "A") + 10
        case UInt8(ascii: "a")...UInt8(ascii: "f"): character - UInt8(ascii: "a") + 10
        default: nil
        }
    }
}
