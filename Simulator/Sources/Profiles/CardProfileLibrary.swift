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
        ("blocked-application", PackageResources.blocked_application_yaml),
        ("mute", PackageResources.mute_yaml),
        ("bad-atr", PackageResources.bad_atr_yaml),
    ]
}
