internal import CardSecrets
internal import EMV
public import SettingsFile
internal import SmartCard

/// A real card as it was in one payment: what it was asked and what it answered, without card data.
///
/// Where a byte is masked, the card that is played from it has made-up data of the same length and structure: a test
/// number, a date, zeros. They are always the same, so that a replay is. What only the real card can do cannot be had
/// again: certificates with the card's number in them are masked, so the card says that it supports no offline data
/// authentication; and since the issuer cannot check its cryptograms, it answers as it did.
public struct CardRecording: Sendable {
    /// The mapping that it was read from.
    public let source: SettingsNode
    let transmission: CardProtocol
    let exchanges: [RecordedExchange]
    /// What the issuer answered, one authorisation after the other.
    let answers: [IssuerAnswer]
    /// The made-up number, one digit a byte.
    let pan: SealedBytes
    /// The application that was used; nil when none was.
    let application: [UInt8]?
    let filling: CardFilling

    /// Reads what stands under `recorded`.
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
        filling = CardFilling(
            lastFour: try node.optional("lastFour")?.fourDigits(),
            isExpired: try node.optional("expired")?.bool() ?? false, exchanges: exchanges)
        pan = SealedBytes(filling.pan)
        application = Self.application(exchanges)
    }

    /// The DF name of the application that was selected last before it was begun with.
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
            authorisationResponseCode: Array(try node.required("responseCode").responseCode().utf8),
            authorisationCode: try node.optional("authorisationCode")?.text(length: 1...6),
            issuerAuthenticationData: try node.optional("authenticationData")?.hex(length: 8...16),
            scriptsBeforeFinal: try scripts("scriptsBefore"), scriptsAfterFinal: try scripts("scriptsAfter"))
    }
}
