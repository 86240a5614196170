import Foundation
import Glibc
import Testing

/// `init`
@Suite("The first configuration")
struct InitTests {
    private let scratch: Scratch

    init() throws { scratch = try Scratch() }

    /// The answers that do not depend on what is connected to this machine.
    private let quiet = ["--reader", "simulated", "--printer", "none"]

    private var standardPath: String { scratch.file(".config/cardpresent/cardpresent.yaml") }

    private func initialize(_ arguments: String..., environment: [String: String] = [:]) throws -> ProgramResult {
        try Program.run(["init"] + arguments + quiet, in: scratch, environment: environment)
    }

    private func settings(_ path: String) throws -> [String: Any] {
        try Program.run(["config", "check", path], in: scratch).expectStatus(0)
        let shown = try Program.run(["config", "show", "--config", path, "--json"], in: scratch).object()
        return try #require(shown["configuration"] as? [String: Any])
    }

    private func mode(_ path: String) throws -> Int {
        var status = stat()
        try #require(stat(path, &status) == 0)
        return Int(status.st_mode & 0o777)
    }

    @Test func `the defaults are written where commands look for them`() throws {
        let result = try initialize("--yes")
        #expect(result.status == 0)
        #expect(result.output == "wrote \(standardPath)\n")
        #expect(result.error == "Next:\n  cardpresent pay 12.50 --reader simulated\n")
        #expect(try mode(scratch.file(".config/cardpresent")) == 0o700)
        #expect(try settings(standardPath)["currency"] as? String == "USD")
        #expect(try Program.run(["pay", "5", "--json"], in: scratch).status == 0)
        let names = try FileManager.default.contentsOfDirectory(atPath: scratch.file(".config/cardpresent"))
        #expect(names == ["cardpresent.yaml"])
    }

    @Test func `options answer the questions, and the file repeats them`() throws {
        let path = scratch.file("till.yaml")
        let result = try Program.run(
            [
                "init", "--merchant", "Corner Shop", "--currency", "eur", "--reader", "usb", "--printer", "receipts",
                "--store", "https://shop.example/wp-admin/", "-o", path, "--json",
            ], in: scratch)
        #expect(result.status == 0)
        #expect(result.error == "")
        let object = try result.object()
        #expect(object["file"] as? String == path)
        #expect(object["merchant"] as? String == "Corner Shop")
        #expect(object["currency"] as? String == "EUR")
        #expect(object["reader"] as? String == "usb")
        #expect(object["printer"] as? String == "receipts")
        #expect(object["store"] as? String == "https://shop.example/")
        #expect(
            object["next"] as? [String] == [
                "cardpresent pay 12.50 --reader usb --config \(path)",
                "cardpresent login https://shop.example/ --username NAME --config \(path)",
            ])
        let settings = try settings(path)
        #expect((settings["merchant"] as? [String: Any])?["name"] as? String == "Corner Shop")
        #expect((settings["receipt"] as? [String: Any])?["printer"] as? String == "receipts")
        let text = try scratch.text("till.yaml")
        #expect(text.contains("\n#   cardpresent pay 12.50 --reader usb\n"))
        #expect(text.contains("\n#   cardpresent login https://shop.example/ --username NAME\n"))
    }

    @Test func `a file is replaced with --force only, and keeps its access rights`() throws {
        let path = try scratch.write("currency: JPY\n", to: "till.yaml")
        chmod(path, 0o600)
        let refused = try initialize("--yes", "--output", path)
        #expect(refused.status == 64)
        #expect(refused.error.contains("already exists"))
        #expect(refused.error.contains("--force"))
        #expect(try scratch.text("till.yaml") == "currency: JPY\n")
        try initialize("--yes", "--output", path, "--force").expectStatus(0)
        #expect(try settings(path)["currency"] as? String == "USD")
        #expect(try mode(path) == 0o600)
        #expect(try initialize("--yes", "--output", scratch.folder, "--force").status == 64)
    }

    @Test func `a link is kept, and a variable names the file`() throws {
        let path = try scratch.write("currency: JPY\n", to: "till.yaml")
        let link = scratch.file("link.yaml")
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: path)
        let variable = ["CARDPRESENT_CONFIG": link]
        #expect(try initialize("--yes", environment: variable).status == 64)
        try initialize("--yes", "--force", environment: variable).expectStatus(0)
        #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link) == path)
        #expect(try settings(path)["currency"] as? String == "USD")
    }

    @Test func `standard output takes the file, too`() throws {
        let result = try initialize("--yes", "-o", "-")
        #expect(result.status == 0)
        #expect(result.error == "")
        #expect(result.output.hasPrefix("# The till's configuration."))
        _ = try settings(try scratch.write(result.output, to: "till.yaml"))
        #expect(try initialize("--yes", "-o", "-", "--json").status == 64)
    }

    @Test func `without a terminal it asks nothing, and names the option`() throws {
        let result = try initialize("--json")
        #expect(result.status == 64)
        #expect(result.error.contains("no terminal"))
        #expect(result.error.contains("--yes"))
        #expect((try result.object()["error"] as? [String: Any])?["code"] as? String == "no_terminal")
        #expect(try scratch.everything().isEmpty)
    }

    @Test(arguments: [
        (["--currency", "EURO"], "EURO", "ISO"), (["--merchant", "two\nlines"], "--merchant", ""),
        (["--merchant", "Bäckerei"], "--merchant", "--plain-name"),
        (["--merchant", "Bäckerei", "--plain-name", "Bäckerei"], "--plain-name", ""),
        (["--store", "shop.example"], "--store", "https://shop.example"),
        (["--store", "https://ada:secret@shop.example"], "--store", ""),
    ])
    func `a wrong answer is refused with the reason, and nothing is written`(
        arguments: [String], word: String, fix: String
    ) throws {
        let result = try Program.run(["init", "--yes"] + quiet + arguments, in: scratch)
        #expect(result.status == 64)
        #expect(result.error.contains(word), "\(result.error)")
        #expect(fix == "ISO" || fix.isEmpty || result.error.contains(fix), "\(result.error)")
        #expect(!result.error.contains("secret"))
        #expect(try scratch.everything().isEmpty)
        #expect(try Program.run(["init", "--yes", "--reader", "floppy"], in: scratch).status == 64)
    }

    @Test func `a name in other letters has a second one for cards and hosts`() throws {
        try initialize("--yes", "--merchant", "Bäckerei Müller", "--plain-name", "Baeckerei Mueller").expectStatus(0)
        let merchant = try #require(try settings(standardPath)["merchant"] as? [String: Any])
        #expect(merchant["name"] as? String == "Bäckerei Müller")
        #expect(merchant["nameAndLocation"] as? String == "Baeckerei Mueller")
    }

    @Test func `on a terminal each answer is checked at once, and an empty line takes the default`() throws {
        let child = try Child(
            ["init"], in: scratch,
            typed: "\nEURO\n eur \nfloppy\nsimulated\nnone\nshop.example\nhttps://shop.example\n")
        let result = try child.result()
        #expect(result.status == 0)
        #expect(result.output == "wrote \(standardPath)\n")
        #expect(result.error.contains("Merchant name, at the top of every receipt [CardPresent]: "))
        #expect(result.error.contains("unknown currency 'EURO'"))
        #expect(result.error.contains("'floppy' is not a reader"))
        #expect(result.error.contains("'shop.example' is not an address"))
        #expect(result.error.contains("\n  cardpresent login https://shop.example/ --username NAME\n"))
        let settings = try settings(standardPath)
        #expect(settings["currency"] as? String == "EUR")
        #expect((settings["merchant"] as? [String: Any])?["name"] as? String == "CardPresent")
    }

    @Test func `the end of the input writes nothing`() throws {
        let result = try Child(["init"] + quiet, in: scratch, typed: "Corner Shop\n\u{4}").result()
        #expect(result.status == 3)
        #expect(result.error.contains("nothing was written"))
        #expect(try scratch.everything().isEmpty)
    }
}
