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
    }

    public var command: Command
    /// Whether it goes in template 71, before the second GENERATE AC, or 72, after it.
    public var comesBeforeFinal: Bool

    public init(_ command: Command, comesBeforeFinal: Bool = false) {
        (self.command, self.comesBeforeFinal) = (command, comesBeforeFinal)
    }
}

extension IssuerScriptCommand.Command {
    /// Bytes of the command as it goes to the card: header, data and MAC.
    var encodedLength: Int { 5 + dataLength + ScriptMAC.length }

    private var dataLength: Int {
        switch self {
        case .blockApplication, .unblockApplication, .blockCard, .unblockPIN: 0
        case .putData(_, let value): value.count
        }
    }

    /// The command with its MAC, as it goes to the card.
    ///
    /// - Throws: ``CryptogramError/cryptography(_:)``
    func encoded(
        _ context: IssuerAuthenticationData.Context, masterKey: borrowing SensitiveBytes
    ) throws(CryptogramError) -> [UInt8] {
        let (instruction, parameters, data): (UInt8, UInt16, [UInt8]) =
            switch self {
            case .blockApplication: (0x1E, 0, [])
            case .unblockApplication: (0x18, 0, [])
            case .blockCard: (0x16, 0, [])
            case .unblockPIN: (0x24, 0, [])
            case .putData(let tag, let value): (0xDA, UInt16(truncatingIfNeeded: tag.rawValue), value)
            }
        let header =
            [0x84, instruction] + parameters.bigEndianBytes + [UInt8(truncatingIfNeeded: data.count + ScriptMAC.length)]
        let mac = try ScriptMAC.compute(
            header: header, data: data, atc: context.atc, applicationCryptogram: context.arqc,
            version: context.version, masterKey: masterKey)
        return header + data + mac
    }
}
