internal import CardSecrets
public import SettingsFile

/// A simulated card, its account at the issuer and the person who holds it, as one YAML file describes them.
///
/// The format is described in `docs/card-profiles.md`. A profile prints as its name; it holds PAN and
/// PIN as ``SealedBytes``.
public struct CardProfile: Sendable, CustomStringConvertible, CustomReflectable {
    /// Lower-case letters, digits and hyphens.
    public var name: String
    /// One sentence on what the card is for.
    public var summary: String
    public var reset: CardReset
    /// Whether there is a payment system environment, `1PAY.SYS.DDF01`.
    public var hasPSE: Bool
    /// The whole card was blocked by its issuer.
    public var isBlocked: Bool
    /// How long the card works on each command before it answers.
    public var processingTime: Duration
    /// In the order in which a partial selection finds them; empty only for a mute card.
    public var applications: [ApplicationProfile]
    /// nil for a card without a magnetic stripe.
    public var stripe: StripeProfile?
    /// What the issuer holds for the card.
    public var account: AccountProfile
    public var cardholder: CardholderProfile
    /// What the card does wrong.
    public var faults: [CardFault]
    /// Where the profile can be had again; nil for one that was read from a text. What is changed in this value
    /// afterwards is not in it.
    public internal(set) var origin: Origin?
    /// The real card that it stands for; nil for a card that is made from this profile.
    public internal(set) var recording: CardRecording?

    /// A profile that somebody can name, and what was laid over it.
    public struct Origin: Hashable, Sendable {
        /// The name of a built-in profile, or the path of a file.
        public var nameOrPath: String
        /// Keys of a profile; nil when the profile is as its file has it.
        public var changes: SettingsNode?
    }

    /// Whether one can see a chip on the card.
    public var hasChip: Bool {
        !applications.isEmpty || stripe == nil || [2, 6].contains((stripe?.serviceCode ?? 0) / 100)
    }

    public var description: String { "CardProfile(\(name))" }

    public var customMirror: Mirror { Mirror(self, children: ["name": name]) }

    /// Decodes a profile.
    ///
    /// - Parameters:
    ///   - yaml: the text of the profile.
    ///   - file: the name that errors give.
    /// - Throws: `SettingsError` with line and key.
    public init(yaml: String, file: String) throws(SettingsError) {
        try self.init(try SettingsDocument(text: yaml, file: file).root)
    }

    init(_ node: SettingsNode) throws(SettingsError) {
        try node.mapping(allowedKeys: [
            "name", "description", "card", "applications", "stripe", "account", "cardholder", "faults",
        ])
        name = try Self.name(try node.required("name"))
        summary = try node.required("description").text(length: 1...200)

        let card = try node.optional("card")
        try card?.mapping(allowedKeys: [
            "protocol", "historicalBytes", "atr", "warmATR", "mute", "pse", "blocked", "processingMilliseconds",
        ])
        reset = try CardReset(card)
        hasPSE = try card?.optional("pse")?.bool() ?? true
        isBlocked = try card?.optional("blocked")?.bool() ?? false
        processingTime = .milliseconds(try card?.optional("processingMilliseconds")?.int(in: 0...60_000) ?? 0)

        applications = []
        let describesApplications = try node.optional("applications") != nil
        if describesApplications || reset != .mute {
            for element in try node.required("applications").list(count: 1...8) {
                let application = try ApplicationProfile(element)
                guard !applications.contains(where: { $0.aid == application.aid }) else {
                    throw try element.required("aid").error("another application has this AID")
                }
                applications.append(application)
            }
        }
        stripe = try StripeProfile(try node.optional("stripe"), application: applications.first)
        account = try AccountProfile(
            try node.optional("account"), currency: applications.first?.currency ?? stripe?.currency)
        cardholder = try CardholderProfile(
            try node.optional("cardholder"), applications: applications, onlinePIN: account.onlinePIN)
        faults = []
        for fault in try node.optional("faults")?.list(count: 1...32) ?? [] { faults.append(try CardFault(fault)) }
    }

    /// A card that was recorded, and who holds it.
    ///
    /// - Parameters:
    ///   - recording: what it answers.
    ///   - changes: a mapping with a `cardholder` section, as a profile has it; nil for somebody who does what is asked.
    /// - Throws: `SettingsError` with line and key.
    public init(recording: CardRecording, changedBy changes: SettingsNode? = nil) throws(SettingsError) {
        try changes?.mapping(allowedKeys: ["cardholder"])
        (name, summary) = ("recorded", "A card that was recorded")
        reset = .proper(recording.transmission, historicalBytes: [])
        (hasPSE, isBlocked, processingTime, applications, stripe) = (true, false, .zero, [], nil)
        account = try AccountProfile(nil, currency: nil)
        cardholder = try CardholderProfile(try changes?.optional("cardholder"), applications: [], onlinePIN: nil)
        faults = []
        self.recording = recording
        origin = Origin(nameOrPath: name, changes: changes)
    }

    private static func name(_ node: SettingsNode) throws(SettingsError) -> String {
        let name = try node.text(length: 1...40)
        let isPlain = name.utf8.allSatisfy { (0x61...0x7A).contains($0) || (0x30...0x39).contains($0) || $0 == 0x2D }
        guard isPlain else { throw node.error("a name has lower-case letters, digits and hyphens only") }
        return name
    }
}

extension CardReset {
    /// The `card` section; T=0 when it says nothing.
    init(_ card: SettingsNode?) throws(SettingsError) {
        guard let card else {
            self = .proper(.t0, historicalBytes: [])
            return
        }
        let (raw, mute) = (try card.optional("atr"), try card.optional("mute"))
        let chosen = try card.optional("protocol")
        let historical = try card.optional("historicalBytes")
        if let other = raw ?? historical ?? chosen, try mute?.bool() == true {
            throw other.error("a mute card says nothing of this kind", fix: "remove it or 'mute: true'")
        }
        if let raw, let other = chosen ?? historical {
            throw other.error("'atr' on line \(raw.location.line) says this already", fix: "remove one of them")
        }
        if raw == nil, let warm = try card.optional("warmATR") {
            throw warm.error("a warm answer to reset goes with 'atr' for the cold one")
        }
        if try mute?.bool() == true {
            self = .mute
        } else if let raw {
            let cold = try raw.hex(length: 1...64)
            self = .raw(cold: cold, warm: try card.optional("warmATR")?.hex(length: 1...64) ?? cold)
        } else {
            self = .proper(
                try chosen?.choice(CardProtocol.self) ?? .t0,
                historicalBytes: try historical?.hex(length: 0...15) ?? [])
        }
    }
}

extension CardProfile {
    /// Whether this is the PIN that the card verifies, or else its issuer.
    public func isRightPIN(_ pin: SealedBytes) -> Bool {
        let right = applications.lazy.compactMap(\.pin).first?.digits ?? account.onlinePIN
        return right?.bytes.isEqual(to: pin.bytes) ?? false
    }
}
