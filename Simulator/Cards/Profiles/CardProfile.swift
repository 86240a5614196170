public import CardSecrets
import Cryptography
public import Settings

/// A simulated card, its account at the issuer, and its cardholder, described by one YAML file.
///
/// `docs/card-profiles.md` describes the format. A profile prints as its name; it holds PAN and PIN as
/// ``SealedBytes``.
public struct CardProfile: Sendable, CustomStringConvertible, CustomReflectable {
    /// Lowercase letters, digits, and hyphens.
    public var name: String
    /// One sentence on the purpose of the card.
    public var summary: String
    public var reset: CardReset
    /// Whether the card has a payment system environment, `1PAY.SYS.DDF01`.
    public var hasPSE: Bool
    /// Whether the issuer blocked the whole card.
    public var isBlocked: Bool
    /// The processing time of each command.
    public var processingTime: Duration
    /// The applications, in the order of partial selection; empty only for a mute card.
    public var applications: [ApplicationProfile]
    /// The contactless side; nil if there is none.
    public var contactless: ContactlessProfile?
    /// The magnetic stripe; nil if there is none.
    public var stripe: MagneticStripeProfile?
    /// The card's account at the issuer.
    public var account: AccountProfile
    public var cardholder: CardholderProfile
    /// The card's faults.
    public var faults: [CardFault]
    /// The source to load the profile from again; nil for one read from text. Later changes to this value are not
    /// included.
    public internal(set) var origin: Origin?
    /// The recorded card; nil for a card made from this profile.
    public internal(set) var recording: CardRecording?

    /// The source of a profile and the changes applied to it.
    public struct Origin: Hashable, Sendable {
        /// The name of a built-in profile, or the path of a file.
        public var nameOrPath: String
        /// Overridden keys; nil for an unchanged profile.
        public var changes: SettingsNode?
    }

    /// Whether the card has a chip.
    public var hasChip: Bool {
        !applications.isEmpty || stripe == nil || [2, 6].contains((stripe?.serviceCode ?? 0) / 100)
    }

    /// The ways in which a reader reaches the card's chip: `contact`, `contactless`.
    public var interfaces: [String] { (hasChip ? ["contact"] : []) + (contactless == nil ? [] : ["contactless"]) }

    public var description: String { "CardProfile(\(name))" }

    public var customMirror: Mirror { Mirror(self, children: ["name": name]) }

    /// Decodes a profile.
    ///
    /// - Parameters:
    ///   - yaml: the text of the profile.
    ///   - file: the file name for error messages.
    /// - Throws: `SettingsError` with line and key.
    public init(yaml: String, file: String) throws(SettingsError) {
        try self.init(try SettingsDocument(text: yaml, file: file).root)
    }

    init(_ node: SettingsNode) throws(SettingsError) {
        try node.mapping(allowedKeys: [
            "name", "description", "card", "applications", "contactless", "stripe", "account", "cardholder", "faults",
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
        contactless = try Self.contactless(try node.optional("contactless"), of: applications.first)
        stripe = try MagneticStripeProfile(try node.optional("stripe"), application: applications.first)
        account = try AccountProfile(
            try node.optional("account"), currency: applications.first?.currency ?? stripe?.currency)
        cardholder = try CardholderProfile(
            try node.optional("cardholder"), applications: applications, onlinePIN: account.onlinePIN)
        faults = []
        for fault in try node.optional("faults")?.list(count: 1...32) ?? [] { faults.append(try CardFault(fault)) }
    }

    /// Creates the profile of a recorded card and its cardholder.
    ///
    /// - Parameters:
    ///   - recording: the recorded card.
    ///   - changes: a mapping with a `cardholder` section; nil for a cardholder who follows the prompts.
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

    private static func contactless(
        _ node: SettingsNode?, of application: ApplicationProfile?
    ) throws(SettingsError) -> ContactlessProfile? {
        guard let node else { return nil }
        guard let application else {
            throw node.error("a contactless card needs an account", fix: "add the section 'applications'")
        }
        return try ContactlessProfile(node, label: application.label)
    }

    private static func name(_ node: SettingsNode) throws(SettingsError) -> String {
        let name = try node.text(length: 1...40)
        let isPlain = name.utf8.allSatisfy { (0x61...0x7A).contains($0) || (0x30...0x39).contains($0) || $0 == 0x2D }
        guard isPlain else { throw node.error("a name can have only lowercase letters, digits, and hyphens") }
        return name
    }
}

extension CardReset {
    /// Decodes the `card` section; T=0 by default.
    init(_ card: SettingsNode?) throws(SettingsError) {
        guard let card else {
            self = .proper(.t0, historicalBytes: [])
            return
        }
        let (raw, mute) = (try card.optional("atr"), try card.optional("mute"))
        let chosen = try card.optional("protocol")
        let historical = try card.optional("historicalBytes")
        if let other = raw ?? historical ?? chosen, try mute?.bool() == true {
            throw other.error("a mute card has no answer to reset", fix: "remove it or 'mute: true'")
        }
        if let raw, let other = chosen ?? historical {
            throw other.error("'atr' on line \(raw.location.line) is a duplicate of this", fix: "remove one of them")
        }
        if raw == nil, let warm = try card.optional("warmATR") {
            throw warm.error("'warmATR' requires 'atr' for the cold reset")
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
    /// Whether this PIN is correct for the card, or else for its issuer.
    public func isRightPIN(_ pin: SealedBytes) -> Bool {
        let right = applications.lazy.compactMap(\.pin).first?.digits ?? account.onlinePIN
        return right?.bytes.isEqual(to: pin.bytes) ?? false
    }
}

extension CardProfile {
    /// Returns the card's accounts at the simulated issuer: one per application, and one for the magnetic stripe if
    /// it has another account.
    ///
    /// Card counters restart with each run of the program, so these accounts do not require rising ATCs.
    ///
    /// - Throws: a failure of libcrypto, or of an invalid PAN.
    public func issuerAccounts(keys: TestKeys) throws -> [IssuerAccount] {
        if let recording {
            var account = try issuerAccount(recording.pan, country: nil, keys: keys)
            account.recordedAnswers = recording.answers
            return [account]
        }
        var accounts = try applications.map { try issuerAccount($0.pan, country: $0.issuerCountry, keys: keys) }
        if let stripe {
            let account = try issuerAccount(stripe.pan, country: stripe.issuerCountry, keys: keys)
            if !accounts.contains(where: { $0.reference == account.reference }) { accounts.append(account) }
        }
        return accounts
    }

    /// Performs work for each account number of the card: those of its applications and of its stripe.
    ///
    /// - Throws: the error of `body`, and a failure of an invalid PAN.
    public func forEachAccountNumber(_ body: (borrowing PrimaryAccountNumber) throws -> Void) throws {
        let sealed = recording.map { [$0.pan] } ?? applications.map(\.pan) + (stripe.map { [$0.pan] } ?? [])
        for digits in sealed {
            var open = digits.copy()
            defer { open.wipe() }
            guard let pan = TestPAN.number(open) else { throw PrimaryAccountNumberError.notDigits }
            try body(pan)
        }
    }

    private func issuerAccount(_ digits: SealedBytes, country: UInt16?, keys: TestKeys) throws -> IssuerAccount {
        var open = digits.copy()
        defer { open.wipe() }
        guard let pan = TestPAN.number(open) else { throw PrimaryAccountNumberError.notDigits }
        var account = try IssuerAccount(
            name: name, pan: pan, onlinePIN: self.account.onlinePIN?.bytes.duplicate(), keys: keys)
        account.available = self.account.available
        account.responseCode = self.account.responseCode
        account.scripts = self.account.scripts
        account.country = country
        account.fault = self.account.isReachable ? nil : .notReachable
        return account
    }

    /// Returns the account references for the issuer's ledger and rules, in the order of ``issuerAccounts(keys:)``: a
    /// keyed hash of the PAN, 16 hexadecimal digits.
    ///
    /// - Throws: a failure of libcrypto, or of an invalid PAN.
    public func accountReferences(keys: TestKeys) throws -> [String] {
        try issuerAccounts(keys: keys).map(\.reference)
    }
}

/// A card's answer to reset.
public enum CardReset: Hashable, Sendable {
    /// A valid answer to reset for this protocol, with 0...15 historical bytes.
    case proper(CardProtocol, historicalBytes: [UInt8])
    /// These bytes, valid or not, after a cold reset and after a warm one.
    case raw(cold: [UInt8], warm: [UInt8])
    /// No answer.
    case mute

    /// Returns the answer to reset; empty if the card is mute.
    public func answer(warm: Bool) -> [UInt8] {
        switch self {
        case .mute: []
        case .raw(let cold, let warmAnswer): warm ? warmAnswer : cold
        case .proper(.t0, let historical):
            // TB1 (no programming voltage) and TC1 (no extra guard time), as EMV Book 1 §8.3 requires.
            [0x3B, 0x60 | UInt8(historical.count & 0x0F), 0x00, 0x00] + historical
        case .proper(.t1, let historical):
            Self.withCheckByte(
                // TD1 and TD2 both indicate T=1, followed by TA3 (IFSC 254) and TB3 (BWI 4, CWI 5).
                [0x3B, 0xE0 | UInt8(historical.count & 0x0F), 0x00, 0x00, 0x81, 0x31, 0xFE, 0x45] + historical)
        }
    }

    private static func withCheckByte(_ bytes: [UInt8]) -> [UInt8] {
        bytes + [bytes.dropFirst().reduce(0, ^)]
    }
}

/// The transmission protocol of a card (ISO/IEC 7816-3).
public enum CardProtocol: String, Hashable, Sendable, CaseIterable {
    case t0 = "T=0"
    case t1 = "T=1"
}

/// An error loading a card profile.
public enum CardProfileError: Error, Hashable, Sendable, CustomStringConvertible {
    /// There is no built-in profile with this name.
    case unknownProfile(String, known: [String], nearest: String?)
    /// The file cannot be read or is invalid.
    case malformed(SettingsError)

    public var description: String {
        switch self {
        case .unknownProfile(let name, let known, let nearest):
            "there is no card profile '\(name.prefix(60))'"
                + (nearest.map { "; did you mean '\($0)'?" }
                    ?? "; use one of \(known.joined(separator: ", ")), or the path of a YAML file")
        case .malformed(let error): error.description
        }
    }
}
