import ArgumentParser
import Cryptography
import Determinism
import EMV
import Settings
import Text
import TillConfiguration

/// `emv capks`
struct ListCAPublicKeys: SynchronousReportingCommand {
    static let configuration = CommandConfiguration(
        commandName: "capks", abstract: "Check and list CA public keys.",
        discussion: """
            EXAMPLES:
              cardpresent emv capks
              cardpresent emv capks keys.yaml

            Verifies the checksum of each key, and compares keys that are in several files. Without a file, checks the \
            keys in the till configuration. A file is a YAML list or JSON lines with rid, index, modulus, exponent, \
            checksum (or sha1), and optionally expires (or expiry). A key on an elliptic curve has suite (10 or 11), \
            x, and optionally y instead of modulus and exponent, or is the payment system's self-signed \
            certificate. A key without a checksum is listed as unchecked; a \
            till refuses it, so that in a configuration it is an error. All keys are listed, also those with errors; \
            errors are reported at the end, with exit code 65.
            """)

    @Argument(help: "Files with CA public keys.", completion: .file(extensions: ["yaml", "yml", "jsonl"]))
    var files: [String] = []
    @OptionGroup var configurationOptions: ConfigurationOptions
    @OptionGroup var output: OutputOptions

    func execute() throws {
        let inspection: CAPublicKeyInspection
        do throws(SettingsError) { inspection = try inspect() } catch { throw CommandFailure(key: error) }
        let today = SystemTimeSource().localDate()
        let keys = inspection.entries.map { ListedKey(entry: $0, today: today) }
        try output.write(
            list: keys.map(\.json),
            text: keys.isEmpty ? "" : TextTable.text([ListedKey.heads] + keys.map(\.cells), limit: 4096),
            whenEmpty: "No public keys.")
        let failures = inspection.mistakes.map { CommandFailure(key: $0) }
        for failure in failures.dropLast() { failure.report() }
        try Outcome.end(failures.last)
    }

    private func inspect() throws(SettingsError) -> CAPublicKeyInspection {
        if files.isEmpty, let path = configurationOptions.path() {
            return try CAPublicKeyInspection(configuration: path)
        }
        return CAPublicKeyInspection(files: files)
    }
}

extension CommandFailure {
    /// Creates the failure of a mistake in a file of keys.
    fileprivate init(key mistake: SettingsError) {
        self.init(.badData, code: "malformed_keys", message: mistake.located, fix: mistake.fix)
    }
}

/// A CA public key of a list, or a place where one should be.
private struct ListedKey: TableRow {
    let entry: CAPublicKeyInspection.Entry
    let today: CivilDate

    private var key: AuthorityKey? { entry.key }

    private var rsa: CAPublicKey? { if case .rsa(let key) = key { key } else { nil } }

    private var elliptic: ECCAuthorityKey? { if case .elliptic(let key) = key { key } else { nil } }

    /// The payment system's name; nil for an unknown RID.
    private var scheme: String? { key.flatMap { CardBrand(aid: $0.rid)?.displayName } }

    private var bits: Int? {
        rsa.map { $0.key.modulus.count * 8 } ?? elliptic.map { $0.suite == .p256 ? 256 : 521 }
    }

    private var isExpired: Bool? {
        key.map { key in
            key.expiry.map { ($0.year, $0.month, $0.day) < (today.year, today.month, today.day) } ?? false
        }
    }

    var json: JSONObject {
        [
            "rid": key?.rid.hexadecimal, "scheme": scheme, "index": key.map { [$0.index].hexadecimal }, "bits": bits,
            "exponent": rsa?.key.exponent.hexadecimal,
            // The algorithm suite indicator of a key on an elliptic curve: 10 for P-256, 11 for P-521.
            "suite": elliptic.map { [$0.suite.rawValue].hexadecimal }, "x": elliptic?.key.x.hexadecimal,
            // SHA-1 over RID, index, modulus, and exponent; of a key on an elliptic curve, the hash of its suite over
            // RID, index, suite, x, and y; null for a key that cannot be read. checksumOk is whether
            // it is the one that the file states; null if the file states none.
            "checksum": key?.checksum.hexadecimal, "checksumOk": entry.isChecksumRight,
            "expires": key?.expiry?.dayText, "expired": isExpired, "source": entry.location.description,
            // Null for a key that a till takes.
            "error": entry.mistake.map { CommandFailure(key: $0).json },
        ]
    }

    static var heads: [String] {
        ["RID", "SCHEME", "INDEX", "BITS", "EXPONENT", "CHECKSUM", "EXPIRES", "FROM", "ERROR"]
    }

    var cells: [String] {
        [
            key?.rid.hexadecimal ?? "-", key == nil ? "-" : scheme ?? "unknown",
            key.map { [$0.index].hexadecimal } ?? "-", bits.map(String.init) ?? "-",
            rsa?.key.exponent.hexadecimal ?? elliptic?.suite.curve.rawValue ?? "-", checksum, expiry,
            entry.location.description,
            entry.mistake == nil ? "" : "ERROR",
        ]
    }

    private var checksum: String {
        guard let key else { return "-" }
        let words =
            switch entry.isChecksumRight {
            case true?: "ok"
            case false?: "WRONG"
            case nil: "unchecked"
            }
        return key.checksum.hexadecimal.prefix(8) + " " + words
    }

    private var expiry: String {
        guard let key else { return "-" }
        return (key.expiry?.dayText ?? "never") + (isExpired == true ? " EXPIRED" : "")
    }
}
