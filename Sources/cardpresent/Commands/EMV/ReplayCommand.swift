internal import Amounts
internal import ArgumentParser
internal import Determinism
internal import EMV
internal import EMVReplay
internal import Hardware
internal import SettingsFile

/// `emv replay`
struct ReplayCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "replay", abstract: "Runs the kernel against a recorded card and says where the two part.",
        discussion: """
            The trace is a JSON object a line, {"c":"00A4…","r":"6F…9000"}, of a test card. Amount, date, unpredictable \
            number and terminal data are read out of the recorded commands; a header line, or the options here, give \
            what they do not say.

            Exit codes: 0 the kernel told the card what the recorded terminal told it, 7 it did not, 65 the trace cannot \
            be read.
            """)

    @Argument(help: "The trace.", completion: .file(extensions: ["jsonl", "json"]))
    var trace: String
    @Option(
        help: ArgumentHelp(
            "A file of the payment systems' public keys. May be given more than once.", valueName: "file"),
        completion: .file())
    var capks: [String] = []
    @Option(
        help: ArgumentHelp("The till's configuration: applications, action codes, limits, keys.", valueName: "file"),
        completion: .file(extensions: ["yaml", "yml"]))
    var terminal: String?
    @Option(help: "The amount, when the trace does not say it, or another one.")
    var amount: String?
    @Option(help: ArgumentHelp("ISO 4217 code of that amount's currency.", valueName: "code"))
    var currency: String?
    @Option(help: ArgumentHelp("The day of the transaction.", valueName: "yyyy-mm-dd"))
    var date: String?
    @Option(help: ArgumentHelp("Tag 9F37, eight hexadecimal digits.", valueName: "hex"))
    var unpredictableNumber: String?
    @OptionGroup var output: OutputOptions

    func run() async throws {
        try await output.reporting {
            let settings = if let terminal { try TillConfiguration.read(terminal) } else { TillConfiguration() }
            let overrides = CardReplay.Overrides(
                amount: try amount.map { text throws(CommandFailure) in
                    try settings.amount(text, currency: currency)
                },
                date: try date.map(Self.date), unpredictableNumber: try unpredictableNumber.map(Self.number))
            let report: CardReplayReport
            do {
                let trace = try CardTrace(path: trace)
                let keys = try CAPublicKeyStore(files: capks).keys
                report = try await CardReplay(
                    trace, terminal: settings.terminal.adding(certificationAuthorityKeys: keys), overrides: overrides
                ).run(date: SystemTimeSource().localDate())
            } catch let error as SettingsError {
                throw CommandFailure(.badData, code: "malformed_file", message: error.located, fix: error.fix)
            } catch let error as CardReplayError {
                let (message, fix) = error.description.splitAtFix
                throw CommandFailure(.badData, code: "trace_not_playable", message: message, fix: fix)
            }
            let view = ReplayView(report)
            if output.json { try StandardOutput.write(json: view) } else { try StandardOutput.write(view.text) }
            guard report.agrees else { throw ExitCode(ExitStatus.differs.rawValue) }
        }
    }

    private static func date(_ text: String) throws(CommandFailure) -> CivilDate {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false).map { UInt16($0).map(Int.init) }
        guard parts.count == 3, let year = parts[0], let month = parts[1], let day = parts[2] else {
            throw CommandFailure(
                .usage, code: "invalid_date", message: "'\(text)' is not a date", fix: "give it as 2025-05-06")
        }
        return CivilDate(year: year, month: month, day: day)
    }

    private static func number(_ text: String) throws(CommandFailure) -> [UInt8] {
        guard let number = UInt32(text, radix: 16), text.utf8.count == 8 else {
            throw CommandFailure(
                .usage, code: "invalid_unpredictable_number", message: "'\(text)' is no unpredictable number",
                fix: "give eight hexadecimal digits")
        }
        return [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: number >> $0) }
    }
}
