import Determinism
import Foundation
import Mail
import Testing

@Suite("Messages, read by another program")
struct OtherReaderTests {
    /// Python's parser, which follows RFC 5322 and 2045 to 2047; it prints its results as JSON.
    private static let script = """
        import email, email.policy, json, sys
        message = email.message_from_bytes(sys.stdin.buffer.read(), policy=email.policy.default)
        parts = [p for p in message.walk() if not p.is_multipart()]
        lines = lambda part: part.get_content().replace("\\r\\n", "\\n")
        json.dump({
            "defects": [str(d) for p in message.walk() for d in p.defects]
                + [str(d) for v in message.values() for d in getattr(v, "defects", [])],
            "from": [[a.display_name, a.addr_spec] for a in message["From"].addresses],
            "to": [[a.display_name, a.addr_spec] for a in message["To"].addresses],
            "subject": message["Subject"], "date": message["Date"].datetime.isoformat(), "id": message["Message-ID"],
            "types": [p.get_content_type() for p in parts], "text": lines(parts[0]), "page": lines(parts[1]), "name": parts[2].get_filename(),
            "file": list(parts[2].get_content()),
        }, sys.stdout)
        """

    private struct Found: Decodable, Equatable {
        var defects: [String]
        var from: [[String]]
        var to: [[String]]
        var subject, date, id: String
        var types: [String]
        var text, page, name: String
        var file: [UInt8]
    }

    @Test func `Python parses messages without defects`() throws {
        let bytes = SeededRandomSource(seed: 3).bytes(500)
        let message = MailMessage(
            from: try Mailbox("Bücher & Mehr, Köln <till@shop.example>"),
            to: [
                Mailbox(name: "Lovelace, \"Ada\"", address: try MailAddress("ada@example.org")),
                try Mailbox("bob@example.org"),
            ],
            subject: "領収書 P000001: " + String(repeating: "ありがとうございました ", count: 10) + "end",
            text: "Größe = 12,50\u{A0}€ \nFrom here\n.\n" + String(repeating: "x", count: 200) + "\n",
            page: "<p>\u{2066}12.50\u{2069} إيصال</p>\n",
            attachments: [MailAttachment(name: "P000001.pdf", type: "application/pdf", bytes: bytes)])
        let encoded = MessageEncoder(
            time: VirtualTimeSource(offsetSeconds: 3600), random: SeededRandomSource(seed: 1)
        ).encode(message)
        let found = try JSONDecoder().decode(Found.self, from: try python(encoded.bytes))
        #expect(
            found
                == Found(
                    defects: [], from: [["Bücher & Mehr, Köln", "till@shop.example"]],
                    to: [["Lovelace, \"Ada\"", "ada@example.org"], ["", "bob@example.org"]], subject: message.subject,
                    date: "2026-01-02T13:00:00+01:00", id: encoded.messageID,
                    types: ["text/plain", "text/html", "application/pdf"], text: message.text,
                    page: message.page ?? "", name: "P000001.pdf", file: bytes))
    }

    private func python(_ input: [UInt8]) throws -> Data {
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("message-\(UUID().uuidString)")
        try Data(input).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["python3", "-c", Self.script]
        process.standardInput = try FileHandle(forReadingFrom: file)
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        let data = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        #expect(process.terminationStatus == 0)
        return data
    }
}
