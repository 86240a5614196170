import Foundation
import Glibc
import Testing

@Suite("A recorded payment")
struct RecordingTests {
    private let scratch: Scratch

    init() throws { scratch = try Scratch() }

    private var file: String { scratch.file("field.yaml") }

    private func pay(_ more: [String], amount: String = "12.50") throws -> ProgramResult {
        try Program.run(
            ["pay", amount, "--record", file, "--database", scratch.database, "--json"] + more, in: scratch)
    }

    /// Replays the recording in an empty environment.
    @discardableResult
    private func replay() throws -> ProgramResult {
        let other = try Scratch()
        try FileManager.default.copyItem(atPath: file, toPath: other.file("field.yaml"))
        let result = try Program.run(["simulate", "run", other.file("field.yaml")], in: other)
        #expect(result.status == 0, "\(result.output)\(result.error)")
        return result
    }

    @Test(
        "is replayed with the same result, whatever its outcome",
        arguments: [
            (["--card", "visa-credit"], 0, "approved"), (["--card", "mastercard-cda"], 0, "approved"),
            (["--card", "declined-lost"], 2, "declined"), (["--card", "declined-offline"], 2, "declined"),
            (["--card", "removed-early"], 5, "failed"), (["--card", "goes-mute"], 5, "failed"),
            (["--card", "pin-required", "--pin", "9999"], 2, "declined"),
            (["--card", "multi-application", "--reader", "simulated:extended-apdu"], 0, "approved"),
            (["--card", "visa-dda", "--seed", "7"], 0, "approved"),
            (["--card", "stripe-only", "--reader", "simulated:combo"], 0, "approved"),
            (["--card", "pin-required", "--reader", "simulated:pinpad"], 0, "approved"),
            (["--card", "visa-credit", "--reader", "simulated:msr", "--timeout", "5"], nil, nil),
        ] as [([String], Int32?, String?)])
    func replays(options: [String], status: Int32?, outcome: String?) throws {
        let result = try pay(options)
        if let status { #expect(result.status == status, "\(result.output)\(result.error)") }
        if let outcome { #expect(try result.object()["outcome"] as? String == outcome) }
        #expect(result.error.contains("recorded in '\(file)'"), "\(result.error)")
        try replay()
        let text = try scratch.text("field.yaml")
        #expect(!text.contains("What a replay shows otherwise"), "\(text)")
        #expect(text.contains("\n      trace:") || text.contains("trace: []"))
    }

    @Test("with a card on the exception file is replayed with the card on it")
    func exceptionFile() throws {
        let number = "4761739001010010"
        try Program.run(["exceptions", "add", "--database", scratch.database], in: scratch, input: number + "\n")
            .expectStatus(0)
        let result = try pay(["--card", "visa-credit"])
        #expect(result.status == 2)
        #expect(try result.object()["outcome"] as? String == "declined")
        try replay()
        let text = try scratch.text("field.yaml")
        #expect(text.contains("\nexceptions:") && !text.contains("What a replay shows otherwise"), "\(text)")
        #expect(!text.contains(number))
    }

    @Test("is readable only by its owner, and the same payment has the same file")
    func sameBytes() throws {
        try pay(["--card", "pin-required", "--seed", "3"]).expectStatus(0)
        var status = stat()
        #expect(stat(file, &status) == 0 && status.st_mode & 0o777 == 0o600)
        let other = try Scratch()
        try Program.run(
            [
                "pay", "12.50", "--record", other.file("field.yaml"), "--database", other.database, "--card",
                "pin-required", "--seed", "3",
            ], in: other
        ).expectStatus(0)
        #expect(try scratch.text("field.yaml") == other.text("field.yaml"))
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: scratch.folder).allSatisfy { !$0.hasSuffix(".new") })
    }

    @Test("an older recording is replaced only on request, and any other file never")
    func overwriting() throws {
        try pay(["--seed", "1"]).expectStatus(0)
        let first = try scratch.text("field.yaml")
        let refused = try pay(["--seed", "2"])
        #expect(refused.status == 64)
        #expect((try refused.object()["error"] as? [String: Any])?["code"] as? String == "record_exists")
        #expect(try scratch.text("field.yaml") == first)
        try pay(["--seed", "2", "--force", "--card", "amex"]).expectStatus(0)
        #expect(try scratch.text("field.yaml") != first)
        try replay()
        try "my notes\n".write(toFile: file, atomically: true, encoding: .utf8)
        let kept = try pay(["--force"])
        #expect(kept.status == 64)
        #expect((try kept.object()["error"] as? [String: Any])?["code"] as? String == "record_not_a_recording")
        #expect(try scratch.text("field.yaml") == "my notes\n")
    }

    @Test("a file that cannot be written is reported before anything is charged")
    func unwritable() throws {
        let result = try Program.run(
            ["pay", "5", "--record", scratch.file("nowhere/field.yaml"), "--database", scratch.database, "--json"],
            in: scratch)
        #expect(result.status == 69)
        #expect((try result.object()["error"] as? [String: Any])?["code"] as? String == "record_not_writable")
        #expect(!FileManager.default.fileExists(atPath: scratch.database))
    }

    @Test("a file created there in the meantime is kept, and the payment is valid")
    func taken() throws {
        let lengths = try exchangeLengths()
        let pipe = try TracePipe(in: scratch, room: lengths.prefix(2).reduce(0, +))
        let child = try Child(
            ["pay", "12.50", "--record", file, "--database", scratch.database, "--json", "--trace", pipe.path],
            in: scratch)
        try pipe.waitUntilFull(child)
        try "mine\n".write(toFile: file, atomically: true, encoding: .utf8)
        pipe.drain(child)
        let result = try child.result()
        #expect(result.status == 0)
        #expect(result.error.contains("the payment was not recorded"))
        #expect(try result.object()["outcome"] as? String == "approved")
        #expect(try scratch.text("field.yaml") == "mine\n")
    }

    /// The lengths of the lines of a trace, line breaks counted.
    private func exchangeLengths() throws -> [Int] {
        let path = scratch.file("whole.jsonl")
        try Program.run(["pay", "12.50", "--trace", path, "--database", scratch.file("other.sqlite")], in: scratch)
            .expectStatus(0)
        return try scratch.text("whole.jsonl").split(separator: "\n").map { $0.utf8.count + 1 }
    }

    @Test("one that is canceled by a signal is canceled again at the same exchange", arguments: [1, 4])
    func canceled(exchange: Int) throws {
        let lengths = try exchangeLengths()
        let pipe = try TracePipe(in: scratch, room: lengths.prefix(exchange).reduce(0, +))
        let child = try Child(
            ["pay", "12.50", "--record", file, "--database", scratch.database, "--json", "--trace", pipe.path],
            in: scratch, onTerminal: true)
        try pipe.waitUntilFull(child)
        child.send(SIGINT)
        try child.read(until: "Canceling")
        try pipe.waitUntilFull(child)
        pipe.drain(child)
        let result = try child.result()
        #expect(result.status == 3, "\(result.output)")
        try replay()
        let text = try scratch.text("field.yaml")
        #expect(text.contains("do: cancel") && text.contains("outcome: cancelled"), "\(text)")
    }

    // MARK: Card data

    /// What a profile's file gives its card to keep: numbers, names and expiry dates.
    private static func secrets(of profile: String) throws -> (numbers: [String], names: [String], dates: [String]) {
        let path = URL(fileURLWithPath: #filePath)
            .appendingPathComponent("../../../../../Simulator/Resources/Cards/\(profile).yaml").standardizedFileURL
        var (numbers, names, dates): ([String], [String], [String]) = ([], [], [])
        for line in try String(contentsOf: path, encoding: .utf8).split(separator: "\n") {
            let parts = line.split(separator: ":", maxSplits: 1).map {
                $0.trimmingCharacters(in: CharacterSet(charactersIn: " -\"'"))
            }
            guard parts.count == 2 else { continue }
            switch parts[0] {
            case "pan": numbers.append(parts[1].filter(\.isNumber))
            case "cardholderName": names.append(parts[1])
            case "expiry": dates.append(parts[1].filter(\.isNumber))
            default: break
            }
        }
        return (numbers, names, dates)
    }

    private static let profiles: [String] = {
        let folder = URL(fileURLWithPath: #filePath).appendingPathComponent("../../../../../Simulator/Resources/Cards")
            .standardizedFileURL
        let files = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        return files.filter { $0.hasSuffix(".yaml") }.map { String($0.dropLast(5)) }.sorted()
    }()

    @Test("contains no card number, name, or date of any card, and every card replays", arguments: profiles)
    func noCardData(profile: String) throws {
        let (numbers, names, dates) = try Self.secrets(of: profile)
        _ = try pay(["--card", profile, "--seed", "11", "--reader", "simulated:combo"])
        let text = try scratch.text("field.yaml").uppercased()
        for number in numbers {
            #expect(!text.contains(number), "\(profile)")
            #expect(!text.contains(number.map { "3\($0)" }.joined()), "\(profile), as characters")
        }
        for name in names {
            #expect(!text.contains(name.uppercased()), "\(profile)")
            let bytes = name.utf8.map { String(format: "%02X", $0) }.joined()
            #expect(!text.contains(bytes), "\(profile), as bytes")
        }
        for date in dates where date.count >= 4 {
            // YYMMDD after its tag and length.
            #expect(!text.contains("5F2403" + date.suffix(6)), "\(profile)")
        }
        try replay()
    }
}
