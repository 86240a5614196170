import Acquirer
import ArgumentParser
import Connections
import Determinism
import ISO8583
import Simulator

/// `simulate acquirer`
struct SimulateAcquirer: CardDataCommand {
    static let configuration = CommandConfiguration(
        commandName: "acquirer", abstract: "Serve a simulated acquirer that speaks ISO 8583.",
        discussion: """
            EXAMPLES:
              cardpresent simulate acquirer --listen 127.0.0.1:8583 --profile iso87-ascii
              cardpresent simulate acquirer --listen 127.0.0.1:0 --profile iso93-ebcdic --ledger a.sqlite --json
              cardpresent simulate acquirer --listen 127.0.0.1:8583 --profile iso87-ascii --fault answer-lost:sale:1
              cardpresent simulate acquirer --listen 127.0.0.1:8583 --profile my-host.yaml --keys host-keys.yaml
              cardpresent simulate acquirer --listen 127.0.0.1:8583 --profile my-host.yaml --keys \
            'pkcs11:token=acquirer?module-path=/usr/lib/softhsm/libsofthsm2.so&pin-source=/run/acquirer.pin'
              cardpresent simulate acquirer --listen 0.0.0.0:8583 --profile my-host.yaml --tls certificates \
            --fault-rate 0.05 --seed 7
              cardpresent simulate acquirer --listen 127.0.0.1:8583 --profile iso87-ascii --tls certificates \
            --demand-certificate

            Answers any client of the profile: sign-on, sales, authorizations, completions, refunds, voids, advices, \
            reversals, and settlements. Decides as the simulated issuer does, about the cards of \
            'cardpresent cards list', and checks their cryptograms, card verification values, and DUKPT PIN blocks.

            Prints its address, then a line for each message, and runs until Ctrl-C or SIGTERM. See docs/acquirer.md.

            FAULTS:
            \(faultList)
            """)

    private static var faultList: String {
        AcquirerFault.Kind.allCases.map { kind in
            "  \(kind.rawValue.padded(to: 15)) \(kind.summary)"
        }.joined(separator: "\n")
    }

    @Option(
        help: ArgumentHelp(
            "Address to listen on; port 0 picks a free port.",
            discussion: "Other addresses than 127.0.0.1 are open to other machines.", valueName: "host:port"),
        transform: Self.address)
    var listen: TCPAddress
    @OptionGroup var profile: ProfileOption
    @Option(
        help: ArgumentHelp(
            "Folder with the certificates for TLS. What is missing is made; clients trust its ca.pem.",
            valueName: "folder"),
        completion: .directory)
    var tls: String?
    @Flag(
        help: ArgumentHelp(
            "Demand a certificate of every client, issued by ca.pem.",
            discussion: "Only with --tls, whose folder also gets client.pem and client.key for the client."))
    var demandCertificate = false
    @OptionGroup var keys: KeyOption
    @OptionGroup var issuer: IssuerOptions
    @Option(
        help: ArgumentHelp(
            "SQLite file of the ledger. It is created if it does not exist. Default: in memory.", valueName: "file"),
        completion: .file())
    var ledger: String?
    @Option(
        name: .customLong("fault"),
        help: ArgumentHelp(
            "Fault to inject: NAME[=DURATION][:MESSAGE][:COUNT]. Can be repeated.",
            discussion: """
                MESSAGE is sale, reversal, echo, and so on, or any; without it, every message about money. Without \
                COUNT, every time.
                """, valueName: "fault"),
        completion: .list(AcquirerFault.Kind.allCases.map(\.rawValue)), transform: Self.fault)
    var faults: [AcquirerFault] = []
    @Option(
        help: ArgumentHelp(
            "Part of the messages about money that get a fault at random, 0 to 1.", valueName: "part"))
    var faultRate = 0.0
    @Option(
        help: ArgumentHelp(
            "Random seed of authorization codes and faults. The same seed and messages give the same ones.",
            valueName: "number"))
    var seed: UInt64?
    @OptionGroup var log: LogOptions
    @OptionGroup var output: OutputOptions

    func validate() throws {
        guard (0...1).contains(faultRate) else { throw ValidationError("--fault-rate must be 0 to 1") }
        guard !demandCertificate || tls != nil else { throw ValidationError("--demand-certificate requires --tls") }
    }

    private static func address(_ text: String) throws -> TCPAddress {
        guard let address = TCPAddress(text) else {
            throw ValidationError("'\(text)' is not HOST:PORT, such as 127.0.0.1:8583")
        }
        return address
    }

    private static func fault(_ text: String) throws -> AcquirerFault {
        do throws(AcquirerFaultError) { return try AcquirerFault(text) } catch { throw ValidationError("\(error)") }
    }

    func execute() async throws {
        let (time, log) = (SystemTimeSource(), try log.open())
        let random: any RandomSource = seed.map { SeededRandomSource(seed: $0) } ?? SystemRandomSource()
        let display = AcquirerDisplay(output: output, log: log, time: time)
        let profile = try profile.load()
        if profile.security.mac?.messages.isEmpty ?? true, faults.contains(where: { $0.kind == .wrongMAC }) {
            throw CommandFailure(
                .usage, code: "fault_without_mac",
                message: "--fault wrong-mac needs MACs, and the profile '\(profile.name)' has none",
                fix: "give a profile with security.mac, such as Examples/hosts/mac-host.yaml, or another fault")
        }
        let acquirer = try await makeAcquirer(profile, random, time)
        let server = AcquirerServer(
            acquirer, faults: AcquirerFaultPlan(faults, rate: faultRate, random: random.stream("faults")),
            onEvent: { display.show($0) })
        let tls = try makeTLS(time)
        let reload = ServerReload([], log: log, time: time)
        let cancellation = Cancellation()
        let onHangup: @Sendable () async -> Void = { reload.run() }
        try await CancellationSignals.watching(endsWithOutput: output.json, untilExit: true, onHangup: onHangup) {
            let listener: TCPListener
            do throws(ConnectionFailure) {
                listener = try await TCPListener.open(
                    listen, deadline: Deadline(after: .seconds(10), on: time), time: time)
            } catch {
                throw CommandFailure(
                    .unavailable, code: "cannot_listen", message: "\(error)",
                    fix: "choose another address or port with --listen")
            }
            let note = AcquirerNote(of: listener.address, ledger: ledger)
            try display.begin(listener.address, profile.name, usesTLS: tls != nil)
            let serving = Task {
                do throws(ConnectionFailure) {
                    try await listener.serve(tls: tls, onRefusal: { display.refused($0, $1) }) { connection in
                        await server.serve(connection)
                    }
                } catch {}
            }
            await cancellation.onRequest {
                note?.remove()
                listener.close()
                serving.cancel()
            }
            await serving.value
        } onSignal: {
            await cancellation.request()
        }
    }

    /// - Throws: `CommandFailure`
    private func makeAcquirer(
        _ profile: MessageProfile, _ random: any RandomSource, _ time: any TimeSource
    ) async throws(CommandFailure) -> SimulatedAcquirer {
        let rules = try issuer.rules()
        let hostKeys = try await keys.load()
        do {
            let file = try ledger.map { try AcquirerLedger(path: $0) } ?? AcquirerLedger()
            return try SimulatedAcquirer(
                profile: profile, hostKeys: hostKeys, ledger: file, rules: rules, keys: try TestKeys.embedded(),
                time: time,
                random: random.stream("acquirer"))
        } catch let error as AcquirerLedgerError {
            throw CommandFailure(error)
        } catch let error as AcquirerSetupError {
            throw CommandFailure(
                .configuration, code: "acquirer_profile", message: "\(error)",
                fix: error.fix)
        } catch {
            throw CommandFailure(
                .internalError, code: "internal", message: "cannot create the simulated acquirer: \(error)")
        }
    }

    /// - Returns: nil without `--tls`.
    /// - Throws: `CommandFailure`
    private func makeTLS(_ time: any TimeSource) throws(CommandFailure) -> TLSServer? {
        try tls.map { (path) throws(CommandFailure) in
            try TLSServer.ofFolder(
                path, host: listen.host, isLoopback: listen.isLoopback,
                demandingCertificates: demandCertificate, time: time)
        }
    }
}

extension TLSServer {
    /// Sets up a server with the certificates of a folder. What is missing is made. `commonName` is that of the
    /// server's certificate; nil for the first of its names.
    ///
    /// - Throws: `CommandFailure`
    static func ofFolder(
        _ path: String, host: String, isLoopback: Bool, commonName: String? = nil, demandingCertificates: Bool = false,
        time: any TimeSource
    ) throws(CommandFailure) -> TLSServer {
        let folder = CertificateFolder(path: path)
        do {
            // Clients on this machine use any of these names.
            let names = isLoopback ? ["localhost", "127.0.0.1", "::1"] : [host, "localhost", "127.0.0.1"]
            try folder.prepare(names: names, commonName: commonName, time: time, random: SystemRandomSource())
            let authorities = demandingCertificates ? folder.authority.certificate : nil
            return try TLSServer(
                TLSServer.Settings(identity: folder.server, clientAuthorities: authorities), time: time)
        } catch {
            throw CommandFailure(
                .configuration, code: "tls_file", message: "TLS cannot be set up: \(error)",
                fix: "give a folder of your own with --tls, or a new one")
        }
    }
}

extension CommandFailure {
    init(_ error: AcquirerLedgerError) {
        switch error {
        case .missing: self.init(.noInput, code: "acquirer_ledger", message: "\(error)", fix: "check the path")
        case .noLedger: self.init(.badData, code: "acquirer_ledger", message: "\(error)", fix: "check the path")
        case .busy: self.init(.tryAgain, code: "acquirer_ledger", message: "\(error)", fix: "close it and retry")
        case .removed:
            self.init(
                .unavailable, code: "acquirer_ledger", message: "\(error)",
                fix: "put it back, or start the acquirer again")
        case .failed: self.init(.unavailable, code: "acquirer_ledger", message: "\(error)")
        }
    }
}
