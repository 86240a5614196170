import Foundation
import Testing

@Suite("Rendering receipts")
struct RenderingTests {
    private let scratch: Scratch

    init() throws { scratch = try Scratch() }

    private func render(_ arguments: String..., environment: [String: String] = [:]) throws -> ProgramResult {
        try Program.run(
            ["receipts", "render", "1", "--database", scratch.database] + arguments, in: scratch,
            environment: environment)
    }

    private func pay() throws {
        try Program.run(["pay", "12.50", "--database", scratch.database], in: scratch).expectStatus(0)
    }

    @Test func `every format contains the paid amount, on standard output or in a file`() throws {
        try pay()
        let text = try render("--width", "32", "--locale", "de-AT", "--copy", "merchant")
        #expect(text.status == 0 && text.error == "")
        #expect(text.output.contains("HÄNDLERBELEG") && text.output.contains("12,50\u{A0}$"))
        #expect(try render("--format", "html", "--locale", "ar").output.contains("dir=\"rtl\""))
        #expect(try render("--format", "json").object()["amount"] as? String == "12.50")
        for (format, head) in [("pdf", "%PDF-"), ("png", "\u{89}PNG"), ("escpos", "\u{1B}@")] {
            let file = scratch.file("receipt." + format)
            let result = try render("--format", format, "-o", file)
            #expect(result.status == 0 && result.output == "")
            let bytes = try Data(contentsOf: URL(fileURLWithPath: file))
            #expect(bytes.starts(with: head.unicodeScalars.map { UInt8($0.value) }), "\(format)")
        }
        // Nothing lies beside the files.
        #expect(try scratch.everything().allSatisfy { !$0.name.hasSuffix(".new") })
    }

    @Test func `--json prints the receipt or, with a file, what was written`() throws {
        try pay()
        #expect(try render("--json").output == (try render("--format", "json").output))
        let file = scratch.file("receipt.pdf")
        let written = try render("--json", "--format", "pdf", "-o", file).object()
        #expect(written["file"] as? String == file && written["format"] as? String == "pdf")
        #expect(written["receipts"] as? Int == 1)
        #expect(FileManager.default.fileExists(atPath: file))
        #expect(try render("--json", "--format", "pdf").status == 64)
        #expect(try render("--json", "--of", "refund").object()["error"] is [String: Any])
        #expect(try render("--verbose").error.contains("database: \(scratch.database)"))
    }

    @Test func `the receipt of each refund can be shown, and a missing one is named`() throws {
        try pay()
        let none = try render("--of", "refund")
        #expect(none.status == 64)
        #expect(none.error.contains("payment P000001 has no refund"))
        for amount in ["5", "2.50"] {
            try Program.run(["refund", "1", "--amount", amount, "--database", scratch.database], in: scratch)
                .expectStatus(0)
        }
        for (number, amount) in [("1", "5.00"), ("2", "2.50")] {
            #expect(try render("--refund", number, "--format", "json").object()["amount"] as? String == amount)
            let shown = try Program.run(
                ["receipts", "show", "1", "--refund", number, "--database", scratch.database], in: scratch)
            #expect(shown.output.contains("$\(amount)"))
        }
        #expect(try render("--of", "refund", "--format", "json").object()["amount"] as? String == "2.50")
        let missing = try render("--refund", "3")
        #expect(missing.status == 64)
        #expect(missing.error.contains("choose a number from 1 to 2"))
        for arguments in [["--refund", "1", "--of", "sale"], ["--refund", "0"]] {
            let refused = try Program.run(
                ["receipts", "show", "1", "--database", scratch.database] + arguments, in: scratch)
            #expect(refused.status == 64)
            #expect(refused.error.contains("--refund"))
        }
    }

    @Test func `an unknown language is rejected with a suggestion`() throws {
        let result = try render("--locale", "fx", "--format", "json")
        #expect(result.status == 64)
        let error = try #require(try result.object()["error"] as? [String: Any])
        #expect(error["code"] as? String == "unknown_locale")
        #expect((error["fix"] as? String)?.hasPrefix("did you mean 'fr'?") == true)
    }

    @Test func `bytes are written to a terminal only on request`() throws {
        try pay()
        let arguments = ["receipts", "render", "1", "--format", "escpos", "--database", scratch.database]
        // script(1) gives its command a terminal, and its exit code.
        let onTerminal = "script --quiet --return --command \"'$0' $*\" /dev/null"
        let refused = try Program.run(shell: onTerminal, arguments, in: scratch)
        #expect(refused.status == 64)
        #expect(refused.output.contains("give -o FILE") && !refused.output.contains("\u{1B}@"))
        let wanted = try Program.run(shell: onTerminal, arguments + ["-o", "-"], in: scratch)
        #expect(wanted.status == 0 && wanted.output.contains("\u{1B}@"))
    }

    @Test func `a file that cannot be written is reported, and the old content stays`() throws {
        try pay()
        let nowhere = try render("--format", "pdf", "-o", scratch.file("no/such/folder.pdf"))
        #expect(nowhere.status == 69)
        #expect(nowhere.error.contains("No such file or directory"))
        #expect(try render("-o", scratch.folder).status == 69)
        let old = try scratch.write("old", to: "old.txt")
        #expect(try render("--locale", "zz", "-o", old).status == 64)
        #expect(try scratch.text("old.txt") == "old")
        #expect(try render("-o", "/dev/full").status == 69)
    }

    @Test func `all receipts are written to one file, newest first, and a period without receipts is reported`() throws
    {
        try pay()
        try pay()
        let series = ["receipts", "render", "--all", "--database", scratch.database]
        let text = try Program.run(series, in: scratch)
        #expect(text.status == 0 && text.error == "")
        let receipts = text.output.split(separator: "\u{0C}")
        #expect(receipts.count == 2)
        #expect(receipts.first?.contains("P000002") == true && receipts.last?.contains("P000001") == true)
        let lines = try Program.run(series + ["--format", "json", "--copy", "merchant"], in: scratch).output
            .split(separator: "\n")
        #expect(lines.count == 2 && lines.allSatisfy { $0.hasPrefix("{") && $0.hasSuffix("}") })
        let page = try Program.run(series + ["--format", "html", "--copy", "both"], in: scratch).output
        #expect(page.split(separator: "<main>").count == 5 && page.split(separator: "<!DOCTYPE").count == 1)
        let file = scratch.file("all.pdf")
        #expect(try Program.run(series + ["--format", "pdf", "-o", file], in: scratch).status == 0)
        #expect(try Data(contentsOf: URL(fileURLWithPath: file)).starts(with: Array("%PDF-".utf8)))

        let none = try Program.run(
            [
                "receipts", "render", "--until", "2020-01-01", "--format", "pdf", "-o", file, "--database",
                scratch.database,
            ],
            in: scratch)
        #expect(none.status == 64 && none.error.contains("no receipts were issued in that time"))
        // What was there before stays, and nothing lies beside it.
        #expect(try Data(contentsOf: URL(fileURLWithPath: file)).count > 1000)
        #expect(try scratch.everything().allSatisfy { !$0.name.hasSuffix(".new") })
    }

    @Test(arguments: [
        [], ["1", "--all"], ["--all", "--format", "png"], ["--all", "--format", "escpos"], ["--all", "--of", "sale"],
        ["1", "--copy", "both", "--format", "png"], ["1", "--cut", "full"],
        ["--since", "2026-01-02", "--until", "2026-01-01"],
    ])
    func `conflicting choices are rejected`(arguments: [String]) throws {
        #expect(
            try Program.run(["receipts", "render", "--database", scratch.database] + arguments, in: scratch).status
                == 64)
    }

    @Test func `a logo that is not a picture is rejected before anything is read`() throws {
        let logo = try scratch.write("GIF89a", to: "logo.png")
        let result = try render("--format", "html", "--logo", logo)
        #expect(result.status == 65)
        #expect(result.error.contains("is not a PNG image"))
        #expect(try render("--logo", scratch.file("none.png")).status == 65)
    }

    @Test(arguments: [
        ["--width", "23"], ["--width", "81"], ["--width", "40", "--format", "pdf"], ["--family", "star"],
        ["--open-drawer"], ["--paper", "a5"], ["--format", "doc"], ["-o", ""],
    ])
    func `conflicting options are rejected`(arguments: [String]) throws {
        let result = try Program.run(
            ["receipts", "render", "1", "--database", scratch.database] + arguments, in: scratch)
        #expect(result.status == 64)
    }
}
