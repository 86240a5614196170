import ArgumentParser
import CardSecrets
import Determinism
import EMV
import EMVReplay
import Hardware
import Money
import Settings
import Simulator
import SmartCard
import Text
import TillConfiguration

/// `emv replay`
struct ReplayCommand: CardDataCommand {
    static let configuration = CommandConfiguration(
        commandName: "replay", abstract: "Replay a recorded card trace against the kernel.",
        discussion: """
            EXAMPLES:
              cardpresent emv replay card.jsonl --capks keys.yaml
              cardpresent emv replay card.jsonl --card visa-dda
              cardpresent emv replay tap.jsonl --card k8-credit --seed 7

            The trace is a JSON lines file of a test card: {"c":"00A4…","r":"6F…9000"}, as 'pay --trace --trace-clear' \
            writes for a simulated card. Amount, date, unpredictable numbers, and terminal data come from the recorded \
            commands, each for its own command. A header line or the options provide what is missing.

            A file of keys has those of 'emv capks': RSA keys for SDA, DDA, and CDA, and keys on elliptic curves for \
            XDA.

            The trace of a tapped card is replayed with Entry Point and kernel 8, up to the outcome. The card enciphers \
            its records for a key of the kernel that is in no trace. --seed makes it again, if the payment had a seed; \
            --kernel-key gives it.

            Exit codes: 0 the kernel sent the same data as the recorded terminal, 7 it sent different data, 65 the \
            trace cannot be read.
            """)

    @Argument(help: "Trace file.", completion: .file(extensions: ["jsonl", "json"]))
    var trace: String
    @Option(
        help: ArgumentHelp(
            "File with CA public keys, RSA or on elliptic curves. Can be repeated.", valueName: "file"),
        completion: .file())
    var capks: [String] = []
    @Option(
        help: ArgumentHelp(
            "Simulated card of the trace, whose CA public keys the terminal gets.", valueName: "profile"),
        completion: CardCatalog.completion)
    var card: String?
    @Option(
        help: ArgumentHelp(
            "Seed of the payment, from which the keys of simulated card and kernel 8 follow.", valueName: "number"))
    var seed: UInt64?
    @Option(
        help: ArgumentHelp(
            "Private key of kernel 8 in the trace of a tap, 64 hexadecimal digits. Only of a test.", valueName: "hex"))
    var kernelKey: String?
    @Option(
        help: ArgumentHelp("Till configuration with applications, action codes, limits, and keys.", valueName: "file"),
        completion: .file(extensions: ["yaml", "yml"]))
    var terminal: String?
    @Option(help: "Amount, as a decimal. Overrides the trace.")
    var amount: String?
    @Option(help: ArgumentHelp("ISO 4217 currency code of --amount.", valueName: "code"))
    var currency: String?
    @Option(help: ArgumentHelp("Transaction date.", valueName: "yyyy-mm-dd"))
    var date: String?
    @Option(help: ArgumentHelp("Unpredictable number (tag 9F37), eight hexadecimal digits.", valueName: "hex"))
    var unpredictableNumber: String?
    @Flag(
        help: """
            The payment had to go online, as with 'pay --force-online' or '--authorize-only', or because too many \
            advices waited: the trace of a tap does not say so.
            """)
    var forceOnline = false
    @OptionGroup var output: OutputOptions

    func execute() async throws {
        let settings = if let terminal { try TillConfiguration.read(terminal) } else { TillConfiguration() }
        let overrides = CardReplay.Overrides(
            amount: try amount.map { text throws(CommandFailure) in
                try settings.amount(text, currency: currency)
            },
            date: try date.map(Self.date), unpredictableNumber: try unpredictableNumber.map(Self.number),
            forcedOnline: forceOnline ? true : nil)
        let kernelKeys = try kernelKeys()
        let report: ReplayReport
        do {
            let trace = try CardTrace(path: trace)
            let (terminal, reader) = (
                try self.terminal(settings, isTapped: false), try self.terminal(settings, isTapped: true)
            )
            report = try await Waiting.on("Replaying the trace") {
                let today = SystemTimeSource().localDate()
                guard trace.isOfTap else {
                    return .chip(
                        try await CardReplay(trace, terminal: terminal, overrides: overrides).run(date: today))
                }
                let tap = TapReplay(
                    trace, terminal: reader, overrides: overrides, settings: Self.contactless(settings),
                    keys: kernelKeys)
                let chip = trace.chipAfterTap.map { CardReplay($0, terminal: terminal, overrides: overrides) }
                return .tap(try await tap.run(date: today), chip: try await chip?.run(date: today))
            }
        } catch let error as SettingsError {
            throw CommandFailure(.badData, code: "malformed_file", message: error.located, fix: error.fix)
        } catch let error as CardReplayError {
            throw CommandFailure(.badData, code: error.code, splitting: error.description)
        }
        try output.write(report)
        guard report.agrees else { throw ExitCode(ExitStatus.differs.rawValue) }
    }

    /// The terminal with the keys of the options, for the chip or the tap of a simulated card.
    private func terminal(_ settings: TillConfiguration, isTapped: Bool) throws -> TerminalConfiguration {
        let simulated = try card.map { try CardCatalog.authorityKeys(of: $0, Repeatability(seed: seed)) }
        let keys = try CAPublicKeyStore(files: capks)
        return settings.terminal.adding(
            certificationAuthorityKeys: keys.keys + (simulated?.rsa ?? []),
            ellipticAuthorityKeys: keys.ellipticKeys
                + ((isTapped ? simulated?.contactless : simulated?.elliptic) ?? []))
    }

    /// The contactless settings of the till for a terminal.
    private static func contactless(_ settings: TillConfiguration) -> TapReplay.Settings {
        { currency, terminal in
            // The replay has kernels of its own.
            settings.contactless(time: SystemTimeSource(), random: SystemRandomSource()) { _ in terminal }
                .configuration(currency, terminal)
        }
    }

    /// The source of the kernel's key pairs: what a payment with the seed draws them from (``Till``), or the given key.
    private func kernelKeys() throws(CommandFailure) -> (@Sendable () -> any RandomSource)? {
        if let kernelKey {
            guard let secret = [UInt8](hexadecimal: kernelKey), let key = RecordedKernelKey(secret: secret) else {
                throw CommandFailure(
                    .usage, code: "invalid_kernel_key", message: "--kernel-key is not a private key",
                    fix: "give 64 hexadecimal digits")
            }
            return { key }
        }
        guard let seed else { return nil }
        return { Repeatability(seed: seed).random.stream(Till.kernelKeyStream) }
    }

    private static func date(_ text: String) throws(CommandFailure) -> CivilDate {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false).map { UInt16($0).map(Int.init) }
        guard parts.count == 3, let year = parts[0], let month = parts[1], let day = parts[2] else {
            throw CommandFailure(
                .usage, code: "invalid_date", message: "'\(text)' is not a date", fix: "use the format 2025-05-06")
        }
        return CivilDate(year: year, month: month, day: day)
    }

    private static func number(_ text: String) throws(CommandFailure) -> [UInt8] {
        guard let number = UInt32(text, radix: 16), text.utf8.count == 8 else {
            throw CommandFailure(
                .usage, code: "invalid_unpredictable_number", message: "'\(text)' is not an unpredictable number",
                fix: "give eight hexadecimal digits")
        }
        return [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: number >> $0) }
    }
}

extension CardReplayReport {
    var json: JSONObject {
        let (decision, reason) = outcome.decision.words
        let authentication = outcome.offlineAuthentication
        return [
            "interface": "contact",
            // Whether the kernel sent the same data as the recorded terminal.
            "agrees": agrees, "decision": decision, "reason": reason, "amount": request.amount.description,
            "aid": outcome.application?.aid.hexadecimal, "last4": outcome.pan?.lastFour,
            "oda": authentication.method.rawValue, "odaResult": authentication.result.rawValue,
            "odaReason": authentication.reason?.description, "tvr": outcome.verificationResults.description,
            "tsi": outcome.statusInformation.description, "cvmResults": outcome.cvmResults.bytes.hexadecimal,
            // The line of the difference that makes a signature of the card fail; null without one.
            "signatureFailsByLine": causeOfFailedSignature?.line,
            "cryptogramType": cryptogramType, "cryptogram": outcome.cryptogram?.value.hexadecimal,
            "differences": differences.map(\.json),
        ]
    }

    private var cryptogramType: String? { outcome.cryptogram.map { "\($0.type)".uppercased() } }

    var text: String {
        let (decision, reason) = outcome.decision.words
        let authentication = outcome.offlineAuthentication
        var lines = [
            "decision     \(decision)" + (reason.map { ": \($0)" } ?? ""),
            "amount       \(request.amount)",
            "application  \(outcome.application?.aid.hexadecimal ?? "none")",
            "card         \(outcome.pan.map { "**** \($0.lastFour)" } ?? "not read")",
            "oda          \(authentication.method.rawValue), \(authentication.result.rawValue)"
                + (authentication.reason.map { ": \($0)" } ?? ""),
            "TVR          \(outcome.verificationResults)",
            "TSI          \(outcome.statusInformation)",
            "CVM results  \(outcome.cvmResults.bytes.hexadecimal)",
            "cryptogram   \(cryptogramType.map { "\($0) \(outcome.cryptogram?.value.hexadecimal ?? "")" } ?? "none")",
            "",
        ]
        lines += differences.lines(agrees: agrees)
        if let cause = causeOfFailedSignature {
            lines.append(
                "The signature fails because of the replay, not the card: the card signed what the recorded terminal "
                    + "sent, and "
                    + (cause.line.map { "line \($0) differs." } ?? "the data differs."))
        }
        return lines.joined(separator: "\n") + "\n"
    }
}

extension [ReplayDifference] {
    /// The differences, after what they mean together.
    func lines(agrees: Bool) -> [String] {
        [agrees ? "The kernel sent the same data as the recorded terminal." : "Differences:"] + map(\.text)
    }
}

extension TransactionDecision {
    /// The keyword in JSON, and the reason; nil without one.
    fileprivate var words: (String, String?) {
        switch self {
        case .approvedOnline: ("approvedOnline", nil)
        case .approvedOffline: ("approvedOffline", nil)
        case .declinedOnline: ("declinedOnline", nil)
        case .declinedByCard: ("declinedByCard", nil)
        case .declinedOffline: ("declinedOffline", nil)
        case .referred: ("referred", nil)
        case .canceled: ("cancelled", nil)
        case .tryAnotherInterface(let error): ("tryAnotherInterface", error.description)
        case .terminated(let error): ("terminated", error.description)
        }
    }
}

extension ReplayDifference {
    /// The difference between kernel and recorded terminal as JSON. The line is null after the end of the trace.
    var json: JSONObject {
        let details: JSONObject =
            switch kind {
            case .value(let tag, let name, let recorded, let kernel):
                JSONObject(
                    ["kind": "value", "tag": tag.description, "recorded": recorded, "kernel": kernel],
                    known: ["name": name])
            case .bytes(let recorded, let kernel): ["kind": "bytes", "recorded": recorded, "kernel": kernel]
            case .cryptogram(let recorded, let kernel):
                ["kind": "cryptogram", "recorded": recorded, "kernel": kernel]
            case .onlyRecorded: ["kind": "onlyRecorded"]
            case .onlyKernel: ["kind": "onlyKernel"]
            }
        return JSONObject(extending: details, with: ["line": line, "command": command, "matters": matters])
    }

    fileprivate var text: String {
        let words =
            switch kind {
            case .value(let tag, let name, let recorded, let kernel):
                "\(tag)" + (name.map { " (\($0))" } ?? "") + ": recorded \(recorded), kernel \(kernel)"
            case .bytes(let recorded, let kernel), .cryptogram(let recorded, let kernel):
                "recorded \(recorded), kernel \(kernel)"
            case .onlyRecorded: "sent only by the recorded terminal"
            case .onlyKernel: "sent only by the kernel"
            }
        return "  \(line.map { "line \($0)" } ?? "end"): \(command): \(words)" + (matters ? "" : " (harmless)")
    }
}
