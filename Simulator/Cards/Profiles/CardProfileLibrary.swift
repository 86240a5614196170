import Glibc
public import Settings
import Synchronization

/// The card profiles built into the program, and those in files.
public enum CardProfileLibrary {
    /// The names of the built-in profiles, in listing order.
    public static let names: [String] = builtIn.map(\.name)

    /// The names of the built-in profiles of cards with a contactless side, in listing order. All have a chip too.
    public static let contactlessNames: [String] = contactless.map(\.name)

    /// The names of all built-in profiles, in listing order: ``names``, then ``contactlessNames``.
    public static let allNames: [String] = names + contactlessNames

    /// Loads a built-in profile by name, or a file by path: anything with a slash, or ending in `.yaml` or `.yml`, is
    /// a path.
    ///
    /// - Parameters:
    ///   - nameOrPath: the name or path.
    ///   - changes: overrides, applied in this order.
    /// - Returns: the profile.
    /// - Throws: ``CardProfileError``
    public static func profile(
        _ nameOrPath: String, changedBy changes: [SettingsNode] = []
    ) throws(CardProfileError) -> CardProfile {
        do throws(SettingsError) {
            if nameOrPath.contains("/") || nameOrPath.hasSuffix(".yaml") || nameOrPath.hasSuffix(".yml") {
                return try changed(try SettingsDocument(path: nameOrPath), nameOrPath, changes)
            }
            if let yaml = yaml[nameOrPath] {
                return try changed(
                    try SettingsDocument(
                        text: String(decoding: yaml, as: UTF8.self), file: "\(nameOrPath).yaml (built in)"),
                    nameOrPath, changes)
            }
        } catch {
            throw .malformed(error)
        }
        throw .unknownProfile(
            nameOrPath, known: allNames, nearest: NearestName.to(nameOrPath, among: allNames))
    }

    /// Loads a profile as ``profile(_:changedBy:)`` does, and keeps a built-in one for the next call. For programs that
    /// play the same cards many times: the numbers of kept cards stay in ``SealedBytes`` until the program ends.
    ///
    /// - Parameter name: the name or path.
    /// - Returns: the profile.
    /// - Throws: ``CardProfileError``
    package static func keptProfile(_ name: String) throws(CardProfileError) -> CardProfile {
        if let profile = decoded.withLock({ $0[name] }) { return profile }
        let profile = try profile(name)
        if yaml[name] != nil { decoded.withLock { $0[name] = profile } }
        return profile
    }

    private static func changed(
        _ document: SettingsDocument, _ name: String, _ changes: [SettingsNode]
    ) throws(SettingsError) -> CardProfile {
        var profile = try CardProfile(changes.reduce(document.root) { $1.laid(over: $0) })
        let change = changes.dropFirst().reduce(changes.first) { merged, next in merged.map { next.laid(over: $0) } }
        profile.origin = CardProfile.Origin(nameOrPath: name, changes: change)
        return profile
    }

    /// Returns the ``CardProfile/summary`` of a built-in profile without decoding the rest.
    ///
    /// - Returns: nil if there is no built-in profile with this name.
    /// - Throws: ``CardProfileError``
    public static func summary(of name: String) throws(CardProfileError) -> String? {
        guard let entry = all.first(where: { $0.name == name }) else { return nil }
        let key = Array("description: ".utf8)
        for line in entry.yaml.split(separator: UInt8(ascii: "\n")) where line.starts(with: key) {
            let text = line.dropFirst(key.count)
            // Plain words are plain scalars in YAML; anything else needs the decoder.
            let isPlain = text.allSatisfy { $0.isPlainText } && text.last != UInt8(ascii: " ")
            if isPlain, let first = text.first, first != UInt8(ascii: " ") {
                return String(decoding: text, as: UTF8.self)
            }
        }
        return try profile(name).summary
    }

    /// Returns the names of built-in profiles with a PAN that ends in these digits, in the order of ``names``,
    /// without decoding them. Every built-in profile has each PAN on its own line as plain digits.
    static func names(havingPANEndingIn lastFour: String) -> [String] {
        let digits = Array(lastFour.utf8)
        return all.filter { hasPAN($0.yaml, endingIn: digits) }.map(\.name)
    }

    /// Compares lines in place: slices of the library's 3,000 lines would be a quarter of a payment's allocations.
    private static func hasPAN(_ yaml: [UInt8], endingIn digits: [UInt8]) -> Bool {
        let key = Array("pan: ".utf8)
        return yaml.withUnsafeBytes { bytes in
            guard let text = bytes.baseAddress else { return false }
            var start = 0
            while start < bytes.count {
                let newline = memchr(text + start, CInt(UInt8(ascii: "\n")), bytes.count - start)
                let end = newline.map { UnsafeRawPointer($0) - text } ?? bytes.count
                if end - start >= digits.count, memcmp(text + end - digits.count, digits, digits.count) == 0 {
                    while start < end, bytes[start] == UInt8(ascii: " ") { start += 1 }
                    if end - start >= key.count, memcmp(text + start, key, key.count) == 0 { return true }
                }
                start = end + 1
            }
            return false
        }
    }

    /// All built-in profiles, in listing order.
    private static let all = builtIn + contactless

    /// The built-in profiles by name.
    private static let yaml = Dictionary(uniqueKeysWithValues: all.map { ($0.name, $0.yaml) })

    /// The built-in profiles that were decoded already. Their secrets are ``SealedBytes``; no text with them is kept.
    private static let decoded = Mutex<[String: CardProfile]>([:])

    private static let contactless: [(name: String, yaml: [UInt8])] = [
        ("k8-credit", PackageResources.k8_credit_yaml),
        ("k8-decline", PackageResources.k8_decline_yaml),
        ("k8-phone", PackageResources.k8_phone_yaml),
        ("k8-wants-chip", PackageResources.k8_wants_chip_yaml),
        ("k8-offline", PackageResources.k8_offline_yaml),
        ("k8-second-tap", PackageResources.k8_second_tap_yaml),
        ("k8-wrong-certificate", PackageResources.k8_wrong_certificate_yaml),
        ("k8-wrong-mac", PackageResources.k8_wrong_mac_yaml),
        ("k8-relay-slow", PackageResources.k8_relay_slow_yaml),
        ("k8-no-cvm", PackageResources.k8_no_cvm_yaml),
        ("k8-signature", PackageResources.k8_signature_yaml),
        ("k8-online-pin", PackageResources.k8_online_pin_yaml),
        ("k8-wrong-pin", PackageResources.k8_wrong_pin_yaml),
        ("k8-phone-locked", PackageResources.k8_phone_locked_yaml),
        ("k8-watch", PackageResources.k8_watch_yaml),
        ("k8-expired", PackageResources.k8_expired_yaml),
        ("k8-not-yet-effective", PackageResources.k8_not_yet_effective_yaml),
        ("k8-blocked", PackageResources.k8_blocked_yaml),
        ("k8-insufficient-funds", PackageResources.k8_insufficient_funds_yaml),
        ("k8-issuer-wants-chip", PackageResources.k8_issuer_wants_chip_yaml),
        ("k8-expired-certificate", PackageResources.k8_expired_certificate_yaml),
        ("k8-unknown-authority", PackageResources.k8_unknown_authority_yaml),
        ("k8-changed-data", PackageResources.k8_changed_data_yaml),
        ("k8-copied-key", PackageResources.k8_copied_key_yaml),
        ("k8-replayed-record", PackageResources.k8_replayed_record_yaml),
        ("k8-duplicate-data", PackageResources.k8_duplicate_data_yaml),
        ("k8-torn-options", PackageResources.k8_torn_options_yaml),
        ("k8-torn-record", PackageResources.k8_torn_record_yaml),
        ("k8-torn-cryptogram", PackageResources.k8_torn_cryptogram_yaml),
        ("k8-torn-read-data", PackageResources.k8_torn_read_data_yaml),
        ("k8-torn-write-data", PackageResources.k8_torn_write_data_yaml),
        ("k8-collision", PackageResources.k8_collision_yaml),
        ("k8-hasty", PackageResources.k8_hasty_yaml),
        ("k8-late-removal", PackageResources.k8_late_removal_yaml),
        ("k8-transit", PackageResources.k8_transit_yaml),
        ("k8-euro", PackageResources.k8_euro_yaml),
        ("k8-yen", PackageResources.k8_yen_yaml),
        ("k8-dinar", PackageResources.k8_dinar_yaml),
        ("k8-plain", PackageResources.k8_plain_yaml),
        ("k8-large-curve", PackageResources.k8_large_curve_yaml),
        ("k8-envelopes", PackageResources.k8_envelopes_yaml),
        ("k8-other-channel", PackageResources.k8_other_channel_yaml),
    ]

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
        ("visa-xda", PackageResources.visa_xda_yaml),
        ("visa-xda-large-curve", PackageResources.visa_xda_large_curve_yaml),
        ("visa-xda-wrong-signature", PackageResources.visa_xda_wrong_signature_yaml),
        ("mastercard-cda-wrong-signature", PackageResources.mastercard_cda_wrong_signature_yaml),
        ("unknown-ca-key", PackageResources.unknown_ca_key_yaml),
        ("sda-tampered", PackageResources.sda_tampered_yaml),
        ("blocked-application", PackageResources.blocked_application_yaml),
        ("visa-debit", PackageResources.visa_debit_yaml),
        ("mastercard-debit", PackageResources.mastercard_debit_yaml),
        ("maestro", PackageResources.maestro_yaml),
        ("amex", PackageResources.amex_yaml),
        ("discover", PackageResources.discover_yaml),
        ("diners", PackageResources.diners_yaml),
        ("jcb", PackageResources.jcb_yaml),
        ("unionpay", PackageResources.unionpay_yaml),
        ("interac", PackageResources.interac_yaml),
        ("eftpos-au", PackageResources.eftpos_au_yaml),
        ("us-common-debit", PackageResources.us_common_debit_yaml),
        ("declined", PackageResources.declined_yaml),
        ("declined-lost", PackageResources.declined_lost_yaml),
        ("declined-stolen", PackageResources.declined_stolen_yaml),
        ("declined-expired", PackageResources.declined_expired_yaml),
        ("declined-processing-error", PackageResources.declined_processing_error_yaml),
        ("declined-amount-limit", PackageResources.declined_amount_limit_yaml),
        ("declined-count-limit", PackageResources.declined_count_limit_yaml),
        ("declined-pin-tries", PackageResources.declined_pin_tries_yaml),
        ("referral", PackageResources.referral_yaml),
        ("wrong-online-pin", PackageResources.wrong_online_pin_yaml),
        ("pin-second-try", PackageResources.pin_second_try_yaml),
        ("pin-last-try", PackageResources.pin_last_try_yaml),
        ("pin-blocked", PackageResources.pin_blocked_yaml),
        ("pin-change", PackageResources.pin_change_yaml),
        ("pin-bypass", PackageResources.pin_bypass_yaml),
        ("pin-and-signature", PackageResources.pin_and_signature_yaml),
        ("no-cvm-list", PackageResources.no_cvm_list_yaml),
        ("unknown-cvm", PackageResources.unknown_cvm_yaml),
        ("cvm-fails", PackageResources.cvm_fails_yaml),
        ("cvm-by-amount", PackageResources.cvm_by_amount_yaml),
        ("expired", PackageResources.expired_yaml),
        ("not-yet-effective", PackageResources.not_yet_effective_yaml),
        ("service-not-allowed", PackageResources.service_not_allowed_yaml),
        ("version-mismatch", PackageResources.version_mismatch_yaml),
        ("new-card", PackageResources.new_card_yaml),
        ("velocity-limits", PackageResources.velocity_limits_yaml),
        ("offline-limits", PackageResources.offline_limits_yaml),
        ("exception-file", PackageResources.exception_file_yaml),
        ("card-declines-after-approval", PackageResources.card_declines_after_approval_yaml),
        ("issuer-authentication-failed", PackageResources.issuer_authentication_failed_yaml),
        ("script-failed", PackageResources.script_failed_yaml),
        ("blocked-by-script", PackageResources.blocked_by_script_yaml),
        ("duplicate-data", PackageResources.duplicate_data_yaml),
        ("missing-data", PackageResources.missing_data_yaml),
        ("bad-file-locator", PackageResources.bad_file_locator_yaml),
        ("truncated-record", PackageResources.truncated_record_yaml),
        ("wrong-cryptogram", PackageResources.wrong_cryptogram_yaml),
        ("next-application", PackageResources.next_application_yaml),
        ("no-directory", PackageResources.no_directory_yaml),
        ("partial-selection", PackageResources.partial_selection_yaml),
        ("blocked-card", PackageResources.blocked_card_yaml),
        ("removed-early", PackageResources.removed_early_yaml),
        ("removed-after-approval", PackageResources.removed_after_approval_yaml),
        ("goes-mute", PackageResources.goes_mute_yaml),
        ("slow-card", PackageResources.slow_card_yaml),
        ("slow-t1-card", PackageResources.slow_t1_card_yaml),
        ("visa-format-two", PackageResources.visa_format_two_yaml),
        ("mastercard-format-one", PackageResources.mastercard_format_one_yaml),
        ("mastercard-emv2000", PackageResources.mastercard_emv2000_yaml),
        ("stripe-only", PackageResources.stripe_only_yaml),
        ("stripe-expired", PackageResources.stripe_expired_yaml),
        ("stripe-bad-lrc", PackageResources.stripe_bad_lrc_yaml),
        ("stripe-wrong-cvv", PackageResources.stripe_wrong_cvv_yaml),
        ("stripe-pin", PackageResources.stripe_pin_yaml),
        ("stripe-cash-only", PackageResources.stripe_cash_only_yaml),
        ("stripe-national", PackageResources.stripe_national_yaml),
        ("stripe-track-one", PackageResources.stripe_track_one_yaml),
        ("damaged-chip", PackageResources.damaged_chip_yaml),
        ("swiped-chip", PackageResources.swiped_chip_yaml),
        ("mute", PackageResources.mute_yaml),
        ("bad-atr", PackageResources.bad_atr_yaml),
    ]
}

extension UInt8 {
    /// Whether the byte is a letter, a digit, or a character without special meaning inside a YAML plain scalar.
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
