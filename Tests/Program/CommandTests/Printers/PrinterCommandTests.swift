import Foundation
import TestPrinters
import Testing

@Suite("Printers")
struct PrinterCommandTests {
    private let scratch: Scratch

    init() throws { scratch = try Scratch() }

    /// Runs the program with printers in its configuration.
    private func run(
        _ arguments: [String], printers: String, server: String? = nil, receipt: String = "{}"
    ) throws -> ProgramResult {
        let configuration = scratch.file("till.yaml")
        try Data("receipt: \(receipt)\nprinters:\n\(printers)\n".utf8)
            .write(to: URL(fileURLWithPath: configuration))
        return try Program.run(
            arguments + ["--database", scratch.database, "--config", configuration], in: scratch,
            environment: ["CUPS_SERVER": server ?? scratch.file("no.sock")])
    }

    private func row(_ printer: SocketPrinter, _ name: String = "kitchen", _ more: String = "") -> String {
        "  - { name: \(name), address: \"socket://127.0.0.1:\(printer.port)\"\(more) }"
    }

    @Test func `a network printer is listed, shown, chosen, and tested without a print server`() throws {
        let printer = try SocketPrinter()
        defer { printer.close() }
        let rows = row(printer)
        let listed = try run(["printers", "list", "--json"], printers: rows)
        #expect(listed.status == 0)
        #expect(listed.error.contains("no print queues"))
        let first = try #require(try listed.list().first)
        #expect(first["name"] as? String == "kitchen")
        #expect(first["kind"] as? String == "network")
        #expect(first["state"] as? String == "idle")
        #expect(first["isDefault"] as? Bool == true)
        #expect(first["model"] as? String == "TM-T88V")

        let info = try run(["printers", "info", "kitchen"], printers: rows)
        #expect(
            info.output == """
                name      kitchen (default)
                kind      network printer
                state     idle
                address   socket://127.0.0.1:\(printer.port)
                model     TM-T88V
                language  ESC/POS (epson), 42 columns
                formats   application/vnd.cups-raw
                confirms  yes

                """)

        let test = try run(["printers", "test"], printers: rows)
        #expect(test.status == 0)
        #expect(test.output == "printed on kitchen\n")
        let paper = String(decoding: printer.printed, as: UTF8.self)
        #expect(paper.contains("PRINTER TEST"))
        #expect(paper.contains("123456789012345678901234567890123456789012\n"))
        #expect(Array(printer.printed.suffix(4)) == [0x1D, 0x56, 66, 0])
    }

    @Test func `a printer that cannot print reports the reason, with the exit code for printers`() throws {
        let printer = try SocketPrinter()
        defer { printer.close() }
        printer.behave { $0.troubles = [.coverOpen, .paperOut] }
        let test = try run(["printers", "test", "kitchen", "--json"], printers: row(printer))
        #expect(test.status == 6)
        let error = try #require(try test.object()["error"] as? [String: Any])
        #expect(error["code"] as? String == "printer_not_ready")
        #expect(
            error["message"] as? String
                == "printer 'kitchen' cannot print: the cover is open, out of paper; nothing was sent")
        #expect(printer.printed.isEmpty)
        let listed = try run(["printers", "list"], printers: row(printer))
        let lines = listed.output.split(separator: "\n")
        #expect(lines.first?.hasPrefix("   NAME     STATE ") == true)
        #expect(lines.last?.hasPrefix("*  kitchen  stopped: the cover is open, out of paper  socket://") == true)
    }

    @Test func `a printer that does not respond is unreachable, and the others are listed`() throws {
        let printer = try SocketPrinter()
        defer { printer.close() }
        let rows = row(printer) + "\n  - { name: attic, address: \"socket://127.0.0.1:1\" }"
        let listed = try run(["printers", "list", "--json"], printers: rows)
        #expect(try listed.list().map { $0["state"] as? String } == ["unreachable", "idle"])
        let info = try run(["printers", "info", "attic", "--json"], printers: rows)
        #expect(info.status == 6)
        let error = try #require(try info.object()["error"] as? [String: Any])
        #expect(error["code"] as? String == "printer_unreachable")
        #expect((error["message"] as? String)?.contains("Connection refused") == true)
    }

    @Test func `the drawer opens with the printer's pulse command, and a one-way printer confirms nothing`()
        throws
    {
        let printer = try SocketPrinter()
        defer { printer.close() }
        let opened = try run(["drawer", "open"], printers: row(printer))
        #expect(opened.output == "Sent the open command to kitchen.\n")
        #expect(opened.error == "")
        #expect(printer.printed == [0x1B, 0x70, 0, 25, 250])
        let star = try SocketPrinter(SocketPrinterBehavior(.star))
        defer { star.close() }
        let silent = try run(
            ["drawer", "open", "--printer", "bar", "--json"],
            printers: row(star, "bar", ", family: star, status: false"))
        #expect(silent.status == 0)
        #expect(try silent.object()["confirmed"] as? Bool == false)
        #expect(star.printed == [0x1B, 0x07, 5, 50, 0x07])
    }

    @Test func `a default printer is chosen, stored, overridden by the configuration, and removed`() throws {
        let (kitchen, bar) = (try SocketPrinter(), try SocketPrinter())
        defer {
            kitchen.close()
            bar.close()
        }
        let rows = row(kitchen) + "\n" + row(bar, "bar")
        let none = try run(["printers", "default"], printers: rows)
        #expect(none.status == 0)
        #expect(none.output == "")
        let chosen = try run(["printers", "default", "bar", "--json"], printers: rows)
        #expect(try chosen.object()["printer"] as? String == "bar")
        #expect(try chosen.object()["from"] as? String == "choice")
        #expect(try run(["drawer", "open"], printers: rows).output == "Sent the open command to bar.\n")
        let unknown = try run(["printers", "default", "attic"], printers: rows)
        #expect(unknown.status == 6)
        #expect(unknown.error.contains("no printer 'attic'; available\n  bar, kitchen\n"))
        let configured = try run(["printers", "default", "--json"], printers: rows, receipt: "{ printer: kitchen }")
        #expect(try configured.object()["from"] as? String == "configuration")
        let against = try run(["printers", "default", "bar"], printers: rows, receipt: "{ printer: kitchen }")
        #expect(against.status == 78)
        #expect(against.error.contains("change or remove receipt.printer"))
        #expect(try run(["printers", "default"], printers: rows).output == "bar\n")
        #expect(try run(["printers", "default", "--forget"], printers: rows).output == "")
    }

    @Test func `a receipt is printed on a network printer, and an interrupted one is not reported as printed`() throws {
        let printer = try SocketPrinter()
        defer { printer.close() }
        let rows = row(printer)
        #expect(try run(["pay", "12.50", "--printer", "kitchen", "--json"], printers: rows).status == 0)
        let copies = String(decoding: printer.printed, as: UTF8.self)
        #expect(copies.contains("APPROVED"))
        let before = printer.printed.count
        printer.behave {
            $0.hangsUpAfter = before + 1
            $0.resets = true
        }
        let broken = try run(["receipts", "print", "P000001", "--json"], printers: rows)
        #expect(broken.status == 4)
        let prints = try #require(try broken.object()["prints"] as? [[String: Any]])
        #expect(prints.allSatisfy { $0["state"] as? String == "unknown" })
        printer.behave { $0.hangsUpAfter = nil }
        let again = try run(["receipts", "print", "P000001"], printers: rows)
        #expect(again.status == 0)
        #expect(String(decoding: printer.printed.dropFirst(before), as: UTF8.self).contains("DUPLICATE"))
    }

    @Test func `queues of the print server are listed and tested; a page printer has no drawer`() throws {
        let printer = try SocketPrinter()
        defer { printer.close() }
        let server = try PrintServer(rawPort: printer.port)
        let rows = "  - { name: raw, columns: 32 }"
        func run(_ arguments: String...) throws -> ProgramResult {
            try self.run(arguments, printers: rows, server: server.socket)
        }
        let listed = try run("printers", "list", "--json").list()
        #expect(listed.contains { $0["name"] as? String == "receipts" && $0["kind"] as? String == "queue" })
        let info = try run("printers", "info", "receipts", "--json").object()
        #expect(info["language"] as? String == "pdf")
        #expect(info["confirms"] as? Bool == true)
        let raw = try run("printers", "info", "raw", "--json").object()
        #expect(raw["columns"] as? Int == 32)
        #expect(raw["confirms"] as? Bool == false)

        let pages = try run("printers", "test", "receipts", "--media", "a4")
        #expect(pages.status == 0)
        #expect(pages.output.hasPrefix("printed on receipts, job "))
        #expect(try #require(try server.printed(1).first).prefix(5) == Data("%PDF-".utf8))
        let letters = try run("printers", "test", "raw")
        #expect(letters.output.hasPrefix("sent to raw, job "))
        #expect(letters.error.contains("does not report the result"))
        #expect(String(decoding: printer.printed, as: UTF8.self).contains("12345678901234567890123456789012\n"))

        let before = printer.printed.count
        #expect(try run("drawer", "open", "--printer", "raw").status == 0)
        #expect(Array(printer.printed.dropFirst(before)) == [0x1B, 0x70, 0, 25, 250])
        let none = try run("drawer", "open", "--printer", "receipts", "--json")
        #expect(none.status == 6)
        let error = try #require(try none.object()["error"] as? [String: Any])
        #expect(error["code"] as? String == "no_drawer")
        let paper = try run("printers", "test", "receipts", "--media", "80mm", "--json")
        let refusal = try #require(try paper.object()["error"] as? [String: Any])
        #expect(refusal["code"] as? String == "unsupported_medium")
    }
}
