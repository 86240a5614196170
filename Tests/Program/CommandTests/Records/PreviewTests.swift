import Foundation
import Testing

@Suite("Receipts in the terminal")
struct PreviewTests {
    private let scratch: Scratch

    init() throws { scratch = try Scratch() }

    private func preview(_ arguments: String...) throws -> ProgramResult {
        try Program.run(["receipts", "preview", "1", "--database", scratch.database] + arguments, in: scratch)
    }

    private func pay() throws {
        try Program.run(["pay", "12.50", "--database", scratch.database], in: scratch).expectStatus(0)
    }

    @Test func `a receipt is shown between the edges of its paper`() throws {
        try pay()
        let shown = try preview("--width", "32", "--locale", "de", "--copy", "merchant")
        #expect(shown.status == 0 && shown.error == "")
        let lines = shown.output.split(separator: "\n")
        #expect(lines.allSatisfy { $0.count == 36 })
        #expect(lines.first == "┌──────────────────────────────────┐")
        #expect(lines.contains("│           HÄNDLERBELEG           │"))
        #expect(try preview("--paper", "80mm").output.split(separator: "\n").allSatisfy { $0.count == 52 })
        // It is what it was: a preview leaves nothing behind.
        #expect(try preview("--width", "32", "--locale", "de", "--copy", "merchant").output == shown.output)
    }

    @Test func `a terminal shows black on white, unless colors are turned off`() throws {
        try pay()
        let arguments = ["receipts", "preview", "1", "--database", scratch.database]
        // script(1) gives its command a terminal, and its exit code.
        let onTerminal = "TERM=xterm script --quiet --return --command \"'$0' $*\" /dev/null"
        let shown = try Program.run(shell: onTerminal, arguments, in: scratch)
        #expect(shown.status == 0 && shown.output.contains("\u{1B}[30;47m│ "))
        let plain = try preview()
        #expect(!plain.output.contains("\u{1B}"))
        for setting in ["NO_COLOR=1", "TERM=dumb"] {
            let quiet = try Program.run(
                shell: "export \(setting); " + onTerminal.replacing("TERM=xterm ", with: ""), arguments, in: scratch)
            #expect(quiet.status == 0 && quiet.output.replacing("\r\n", with: "\n") == plain.output, "\(setting)")
        }
    }

    @Test func `a preview is shown as JSON, too`() throws {
        try pay()
        let told = try preview("--json", "--copy", "merchant").object()
        #expect(told["text"] as? String == (try preview("--copy", "merchant").output))
        #expect(told["payment"] as? String == "P000001" && told["copy"] as? String == "merchant")
        let failed = try Program.run(
            ["receipts", "preview", "9", "--json", "--database", scratch.database], in: scratch)
        #expect(try failed.object()["error"] is [String: Any])
    }

    @Test(arguments: [["--width", "23"], ["--width", "81"], ["--locale", "zz"], ["--paper", "a5"]])
    func `formats that cannot be shown are rejected`(arguments: [String]) throws {
        let result = try Program.run(
            ["receipts", "preview", "1", "--database", scratch.database] + arguments, in: scratch)
        #expect(result.status == 64 && result.output == "")
    }
}
