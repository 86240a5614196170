import Foundation
import Testing

@Suite("Card data in everything that a payment produces")
struct ReceiptSecrecyTests {
    private static let number = "4761735829463787"
    private static let pin = "739182"
    /// YYMMDD, as tag 5F24 has it.
    private static let expiry = "380731"

    private static let card = """
        name: canary
        description: A card whose number, expiry date and PIN are looked for
        applications:
          - aid: A0000000031010
            label: VISA DEBIT
            priority: 1
            pan: \(number)
            panSequenceNumber: 1
            expiry: 2038-07-31
            issuerCountry: 840
            currency: USD
            usage: [everything]
            cardholderVerification:
              rules:
                - { method: plaintextPIN, when: always, otherwise: fail }
            cryptogram: cvn18
            pin:
              value: "\(pin)"
              tryLimit: 3
        account:
          available: 5000.00
        cardholder:
          pinEntries: ["\(pin)"]

        """

    @Test func `card number, expiration date, and PIN are in no receipt, message, record, or trace`() throws {
        let scratch = try Scratch()
        let profile = try scratch.write(Self.card, to: "canary.yaml")
        let data = ["--database", scratch.database]
        let pay = ["--card", profile, "--pin", Self.pin, "--seed", "1", "--trace", scratch.file("trace"), "--json"]
        let paid = try Program.run(["pay", "12.50"] + pay + data, in: scratch)
        #expect(paid.status == 0 && paid.output.contains("offline_pin"))
        try Program.run(["refund", "1", "--amount", "2.50", "--seed", "1"] + data, in: scratch).expectStatus(0)
        var told: [(name: String, bytes: Data)] = [("pay", Data((paid.output + paid.error).utf8))]
        func tell(_ arguments: [String]) throws {
            let result = try Program.run(arguments + data, in: scratch)
            #expect(result.status == 0, "\(arguments): \(result.error)")
            told.append((arguments.joined(separator: " "), Data((result.output + result.error).utf8)))
        }
        for copy in ["merchant", "customer"] {
            for kind in ["sale", "refund"] {
                let of = ["1", "--of", kind, "--copy", copy]
                for format in ["text", "html", "pdf", "png", "escpos", "json"] {
                    try tell(
                        ["receipts", "render"] + of + [
                            "--format", format, "-o", scratch.file("\(copy)-\(kind).\(format)"),
                        ])
                }
                for format in ["pdf", "html", "text"] {
                    let file = scratch.file("\(copy)-\(kind)-\(format).eml")
                    let people = [
                        "--to", "a@b", "--from", "\(Self.number) <c@d>", "--subject", "card \(Self.number) 07/38",
                    ]
                    try tell(["receipts", "email"] + of + people + ["--format", format, "-o", file])
                }
                try tell(["receipts", "preview"] + of)
                try tell(["receipts", "show"] + of)
            }
        }
        for command in [
            ["receipts", "list", "--json"], ["receipts", "show", "1", "--json"], ["payments", "show", "1", "--json"],
            ["payments", "list"], ["receipts", "jobs", "--json"], ["issuer", "ledger", "--json"],
        ] { try tell(command) }
        let kept = try scratch.everything().filter { $0.name != "canary.yaml" && $0.name != "completion" }
        #expect(
            kept.count >= 20 + 12 && kept.contains { $0.name == "trace" } && kept.contains { $0.name == "till.sqlite" })
        for place in told + kept { expectNothing(in: place.bytes, of: place.name) }
        // What lies packed inside of files: streams of PDF files, pictures, the parts of messages.
        let files = kept.map(\.name).filter { [".pdf", ".png", ".eml"].contains($0.suffix(4)) }
        #expect(files.count >= 20)
        for name in files {
            let unpacked = try Child(
                program: "/usr/bin/env", ["python3", "-c", Self.unpack, scratch.file(name)], in: scratch
            ).result()
            #expect(unpacked.status == 0, "\(name): \(unpacked.error)")
            #expect(unpacked.output.utf8.count > 1000)
            expectNothing(in: Data(unpacked.output.utf8), of: name)
        }
        for name in files.filter({ $0.hasSuffix(".pdf") }) {
            let text = try Child(program: "/usr/bin/env", ["pdftotext", scratch.file(name), "-"], in: scratch).result()
            #expect(text.output.contains("3787"))
            expectNothing(in: Data(text.output.utf8), of: name)
        }
    }

    /// Writes the unpacked content of a file as text, with other characters than ASCII in hexadecimal.
    private static let unpack = #"""
        import email, email.policy, re, struct, sys, zlib
        def show(data):
            sys.stdout.write(data.decode("latin-1").encode("ascii", "backslashreplace").decode() + "\n" + data.hex() + "\n")
        def pdf(data):
            for found in re.finditer(rb"stream\r?\n(.*?)endstream", data, re.S):
                try: show(zlib.decompress(found[1]))
                except zlib.error: show(found[1])
        def png(data):
            place, packed = 8, b""
            while place < len(data):
                length, kind = struct.unpack(">I4s", data[place:place + 8])
                if kind == b"IDAT": packed += data[place + 8:place + 8 + length]
                else: show(data[place + 4:place + 8 + length])
                place += length + 12
            show(zlib.decompress(packed))
        data = open(sys.argv[1], "rb").read()
        if data.startswith(b"%PDF"): pdf(data)
        elif data.startswith(b"\x89PNG"): png(data)
        else:
            message = email.message_from_bytes(data, policy=email.policy.default)
            for name, value in message.items(): show((name + ": " + str(value)).encode())
            for part in message.walk():
                if part.is_multipart(): continue
                content = part.get_payload(decode=True)
                show(content)
                if content.startswith(b"%PDF"): pdf(content)
        """#

    private func expectNothing(in bytes: Data, of name: String) {
        for secret in Self.secrets where bytes.range(of: secret.bytes) != nil {
            Issue.record("\(secret.name) is in \(name)")
        }
    }

    private struct Secret {
        var name: String
        var bytes: Data
    }

    private static let secrets: [Secret] = {
        // Eight digits of the number in a row are more than chance brings together.
        let numbers = (0...8).map { String(number.dropFirst($0).prefix(8)) }
        var secrets: [Secret] = []
        for (name, digits) in numbers.map({ ("the number", $0) }) + [("the PIN", pin), ("the expiry date", expiry)] {
            let packed = packed(digits)
            secrets.append(Secret(name: name, bytes: Data(digits.utf8)))
            secrets.append(Secret(name: "\(name), as hexadecimal ASCII", bytes: hexadecimal(Data(digits.utf8))))
            // Three bytes come together by chance.
            if packed.count >= 4 { secrets.append(Secret(name: "\(name), packed", bytes: packed)) }
            for form in base64(Data(digits.utf8)) + base64(packed) where form.count >= 6 {
                secrets.append(Secret(name: "\(name), in base64", bytes: form))
            }
        }
        // The PIN block of VERIFY (EMV Book 3 §6.5.12), and the expiry date as people write it.
        secrets.append(Secret(name: "the PIN block", bytes: packed("26\(pin)") + Data([0xFF])))
        secrets.append(Secret(name: "the PIN block", bytes: Data("26\(pin)FF".utf8)))
        for date in ["07/38", "07/2038", "2038-07"] {
            secrets.append(Secret(name: "the expiry date", bytes: Data(date.utf8)))
        }
        return secrets
    }()

    /// Two digits a byte.
    private static func packed(_ digits: String) -> Data {
        let values = digits.compactMap(\.wholeNumberValue).map(UInt8.init)
        return Data(stride(from: 0, to: values.count - 1, by: 2).map { values[$0] << 4 | values[$0 + 1] })
    }

    private static func hexadecimal(_ bytes: Data) -> Data {
        Data(bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined().utf8)
    }

    /// What base64 makes of bytes in the middle of others, at the three places that they can have in a group.
    private static func base64(_ bytes: Data) -> [Data] {
        (0..<3).map { shift in
            let text = (Data(repeating: 0, count: shift) + bytes).base64EncodedData()
            let start = (shift * 8 + 5) / 6
            let end = (shift + bytes.count) * 8 / 6
            return text[text.startIndex + start..<text.startIndex + end]
        }
    }
}
