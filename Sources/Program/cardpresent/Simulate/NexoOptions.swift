import ArgumentParser
import CardSecrets
import Connections
import Cryptography
import Determinism
import FoundationEssentials
import NexoTerminal
import TerminalServer

/// The options of `simulate terminal` that only `--protocol nexo` has.
struct NexoOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Port without TLS of nexo terminals; 0 picks a free port. Default: 8444.", valueName: "port"))
    var httpPort: Int?
    @Option(
        help: ArgumentHelp(
            "Terminal ID (POIID): model-serial. Can be repeated. Default: \(Self.standardID).", valueName: "id"))
    var terminal: [String] = []
    @OptionGroup var certificates: TerminalCertificateOptions
    @OptionGroup var key: NexoKeyOptions

    static let standardID = "V400m-000000001"
    private static let standardPassphrase = "correct horse battery"

    /// The terminals' IDs.
    var terminals: [String] { terminal.isEmpty ? [Self.standardID] : terminal }

    /// The names of the options that were given.
    var given: [String] {
        [
            httpPort == nil ? nil : "--http-port", terminal.isEmpty ? nil : "--terminal",
            certificates.certificates == nil ? nil : "--certificates",
            key.passphraseFile == nil ? nil : "--passphrase-file",
            key.keyIdentifier == nil ? nil : "--key-identifier", key.keyVersion == nil ? nil : "--key-version",
        ].compactMap(\.self)
    }

    /// Whether an option was given.
    var isGiven: Bool { !given.isEmpty }

    /// Checks the options after it is known that they have an effect.
    ///
    /// - Throws: `ValidationError`
    func checkValues() throws {
        try check(httpPort, in: 0...65_535, "--http-port")
        for id in terminal { try TerminalCertificateOptions.check(id) }
        guard Set(terminal).count == terminal.count else { throw ValidationError("--terminal names one twice") }
    }

    /// Makes what is missing of the certificates, and returns the server's side of TLS with them.
    ///
    /// - Parameters:
    ///   - host: the address that tills use, besides those of this machine.
    ///   - time: the clock for the validity.
    /// - Returns: the folder of the certificates, and the server's side of TLS.
    /// - Throws: `CommandFailure`
    func tls(
        host: String, time: any TimeSource
    ) throws(CommandFailure) -> (folder: CertificateFolder, server: TLSServer) {
        let folder = try certificates.prepare(terminal: terminals.first ?? Self.standardID, host: host, time: time)
            .folder
        do throws(TLSSetupError) {
            return (folder, try TLSServer(TLSServer.Settings(identity: folder.server), time: time))
        } catch {
            throw CommandFailure(
                .configuration, code: "tls_file", message: "TLS cannot be set up: \(error)",
                fix: "give a folder of your own with --certificates, or a new one")
        }
    }

    /// Returns the names of the terminals, and their key.
    ///
    /// - Throws: `CommandFailure`
    func setup() throws(CommandFailure) -> NexoTerminalOptions {
        let standard = try NexoKeyOptions.key(of: Self.standardPassphrase, key)
        var options = NexoTerminalOptions(terminals: terminals, key: try key.key() ?? standard)
        options.takesClearText = key.passphraseFile == nil
        return options
    }
}

/// The key of encrypted messages of nexo terminals.
struct NexoKeyOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "File with the passphrase of encrypted messages. It is created if it does not exist.",
            discussion: """
                Then /nexo takes encrypted messages only. Without it, simulated terminals have the passphrase \
                'correct horse battery', and all take clear text.
                """, valueName: "file"),
        completion: .file())
    var passphraseFile: String?
    @Option(help: ArgumentHelp("Key identifier of encrypted messages. Default: CardPresent.", valueName: "name"))
    var keyIdentifier: String?
    @Option(help: ArgumentHelp("Key version of encrypted messages. Default: 1.", valueName: "number"))
    var keyVersion: Int?

    var identifier: String { keyIdentifier ?? "CardPresent" }
    var version: Int { keyVersion ?? 1 }

    /// Whether an option was given.
    var isGiven: Bool { passphraseFile != nil || keyIdentifier != nil || keyVersion != nil }

    func validate() throws {
        try check(keyVersion, in: 0...99, "--key-version")
        if let keyIdentifier, keyIdentifier.isEmpty || keyIdentifier.utf8.count > 64 {
            throw ValidationError("--key-identifier must have 1 to 64 characters")
        }
    }

    /// Returns the key of the passphrase in the file; nil without a file.
    ///
    /// - Throws: `CommandFailure`
    func key() throws(CommandFailure) -> NexoKey? {
        guard let passphraseFile else { return nil }
        let file = try StoreSecretFile(passphraseFile, named: "nexo-passphrase", random: SystemRandomSource())
        return try Self.key(of: file.secret, self)
    }

    /// Returns the key of a passphrase.
    ///
    /// - Throws: `CommandFailure`
    static func key(of passphrase: String, _ options: NexoKeyOptions) throws(CommandFailure) -> NexoKey {
        var bytes = Array(passphrase.utf8)
        defer { bytes.wipe() }
        do throws(CryptographyError) {
            return try NexoKey(
                passphrase: SensitiveBytes(bytes), identifier: options.identifier, version: options.version)
        } catch {
            throw CommandFailure(.internalError, code: "internal", message: "the key can't be derived: \(error)")
        }
    }
}

/// The folder with the certificates of simulated terminals.
struct TerminalCertificateOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Folder with the certificates for TLS. What is missing is made; tills trust its ca.pem.",
            discussion: """
                Default: $XDG_DATA_HOME/cardpresent/terminal-certificates, or \
                ~/.local/share/cardpresent/terminal-certificates.
                """, valueName: "folder"),
        completion: .directory)
    var certificates: String?

    /// The folder.
    ///
    /// - Throws: `CommandFailure` when no folder is named, and neither `XDG_DATA_HOME` nor `HOME` is set.
    func folder() throws(CommandFailure) -> CertificateFolder {
        if let certificates { return CertificateFolder(path: certificates) }
        guard let data = DatabaseOptions.directory(environment: ProcessInfo.processInfo.environment) else {
            throw CommandFailure(
                .configuration, code: "no_folder", message: "no folder for certificates: HOME is not set",
                fix: "give --certificates FOLDER")
        }
        return CertificateFolder(path: data + "/cardpresent/terminal-certificates")
    }

    /// Makes what is missing in the folder, with the common name that the vendor's libraries look for.
    ///
    /// - Parameters:
    ///   - terminal: the terminal's ID.
    ///   - host: the address that tills use, besides those of this machine.
    ///   - time: the clock for the validity.
    /// - Returns: the folder, and the paths of new certificates.
    /// - Throws: `CommandFailure`
    func prepare(
        terminal: String, host: String, time: any TimeSource
    ) throws(CommandFailure) -> (folder: CertificateFolder, new: [String]) {
        let folder = try folder()
        var names = ["localhost", "127.0.0.1", "::1"]
        if !names.contains(host), host != "0.0.0.0", host != "::" { names.append(host) }
        do throws(CertificateError) {
            let new = try folder.prepare(
                names: names, commonName: Self.commonName(terminal), time: time, random: SystemRandomSource())
            return (folder, new)
        } catch {
            throw CommandFailure(
                .configuration, code: "tls_file", message: "TLS cannot be set up: \(error)",
                fix: "give a folder of your own with --certificates, or a new one")
        }
    }

    /// The vendor's libraries look for this common name, and not for the host.
    static func commonName(_ terminal: String) -> String { terminal + ".test.terminal.adyen.com" }

    /// Checks the ID of a terminal: letters or digits, a hyphen, letters or digits. The common name has at most 64
    /// characters.
    static func check(_ id: String) throws {
        let parts = id.split(separator: "-", omittingEmptySubsequences: false)
        let isFormed =
            parts.count == 2
            && parts.allSatisfy { part in
                !part.isEmpty
                    && part.utf8.allSatisfy { byte in
                        switch byte {
                        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
                        default: false
                        }
                    }
            }
        guard isFormed, commonName(id).utf8.count <= 64 else {
            throw ValidationError("'\(id)' is not the ID of a terminal, such as \(NexoOptions.standardID)")
        }
    }
}

/// `simulate certificates`
struct SimulateCertificates: SynchronousReportingCommand {
    static let configuration = CommandConfiguration(
        commandName: "certificates", abstract: "Make the certificates of a simulated terminal.",
        discussion: """
            EXAMPLES:
              cardpresent simulate certificates
              cardpresent simulate certificates --terminal P400Plus-123456789 --certificates certificates

            Makes a certificate authority and a certificate with the common name that libraries for nexo terminals \
            look for, TERMINAL.test.terminal.adyen.com. 'simulate terminal --protocol nexo' does the same. Give \
            ca.pem to the till. Certificates that are there and valid stay.
            """)

    @Option(help: ArgumentHelp("Terminal ID (POIID): model-serial.", valueName: "id"))
    var terminal = NexoOptions.standardID
    @Option(help: ArgumentHelp("Host name or address of the terminal, besides localhost.", valueName: "name"))
    var host = "localhost"
    @OptionGroup var certificates: TerminalCertificateOptions
    @OptionGroup var output: OutputOptions

    func validate() throws { try TerminalCertificateOptions.check(terminal) }

    func execute() throws {
        let made = try certificates.prepare(terminal: terminal, host: host, time: SystemTimeSource())
        let (authority, server) = (made.folder.authority, made.folder.server)
        let json: JSONObject = [
            "authority": authority.certificate, "certificate": server.certificate, "key": server.key,
            "commonName": TerminalCertificateOptions.commonName(terminal), "new": made.new,
        ]
        try output.write(
            json,
            text: """
                authority    \(authority.certificate)
                certificate  \(server.certificate)
                key          \(server.key)
                common name  \(TerminalCertificateOptions.commonName(terminal))

                """)
    }
}
