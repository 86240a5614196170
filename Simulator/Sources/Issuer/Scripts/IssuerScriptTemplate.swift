internal import SmartCard

/// A script of the issuer: template 71 or 72 (EMV Book 3 §10.10).
struct IssuerScriptTemplate: Hashable, Sendable {
    /// Tag 9F18, 4 bytes.
    var identifier: [UInt8]
    /// Whether it is template 71, for before the second GENERATE AC, or 72, for after it.
    var comesBeforeFinal: Bool
    /// In this order.
    var commands: [IssuerScriptCommand.Command]

    static let standardIdentifier: [UInt8] = [0, 0, 0, 1]
    /// Bytes of all templates of an answer, tags and lengths included, that a terminal has to take (EMV Book 3
    /// §10.10).
    static let longestTotal = 128

    /// One template for the commands of each phase.
    static func grouping(_ commands: [IssuerScriptCommand]) -> [IssuerScriptTemplate] {
        [true, false].compactMap { isBefore in
            let chosen = commands.filter { $0.comesBeforeFinal == isBefore }.map(\.command)
            guard !chosen.isEmpty else { return nil }
            return IssuerScriptTemplate(identifier: standardIdentifier, comesBeforeFinal: isBefore, commands: chosen)
        }
    }

    /// The most bytes of the template with its tag and length.
    var longestEncoding: Int {
        var length = Self.length(2, identifier.count)
        for command in commands { length += Self.length(1, command.longestEncoding) }
        return Self.length(1, length)
    }

    /// Bytes of a data object whose tag has `tag` bytes.
    private static func length(_ tag: Int, _ value: Int) -> Int {
        let extra = value < 0x80 ? 0 : value <= 0xFF ? 1 : 2
        return tag + 1 + extra + value
    }

    /// The value of the template: script identifier (9F18) and commands (86), each with its MAC.
    ///
    /// - Parameters:
    ///   - context: the transaction that the MACs are bound to.
    ///   - keys: the card's own keys.
    /// - Returns: the value, without tag and length.
    /// - Throws: ``CryptogramError``
    func encoded(
        _ context: IssuerAuthenticationData.Context, keys: borrowing IssuerMasterKeys
    ) throws(CryptogramError) -> [UInt8] {
        var value = BERTLV.encode(0x9F18, identifier)
        for command in commands {
            value += BERTLV.encode(0x86, try command.encoded(context, keys: keys))
        }
        return value
    }
}
