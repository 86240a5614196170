import CardSecrets
import Cryptography
public import Payments
import Settings

/// The cardholder's behavior.
public struct CardholderProfile: Sendable {
    /// The reaction to each PIN prompt; the last one repeats.
    public var pinEntries: [PINBehavior]
    /// The index of the application that the cardholder selects; nil to cancel.
    public var chosenApplication: Int?
    /// The account that the cardholder chooses when it is offered; nil for the default account.
    public var chosenAccount: AccountType?
    /// Whether the cardholder swipes at the first prompt although the card has a chip.
    public var swipesFirst: Bool
    /// Whether the cardholder taps or inserts a card where both are possible.
    public var presents: PresentationHabit
    /// The exchange with the tapped card, counted from 1, at which the cardholder moves it out of the field; nil to
    /// hold it still.
    public var movesAwayAt: Int?
    /// The delay from moving the card away until it is back; nil to keep it away.
    public var movesBackAfter: Duration?
    /// The time for which another card is in the field beside the card of the first tap; nil for one card alone.
    public var secondCardFor: Duration?
    /// The delay from the prompt until the card is inserted, swiped, or tapped.
    public var insertsAfter: Duration
    /// The delay from inserting until the card is removed; nil to wait for the prompt.
    public var removesAfter: Duration?

    /// The cardholder's action at a prompt for a PIN.
    public enum PINBehavior: Sendable {
        /// Enters these digits, one per byte with values 0...9.
        case digits(SealedBytes)
        /// Bypasses PIN entry.
        case bypassed
        /// Cancels the payment.
        case canceled
        /// Does nothing until the timeout.
        case nothing
        /// Removes the card instead.
        case cardRemoved
    }

    /// Returns the reaction to PIN prompt `attempt`, counted from 0; nil if the cardholder knows no PIN.
    public func pinEntry(attempt: Int) -> PINBehavior? {
        pinEntries.indices.contains(attempt) ? pinEntries[attempt] : pinEntries.last
    }

    /// Decodes the `cardholder` section. By default the cardholder enters the correct PIN, selects the first
    /// application and the default account, and waits for prompts.
    init(
        _ node: SettingsNode?, applications: [ApplicationProfile], onlinePIN: SealedBytes?
    ) throws(SettingsError) {
        let pin = applications.lazy.compactMap(\.pin).first?.digits
        try node?.mapping(allowedKeys: [
            "pinEntries", "choosesApplication", "choosesAccount", "insertsAfter", "removesAfter", "swipesFirst",
            "presents", "movesAwayAt", "movesBackAfter", "secondCardFor",
        ])
        if let entries = try node?.optional("pinEntries") {
            pinEntries = []
            for entry in try entries.list(count: 1...20) {
                pinEntries.append(try PINBehavior(entry, right: pin ?? onlinePIN))
            }
        } else {
            pinEntries = pin.map { [.digits($0)] } ?? []
        }
        if let choice = try node?.optional("choosesApplication") {
            let labels = applications.map(\.label)
            let label = try choice.text()
            chosenApplication = labels.firstIndex(of: label)
            guard chosenApplication != nil || label == "cancel" else {
                throw choice.error(
                    "no application has this label", fix: "use one of " + (labels + ["cancel"]).joined(separator: ", "))
            }
        } else {
            chosenApplication = 0
        }
        chosenAccount = try node?.optional("choosesAccount")?.choice(of: [
            "default": nil, "savings": .savings, "cheque": .checking, "credit": .credit,
        ])
        swipesFirst = try node?.optional("swipesFirst")?.bool() ?? false
        presents =
            try node?.optional("presents")?.choice(of: [
                "asTheCardAllows": .asTheCardAllows, "tap": .tap, "insert": .insert,
            ]) ?? .asTheCardAllows
        movesAwayAt = try node?.optional("movesAwayAt")?.int(in: 1...1000)
        movesBackAfter = (try node?.optional("movesBackAfter")?.int(in: 0...600_000)).map { .milliseconds($0) }
        secondCardFor = (try node?.optional("secondCardFor")?.int(in: 1...600_000)).map { .milliseconds($0) }
        insertsAfter = .milliseconds(try node?.optional("insertsAfter")?.int(in: 0...600_000) ?? 0)
        removesAfter = (try node?.optional("removesAfter")?.int(in: 0...600_000)).map { .milliseconds($0) }
    }
}

extension CardholderProfile.PINBehavior {
    /// Decodes a PIN entry.
    ///
    /// - Parameters:
    ///   - node: the value in the profile.
    ///   - right: the card's PIN; nil for a card without a PIN, for which any is as good.
    /// - Throws: `SettingsError`, which never quotes digits.
    fileprivate init(_ node: SettingsNode, right: SealedBytes?) throws(SettingsError) {
        switch try node.concealed.text() {
        case "right": self = .digits(right ?? SealedBytes([0, 0, 0, 0]))
        case "wrong": self = .digits(Self.wrong(right))
        case "bypass": self = .bypassed
        case "cancel": self = .canceled
        case "nothing": self = .nothing
        case "removeCard": self = .cardRemoved
        default: self = .digits(try OfflinePINProfile.digits(node))
        }
    }

    /// Returns a PIN of the same length that differs in every digit.
    private static func wrong(_ right: SealedBytes?) -> SealedBytes {
        var digits = right?.copy() ?? [0, 0, 0, 0]
        defer { digits.wipe() }
        for index in digits.indices { digits[index] = (digits[index] + 1) % 10 }
        return SealedBytes(digits)
    }
}

/// A cardholder's reaction to a PIN prompt, without the PIN itself.
public enum TypedPIN: Hashable, Sendable {
    /// Enters the correct PIN.
    case right
    /// Enters a wrong PIN.
    case wrong
    /// Bypasses PIN entry.
    case bypass
    /// Cancels the payment.
    case cancel
    /// Does nothing until the timeout.
    case nothing
    /// Removes the card instead.
    case removesCard
}

extension CardProfile {
    /// Sets the reaction to each PIN prompt; the last one repeats.
    public mutating func types(_ entries: [TypedPIN]) {
        cardholder.pinEntries = entries.map { entry in
            switch entry {
            // A cardholder who knows no PIN bypasses PIN entry.
            case .right: applications.lazy.compactMap(\.pin).first.map { .digits($0.digits) } ?? .bypassed
            case .wrong: .digits(wrongPIN)
            case .bypass: .bypassed
            case .cancel: .canceled
            case .nothing: .nothing
            case .removesCard: .cardRemoved
            }
        }
    }

    /// A PIN of the correct length that differs in every digit.
    private var wrongPIN: SealedBytes {
        guard let right = applications.lazy.compactMap(\.pin).first else { return SealedBytes([0, 0, 0, 0]) }
        return right.digits.bytes.withUnsafeBytes { digits in SealedBytes(digits.map { ($0 &+ 1) % 10 }) }
    }
}

/// The offline PIN of the card.
public struct OfflinePINProfile: Sendable {
    /// 4...12 digits, one per byte with values 0...9.
    public var digits: SealedBytes
    /// The number of consecutive wrong tries that block the PIN, 1...15.
    public var tryLimit: UInt8
    /// The number of tries left at first, 0...``tryLimit``.
    public var triesLeft: UInt8
    /// Whether VERIFY accepts a plaintext PIN.
    public var acceptsPlaintext: Bool
    /// The key for an enciphered PIN in VERIFY; nil if VERIFY accepts none.
    public var encipherment: Encipherment?

    /// The key of the card for an enciphered PIN (EMV Book 2 §7.1).
    public enum Encipherment: String, Hashable, Sendable, CaseIterable {
        /// A separate key for PINs, certified in tag 9F2D.
        case pinKey
        /// The card's signing key, certified in tag 9F46.
        case iccKey
    }

    init(_ node: SettingsNode) throws(SettingsError) {
        try node.mapping(allowedKeys: ["value", "tryLimit", "triesLeft", "plaintext", "encipheredUnder"])
        digits = try Self.digits(try node.required("value"))
        tryLimit = UInt8(try node.optional("tryLimit")?.int(in: 1...15) ?? 3)
        triesLeft = UInt8(try node.optional("triesLeft")?.int(in: 0...Int(tryLimit)) ?? Int(tryLimit))
        acceptsPlaintext = try node.optional("plaintext")?.bool() ?? true
        encipherment = try node.optional("encipheredUnder")?.choice(Encipherment.self)
    }

    /// Reads 4 to 12 digits, one per byte with values 0...9. The error never quotes them.
    static func digits(_ node: SettingsNode) throws(SettingsError) -> SealedBytes {
        var digits = try node.concealed.text(length: 4...12).utf8.map { $0 &- 0x30 }
        defer { digits.wipe() }
        guard digits.allSatisfy({ $0 <= 9 }), (4...12).contains(digits.count) else {
            throw node.error("a PIN must have 4 to 12 digits and nothing else")
        }
        return SealedBytes(digits)
    }
}
