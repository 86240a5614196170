internal import CardSecrets
internal import Cryptography
internal import SettingsFile

/// What the person who holds the card does.
public struct CardholderProfile: Sendable {
    /// What they do each time they are asked for a PIN; the last one again when asked more often.
    public var pinEntries: [PINEntry]
    /// Which application they choose when asked: an index into the profile's applications; nil to cancel.
    public var chosenApplication: Int?
    /// Whether they swipe the card when they are first asked for it, although it has a chip.
    public var swipesFirst: Bool
    /// How long after the request they insert or swipe the card.
    public var insertsAfter: Duration
    /// How long after inserting they pull it out; nil when they wait until they are told to.
    public var removesAfter: Duration?

    public enum PINEntry: Sendable {
        /// These digits, one a byte with values 0...9.
        case digits(SealedBytes)
        /// They pass PIN entry over.
        case bypassed
        /// They stop the payment.
        case cancelled
        /// They do nothing until the time for it is over.
        case nothing
        /// They pull the card out instead.
        case cardRemoved
    }

    /// What they do when they are asked for the PIN for the `attempt`-th time, counting from 0; nil when
    /// they know no PIN.
    public func pinEntry(attempt: Int) -> PINEntry? {
        pinEntries.indices.contains(attempt) ? pinEntries[attempt] : pinEntries.last
    }

    /// Without a section, they type the right PIN, choose the first application and wait to be told.
    init(
        _ node: SettingsNode?, applications: [ApplicationProfile], onlinePIN: SealedBytes?
    ) throws(SettingsError) {
        let pin = applications.lazy.compactMap(\.pin).first?.digits
        try node?.mapping(allowedKeys: [
            "pinEntries", "choosesApplication", "insertsAfter", "removesAfter", "swipesFirst",
        ])
        if let entries = try node?.optional("pinEntries") {
            pinEntries = []
            for entry in try entries.list(count: 1...20) {
                pinEntries.append(try PINEntry(entry, right: pin ?? onlinePIN))
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
        swipesFirst = try node?.optional("swipesFirst")?.bool() ?? false
        insertsAfter = .milliseconds(try node?.optional("insertsAfter")?.int(in: 0...600_000) ?? 0)
        removesAfter = (try node?.optional("removesAfter")?.int(in: 0...600_000)).map { .milliseconds($0) }
    }
}

extension CardholderProfile.PINEntry {
    /// - Parameter right: the card's PIN; nil for a card that knows none, to which any is as good.
    fileprivate init(_ node: SettingsNode, right: SealedBytes?) throws(SettingsError) {
        switch try node.concealed.text() {
        case "right": self = .digits(right ?? SealedBytes([0, 0, 0, 0]))
        case "wrong": self = .digits(Self.wrong(right))
        case "bypass": self = .bypassed
        case "cancel": self = .cancelled
        case "nothing": self = .nothing
        case "removeCard": self = .cardRemoved
        default: self = .digits(try OfflinePINProfile.digits(node))
        }
    }

    /// A PIN of the same length, every digit of which is another one.
    private static func wrong(_ right: SealedBytes?) -> SealedBytes {
        var digits = right?.copy() ?? [0, 0, 0, 0]
        defer { digits.wipe() }
        for index in digits.indices { digits[index] = (digits[index] + 1) % 10 }
        return SealedBytes(digits)
    }
}
