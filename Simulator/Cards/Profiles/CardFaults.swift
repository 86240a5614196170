import Settings
public import SmartCard

/// A fault of a card in handling a command, set by its profile.
public struct CardFault: Hashable, Sendable {
    /// The commands that a fault applies to.
    public enum Command: String, Hashable, Sendable, CaseIterable {
        case select, readRecord, getProcessingOptions, getData, verify, internalAuthenticate, externalAuthenticate
        case getChallenge, generateAC, exchangeRelayResistanceData, readData, writeData
        /// Any issuer script command.
        case script
        /// Every command.
        case any
    }

    /// Which of these commands the fault applies to, counted from the card's first one.
    public enum Occurrence: Hashable, Sendable {
        case nth(Int)
        case every
    }

    /// The moment of a fault in the execution of a command.
    public enum Moment: String, Hashable, Sendable, CaseIterable {
        /// The card does not receive the command.
        case before
        /// The card executed the command but does not answer.
        case during
        /// The answer was sent.
        case after
    }

    /// The effect of a fault on the command, the response, or the card.
    public enum Effect: Hashable, Sendable {
        /// Returns this status word without data.
        case statusWord(StatusWord)
        /// Returns only the first bytes of the data, with the status word unchanged.
        case truncate(Int)
        /// The outermost data object claims one byte more than there is.
        case wrongLength
        /// One extra byte follows the data.
        case appendByte
        /// The outermost length is invalid in EMV's BER-TLV (80).
        case badTLV
        /// One bit of the application cryptogram (9F26) is wrong.
        case badCryptogram
        /// One bit of the first signature or certificate in the data (9F4B, 93, 9F46, 9F2D, 90) is wrong.
        case wrongSignature
        /// The card receives the command's MAC with a wrong bit: at the end of a script command, or the response
        /// cryptogram at the start of EXTERNAL AUTHENTICATE.
        case badMAC
        /// Delays the answer.
        case delay(milliseconds: Int)
        /// Requests more time this often: S(WTX request) with T=1, NULL bytes with T=0.
        case waitingTimeExtension(Int)
        /// Is mute until the next reset.
        case mute
        /// Leaves the reader.
        case remove
    }

    public var command: Command
    public var occurrence: Occurrence
    public var moment: Moment
    public var effect: Effect

    /// Sets a fault: what happens at which of the card's commands of a kind, and before or during its work.
    public init(
        _ command: Command, _ effect: Effect, at occurrence: Occurrence = .nth(1), moment: Moment = .before
    ) {
        (self.command, self.occurrence, self.moment, self.effect) = (command, occurrence, moment, effect)
    }

    /// Whether the fault applies to the `count`-th command with this instruction byte.
    func concerns(instruction: UInt8, count: Int) -> Bool {
        guard command == .any || command == Command(instruction: instruction) else { return false }
        return occurrence == .every || occurrence == .nth(count)
    }
}

extension CardFault.Command {
    /// Fails for an instruction that profiles have no word for.
    init?(instruction: UInt8) {
        switch instruction {
        case 0xA4: self = .select
        case 0xB2: self = .readRecord
        case 0xA8: self = .getProcessingOptions
        case 0xCA: self = .getData
        case 0x20: self = .verify
        case 0x88: self = .internalAuthenticate
        case 0x82: self = .externalAuthenticate
        case 0x84: self = .getChallenge
        case 0xAE: self = .generateAC
        case 0xEA: self = .exchangeRelayResistanceData
        case 0x32: self = .readData
        case 0x34: self = .writeData
        case 0x16, 0x18, 0x1E, 0x24, 0xDA, 0xDC: self = .script
        default: return nil
        }
    }
}

// MARK: - Decoding

extension CardFault {
    private enum Word: String, CaseIterable {
        case statusWord, truncate, wrongLength, appendByte, badTLV, badCryptogram, wrongSignature, badMAC, delay
        case waitingTimeExtension, mute, remove
    }

    init(_ node: SettingsNode) throws(SettingsError) {
        try node.mapping(allowedKeys: ["command", "occurrence", "when", "do"])
        command = try node.required("command").choice(Command.self)
        occurrence = .nth(1)
        if let node = try node.optional("occurrence") {
            occurrence = try node.text() == "every" ? .every : .nth(try node.int(in: 1...1000))
        }
        effect = try Self.effect(try node.required("do"))
        moment = try node.optional("when")?.choice(Moment.self) ?? .before
        try check(node)
    }

    private func check(_ node: SettingsNode) throws(SettingsError) {
        if let when = try node.optional("when") {
            let moments: [Moment] =
                switch effect {
                case .remove: Moment.allCases
                case .statusWord, .mute: [.before, .during]
                default: []
                }
            guard moments.contains(moment) else {
                throw when.error(
                    "this does not apply to the fault in 'do'",
                    fix: moments.isEmpty ? "remove it" : "use before or during")
            }
        }
        guard effect != .badMAC || command == .script || command == .externalAuthenticate else {
            throw try node.required("do").error(
                "only script commands and externalAuthenticate carry a MAC")
        }
    }

    /// Decodes a word, followed by a number or a status word where it needs one.
    private static func effect(_ node: SettingsNode) throws(SettingsError) -> Effect {
        let words = try node.text(length: 1...60).split(separator: " ").map(String.init)
        let names = Word.allCases.map(\.rawValue)
        guard let name = words.first, let word = Word(rawValue: name) else {
            let nearest = NearestName.to(words.first ?? "", among: names)
            throw node.error(
                "no such fault",
                fix: nearest.map { "did you mean '\($0)'?" } ?? "use one of \(names.joined(separator: ", "))")
        }
        func number(_ range: ClosedRange<Int>) throws(SettingsError) -> Int {
            guard words.count == 2, let number = Int(words[1]), range.contains(number) else {
                throw node.error("'\(name)' needs a number from \(range.lowerBound) to \(range.upperBound) after it")
            }
            return number
        }
        func alone(_ effect: Effect) throws(SettingsError) -> Effect {
            guard words.count == 1 else { throw node.error("'\(name)' takes no argument") }
            return effect
        }
        switch word {
        case .statusWord:
            guard words.count == 2, words[1].utf8.count == 4, let status = UInt16(words[1], radix: 16),
                status >> 12 == 6 || status >> 12 == 9, status >> 8 != 0x60, status >> 8 != 0x61, status >> 8 != 0x6C
            else {
                throw node.error(
                    "'statusWord' needs a status such as 6985 after it; 60, 61, and 6C belong to the protocol")
            }
            return .statusWord(StatusWord(rawValue: status))
        case .truncate: return .truncate(try number(0...255))
        case .wrongLength: return try alone(.wrongLength)
        case .appendByte: return try alone(.appendByte)
        case .badTLV: return try alone(.badTLV)
        case .badCryptogram: return try alone(.badCryptogram)
        case .wrongSignature: return try alone(.wrongSignature)
        case .badMAC: return try alone(.badMAC)
        case .delay: return .delay(milliseconds: try number(1...600_000))
        case .waitingTimeExtension: return .waitingTimeExtension(try number(1...10))
        case .mute: return try alone(.mute)
        case .remove: return try alone(.remove)
        }
    }
}

/// The card's own findings before it answers GENERATE AC.
public struct CardConditions: OptionSet, Hashable, Sendable {
    public let rawValue: UInt32

    /// Takes the bits of the conditions below.
    public init(rawValue: UInt32) { self.rawValue = rawValue }

    /// The card has never been online.
    public static let newCard = CardConditions(rawValue: 1 << 0)
    /// The last transaction that requested online authorization was not completed.
    public static let lastOnlineNotCompleted = CardConditions(rawValue: 1 << 1)
    /// Issuer authentication failed in the last online transaction.
    public static let issuerAuthenticationFailed = CardConditions(rawValue: 1 << 2)
    /// The last online transaction had no issuer authentication.
    public static let issuerAuthenticationMissing = CardConditions(rawValue: 1 << 3)
    /// The last transaction was declined offline.
    public static let declinedOffline = CardConditions(rawValue: 1 << 4)
    /// A command of the last issuer script failed.
    public static let scriptFailed = CardConditions(rawValue: 1 << 5)
    /// The issuer requested it.
    public static let goOnlineNextTime = CardConditions(rawValue: 1 << 6)
    /// No PIN tries are left.
    public static let pinTriesExceeded = CardConditions(rawValue: 1 << 7)
    /// The card has an offline PIN that was not verified in this transaction.
    public static let pinNotVerified = CardConditions(rawValue: 1 << 8)
    /// The terminal is in another country than the issuer.
    public static let international = CardConditions(rawValue: 1 << 9)
    /// The number of consecutive offline payments exceeds the lower limit, or the upper one.
    public static let lowerCount = CardConditions(rawValue: 1 << 10)
    public static let upperCount = CardConditions(rawValue: 1 << 11)
    /// The amount approved offline exceeds the lower limit, or the upper one.
    public static let lowerAmount = CardConditions(rawValue: 1 << 12)
    public static let upperAmount = CardConditions(rawValue: 1 << 13)

    /// The conditions by their words in profiles.
    public static let words: KeyValuePairs<String, CardConditions> = [
        "newCard": .newCard, "lastOnlineNotCompleted": .lastOnlineNotCompleted,
        "issuerAuthenticationFailed": .issuerAuthenticationFailed,
        "issuerAuthenticationMissing": .issuerAuthenticationMissing, "declinedOffline": .declinedOffline,
        "scriptFailed": .scriptFailed, "goOnlineNextTime": .goOnlineNextTime, "pinTriesExceeded": .pinTriesExceeded,
        "pinNotVerified": .pinNotVerified, "international": .international, "lowerCount": .lowerCount,
        "upperCount": .upperCount, "lowerAmount": .lowerAmount, "upperAmount": .upperAmount,
    ]

    init(_ node: SettingsNode) throws(SettingsError) {
        self = []
        for word in try node.list(count: 0...16) { insert(try word.choice(of: Self.words)) }
    }
}

/// The card's actions on its own findings: the card issuer action codes of M/Chip or the application default action
/// of Visa, in one form.
public struct CardActions: Hashable, Sendable {
    /// The conditions under which the card declines.
    public var decline: CardConditions = []
    /// The conditions under which the card requests online authorization.
    public var online: CardConditions = [
        .newCard, .lastOnlineNotCompleted, .issuerAuthenticationFailed, .scriptFailed, .goOnlineNextTime, .lowerCount,
        .upperCount, .lowerAmount, .upperAmount,
    ]
    /// The conditions under which the card declines if it cannot go online.
    public var `default`: CardConditions = [.upperCount, .upperAmount]

    /// - Parameter node: the section; nil for the defaults of most cards.
    /// - Throws: `SettingsError` with line and key.
    init(_ node: SettingsNode?) throws(SettingsError) {
        try node?.mapping(allowedKeys: ["decline", "online", "default"])
        if let node = try node?.optional("decline") { decline = try CardConditions(node) }
        if let node = try node?.optional("online") { online = try CardConditions(node) }
        if let node = try node?.optional("default") { `default` = try CardConditions(node) }
    }

    init() {}
}
