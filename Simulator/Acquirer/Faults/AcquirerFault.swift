public import ISO8583
import Settings
import Text

/// A fault of the simulated acquirer, and which messages it applies to.
public struct AcquirerFault: Hashable, Sendable, CustomStringConvertible {
    /// What goes wrong. The words are those of the command line.
    public enum Kind: String, Hashable, Sendable, CaseIterable {
        /// Decided and recorded; the answer is not sent.
        case answerLost = "answer-lost"
        /// The answer comes after a time.
        case answerLate = "answer-late"
        /// The answer comes twice.
        case answerDoubled = "answer-doubled"
        /// The answer has the trace number of another request.
        case wrongRequest = "wrong-request"
        /// The answer has another message type.
        case wrongType = "wrong-type"
        /// A bit of the answer's bitmap is wrong.
        case damagedBitmap = "damaged-bitmap"
        /// The first half of the answer, then the end of the connection.
        case cutFrame = "cut-frame"
        /// The answer comes byte by byte.
        case slowBytes = "slow-bytes"
        /// The connection ends, and nothing was decided.
        case closedBefore = "closed-before"
        /// Decided and recorded; then the connection ends without an answer.
        case closedAfter = "closed-after"
        /// The connection stays open; nothing is read from it any more.
        case halfOpen = "half-open"
        /// Refuses everything about money until the next sign-on of the connection.
        case signedOff = "signed-off"
        /// Refuses as inoperative (91, 911); nothing was decided.
        case busy
        /// Refuses as a duplicate (94, 913); nothing was decided.
        case duplicate
        /// The ledger is down: no answer, and nothing was decided.
        case ledgerDown = "ledger-down"
        /// The MAC of the answer is wrong, where the profile has MACs.
        case wrongMAC = "wrong-mac"

        /// The effect, in words for a help text.
        public var summary: String {
            switch self {
            case .answerLost: "decided, and the answer is lost"
            case .answerLate: "the answer comes late (=DURATION, 60s)"
            case .answerDoubled: "the answer comes twice"
            case .wrongRequest: "the answer has the STAN of another request"
            case .wrongType: "the answer has a wrong message type"
            case .damagedBitmap: "the answer's bitmap is damaged"
            case .cutFrame: "half of the answer, then the end"
            case .slowBytes: "the answer comes byte by byte (=DURATION, 200ms)"
            case .closedBefore: "closed before the decision"
            case .closedAfter: "decided, then closed without an answer"
            case .halfOpen: "open, but nothing is read any more"
            case .signedOff: "signed off until the next sign-on"
            case .busy: "answers 91, or 911"
            case .duplicate: "answers 94, or 913"
            case .ledgerDown: "no answer, and nothing is decided"
            case .wrongMAC: "the answer's MAC is wrong, in profiles with MACs"
            }
        }

        /// The time that belongs to it; nil when none does.
        var standardDuration: Duration? {
            switch self {
            case .answerLate: .seconds(60)
            case .slowBytes: .milliseconds(200)
            default: nil
            }
        }
    }

    public var kind: Kind
    /// The message that it applies to, such as `sale` or `offline-advice`; `any` for every message; nil for those
    /// about money.
    public var message: String?
    /// How many more messages it applies to; nil for all.
    public var remaining: Int?
    /// How late the answer comes, or the pause between its bytes.
    public var duration: Duration?

    public init(_ kind: Kind, message: String? = nil, times: Int? = nil, duration: Duration? = nil) {
        (self.kind, self.message, remaining) = (kind, message, times)
        self.duration = duration ?? kind.standardDuration
    }

    /// The words for messages: those of the profiles with hyphens.
    public static let messageNames = ["any"] + MessageKind.allCases.map(\.hyphenated)

    /// Reads a fault as ``init(_:)`` does, for an acquirer with a profile.
    ///
    /// - Throws: ``AcquirerFaultError``; also when the fault can't happen with the profile.
    public init(_ text: String, for profile: MessageProfile) throws(AcquirerFaultError) {
        try self.init(text)
        guard kind != .wrongMAC || profile.security.mac?.messages.isEmpty == false else { throw .noMACs(profile.name) }
    }

    /// Reads `NAME[=DURATION][:MESSAGE][:COUNT]`, for example `answer-late=50s:sale:2`.
    ///
    /// - Throws: ``AcquirerFaultError``
    public init(_ text: String) throws(AcquirerFaultError) {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false).map(String.init)
        let head = parts[0].split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        guard let kind = Kind(rawValue: head[0]) else {
            let names = Kind.allCases.map(\.rawValue)
            throw .unknown(head[0], nearest: NearestName.to(head[0], among: names), known: names)
        }
        self.init(kind)
        if head.count == 2 {
            guard kind.standardDuration != nil else { throw .noDuration(kind) }
            guard let duration = Self.duration(head[1]) else { throw .wrongDuration(head[1]) }
            self.duration = duration
        }
        var rest = parts.dropFirst()
        if let count = rest.last.flatMap({ Int($0) }) {
            guard (1...1_000_000).contains(count) else { throw .wrongCount(count) }
            remaining = count
            rest = rest.dropLast()
        }
        guard rest.count <= 1 else { throw .tooMuch(text) }
        guard let name = rest.first else { return }
        guard Self.messageNames.contains(name) else {
            throw .unknownMessage(
                name, nearest: NearestName.to(name, among: Self.messageNames), known: Self.messageNames)
        }
        message = name
    }

    /// Reads `500ms` or `60s`, up to an hour.
    private static func duration(_ text: String) -> Duration? {
        let isShort = text.hasSuffix("ms")
        guard isShort || text.hasSuffix("s"), let number = Int(text.dropLast(isShort ? 2 : 1)),
            (1...3_600_000).contains(number)
        else { return nil }
        let duration: Duration = isShort ? .milliseconds(number) : .seconds(number)
        return duration <= .seconds(3600) ? duration : nil
    }

    /// The text that ``init(_:)`` reads.
    public var description: String {
        let own = duration == kind.standardDuration ? nil : duration
        let pause = own.map { "=\($0 / .milliseconds(1))" }.map { String($0.prefix { $0 != "." }) + "ms" }
        return kind.rawValue + (pause ?? "") + (message.map { ":\($0)" } ?? "") + (remaining.map { ":\($0)" } ?? "")
    }

    /// Whether it applies to a message.
    func applies(to message: MessageKind?, isAboutMoney: Bool) -> Bool {
        guard remaining != 0 else { return false }
        guard let name = self.message else { return isAboutMoney }
        return name == "any" || name == message?.hyphenated
    }
}

extension MessageKind {
    /// The word with hyphens: `offline-advice`.
    var hyphenated: String {
        rawValue.reduce(into: "") { text, letter in
            text += letter.isUppercase ? "-\(letter.lowercased())" : String(letter)
        }
    }
}

/// Why a text is no fault.
public enum AcquirerFaultError: Error, Hashable, Sendable, CustomStringConvertible {
    case unknown(String, nearest: String?, known: [String])
    case unknownMessage(String, nearest: String?, known: [String])
    case noDuration(AcquirerFault.Kind)
    case wrongDuration(String)
    case wrongCount(Int)
    case tooMuch(String)
    /// The profile with this name has no MACs that could be wrong.
    case noMACs(String)

    public var description: String {
        switch self {
        case .unknown(let name, let nearest, let known): "unknown fault '\(name)': \(Self.advice(nearest, known))"
        case .unknownMessage(let name, let nearest, let known):
            "unknown message '\(name)': \(Self.advice(nearest, known))"
        case .noDuration(let kind): "the fault '\(kind.rawValue)' has no duration"
        case .wrongDuration(let text): "'\(text)' is not a duration such as 500ms or 60s, up to an hour"
        case .wrongCount(let count): "the count \(count) is not 1 to 1000000"
        case .tooMuch(let text): "'\(text)' is not NAME[=DURATION][:MESSAGE][:COUNT]"
        case .noMACs(let name): "the profile '\(name)' has no MACs that could be wrong"
        }
    }

    private static func advice(_ nearest: String?, _ known: [String]) -> String {
        nearest.map { "did you mean '\($0)'?" } ?? "one of " + known.joined(separator: ", ")
    }
}
