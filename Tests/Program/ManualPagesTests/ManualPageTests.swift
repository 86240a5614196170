import Foundation
import ManualPages
import Testing

struct ManualPageTests {
    /// A program with one visible command, as the argument parser describes it.
    private static let dump = """
        {"serializationVersion": 0, "command": {
          "commandName": "till", "shouldDisplay": true, "abstract": "Take payments.",
          "discussion": "EXAMPLES:\\n  till pay 12.50\\n\\nFirst paragraph\\nof two lines.\\n\\n.Second 'one' with 5 \\u20ac.",
          "arguments": [{"kind": "flag", "shouldDisplay": true, "isOptional": true, "isRepeating": false,
            "names": [{"kind": "short", "name": "h"}, {"kind": "long", "name": "help"}], "abstract": "Show help."}],
          "subcommands": [
            {"commandName": "pay", "superCommands": ["till"], "shouldDisplay": true, "abstract": "Take one payment.",
             "aliases": ["charge"],
             "arguments": [
               {"kind": "positional", "shouldDisplay": true, "isOptional": true, "isRepeating": true,
                "valueName": "amount", "abstract": "Amount."},
               {"kind": "option", "shouldDisplay": true, "isOptional": true, "isRepeating": false,
                "names": [{"kind": "long", "name": "card-type"}], "valueName": "type", "defaultValue": "chip",
                "allValues": ["chip", "stripe"], "abstract": "Card.", "discussion": "Path such as C:\\\\cards or ~/x."},
               {"kind": "flag", "shouldDisplay": false, "isOptional": true, "isRepeating": false,
                "names": [{"kind": "long", "name": "secret"}]}]},
            {"commandName": "inner", "superCommands": ["till"], "shouldDisplay": false},
            {"commandName": "help", "superCommands": ["till"], "shouldDisplay": true}]}}
        """

    private static let facts = ManualFacts(
        source: "till 1.0", date: "2026-01-02", environment: [("TILL_CONFIG", "The file.")],
        exitCodes: [(0, "done"), (64, "usage")])

    private func pages() throws -> [ManualPage] { try ManualPage.pages(dump: Self.dump, Self.facts) }

    @Test func `every visible command has a page`() throws {
        #expect(try pages().map(\.fileName) == ["till.1", "till-pay.1"])
    }

    @Test func `a command's page has its arguments, options, and other names`() throws {
        #expect(
            try pages().last?.text == #"""
                .TH "TILL-PAY" "1" "2026-01-02" "till 1.0" "CardPresent"
                .SH NAME
                till\-pay \- Take one payment
                .SH SYNOPSIS
                \fBtill\ pay\fR [\fIoptions\fR] [\fIamount\fR ...]
                .SH DESCRIPTION
                Take one payment.
                .PP
                Other names: charge.
                .SH ARGUMENTS
                .TP
                \fIamount\fR
                Amount.
                .SH OPTIONS
                .TP
                \fB\-\-card\-type\fR \fItype\fR
                Card. (values: chip, stripe; default: chip)
                .IP
                Path such as C:\ecards or \(ti/x.
                .SH SEE ALSO
                \fBtill\fR(1)

                """#)
    }

    @Test func `the program's page has its commands, examples, variables, and exit codes`() throws {
        #expect(
            try pages().first?.text == #"""
                .TH "TILL" "1" "2026-01-02" "till 1.0" "CardPresent"
                .SH NAME
                till \- Take payments
                .SH SYNOPSIS
                \fBtill\fR \fIcommand\fR [\fIoptions\fR]
                .SH DESCRIPTION
                Take payments.
                .PP
                First paragraph of two lines.
                .PP
                \&.Second \(aqone\(aq with 5 \[u20AC].
                .SH OPTIONS
                .TP
                \fB\-h\fR, \fB\-\-help\fR
                Show help.
                .SH COMMANDS
                .TP
                \fBtill\-pay\fR(1)
                Take one payment.
                .SH EXAMPLES
                .nf
                till pay 12.50
                .fi
                .SH ENVIRONMENT
                .TP
                \fBTILL_CONFIG\fR
                The file.
                .SH EXIT STATUS
                .TP
                \fB0\fR
                done
                .TP
                \fB64\fR
                usage

                """#)
    }

    @Test func `a line of the source has at most 78 columns, and none begins a request by chance`() throws {
        let long = String(repeating: "... 'word' and more, ", count: 40)
        let pages = try ManualPage.pages(dump: Self.dump.replacing("Amount.", with: long), Self.facts)
        let lines = pages.flatMap { $0.text.split(separator: "\n") }
        #expect(lines.allSatisfy { $0.utf8.count <= 80 })
        #expect(lines.allSatisfy { !$0.hasPrefix("..") && !$0.hasPrefix("'") })
    }

    @Test func `a description that is none is an error`() {
        for dump in ["", "{}", "[]", #"{"command": {"commandName": 1}}"#] {
            #expect(throws: (any Error).self) { try ManualPage.pages(dump: dump, Self.facts) }
        }
    }

    @Test(.enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/groff")))
    func `groff has no complaint`() throws {
        for page in try pages() {
            let groff = Process()
            groff.executableURL = URL(fileURLWithPath: "/usr/bin/groff")
            groff.arguments = ["-man", "-Tutf8", "-ww", "-z"]
            let (input, complaints) = (Pipe(), Pipe())
            (groff.standardInput, groff.standardError) = (input, complaints)
            try groff.run()
            try input.fileHandleForWriting.write(contentsOf: Data(page.text.utf8))
            try input.fileHandleForWriting.close()
            let told = try complaints.fileHandleForReading.readToEnd() ?? Data()
            groff.waitUntilExit()
            #expect(groff.terminationStatus == 0)
            #expect(told.isEmpty, "\(page.fileName): \(String(decoding: told, as: UTF8.self))")
        }
    }
}
