import ContactlessKernel8
import Determinism
import EMV
import EMVReplay
import EntryPoint
import Money
import Settings
import Simulator
import Text
import TillConfiguration

extension FuzzTarget {
    /// Files that people write or record.
    static let files: [FuzzTarget] = [profile, settings, trace, authenticationCase, rows]

    private static let profile = FuzzTarget(
        "card-profile", longestInput: 2048, seeds: { try Seeds.files(in: "Simulator/Cards", ending: ".yaml") },
        run: { bytes in
            let profile = try CardProfile(yaml: text(bytes), file: "card.yaml")
            hold(!profile.name.isEmpty, "a card has a name")
            hold(!profile.applications.isEmpty || profile.reset == .mute, "a card that talks has an application")
        })

    private static let settings = FuzzTarget(
        "settings", longestInput: 3072, seeds: { try Seeds.files(in: "docs/examples", ending: "till.yaml") },
        run: { bytes in
            // Keys in other files: an input must not open files that it names.
            guard !text(bytes).contains("caKeyFiles") else { return }
            let till: TillConfiguration
            do throws(SettingsError) {
                till = try TillConfiguration(yaml: text(bytes), file: "till.yaml")
            } catch {
                hold(error.location.line >= 1 && error.location.column >= 1, "an error has a place")
                hold(!error.description.contains("\n"), "an error is one line")
                return
            }
            same(try TillConfiguration(yaml: till.yaml, file: "printed.yaml"), till, "a till is printed as it is")
        })

    private static let trace = FuzzTarget(
        "trace", longestInput: 4096,
        seeds: { try Seeds.files(in: "Tests/Card/EMVReplayTests/Traces", ending: ".jsonl") },
        run: { bytes in
            let trace = try CardTrace(jsonLines: text(bytes), file: "trace.jsonl")
            let terminal = try TerminalConfiguration()
            guard let key = RecordedKernelKey(secret: tapKey) else { return }
            Waiting.wait {
                let date = CivilDate(year: 2026, month: 1, day: 2, hour: 12, minute: 34, second: 56)
                if trace.isOfTap {
                    _ = try? await TapReplay(trace, terminal: terminal, settings: tapSettings, keys: { key })
                        .run(date: date)
                } else {
                    _ = try? await CardReplay(trace, terminal: terminal).run(date: date)
                }
            }
        })

    /// The private key of the tap among the seeds.
    private static let tapKey: [UInt8] = [
        0x6B, 0x2A, 0x4C, 0x9D, 0x17, 0xF3, 0xE8, 0x5A, 0x90, 0xC1, 0xD2, 0xB3, 0xA4, 0x95, 0x86, 0x77,
        0xE1, 0xF2, 0x03, 0x14, 0x25, 0x36, 0x47, 0x58, 0x69, 0x7A, 0x8B, 0x9C, 0xAD, 0xBE, 0xCF, 0xD1,
    ]

    private static let tapSettings: TapReplay.Settings = { _, terminal in
        let data = Kernel8Configuration.shop(floorLimit: 10_000, cvmRequiredLimit: 5_000)
        let set = terminal.applications.compactMap {
            try? ReaderCombination(aid: $0.aid, kernel: .kernel8, kernelData: data)
        }
        return try? EntryPointConfiguration(terminal: terminal, combinations: [.goodsOrServices: set])
    }

    private static let authenticationCase = FuzzTarget(
        "oda-case", longestInput: 4096,
        seeds: { try Seeds.files(in: "Tests/Card/EMVReplayTests/Traces", ending: ".yaml") },
        run: { bytes in
            let check = OfflineAuthenticationCheck(try OfflineAuthenticationCase(text: text(bytes), file: "case.yaml"))
            hold(!check.steps.isEmpty, "a check has a step")
            hold(check.steps.dropLast().allSatisfy { $0.failure == nil }, "the first failure is the last step")
        })

    private static let rows = FuzzTarget(
        "comma-separated", longestInput: 512,
        seeds: {
            [
                "a,b\r\n1,\"x,\"\"y\"\"\"\n", "\u{FEFF}\"two\nlines\",\n\n", "\"a\"b,\"open", ",,\r\n=1,'",
            ].map { Array($0.utf8) }
        },
        run: { bytes in
            let rows = Array(CommaSeparatedRows(text(bytes)))
            hold(rows.allSatisfy { !$0.fields.isEmpty }, "a row has a field")
            hold(zip(rows, rows.dropFirst()).allSatisfy { $0.line < $1.line }, "rows are on lines of their own")
            // What is written is read again, and without the apostrophes of formulas it is what it was.
            let fields = rows.map(\.fields)
            let again = Array(CommaSeparatedRows(CommaSeparatedText.text(fields)))
            hold(again.allSatisfy { $0.problem == nil }, "what is written has no mistake")
            same(
                again.map { $0.fields.map { Array(CommaSeparatedText.unguarded($0).utf8) } },
                fields.map { $0.map { Array($0.utf8) } }, "it is read the same again")
        })

    private static func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }
}
