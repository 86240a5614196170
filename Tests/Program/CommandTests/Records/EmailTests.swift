import Foundation
import Testing

@Suite("Receipts by mail")
struct EmailTests {
    private let scratch: Scratch

    init() throws { scratch = try Scratch() }

    private func email(_ arguments: String..., payment: String = "1") throws -> ProgramResult {
        try Program.run(["receipts", "email", payment, "--database", scratch.database] + arguments, in: scratch)
    }

    private func pay(_ arguments: String...) throws {
        try Program.run(["pay", "12.50", "--database", scratch.database] + arguments, in: scratch).expectStatus(0)
    }

    private func code(of result: ProgramResult) throws -> String? {
        (try result.object()["error"] as? [String: Any])?["code"] as? String
    }

    @Test func `the message has the receipt as text and PDF, with sender and recipient`() throws {
        try pay()
        let result = try email(
            "--to", "Ada Lovelace <ada@example.org>", "bob@example.org", "--from", "Bücher & Mehr <till@shop.example>",
            "--subject", "Ihre Quittung – danke", "--locale", "de", "-o", scratch.file("m.eml"))
        #expect(result.status == 0 && result.error == "")
        #expect(result.output.hasPrefix("receipt of P000001 written to "))
        let message = try Message(scratch.file("m.eml"), in: scratch)
        #expect(message.defects == [])
        #expect(message.from == ["Bücher & Mehr <till@shop.example>"])
        #expect(message.to == ["Ada Lovelace <ada@example.org>", "bob@example.org"])
        #expect(message.subject == "Ihre Quittung – danke")
        #expect(message.types == ["text/plain", "application/pdf"])
        #expect(message.texts.first?.contains("12,50\u{A0}$") == true)
        #expect(message.names == ["P000001.pdf"])
        #expect(message.heads.last == "%PDF")
    }

    @Test func `it can be HTML or plain text, and its default sender is the merchant`() throws {
        try pay()
        let page = try email("--to", "a@b", "--from", "till@shop.example", "--format", "html", "-o", scratch.file("h"))
        #expect(page.status == 0)
        let message = try Message(scratch.file("h"), in: scratch)
        #expect(message.types == ["text/plain", "text/html"])
        #expect(message.from == ["CardPresent <till@shop.example>"])
        #expect(message.subject == "CardPresent P000001")
        #expect(message.texts.last?.hasPrefix("<!DOCTYPE html>") == true)
        let text = try email("--to", "a@b", "--from", "c@d", "--format", "text", "-o", "-")
        #expect(text.output.contains("Content-Type: text/plain; charset=utf-8\r\n"))
        #expect(!text.output.contains("multipart"))
    }

    @Test func `the same seed makes the same message`() throws {
        try pay("--seed", "1")
        let arguments = ["--to", "a@b", "--from", "c@d", "--seed", "5"]
        for name in ["one", "two"] {
            try Program.run(
                ["receipts", "email", "1", "--database", scratch.database, "-o", scratch.file(name)] + arguments,
                in: scratch
            ).expectStatus(0)
        }
        #expect(try scratch.text("one") == scratch.text("two"))
        #expect(try scratch.text("one").contains("Date: Fri, 02 Jan 2026 12:00:00 +0000\r\n"))
    }

    @Test(arguments: [[], ["--seed", "5"]])
    func `the mail program receives the message, and each address once`(determinism: [String]) throws {
        try pay()
        let program = try mailProgram("cat > message; echo \"$@\" > arguments")
        let result = try Program.run(
            [
                "receipts", "email", "1", "--to", "ada@example.org", "ada@example.org", "--from", "till@shop.example",
                "--sendmail", program, "--json", "--database", scratch.database,
            ] + determinism, in: scratch)
        #expect(result.status == 0)
        let view = try result.object()
        #expect(view["recipients"] as? Int == 1)
        #expect(view["program"] as? String == program)
        #expect(view["file"] is NSNull)
        #expect(try scratch.text("arguments") == "-t -i\n")
        let message = try Message(scratch.file("message"), in: scratch)
        #expect(message.to == ["ada@example.org"])
        #expect(message.id == view["messageID"] as? String)
        #expect(message.types == ["text/plain", "application/pdf"])
    }

    @Test(arguments: [
        ("exit 64", 69 as Int32, "mail_refused"), ("exit 78", 69, "mail_refused"), ("exit 75", 4, "mail_uncertain"),
        ("exit 67", 4, "mail_uncertain"), ("kill -9 $$", 4, "mail_uncertain"),
    ])
    func `a failure of the mail program says whether the message can be sent again`(
        script: String, status: Int32, code: String
    ) throws {
        try pay()
        let program = try mailProgram("cat > /dev/null; echo 'because of <ada@example.org>' >&2; \(script)")
        let result = try email("--to", "ada@example.org", "--from", "c@d", "--sendmail", program, "--json")
        #expect(result.status == status)
        #expect(try self.code(of: result) == code)
        // Only the mail program gets the recipient.
        #expect(!(result.output + result.error).contains("ada@example.org"))
        let uncertain = result.error.contains("may have accepted the message")
        #expect(uncertain == (status == 4))
    }

    @Test func `without a mail program nothing is sent, and the error says so`() throws {
        try pay()
        let result = try email("--to", "a@b", "--from", "c@d", "--sendmail", scratch.file("none"), "--json")
        #expect(result.status == 69)
        #expect(try code(of: result) == "no_mail_program")
    }

    @Test(arguments: [
        ("ada", "character 4: '@' is missing"), ("ada@bücher.example", "character 6: 'ü' is not ASCII"),
        ("ada@x\r\nBcc: eve@x", "character 6: a control character (U+000D) is not allowed here"),
        ("a@x, b@y", "character 4: ',' is not allowed here"),
    ])
    func `an invalid address is rejected with its position before anything is read`(
        address: String, message: String
    ) throws {
        for option in ["--to", "--from"] {
            let other = option == "--to" ? "--from" : "--to"
            let result = try email(option, address, other, "a@b", "-o", scratch.file("m"), "--json")
            #expect(result.status == 64)
            #expect(try code(of: result) == "bad_address")
            #expect(result.error.hasPrefix("cardpresent: \(option): \(message)"))
            #expect(!result.error.contains("eve"))
        }
        #expect(try scratch.everything().isEmpty)
    }

    @Test(arguments: [
        ["--to", "a@b", "--from", "c@d"], ["--to", "a@b", "--from", "c@d", "-o", "f", "--sendmail"],
        ["--from", "c@d", "-o", "f"], ["--to", "a@b", "--from", "c@d", "-o", ""],
        ["--to", "a@b", "--from", "c@d", "-o", "f", "--subject", "a\r\nBcc: eve@x"],
        ["--to", "a@b", "--from", "c@d", "-o", "-", "--json"],
        ["--to", "a@b", "--from", "c@d", "-o", "f", "--format", "png"],
    ])
    func `conflicting options are rejected`(arguments: [String]) throws {
        let result = try Program.run(
            ["receipts", "email", "1", "--database", scratch.database] + arguments, in: scratch)
        #expect(result.status == 64)
        #expect(try scratch.everything().isEmpty)
    }

    @Test func `a sender and a receipt are required`() throws {
        #expect(try code(of: email("--to", "a@b", "-o", scratch.file("m"), "--json")) == "no_sender")
        try pay()
        let none = try email("--to", "a@b", "--from", "c@d", "-o", scratch.file("m"), payment: "7")
        #expect(none.status == 64)
        #expect(!FileManager.default.fileExists(atPath: scratch.file("m")))
    }

    @Test func `a file that cannot be written is reported`() throws {
        try pay()
        let result = try email("--to", "a@b", "--from", "c@d", "-o", scratch.file("no/m.eml"))
        #expect(result.status == 69)
        #expect(result.error.contains("No such file or directory"))
    }

    @Test func `no address is stored`() throws {
        try pay()
        let program = try mailProgram("cat > /dev/null")
        try email("--to", "ada@example.org", "--from", "till@shop.example", "--sendmail", program).expectStatus(0)
        for place in try scratch.everything() where place.name != "sendmail" {
            #expect(place.bytes.range(of: Data("example.org".utf8)) == nil, "\(place.name)")
            #expect(place.bytes.range(of: Data("shop.example".utf8)) == nil, "\(place.name)")
        }
    }

    /// A mail program of the test's own, which works in the test's folder. Another process writes it: what is started
    /// in this one at the same time would have it open for writing, and it could not be run (ETXTBSY).
    private func mailProgram(_ script: String) throws -> String {
        let path = scratch.file("sendmail")
        let text = "#!/bin/sh\ncd '\(scratch.folder)' || exit 71\n\(script)\n"
        let write = "printf %s \"$1\" > \"$2\" && chmod 755 \"$2\""
        try Child(program: "/bin/sh", ["-c", write, "sh", text, path], in: scratch).result().expectStatus(0)
        return path
    }
}

/// A message as Python's parser reads it.
private struct Message: Decodable {
    var defects, from, to: [String]
    var subject, id: String
    /// Of the parts that hold something, in their order; the first four bytes of those that are no text.
    var types, texts, names, heads: [String]

    private static let script = """
        import email, email.policy, json, sys
        message = email.message_from_bytes(open(sys.argv[1], "rb").read(), policy=email.policy.default)
        parts = [p for p in message.walk() if not p.is_multipart()]
        texts = [p for p in parts if p.get_content_maintype() == "text"]
        files = [p for p in parts if p.get_content_maintype() != "text"]
        people = lambda name: [(a.display_name + " <" + a.addr_spec + ">") if a.display_name else a.addr_spec
            for a in message[name].addresses]
        json.dump({
            "defects": [str(d) for p in message.walk() for d in p.defects], "from": people("From"), "to": people("To"),
            "subject": message["Subject"], "id": message["Message-ID"], "types": [p.get_content_type() for p in parts],
            "texts": [p.get_content() for p in texts], "names": [p.get_filename() for p in files],
            "heads": [p.get_content()[:4].decode("latin-1") for p in files],
        }, sys.stdout)
        """

    init(_ path: String, in scratch: Scratch) throws {
        let read = try Child(program: "/usr/bin/env", ["python3", "-c", Self.script, path], in: scratch).result()
        read.expectStatus(0)
        self = try JSONDecoder().decode(Message.self, from: Data(read.output.utf8))
    }
}
