internal import ArgumentParser
internal import Determinism
internal import Hardware
internal import SettingsFile

/// `emv capks`
struct ListCAPublicKeys: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "capks", abstract: "Checks and lists the payment systems' public keys.",
        discussion: """
            Every key is held against its checksum, and against the same key in other files. Without a file it is the \
            keys of the till's configuration. A file is a YAML list or JSON lines with rid, index, modulus, exponent, \
            checksum (or sha1) and, if the key has one, expires (or expiry). Exits with 65 when there is a fault.
            """)

    @Argument(help: "Files of keys.", completion: .file(extensions: ["yaml", "yml", "jsonl"]))
    var files: [String] = []
    @OptionGroup var configurationOptions: ConfigurationOptions
    @OptionGroup var output: OutputOptions

    func run() throws {
        try output.reporting {
            let store: CAPublicKeyStore
            do throws(SettingsError) { store = try read() } catch {
                throw CommandFailure(.badData, code: "malformed_keys", message: error.located, fix: error.fix)
            }
            let today = SystemTimeSource().localDate()
            let keys = store.entries.map { CAPublicKeyView($0, today: today) }
            guard !output.json else { return try StandardOutput.write(json: keys) }
            if keys.isEmpty { StandardError.write("No public keys.\n") }
            try StandardOutput.write(CAPublicKeyView.table(keys))
        }
    }

    private func read() throws(SettingsError) -> CAPublicKeyStore {
        if files.isEmpty, let path = configurationOptions.path() {
            return try CAPublicKeyStore(configuration: path)
        }
        return try CAPublicKeyStore(files: files)
    }
}
