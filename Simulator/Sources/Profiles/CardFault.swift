internal import SettingsFile
public import SmartCard

/// Something that a card does wrong with a command, when its profile says so.
public struct CardFault: Hashable, Sendable {
    /// Which commands it is about.
    public enum Command: String, Hashable, Sendable, CaseIterable {
        case select, readRecord, getProcessingOptions, getData, verify, internalAuthenticate, externalAuthenticate
        case getChallenge, generateAC
        /// A command of an issuer script.
        case script
        /// Every command.
        case any
    }

    /// At which of these commands, counted from the first one that the card ever gets.
    public enum Occurrence: Hashable, Sendable {
        case nth(Int)
        case every
    }

    public enum Moment: String, Hashable, Sendable, CaseIterable {
        /// The card does not get to the command.
        case before
        /// The card has done what it was told, and does not get to the answer.
        case during
        /// The answer is out.
        case after
    }

    public enum Effect: Hashable, Sendable {
        /// Answers this status without data.
        case statusWord(StatusWord)
        /// Answers the first bytes of the data only, with the status as it was.
        case truncate(Int)
        /// The outermost data object claims a byte more than there is.
        case wrongLength
        /// A byte follows the data that does not belong there.
        case appendByte
        /// The outermost length is one that BER-TLV of EMV does not have (80).
        case badTLV
        /// A bit of the application cryptogram (9F26) is wrong.
        case badCryptogram
        /// A bit of the first signature or certificate in the data (9F4B, 93, 9F46, 9F2D, 90) is wrong.
        case wrongSignature
        /// The MAC or response cryptogram at the end (script) or beginning (EXTERNAL AUTHENTICATE) of the data
        /// arrives with a wrong bit.
        case badMAC
        /// Answers so much later.
        case delay(milliseconds: Int)
        /// Asks for more time so often: S(WTX request) with T=1, NULL bytes with T=0.
        case waitingTimeExtension(Int)
        /// Says nothing more until the next reset.
        case mute
        /// Comes out of the reader.
        case remove
    }

    public var command: Command
    public var occurrence: Occurrence
    public var moment: Moment
    public var effect: Effect

    public init(
        _ command: Command, _ effect: Effect, at occurrence: Occurrence = .nth(1), moment: Moment = .before
    ) {
        (self.command, self.occurrence, self.moment, self.effect) = (command, occurrence, moment, effect)
    }

    /// Whether it is about the command with this instruction byte, the `count`-th one of its kind.
    func concerns(instruction: UInt8, count: Int) -> Bool {
        guard command == .any || command == Command(instruction: instruction) else { return false }
        return occurrence == .every || occurrence == .nth(count)
    }
}

extension CardFault.Command {
    /// nil for an instruction that has no word.
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
                    "this cannot be said of what 'do' says",
                    fix: moments.isEmpty ? "remove it" : "use before or during")
            }
        }
        guard effect != .badMAC || command == .script || command == .externalAuthenticate else {
            throw try node.required("do").error(
                "only a script command and externalAuthenticate bring a MAC to the card")
        }
    }

    /// A word, and a number or a status word behind it where there has to be one.
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
                throw node.error("'\(name)' wants a number from \(range.lowerBound) to \(range.upperBound) behind it")
            }
            return number
        }
        func alone(_ effect: Effect) throws(SettingsError) -> Effect {
            guard words.count == 1 else { throw node.error("nothing can stand behind '\(name)'") }
            return effect
        }
        switch word {
        case .statusWord:
            guard words.count == 2, words[1].utf8.count == 4, let status = UInt16(words[1], radix: 16),
                status >> 12 == 6 || status >> 12 == 9, status >> 8 != 0x60, status >> 8 != 0x61, status >> 8 != 0x6C
            else {
                throw node.error("'statusWord' wants a status such as 6985 behind it; 60, 61 and 6C are the protocol's")
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
