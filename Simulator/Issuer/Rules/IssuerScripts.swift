import CardSecrets
import Settings
public import SmartCard

/// A command of an issuer script (EMV Book 3 §6.5 and §10.10).
public struct IssuerScriptCommand: Hashable, Sendable {
    /// The effect of the command on the card.
    public enum Command: Hashable, Sendable {
        case blockApplication, unblockApplication, blockCard, unblockPIN
        /// Changes a data object of the card.
        case putData(BERTag, [UInt8])
        /// Sets a new PIN and resets the try counter. The PIN is sent enciphered.
        case changePIN(NewPIN)
    }

    /// A PIN for the card. It prints as a mask; two are equal only if they are the same object.
    public final class NewPIN: Hashable, Sendable, CustomStringConvertible {
        let digits: SealedBytes

        /// - Parameter digits: 4...12 digits, one per byte with values 0...9.
        public init(_ digits: SealedBytes) { self.digits = digits }

        public static func == (first: NewPIN, second: NewPIN) -> Bool {
            first.digits.bytes.isEqual(to: second.digits.bytes)
        }

        public func hash(into hasher: inout Hasher) { hasher.combine(digits.bytes.count) }

        public var description: String { "NewPIN(masked)" }
    }

    public var command: Command
    /// Whether the command goes into template 71, before the second GENERATE AC, or 72, after it.
    public var comesBeforeFinal: Bool

    /// Puts a command into the script before the second GENERATE AC (template 71), or into the one after it (72).
    public init(_ command: Command, comesBeforeFinal: Bool = false) {
        (self.command, self.comesBeforeFinal) = (command, comesBeforeFinal)
    }
}

extension IssuerScriptCommand.Command {
    /// The maximum length of the encoded command in bytes: header, data, and MAC.
    var longestEncoding: Int { 5 + longestData + ScriptMAC.length }

    private var longestData: Int {
        switch self {
        case .blockApplication, .unblockApplication, .blockCard, .unblockPIN: 0
        case .putData(_, let value): value.count
        // Two blocks of eight bytes, or one of sixteen.
        case .changePIN: 16
        }
    }

    /// Returns the command with its MAC, as sent to the card.
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

extension IssuerScriptCommand {
    /// Decodes `{ when, command, … }`.
    init(_ node: SettingsNode) throws(SettingsError) {
        try node.mapping(allowedKeys: ["when"] + Command.keys)
        self.init(try Command(node), comesBeforeFinal: try node.scriptPhase())
    }
}

extension IssuerScriptCommand.Command {
    private enum Word: String, CaseIterable {
        case blockApplication, unblockApplication, blockCard, unblockPIN, putData, changePIN
    }

    static let keys = ["command", "tag", "value", "pin"]

    /// Decodes `{ command, … }`; the caller checks the other keys.
    init(_ node: SettingsNode) throws(SettingsError) {
        let word = try node.required("command").choice(Word.self)
        switch word {
        case .blockApplication: self = .blockApplication
        case .unblockApplication: self = .unblockApplication
        case .blockCard: self = .blockCard
        case .unblockPIN: self = .unblockPIN
        case .putData:
            let tag = BERTag(rawValue: try node.required("tag").hex(length: 2).reduce(0) { $0 << 8 | UInt32($1) })
            self = .putData(tag, try node.required("value").hex(length: 1...32))
        case .changePIN:
            self = .changePIN(
                IssuerScriptCommand.NewPIN(try OfflinePINProfile.digits(try node.required("pin"))))
        }
        for (key, owner) in [("tag", Word.putData), ("value", .putData), ("pin", .changePIN)] where owner != word {
            if let extra = try node.optional(key) { throw extra.error("only '\(owner.rawValue)' has a \(key)") }
        }
    }
}

extension IssuerScriptTemplate {
    /// Decodes a list of scripts, each `{ when, identifier, commands }`, or a single command.
    static func list(_ node: SettingsNode) throws(SettingsError) -> [IssuerScriptTemplate] {
        var templates: [IssuerScriptTemplate] = []
        for entry in try node.list(count: 1...8) { templates.append(try IssuerScriptTemplate(entry)) }
        try check(templates, node)
        return templates
    }

    /// - Throws: an error at `node` if the scripts exceed the length that terminals must accept.
    static func check(_ templates: [IssuerScriptTemplate], _ node: SettingsNode) throws(SettingsError) {
        let length = templates.reduce(0) { $0 + $1.longestEncoding }
        guard length <= longestTotal else {
            throw node.error(
                "the scripts have \(length) bytes; a terminal accepts at most \(longestTotal)",
                fix: "send fewer commands, or shorter data")
        }
    }

    private init(_ node: SettingsNode) throws(SettingsError) {
        guard let commands = try node.optional("commands") else {
            let command = try IssuerScriptCommand(node)
            self.init(
                identifier: Self.standardIdentifier, comesBeforeFinal: command.comesBeforeFinal,
                commands: [command.command])
            return
        }
        try node.mapping(allowedKeys: ["when", "identifier", "commands"])
        var list: [IssuerScriptCommand.Command] = []
        for entry in try commands.list(count: 1...16) {
            try entry.mapping(allowedKeys: IssuerScriptCommand.Command.keys)
            list.append(try IssuerScriptCommand.Command(entry))
        }
        self.init(
            identifier: try node.optional("identifier")?.hex(length: 4) ?? Self.standardIdentifier,
            comesBeforeFinal: try node.scriptPhase(), commands: list)
    }
}

extension SettingsNode {
    /// Decodes `when` of a script: whether it comes before the second GENERATE AC.
    fileprivate func scriptPhase() throws(SettingsError) -> Bool {
        try optional("when")?.choice(of: ["beforeFinal": true, "afterFinal": false]) ?? false
    }
}

/// An issuer script: template 71 or 72 (EMV Book 3 §10.10).
struct IssuerScriptTemplate: Hashable, Sendable {
    /// Tag 9F18, 4 bytes.
    var identifier: [UInt8]
    /// Whether it is template 71, before the second GENERATE AC, or 72, after it.
    var comesBeforeFinal: Bool
    /// The commands in order.
    var commands: [IssuerScriptCommand.Command]

    static let standardIdentifier: [UInt8] = [0, 0, 0, 1]
    /// The total length in bytes of all templates of an answer, with tags and lengths, that a terminal must accept
    /// (EMV Book 3 §10.10).
    static let longestTotal = 128

    /// Groups the commands into one template per phase.
    static func grouping(_ commands: [IssuerScriptCommand]) -> [IssuerScriptTemplate] {
        [true, false].compactMap { isBefore in
            let chosen = commands.filter { $0.comesBeforeFinal == isBefore }.map(\.command)
            guard !chosen.isEmpty else { return nil }
            return IssuerScriptTemplate(identifier: standardIdentifier, comesBeforeFinal: isBefore, commands: chosen)
        }
    }

    /// The maximum length of the template in bytes, with tag and length.
    var longestEncoding: Int {
        var length = Self.length(2, identifier.count)
        for command in commands { length += Self.length(1, command.longestEncoding) }
        return Self.length(1, length)
    }

    /// Returns the length of a data object whose tag has `tag` bytes.
    private static func length(_ tag: Int, _ value: Int) -> Int {
        let extra = value < 0x80 ? 0 : value <= 0xFF ? 1 : 2
        return tag + 1 + extra + value
    }

    /// Returns the value of the template: script identifier (9F18) and commands (86), each with its MAC.
    ///
    /// - Parameters:
    ///   - context: the transaction that the MACs are bound to.
    ///   - keys: the card's keys.
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

extension IssuerApplicationData {
    /// The report on earlier issuer scripts in the card verification results; nil if there is none. See
    /// ``CardVerificationResults/encoded(_:)`` for its position in each layout.
    var scriptReport: IssuerLedgerEntry.ScriptReport? {
        let (counts, failed): (UInt8?, Bool) =
            switch version {
            case .cvn10, .cvn18: (byte(3), (byte(3) ?? 0) & 0x08 != 0)
            case .mChip, .mChipCommonSessionKey, .mChipEMV2000: (byte(2), (byte(4) ?? 0) & 0x01 != 0)
            case .aes: (byte(3), (byte(3) ?? 0) & 0x08 != 0)
            }
        guard let counts, counts >> 4 > 0 || failed else { return nil }
        return IssuerLedgerEntry.ScriptReport(commands: Int(counts >> 4), hasFailed: failed)
    }

    private func byte(_ index: Int) -> UInt8? {
        cardVerificationResults.indices.contains(index) ? cardVerificationResults[index] : nil
    }
}
