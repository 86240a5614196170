internal import CardSecrets
public import SmartCard

/// A command to the card in an issuer script (EMV Book 3 §6.5 and §10.10).
public struct IssuerScriptCommand: Hashable, Sendable {
    public enum Command: Hashable, Sendable {
        case blockApplication
        case unblockApplication
        case blockCard
        case unblockPIN
        /// Changes a data object of the card.
        case putData(BERTag, [UInt8])
        /// Gives the card a new PIN, and all its tries back. The PIN goes to it enciphered.
        case changePIN(NewPIN)
    }

    /// A PIN for the card. It prints as a mask, and two are equal when they are the same value.
    public final class NewPIN: Hashable, Sendable, CustomStringConvertible {
        let digits: SealedBytes

        /// - Parameter digits: 4...12 digits, one a byte with values 0...9.
        public init(_ digits: SealedBytes) { self.digits = digits }

        public static func == (first: NewPIN, second: NewPIN) -> Bool {
            first.digits.bytes.isEqual(to: second.digits.bytes)
        }

        public func hash(into hasher: inout Hasher) { hasher.combine(digits.bytes.count) }

        public var description: String { "NewPIN(masked)" }
    }

    public var command: Command
    /// Whether it goes in template 71, before the second GENERATE AC, or 72, after it.
    public var comesBeforeFinal: Bool

    public init(_ command: Command, comesBeforeFinal: Bool = false) {
        (self.command, self.comesBeforeFinal) = (command, comesBeforeFinal)
    }
}

extension IssuerScriptCommand.Command {
    /// The most bytes of the command as it goes to the card: header, data and MAC.
    var longestEncoding: Int { 5 + longestData + ScriptMAC.length }

    private var longestData: Int {
        switch self {
        case .blockApplication, .unblockApplication, .blockCard, .unblockPIN: 0
        case .putData(_, let value): value.count
        // Two blocks of eight bytes, or one of sixteen.
        case .changePIN: 16
        }
    }

    /// The command with its MAC, as it goes to the card.
    ///
    /// - Throws: ``CryptogramError``
    func encoded(
        _ context: IssuerAuthenticationData.Context, keys: borrowing IssuerMasterKeys
    ) throws(CryptogramError) -> [UInt8] {
        let (instruction, parameters, data): (UInt8, UInt16, [UInt8]) =
            switch self {
            case .blockApplication: (0x1E, 0, [])
            case .unblockApplication: (0x18, 0, [])
            case .blockCard: (0x16, 0, [])
            case .unblockPIN: (0x24, 0, [])
            case .putData(let tag, let value): (0xDA, UInt16(truncatingIfNeeded: tag.rawValue), value)
            // Without the current PIN (P2 = 02), which an issuer need not know.
            case .changePIN(let pin): (0x24, 2, try Self.enciphered(pin, context, keys: keys))
            }
        let header =
            [0x84, instruction] + parameters.bigEndianBytes + [UInt8(truncatingIfNeeded: data.count + ScriptMAC.length)]
        let mac = try ScriptMAC.compute(
            header: header, data: data, atc: context.atc, applicationCryptogram: context.arqc,
            version: context.version, masterKey: keys.scriptMAC)
        return header + data + mac
    }

    private static func enciphered(
        _ pin: IssuerScriptCommand.NewPIN, _ context: IssuerAuthenticationData.Context,
        keys: borrowing IssuerMasterKeys
    ) throws(CryptogramError) -> [UInt8] {
        let block = try ScriptEncipherment.pinBlock(
            newPIN: pin.digits, version: context.version, cryptogramKey: keys.applicationCryptogram)
        return try ScriptEncipherment.encipher(
            block, atc: context.atc, applicationCryptogram: context.arqc, version: context.version,
            masterKey: keys.scriptConfidentiality)
    }
}
