import Determinism
import Mail
import Testing

@Suite("Messages")
struct MessageTests {
    private static let from = "Corner Shop <till@shop.example>"

    private func message(
        from: String = MessageTests.from, to: [String] = ["ada@example.org"], subject: String = "Receipt P000001",
        text: String = "Total 12.50\n", page: String? = nil, attachments: [MailAttachment] = []
    ) throws -> MailMessage {
        MailMessage(
            from: try Mailbox(from), to: try to.map { try Mailbox($0) }, subject: subject, text: text, page: page,
            attachments: attachments)
    }

    private func encode(_ message: MailMessage, seed: UInt64 = 1, offset: Int = 0) -> EncodedMail {
        MessageEncoder(time: VirtualTimeSource(offsetSeconds: offset), random: SeededRandomSource(seed: seed))
            .encode(message)
    }

    private func read(_ message: MailMessage) throws -> ReadMessage { try ReadMessage(encode(message).bytes) }

    @Test func `a message has header fields and its text`() throws {
        let encoded = encode(try message())
        let text = String(decoding: encoded.bytes, as: UTF8.self)
        #expect(
            text == """
                Date: Fri, 02 Jan 2026 12:00:00 +0000\r
                From: Corner Shop <till@shop.example>\r
                To: ada@example.org\r
                Subject: Receipt P000001\r
                Message-ID: \(encoded.messageID)\r
                Auto-Submitted: auto-generated\r
                MIME-Version: 1.0\r
                Content-Type: text/plain; charset=utf-8\r
                Content-Transfer-Encoding: quoted-printable\r
                \r
                Total 12.50\r

                """)
        #expect(encoded.messageID.hasPrefix("<20260102T120000."))
        #expect(encoded.messageID.hasSuffix("@shop.example>"))
        #expect(encoded.systemBytes == Array(text.replacing("\r\n", with: "\n").utf8))
    }

    @Test func `the same time and random numbers result in the same message, others in another ID and boundaries`()
        throws
    {
        let file = MailAttachment(name: "a.pdf", type: "application/pdf", bytes: [1, 2, 3])
        let message = try message(page: "<p>12.50</p>", attachments: [file])
        #expect(encode(message) == encode(message))
        #expect(encode(message).messageID != encode(message, seed: 2).messageID)
        let boundary = { (encoded: EncodedMail) in
            try ReadMessage.parameter(
                "boundary", of: try ReadMessage(encoded.bytes).root.value("Content-Type") ?? "")
        }
        #expect(try boundary(encode(message)) != boundary(encode(message, seed: 2)))
    }

    @Test(arguments: [(0, "+0000"), (3600, "+0100"), (-12_600, "-0330"), (20_700, "+0545")])
    func `the date has a time zone`(offset: Int, zone: String) throws {
        let text = String(decoding: encode(try message(), offset: offset).bytes, as: UTF8.self)
        #expect(text.prefix { $0 != "\r\n" }.hasSuffix(" " + zone))
    }

    @Test func `an attachment is encoded in lines of 76 characters`() throws {
        for count in [0, 1, 2, 3, 56, 57, 58, 1000, 40_000] {
            let bytes = SeededRandomSource(seed: UInt64(count)).bytes(count)
            let file = MailAttachment(name: "P000001.pdf", type: "application/pdf", bytes: bytes)
            let root = try read(try message(attachments: [file])).root
            #expect(root.value("Content-Type")?.hasPrefix("multipart/mixed;") == true)
            #expect(root.parts.count == 2)
            #expect(root.parts.first?.text == "Total 12.50\n")
            #expect(root.parts.last?.content == bytes)
            #expect(root.parts.last?.value("Content-Disposition") == "attachment; filename=\"P000001.pdf\"")
        }
    }

    @Test func `HTML is an alternative to the text, both before the attachments`() throws {
        let file = MailAttachment(name: "a.pdf", type: "application/pdf", bytes: [0])
        let root = try read(try message(page: "<p>Ä = 12,50\u{A0}€</p>\n", attachments: [file])).root
        #expect(root.parts.count == 2)
        let forms = try #require(root.parts.first)
        #expect(forms.value("Content-Type")?.hasPrefix("multipart/alternative;") == true)
        #expect(
            forms.parts.map { $0.value("Content-Type") } == ["text/plain; charset=utf-8", "text/html; charset=utf-8"])
        #expect(forms.parts.last?.text == "<p>Ä = 12,50\u{A0}€</p>\n")
    }

    @Test(arguments: [
        "plain", "a = b", "ends with a blank \nand a tab\t\nnot here", "From here\n.\n..\nFrom\n",
        "Größe: 2 × 12,50 €\n", "領収書 ありがとう\n", "\u{2066}12.50\u{2069} إيصال\n", "🧾👩‍👩‍👧‍👦\n",
        String(repeating: "x", count: 500) + "\n", String(repeating: "é", count: 200),
        String(repeating: "x", count: 75) + "\n", String(repeating: "x", count: 76) + "\n",
        String(repeating: "x", count: 74) + "é\n", "\n\n\n",
    ])
    func `any text survives a round trip`(text: String) throws {
        let arrived = try read(try message(text: text)).root
        #expect(arrived.text == (text.hasSuffix("\n") ? text : text + "\n"))
    }

    @Test func `line ends of other systems are converted`() throws {
        #expect(try read(try message(text: "a\r\nb\rc\n")).root.text == "a\nb\nc\n")
    }

    @Test(arguments: [
        "Receipt", "Quittung für P000001", "領収書 P000001 " + String(repeating: "あ", count: 100), "=?utf-8?B?QQ==?=",
        "a  b", " blank at both ends ", String(repeating: "word ", count: 60) + "end",
        String(repeating: "x", count: 300),
        "👩‍👩‍👧‍👦 family", "e\u{301}\u{302}\u{303} marks",
    ])
    func `a folded subject survives a round trip`(subject: String) throws {
        let value = try #require(try read(try message(subject: subject)).root.value("Subject"))
        #expect(try ReadMessage.unfolded(value) == subject)
    }

    @Test(arguments: [
        "Corner Shop", "Bücher & Mehr", "Lovelace, Ada (\"Countess\") \\ Co.", "株式会社コーナーショップ東京本店渋谷支店第二",
        String(repeating: "long name ", count: 20) + "end",
    ])
    func `a name survives a round trip`(name: String) throws {
        var message = try message()
        message.from.name = name
        message.to = [
            Mailbox(name: name, address: try MailAddress("ada@example.org")), try Mailbox("bob@example.org"),
            Mailbox(name: name, address: try MailAddress("cy@example.org")),
        ]
        let root = try read(message).root
        #expect(try Self.mailboxes(root.value("From")) == [[name, "till@shop.example"]])
        #expect(
            try Self.mailboxes(root.value("To")) == [
                [name, "ada@example.org"], ["", "bob@example.org"], [name, "cy@example.org"],
            ])
    }

    /// Names and addresses of a list. A quoted name loses its quotes.
    private static func mailboxes(_ value: String?) throws -> [[String]] {
        var (mailboxes, rest) = ([[String]](), (value ?? "")[...])
        while !rest.isEmpty {
            rest = rest.drop { $0 == " " || $0 == "," }
            var name = ""
            if rest.first == "\"" {
                rest.removeFirst()
                while let character = rest.popFirst(), character != "\"" {
                    name.append(character == "\\" ? rest.popFirst() ?? " " : character)
                }
                rest = rest.drop { $0 == " " }
            } else if let bracket = rest.firstIndex(of: "<"), !rest[..<bracket].contains(",") {
                name = try ReadMessage.unfolded(String(rest[..<bracket].dropLast()))
                rest = rest[bracket...]
            }
            let address = rest.prefix { $0 != "," && $0 != " " }
            rest = rest.dropFirst(address.count)
            mailboxes.append([name, address.filter { $0 != "<" && $0 != ">" }])
        }
        return mailboxes
    }

    @Test(arguments: [
        "\r\nBcc: eve@example.org", "x\nBcc: eve@example.org", "x\r\n\r\nbody", "x\u{85}Bcc: eve@x", "\u{0}\u{1B}[31m",
        "x\u{2028}Bcc: eve@x", "=?utf-8?B?DQpCY2M6IGV2ZUB4?=",
    ])
    func `no text can inject a header field`(text: String) throws {
        var message = try message(subject: text)
        message.from.name = text
        message.to = [Mailbox(name: text, address: try MailAddress("ada@example.org"))]
        message.attachments = [MailAttachment(name: text, type: text, bytes: [])]
        let root = try read(message).root
        #expect(
            root.fields.map(\.name) == [
                "Date", "From", "To", "Subject", "Message-ID", "Auto-Submitted", "MIME-Version", "Content-Type",
            ])
        let file = try #require(root.parts.last)
        #expect(file.fields.map(\.name) == ["Content-Type", "Content-Disposition", "Content-Transfer-Encoding"])
        // A word that looks like an encoded word survives the round trip.
        if text.hasPrefix("=?") { #expect(try ReadMessage.unfolded(root.value("Subject") ?? "") == text) }
    }

    @Test func `random names, subjects and texts never break a message`() throws {
        let alphabet = Array("ab \t\r\n\u{0}\u{7F}=?\"\\<>@,;:.äあ🧾\u{202E}\u{2028}\u{85}Fro".unicodeScalars)
        let random = SeededRandomSource(seed: 6)
        func text() -> String {
            let count = Int(random.number(in: 0...120))
            return String(
                String.UnicodeScalarView(
                    (0..<count).map { _ in alphabet[Int(random.number(in: 0...UInt32(alphabet.count - 1)))] }))
        }
        for seed in 0..<300 as Range<UInt64> {
            var message = try message(subject: text(), text: text(), page: text())
            message.from.name = text()
            message.to = [Mailbox(name: text(), address: try MailAddress("ada@example.org"))]
            message.attachments = [MailAttachment(name: text(), type: "application/pdf", bytes: Array(text().utf8))]
            let root = try ReadMessage(encode(message, seed: seed).bytes).root
            #expect(root.fields.count == 8)
            #expect(root.parts.last?.content == message.attachments.first?.bytes)
        }
    }
}
