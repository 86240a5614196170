import Foundation
import Testing

/// `simulate explore --validate`: logs that are damaged, forged, or too long
@Suite("Validating logs at the command line")
struct TraceValidationTests {
    private let scratch: Scratch

    init() throws { scratch = try Scratch() }

    /// A log in which a sale begins, without the numbers of its events.
    private static let begun = [
        #""detail":"1","kind":"start","process":1"#, #""detail":"direct asked","kind":"till","process":1"#,
        #""amount":1250,"detail":"","kind":"payment","payment":1,"process":1"#,
        #""amount":1250,"attempt":1,"detail":"sale","kind":"attempt","payment":1,"process":1"#,
        #""attempt":1,"detail":"created","kind":"journal","process":1"#,
    ]

    /// Writes a log with models that say this of every log, and validates it.
    private func validate(_ events: [String], _ script: String = "exit 0") throws -> ProgramResult {
        let lines = events.enumerated().map { "{\($0.element),\"milliseconds\":0,\"number\":\($0.offset + 1)}\n" }
        return try validate(text: lines.joined(), script)
    }

    private func validate(text: String, _ script: String = "exit 0") throws -> ProgramResult {
        try validate(scratch.write(text, to: "log.jsonl"), models: scratch.models(script))
    }

    private func validate(_ log: String, models: String) throws -> ProgramResult {
        try Program.run(["simulate", "explore", "--validate", log, "--models", models], in: scratch)
    }

    @Test func `a damaged line of a log is located`() throws {
        #expect(try validate(Self.begun).status == 0)
        let damaged = [
            (
                2, #""amount":9223372036854775807,"detail":"","kind":"payment","payment":1,"process":1"#,
                ":3: the amount is"
            ),
            (3, #""detail":"","kind":"unreadable","process":1"#, ":5: attempt 1 is not announced"),
            (4, #""attempt":1,"detail":"lost","kind":"journal","process":1"#, ":5: unknown state of an attempt 'lost'"),
            (4, #""attempt":1,"detail":"a\nb","kind":"journal","process":1"#, ":5: the detail has a control character"),
            (1, #""detail":"direct asked","kind":"till","process":-1"#, ":2: the number of the process is negative"),
        ]
        for (place, line, words) in damaged {
            var events = Self.begun
            events[place] = line
            let result = try validate(events)
            #expect(result.status == 65)
            #expect(result.error.contains("log.jsonl\(words)"))
        }
        let missing = try validate(text: "{\(Self.begun[0]),\"milliseconds\":0,\"number\":2}\n")
        #expect(missing.status == 65)
        #expect(missing.error.contains("log.jsonl:1: event 2 where event 1 must be: a line is missing, or twice"))
    }

    @Test func `a log may have empty lines, and ends of lines of Windows`() throws {
        let lines = Self.begun.enumerated().map { "{\($0.element),\"milliseconds\":0,\"number\":\($0.offset + 1)}" }
        let result = try validate(text: "\n" + lines.joined(separator: "\r\n") + "\r\n\r\n")
        #expect(result.status == 0)
        #expect(result.output == "payment-1 in money.pml: accepted, 1 step\n")
        let unknown = lines.dropLast() + ["{}"]
        #expect(
            try validate(text: "\n" + unknown.joined(separator: "\r\n")).error.contains("log.jsonl:6: not a traced"))
    }

    @Test func `a log without a step is not accepted`() throws {
        let none = try validate(Array(Self.begun.prefix(2)))
        #expect(none.status == 65)
        #expect(none.error.contains("log.jsonl: nothing to check: the log has no step of a model"))
        let neighbor = #""detail":"1001","kind":"start","process":1001"#
        let cut = try validate(Self.begun.prefix(4) + [neighbor, Self.begun[4]])
        #expect(cut.status == 65)
        #expect(cut.error.contains("nothing to check: a second till begins at "))
        #expect(cut.error.contains("log.jsonl:5, before any step of a model"))
        let part = try validate(Self.begun + [neighbor])
        #expect(part.status == 0)
        #expect(part.output == "payment-1 in money.pml: accepted, 1 step; it ends early at a second till\n")
    }

    @Test func `a part of a log without a step is named beside those that are checked`() throws {
        let second = [
            #""amount":1,"detail":"","kind":"payment","payment":2,"process":1"#,
            #""amount":1,"attempt":2,"detail":"increment","kind":"attempt","payment":2,"process":1"#,
            #""attempt":2,"detail":"created","kind":"journal","process":1"#,
        ]
        let result = try validate(Self.begun + second)
        #expect(result.status == 0)
        #expect(
            result.output == """
                payment-1 in money.pml: accepted, 1 step
                payment-2 in money.pml: nothing to check; it ends early at a pre-authorization

                """)
    }

    @Test func `a log that is too long is located, with the limit`() throws {
        let sent = #""attempt":1,"detail":"authorize sent","kind":"host","process":1"#
        let result = try validate(Self.begun + Array(repeating: sent, count: 2000))
        #expect(result.status == 65)
        #expect(result.error.contains("log.jsonl:2005: payment-1 has more than 2000 steps in money.pml"))
        let cut = try validate(Self.begun, "echo 'error: max search depth too small'; echo 'REACHED 0 of 1'; exit 1")
        #expect(cut.status == 65)
        #expect(cut.error.contains("payment-1 is too long: the search of "))
    }

    @Test func `a folder without models is named with the command that builds them`() throws {
        let lines = Self.begun.enumerated().map { "{\($0.element),\"milliseconds\":0,\"number\":\($0.offset + 1)}\n" }
        let log = try scratch.write(lines.joined(), to: "log.jsonl")
        let models = scratch.file("elsewhere")
        // A folder in the place of a model is none, although it can be entered.
        for place in [models, models + "/money"] {
            try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: true)
            let result = try validate(log, models: models)
            #expect(result.status == 69)
            #expect(result.error.contains("there is no model in '\(models)'"))
            #expect(result.error.contains("Scripts/prove --traces"))
        }
    }

    @Test func `every log that is written can be read, and sessions without a step have none`() throws {
        let folder = scratch.file("traces")
        let written = try Program.run(
            ["simulate", "explore", "--sessions", "8", "--traces", folder, "--out", scratch.file("explored")],
            in: scratch)
        #expect(written.status == 0)
        let logs = try FileManager.default.contentsOfDirectory(atPath: folder).filter { $0.hasSuffix(".jsonl") }
        #expect((1..<8).contains(logs.count))
        #expect(written.error.contains(" traces of \(logs.count) sessions in \(folder)"))
        #expect(written.error.contains("; \(8 - logs.count) without a log have no step of a model\n"))
        let models = try scratch.models("exit 0")
        for log in logs { #expect(try validate("\(folder)/\(log)", models: models).status == 0) }
    }
}

extension Scratch {
    /// Writes models that say this of every log, and returns their folder.
    func models(_ script: String) throws -> String {
        let folder = file("models")
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        for name in ["money", "store"] {
            let path = try write("#!/bin/sh\n\(script)\n", to: "models/\(name)")
            try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: path)
        }
        return folder
    }
}
