internal import SettingsFile

/// What a card finds out on its own before it answers GENERATE AC.
public struct CardConditions: OptionSet, Hashable, Sendable {
    public let rawValue: UInt32

    public init(rawValue: UInt32) { self.rawValue = rawValue }

    /// The card has never been online.
    public static let newCard = CardConditions(rawValue: 1 << 0)
    /// The last transaction that asked to go online did not come to its end.
    public static let lastOnlineNotCompleted = CardConditions(rawValue: 1 << 1)
    /// The issuer's authentication failed at the last transaction online.
    public static let issuerAuthenticationFailed = CardConditions(rawValue: 1 << 2)
    /// The issuer did not prove itself at the last transaction online.
    public static let issuerAuthenticationMissing = CardConditions(rawValue: 1 << 3)
    /// The last transaction was declined offline.
    public static let declinedOffline = CardConditions(rawValue: 1 << 4)
    /// A command of the last issuer script failed.
    public static let scriptFailed = CardConditions(rawValue: 1 << 5)
    /// The issuer asked for it.
    public static let goOnlineNextTime = CardConditions(rawValue: 1 << 6)
    /// No PIN tries are left.
    public static let pinTriesExceeded = CardConditions(rawValue: 1 << 7)
    /// The card has a PIN to verify, and was not asked to in this transaction.
    public static let pinNotVerified = CardConditions(rawValue: 1 << 8)
    /// The terminal stands in another country than the issuer.
    public static let international = CardConditions(rawValue: 1 << 9)
    /// Too many payments offline in a row for the lower limit, and for the upper one.
    public static let lowerCount = CardConditions(rawValue: 1 << 10)
    public static let upperCount = CardConditions(rawValue: 1 << 11)
    /// Too much money offline for the lower limit, and for the upper one.
    public static let lowerAmount = CardConditions(rawValue: 1 << 12)
    public static let upperAmount = CardConditions(rawValue: 1 << 13)

    /// The conditions by the words that profiles use.
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

/// What a card does about its own findings: the card issuer actions of M/Chip, or the application default action
/// of Visa, in one form.
public struct CardActions: Hashable, Sendable {
    /// Any of these: it declines.
    public var decline: CardConditions = []
    /// Any of these: it asks its issuer.
    public var online: CardConditions = [
        .newCard, .lastOnlineNotCompleted, .issuerAuthenticationFailed, .scriptFailed, .goOnlineNextTime, .lowerCount,
        .upperCount, .lowerAmount, .upperAmount,
    ]
    /// Any of these: it declines when its issuer cannot be asked.
    public var `default`: CardConditions = [.upperCount, .upperAmount]

    /// - Parameter node: nil for what most cards do.
    /// - Throws: `SettingsError` with line and key.
    init(_ node: SettingsNode?) throws(SettingsError) {
        try node?.mapping(allowedKeys: ["decline", "online", "default"])
        if let node = try node?.optional("decline") { decline = try CardConditions(node) }
        if let node = try node?.optional("online") { online = try CardConditions(node) }
        if let node = try node?.optional("default") { `default` = try CardConditions(node) }
    }

    init() {}
}
