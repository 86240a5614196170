import Cryptography
import Text

/// The kind of an account of terminals: simulated readers that tills register, or one reader of this machine.
public struct StripeSetup: Sendable {
    /// The keys that tills may use.
    let access: StripeAccess
    /// The reader of this machine; nil when tills register simulated readers.
    let reader: StripeOwnReader?
    /// Finds idempotency keys that were used before a restart, by ``fingerprint(of:)``.
    let spentKeys: Set<String>
    /// Whether readers ask for a tip before the card.
    let asksForTips: Bool

    /// Simulated readers that ask for tips. Every test key is right.
    public static let simulated = StripeSetup(access: .testKeys, reader: nil, spentKeys: [], asksForTips: true)

    /// Simulated readers that show the amount to a person at once, and ask for no tip. Every test key is right.
    public static let steered = StripeSetup(access: .testKeys, reader: nil, spentKeys: [], asksForTips: false)

    private init(access: StripeAccess, reader: StripeOwnReader?, spentKeys: Set<String>, asksForTips: Bool) {
        (self.access, self.reader, self.spentKeys, self.asksForTips) = (access, reader, spentKeys, asksForTips)
    }

    /// Describes a reader of this machine.
    ///
    /// - Parameters:
    ///   - reader: the reader.
    ///   - access: the keys that tills may use.
    ///   - spentKeys: the fingerprints of the idempotency keys that were used before a restart. Their answers are gone,
    ///     so they are refused: a till that repeats such a request does not charge a card again.
    /// - Returns: the setup.
    public static func own(
        _ reader: StripeOwnReader, access: StripeAccess, spentKeys: Set<String> = []
    ) -> StripeSetup {
        StripeSetup(access: access, reader: reader, spentKeys: spentKeys, asksForTips: false)
    }

    /// Returns what a file keeps of an idempotency key: SHA-256 in hexadecimal.
    ///
    /// - Parameter key: the header field.
    /// - Returns: 64 characters.
    public static func fingerprint(of key: String) -> String {
        let bytes = Array(key.utf8)
        return ((try? SHA256.hash(bytes)) ?? bytes).lowercaseHexadecimal
    }
}

/// The keys that tills may use as secret keys.
public enum StripeAccess: Sendable {
    /// Every key that begins with `sk_test_` or `rk_test_`.
    case testKeys
    /// One key, of which this is the hash (SHA-256).
    case hash([UInt8])

    /// Takes a key. Only its hash is kept.
    ///
    /// - Parameter bytes: the key in UTF-8.
    /// - Returns: the access; nil when the machine can't make hashes.
    public static func key(_ bytes: [UInt8]) -> StripeAccess? { (try? SHA256.hash(bytes)).map { .hash($0) } }

    /// Whether a key is right. Hashes are compared, so the time says nothing about the key.
    func takes(_ key: String) -> Bool {
        switch self {
        case .testKeys: (key.hasPrefix("sk_test_") || key.hasPrefix("rk_test_")) && key.utf8.count <= 255
        case .hash(let hash): (try? SHA256.hash(Array(key.utf8))) == hash
        }
    }

    /// The advice to use another key.
    var advice: String {
        switch self {
        case .testKeys: "use a test key, such as sk_test_1."
        case .hash: "use the key of this terminal."
        }
    }
}

/// The reader of this machine, as tills see it. It is there from the start, and can't be registered or deleted.
public struct StripeOwnReader: Hashable, Sendable {
    /// `tmr_…`: the same after each start, so that a till can keep it.
    public let id: String
    public let serialNumber: String
    public let label: String

    /// Names a reader after its merchant and terminal.
    ///
    /// - Parameters:
    ///   - merchant: the merchant's number at its host.
    ///   - terminal: the terminal's number at its host, which is also the serial number.
    ///   - label: the name for people.
    public init(merchant: String, terminal: String, label: String) {
        let hash = StripeSetup.fingerprint(of: "\(merchant)/\(terminal)")
        (id, serialNumber, self.label) = ("tmr_" + hash.prefix(24), terminal, label)
    }

    /// The type of the reader, which no vendor has.
    static let type = "cardpresent_terminal"
}
