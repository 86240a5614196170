internal import ArgumentParser
internal import Cryptography
internal import Determinism
internal import EMV
internal import Settings
internal import Text
internal import TillConfiguration

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
            checksum (or sha1), and optionally expires (or expiry). A key without a checksum is listed as unchecked; a \
            till refuses it. Exits with 65 when a key is invalid.
            """)

    @Argument(help: "Files with CA public keys.", completion: .file(extensions: ["yaml", "yml", "jsonl"]))
    var files: [String] = []
    @OptionGroup var configurationOptions: ConfigurationOptions
    @OptionGroup var output: OutputOptions

    func execute() throws {
        let store: CAPublicKeyStore
        do throws(SettingsError) { store = try read() } catch {
            throw CommandFailure(.badData, code: "malformed_keys", message: error.located, fix: error.fix)
        }
        let today = SystemTimeSource().localDate()
        let keys = store.entries.map { ListedKey(entry: $0, today: today) }
        try output.write(
            list: keys.map(\.json),
            text: keys.isEmpty ? "" : TextTable.text([ListedKey.heads] + keys.map(\.cells), limit: 4096),
            whenEmpty: "No public keys.")
    }

    private func read() throws(SettingsError) -> CAPublicKeyStore {
        if files.isEmpty, let path = configurationOptions.path() {
            return try CAPublicKeyStore(configuration: path)
        }
        return try CAPublicKeyStore(files: files)
    }
}

/// A CA public key of a list.
private struct ListedKey: TableRow {
    let entry: CAPublicKeyStore.Entry
    let today: CivilDate

    private var key: CAPublicKey { entry.key }

    /// The payment system's name; nil for an unknown RID.
    private var scheme: String? { CardBrand(aid: key.rid)?.displayName }

    private var isExpired: Bool {
        key.expiry.map { ($0.year, $0.month, $0.day) < (today.year, today.month, today.day) } ?? false
    }

    var json: JSONObject {
        [
            "rid": key.rid.hexadecimal, "scheme": scheme, "index": [key.index].hexadecimal,
            "bits": key.key.modulus.count * 8, "exponent": key.key.exponent.hexadecimal,
            // SHA-1 over RID, index, modulus, and exponent. A key with a wrong checksum is rejected when it is read;
            // null if the file states none.
            "checksum": key.checksum.hexadecimal, "checksumOk": entry.hasChecksum ? true : nil,
            "expires": key.expiry?.dayText,
            "expired": isExpired, "source": entry.location.description,
        ]
    }

    static var heads: [String] { ["RID", "SCHEME", "INDEX", "BITS", "EXPONENT", "CHECKSUM", "EXPIRES", "FROM"] }

    var cells: [String] {
        [
            key.rid.hexadecimal, scheme ?? "unknown", [key.index].hexadecimal, "\(key.key.modulus.count * 8)",
            key.key.exponent.hexadecimal,
            String(key.checksum.hexadecimal.prefix(8)) + (entry.hasChecksum ? " ok" : " unchecked"),
            (key.expiry?.dayText ?? "never") + (isExpired ? " EXPIRED" : ""), entry.location.description,
        ]
    }
}
