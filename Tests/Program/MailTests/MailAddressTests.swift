import Mail
import Testing

@Suite("Addresses for mail")
struct MailAddressTests {
    @Test(arguments: [
        "ada@shop.example", "a@b", "ada.lovelace+till@mail.shop.example", "!#$%&'*+-/=?^_`{|}~@x.example",
        "ada@xn--bcher-kva.example", "1@1.2", "ada@a-b.example",
        String(repeating: "a", count: 64) + "@" + String(repeating: "b", count: 63) + ".example",
    ])
    func `an address survives a round trip`(text: String) throws {
        let address = try MailAddress(text)
        #expect(address.description == text)
        #expect("\(address.localPart)@\(address.domain)" == text)
    }

    @Test(
        arguments: [
            ("", .nothingThere, 1), ("ada", .noAtSign, 4), ("@shop.example", .noLocalPart, 1), ("ada@", .noDomain, 5),
            ("ada..b@x", .nothingBetweenDots, 5), (".ada@x", .nothingBetweenDots, 1),
            ("ada.@x", .nothingBetweenDots, 4),
            ("ada@x..y", .nothingBetweenDots, 7), ("ada@.x", .nothingBetweenDots, 5),
            ("ada@x.", .nothingBetweenDots, 6),
            ("a b@x", .unexpected(" "), 2), ("ada@@x", .unexpected("@"), 5), ("ada@x y", .unexpected(" "), 6),
            ("ada@x,bob@y", .unexpected(","), 6), ("ada@x_y", .unexpected("_"), 6), ("<ada@x>", .unexpected("<"), 1),
            ("ada(home)@x", .unsupported("("), 4), ("ädä@x", .notASCII("ä"), 1),
            ("ada@bücher.example", .notASCII("ü"), 6),
            ("ada\r\nBcc: eve@x", .control("\r"), 4), ("ada@x\nSubject: free", .control("\n"), 6),
            ("ada\u{7F}@x", .control("\u{7F}"), 4), ("ada@x\u{202E}", .control("\u{202E}"), 6),
            ("\"ada lovelace\"@x", .unsupported("\""), 1), ("\"\"@x", .unsupported("\""), 1),
            ("ada@[192.0.2.1]", .unsupported("["), 5), ("ada@[IPv6:2001:db8::1]", .unsupported("["), 5),
            ("ada@x (home)", .unexpected(" "), 6), ("Ada <ada@x>", .unexpected(" "), 4),
            ("ada@-x", .hyphenAtEnd, 5), ("ada@x-", .hyphenAtEnd, 6), ("ada@x-.y", .hyphenAtEnd, 6),
        ] as [(String, MailAddressError.Reason, Int)])
    func `an invalid address is rejected with its position`(
        text: String, reason: MailAddressError.Reason, position: Int
    ) {
        #expect(throws: MailAddressError(reason, at: position)) { try MailAddress(text) }
    }

    @Test func `the parts have limits`() {
        let long = String(repeating: "a", count: 65)
        #expect(throws: MailAddressError(.tooLong(limit: 64), at: 1)) { try MailAddress("\(long)@x") }
        #expect(throws: MailAddressError(.tooLong(limit: 63), at: 66)) { try MailAddress("a@\(long)") }
        let host = [String](repeating: "abcdefghi", count: 26).joined(separator: ".")
        #expect(throws: MailAddressError(.tooLong(limit: 255), at: 3)) { try MailAddress("a@\(host)") }
    }

    @Test(
        arguments: [
            ("ada@x", nil, "ada@x"), (" ada@x ", nil, "ada@x"), ("<ada@x>", nil, "ada@x"),
            ("Ada Lovelace <ada@x>", "Ada Lovelace", "ada@x"), ("\"Lovelace, Ada\" <ada@x>", "Lovelace, Ada", "ada@x"),
            ("Bücher & Mehr <ada@x>", "Bücher & Mehr", "ada@x"),
            ("متجر <ada@x>", "متجر", "ada@x"), ("Ada \"Byron\" <ada@x>", "Ada \"Byron\"", "ada@x"),
        ] as [(String, String?, String)])
    func `an address can have a name`(text: String, name: String?, address: String) throws {
        let mailbox = try Mailbox(text)
        #expect(mailbox.name == name)
        #expect(mailbox.address.description == address)
    }

    @Test(
        arguments: [
            ("Ada <ada@x", .openBracket, 5), ("Ada <>", .nothingThere, 6),
            ("Ada <ada@x>, Bob <b@y>", .unexpected(","), 12),
            ("Ada\u{0} <ada@x>", .control("\u{0}"), 4), ("Ada\r\nBcc: eve@x <ada@x>", .control("\r"), 4),
            ("   ", .nothingThere, 1), ("Ada <ada@>", .noDomain, 10),
            ("<\"a>b\"@x>", .unsupported("\""), 2), ("ada@x <bob@y>", .unexpected(" "), 6),
        ] as [(String, MailAddressError.Reason, Int)])
    func `an invalid mailbox is rejected with its position`(
        text: String, reason: MailAddressError.Reason, position: Int
    ) {
        #expect(throws: MailAddressError(reason, at: position)) { try Mailbox(text) }
    }

    @Test func `an error has a position and no part of the address`() throws {
        let error = try #require(throws: MailAddressError.self) { try MailAddress("ada.lovelace@bücher.example") }
        #expect(error.description == "character 15: 'ü' is not ASCII: many mail servers reject such addresses")
        #expect(error.fix == "write the host name in its ASCII form, which begins with 'xn--'")
        let control = try #require(throws: MailAddressError.self) { try MailAddress("a\n@x") }
        #expect(control.description == "character 2: a control character (U+000A) is not allowed here")
    }
}
