internal import SettingsFile

/// The card profiles that come with the program, and those in files.
public enum CardProfileLibrary {
    /// The names of the built-in profiles, in the order in which they are listed.
    public static let names: [String] = builtIn.map(\.name)

    /// Loads a built-in profile by its name, or a file by its path: whatever has a slash, or ends in
    /// `.yaml` or `.yml`, is a path.
    ///
    /// - Throws: ``CardProfileError``
    public static func profile(_ nameOrPath: String) throws(CardProfileError) -> CardProfile {
        do throws(SettingsError) {
            if nameOrPath.contains("/") || nameOrPath.hasSuffix(".yaml") || nameOrPath.hasSuffix(".yml") {
                return try CardProfile(try SettingsDocument(path: nameOrPath).root)
            }
            if let entry = builtIn.first(where: { $0.name == nameOrPath }) {
                return try CardProfile(
                    yaml: String(decoding: entry.yaml, as: UTF8.self), file: "\(nameOrPath).yaml (built in)")
            }
        } catch {
            throw .malformed(error)
        }
        throw .unknownProfile(nameOrPath, known: names, nearest: NearestName.to(nameOrPath, among: names))
    }

    /// What a built-in profile is for: its ``CardProfile/summary``, without the work of decoding all the rest.
    ///
    /// - Returns: nil when there is no built-in profile of this name.
    /// - Throws: ``CardProfileError``
    public static func summary(of name: String) throws(CardProfileError) -> String? {
        guard let entry = builtIn.first(where: { $0.name == name }) else { return nil }
        let key = Array("description: ".utf8)
        for line in entry.yaml.split(separator: UInt8(ascii: "\n")) where line.starts(with: key) {
            let text = line.dropFirst(key.count)
            // Plain words stand for themselves in YAML; anything else is for the decoder to say.
            let isPlain = text.allSatisfy { $0.isPlainText } && text.last != UInt8(ascii: " ")
            if isPlain, let first = text.first, first != UInt8(ascii: " ") {
                return String(decoding: text, as: UTF8.self)
            }
        }
        return try profile(name).summary
    }

    private static let builtIn: [(name: String, yaml: [UInt8])] = [
        ("visa-credit", PackageResources.visa_credit_yaml),
        ("mastercard-credit", PackageResources.mastercard_credit_yaml),
        ("insufficient-funds", PackageResources.insufficient_funds_yaml),
        ("declined-offline", PackageResources.declined_offline_yaml),
        ("offline-approve", PackageResources.offline_approve_yaml),
        ("pin-required", PackageResources.pin_required_yaml),
        ("pin-enciphered", PackageResources.pin_enciphered_yaml),
        ("online-pin", PackageResources.online_pin_yaml),
        ("multi-application", PackageResources.multi_application_yaml),
        ("issuer-script", PackageResources.issuer_script_yaml),
        ("t1-card", PackageResources.t1_card_yaml),
        ("aes-card", PackageResources.aes_card_yaml),
        ("visa-dda", PackageResources.visa_dda_yaml),
        ("visa-sda", PackageResources.visa_sda_yaml),
        ("mastercard-cda", PackageResources.mastercard_cda_yaml),
        ("amex-cda", PackageResources.amex_cda_yaml),
        ("visa-dda-1984", PackageResources.visa_dda_1984_yaml),
        ("visa-dda-revoked", PackageResources.visa_dda_revoked_yaml),
        ("visa-dda-expired-certificate", PackageResources.visa_dda_expired_certificate_yaml),
        ("visa-dda-wrong-signature", PackageResources.visa_dda_wrong_signature_yaml),
        ("mastercard-cda-wrong-signature", PackageResources.mastercard_cda_wrong_signature_yaml),
        ("unknown-ca-key", PackageResources.unknown_ca_key_yaml),
        ("sda-tampered", PackageResources.sda_tampered_yaml),
        ("blocked-application", PackageResources.blocked_application_yaml),
        ("mute", PackageResources.mute_yaml),
        ("bad-atr", PackageResources.bad_atr_yaml),
    ]
}

extension UInt8 {
    /// A letter, a digit, or a character that means nothing to YAML inside a plain scalar.
    fileprivate var isPlainText: Bool {
        switch self {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: " "), UInt8(ascii: ","), UInt8(ascii: "."),
            UInt8(ascii: ";"), UInt8(ascii: "="), UInt8(ascii: "("), UInt8(ascii: ")"), UInt8(ascii: "/"):
            true
        default: false
        }
    }
}
