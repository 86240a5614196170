import ArgumentParser
import Connections
import Determinism
import HostSecurity
import Hosts
import ISO8583
import TillConfiguration

/// `host check`
struct CheckHost: ReportingCommand {
    static let configuration = CommandConfiguration(
        commandName: "check", abstract: "Check the way to a payment host: connect, sign on, exchange keys, and echo.",
        discussion: """
            EXAMPLES:
              cardpresent host check --address 127.0.0.1:8583 --profile iso87-ascii --terminal TERM0001
              cardpresent host check --address acquirer.example:8583 --profile my-host.yaml --ca acquirer.pem \
            --terminal TERM0001 --merchant 123456789012345
              cardpresent host check --config till.yaml
              cardpresent host check --config till.yaml --host-trace check.jsonl
              cardpresent host check --config till.yaml --host backup
              cardpresent host check --address 192.0.2.7:8583 --profile iso2003 --certificate till.pem --key till.key \
            --server-name acquirer.example --terminal TERM0001 --json
              cardpresent host check --address 127.0.0.1:8583 --profile my-host.yaml --keys host-keys.yaml \
            --terminal TERM0001
              cardpresent host check --config till.yaml --keys \
            'pkcs11:token=till?module-path=/usr/lib/softhsm/libsofthsm2.so&pin-source=/etc/cardpresent/token.pin'

            Checks all hosts of the configuration, or the one of --host; with --address, the host at that address.

            Shows each step with its time, and stops at the first one that fails: it says what failed, why, and what to \
            do. Keys are exchanged if the profile does so and the key file has the master key. No money moves, and no \
            card data is sent. Every host on another machine is reached over TLS; a host on this machine with --ca, \
            --certificate, or --server-name.

            Also fails when a key for the MACs of payments is missing. A missing key for PINs is a warning.

            Exits with 69 when the host can't be reached, refuses, or does not answer, with 65 when its bytes are not \
            those of the profile, and with 78 when a file is wrong, or a key is missing.
            """)

    @Option(
        help: ArgumentHelp(
            "Host and port, such as acquirer.example:8583. Default: the configured host.", valueName: "host:port"))
    var address: String?
    @Option(
        help: ArgumentHelp(
            "Message profile of the host: a shipped one or a file.",
            discussion: "Shipped: \(MessageProfile.shippedNames.joined(separator: ", ")).", valueName: "profile"),
        completion: .list(MessageProfile.shippedNames))
    var profile: String?
    @Option(help: .config, completion: .configuration) var config: String?
    @OptionGroup var hostOption: HostOption
    @OptionGroup var tls: HostTLSOptions
    @OptionGroup var keys: KeyOption
    @Option(help: ArgumentHelp("Number of the terminal (field 41).", valueName: "tid"))
    var terminal: String?
    @Option(help: ArgumentHelp("Number of the merchant (field 42).", valueName: "mid"))
    var merchant: String?
    @Option(
        help: ArgumentHelp(
            "Longest time of each step. Default: that of the configuration or the profile, and 15 s.",
            valueName: "seconds"))
    var timeout: Int?
    @OptionGroup var trace: HostTraceOptions
    @OptionGroup var output: OutputOptions

    func validate() throws {
        try check(timeout, in: 1...600, "--timeout", "seconds")
        if let address {
            guard let place = TCPAddress(address), place.port > 0 else {
                throw ValidationError("--address must be HOST:PORT, such as acquirer.example:8583")
            }
            guard profile != nil else { throw ValidationError("--address needs --profile") }
            guard config == nil else { throw ValidationError("--config can't be used with --address") }
            guard hostOption.host == nil else { throw ValidationError("--host can't be used with --address") }
        } else if tls.isGiven {
            throw ValidationError("options of TLS need --address: the configured host has its own")
        }
        try tls.check()
    }

    /// The host to check.
    private struct Subject {
        var address: TCPAddress
        var profile: MessageProfile
        var files: HostTLSFiles?
        var keys: HostKeys?
        var identity: TerminalIdentity
        /// Its name among several; nil for one host only.
        var name: String?
        /// The longest time to an answer of the configuration; nil for none.
        var wait: Duration?
    }

    /// A host to check, or why its files can't be used.
    private struct Entry {
        /// Its name among several; nil for one host only.
        var name: String?
        var address: TCPAddress
        var subject: Result<Subject, CommandFailure>
    }

    private func entries() async throws(CommandFailure) -> [Entry] {
        if let address = address.flatMap({ TCPAddress($0) }), let profile {
            let subject = Subject(
                address: address, profile: try ProfileFile.load(profile), files: tls.files(for: address),
                keys: try await keys.load(), identity: TerminalIdentity())
            return [Entry(address: address, subject: .success(subject))]
        }
        var options = ConfigurationOptions()
        options.config = config
        let settings = try options.load()
        guard case .iso8583 = settings.host else {
            throw CommandFailure(
                .usage, code: "no_host",
                message: "the configured host is '\(settings.host.kind)', which has no address",
                fix: "give --address and --profile, or a configuration with host.kind: iso8583")
        }
        var entries: [Entry] = []
        for chosen in try hostOption.choose(from: settings) {
            let name = settings.otherHosts.isEmpty ? nil : chosen.name
            let subject: Result<Subject, CommandFailure>
            do throws(CommandFailure) { subject = .success(try await self.subject(chosen, name, settings)) } catch {
                // The other hosts can be checked.
                guard name != nil else { throw error }
                subject = .failure(error)
            }
            entries.append(Entry(name: name, address: chosen.settings.address, subject: subject))
        }
        return entries
    }

    private func subject(
        _ chosen: NamedAcquirer, _ name: String?, _ settings: TillConfiguration
    ) async throws(CommandFailure) -> Subject {
        let acquirer = chosen.settings
        var profile = try ProfileFile.load(profile ?? acquirer.profile)
        if let limit = acquirer.connectTimeout { profile.connectTimeout = limit }
        let place = keys.keys ?? acquirer.keys
        let found: HostKeys? = if let place { try await KeyFile.load(place) } else { nil }
        return Subject(
            address: acquirer.address, profile: profile, files: acquirer.tlsFiles, keys: found,
            identity: AcquirerTerminal(settings, at: acquirer).identity, name: name, wait: acquirer.answerTimeout)
    }

    func execute() async throws {
        let entries = try await entries()
        let hostTrace = try trace.open()
        defer { hostTrace?.warn() }
        var objects: [JSONObject] = []
        var failures: [CommandFailure] = []
        for entry in entries {
            let (object, failure) = try await examine(entry, hostTrace)
            objects.append(object)
            guard var failure else { continue }
            if let name = entry.name { failure.message = "host \(name): \(failure.message)" }
            if entries.count > 1 { failure.report() }
            failures.append(failure)
        }
        if output.json {
            if entries.count == 1, let only = objects.first {
                try StandardOutput.write(json: only)
            } else {
                try StandardOutput.write(json: ["hosts": objects] as JSONObject)
            }
        }
        guard let first = failures.first else { return }
        // Those of several hosts are reported already.
        guard entries.count == 1 else { throw ExitCode(first.status.rawValue) }
        try Outcome.end(first)
    }

    /// Checks one host. What is wrong with the files of one of several is the failure of its check.
    private func examine(
        _ entry: Entry, _ hostTrace: HostTraceFile?
    ) async throws(CommandFailure) -> (object: JSONObject, failure: CommandFailure?) {
        do throws(CommandFailure) { return try await examine(try entry.subject.get(), hostTrace) } catch {
            guard let name = entry.name else { throw error }
            let object: JSONObject = [
                "address": "\(entry.address)", "steps": [JSONObject](), "error": error.json, "hostName": name,
            ]
            return (object, error)
        }
    }

    /// Checks one host, and shows its steps.
    private func examine(
        _ subject: Subject, _ hostTrace: HostTraceFile?
    ) async throws(CommandFailure) -> (object: JSONObject, failure: CommandFailure?) {
        var profile = subject.profile
        if let obstacle = profile.cardDataObstacle(with: subject.keys) { throw CommandFailure(obstacle, to: profile) }
        let wait = timeout.map { Duration.seconds($0) }
        if let wait { profile.connectTimeout = wait }
        let address = subject.address
        let time = SystemTimeSource()
        let client = try subject.files?.client(time)
        if let name = subject.name, !output.json { try StandardOutput.write("host \(name)\n") }
        let identity = TerminalIdentity(
            terminal: terminal ?? subject.identity.terminal, merchant: merchant ?? subject.identity.merchant)
        let check = HostCheck(
            profile: profile, address: address, tls: client, identity: identity,
            security: try KeyFile.security(profile, subject.keys), wait: wait ?? subject.wait ?? .seconds(15),
            time: time, trace: hostTrace)
        var steps: [HostCheck.Step] = []
        var failure = await check.run { step in
            steps.append(step)
            guard !output.json else { return }
            do throws(CommandFailure) { try StandardOutput.write(step.line) } catch { error.report() }
        }
        // The way to the host needs fewer keys than a payment.
        failure = failure ?? Self.missingKey(profile, subject.keys)
        let warning = failure == nil ? Self.pinWarning(profile, subject.keys) : nil
        if let warning {
            StandardError.write("cardpresent: \(subject.name.map { "host \($0): " } ?? "")\(warning)\n")
        }
        let object = JSONObject(
            [
                "address": "\(address)", "profile": profile.name, "steps": steps.map(\.json), "error": failure?.json,
            ], known: ["hostName": subject.name, "warnings": warning.map { [$0] }])
        return (object, failure)
    }

    /// The failure of a check after which no payment could be sent, for lack of the right key.
    private static func missingKey(_ profile: MessageProfile, _ keys: HostKeys?) -> CommandFailure? {
        profile.macObstacle(keys).map { obstacle in
            CommandFailure(
                .configuration, code: "key_missing",
                message: "the host answers, but no payment can be sent by '\(profile.name)': \(obstacle)",
                fix: obstacle.fix(in: "host.keys in the configuration, or --keys"))
        }
    }

    /// The words about payments with a PIN, which would fail; nil when they would not.
    private static func pinWarning(_ profile: MessageProfile, _ keys: HostKeys?) -> String? {
        profile.missingPINKey(keys).map { name in
            "payments with a PIN for the issuer will fail: there is no key '\(name)'; to take them, add '\(name)' to the "
                + "key file or the token of host.keys in the configuration, or --keys"
        }
    }
}

/// How `host` commands use TLS.
struct HostTLSOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "PEM file of the authorities to trust. Default: those of the system.", valueName: "file"),
        completion: .file())
    var ca: String?
    @Option(
        help: ArgumentHelp("PEM file of the till's certificate; needs --key.", valueName: "file"), completion: .file())
    var certificate: String?
    @Option(
        help: ArgumentHelp("PEM file of its key, readable by its owner alone.", valueName: "file"), completion: .file())
    var key: String?
    @Option(
        help: ArgumentHelp("Name in the host's certificate. Default: that of --address.", valueName: "name"))
    var serverName: String?

    func check() throws {
        guard (certificate == nil) == (key == nil) else { throw ValidationError("--certificate and --key go together") }
    }

    /// Whether an option asks for TLS.
    var isGiven: Bool { ca != nil || certificate != nil || serverName != nil }

    /// - Returns: nil when the host is this machine and no option asks for TLS.
    func files(for address: TCPAddress) -> HostTLSFiles? {
        guard !address.isLoopback || isGiven else { return nil }
        return HostTLSFiles(authorities: ca, certificate: certificate, key: key, serverName: serverName)
    }
}

/// The files that TLS with a payment host uses.
struct HostTLSFiles: Hashable, Sendable {
    /// PEM file of the authorities to trust; nil for those of the system.
    var authorities: String?
    /// PEM files of the till's certificate and its key; nil for none.
    var certificate: String?
    var key: String?
    /// The name in the host's certificate; nil for that of the address.
    var serverName: String?

    /// - Throws: `CommandFailure` when a file can't be used.
    func client(_ time: any TimeSource) throws(CommandFailure) -> TLSClient {
        var settings = TLSClient.Settings(serverName: serverName)
        if let authorities { settings.authorities = .pinned(file: authorities) }
        if let certificate, let key { settings.identity = TLSIdentityFiles(certificate: certificate, key: key) }
        do throws(TLSSetupError) { return try TLSClient(settings, time: time) } catch {
            throw CommandFailure(
                .configuration, code: "tls_file", message: "TLS cannot be set up: \(error)",
                fix: "give PEM files; a key has the mode 600 and belongs to the certificate")
        }
    }
}
