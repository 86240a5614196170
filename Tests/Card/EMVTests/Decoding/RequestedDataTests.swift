import EMV
import SmartCard
import Testing

/// Data that a recognized layout explains, although its digits look like an account number: commands that answer a data
/// object list, and issuer authentication data.
struct RequestedDataTests {
    private func text(
        _ hex: String, as kind: String? = nil, list: String? = nil, brand: CardBrand? = nil
    ) throws -> String {
        let subject = try kind.map { try #require(DecodingSubject(name: $0)) }
        let list = try list.map { try DataObjectList(bytes($0)) }
        return try #require(EMVDecoder.decode(bytes(hex), as: subject, brand: brand, answering: list)).text
    }

    private func command(_ header: String, _ data: String) -> String {
        let count = bytes(data).count
        return header + [UInt8(count)].hexText + data + "00"
    }

    private static let usual = "000000001250 000000000000 0840 0000008000 0840 260102 00 A1B2C3D4"

    // EMV Book 2 §8.1.1: the cryptogram covers at least these data
    @Test(arguments: [("80AE8000", ""), ("80AE4000", "3030"), ("80AE9000", "")])
    func `the usual data of GENERATE AC is recognized`(header: String, first: String) throws {
        let text = try text(command(header, first + Self.usual), as: "command")
        for line in [
            "9F02  amount authorised", "000000001250 = 1250 minor units", "0840 = USA", "0840 = USD, 2 decimals",
            "4.8  floor limit exceeded", "260102 = 2026-01-02", "00 = purchase", "A1B2C3D4",
        ] {
            #expect(text.contains(line), "\(line)\n\(text)")
        }
        #expect(text.contains("3030 = 00: approved") == !first.isEmpty)
        #expect(!text.contains("not shown"))
    }

    @Test func `the usual data of GET PROCESSING OPTIONS is recognized`() throws {
        let text = try text(command("80A80000", "8321 36000000" + Self.usual), as: "command")
        #expect(text.contains("9F66  terminal transaction qualifiers"), "\(text)")
        #expect(text.contains("260102 = 2026-01-02") && text.contains("A1B2C3D4") && !text.contains("not shown"))
    }

    @Test func `no amount and no date hides the data of GENERATE AC`() throws {
        for number in 0..<300 {
            let digits = String(String(1_000_000_000_000 + number * 41_517_003).dropFirst())
            let day = String(String(101 + number % 28).dropFirst())
            let data = "\(digits) \(digits) 0276 0000008000 0978 2607\(day) 00 \(digits.prefix(8))"
            let text = try text(command("80AE8000", data), as: "command")
            #expect(!text.contains("not shown"), "\(data)")
        }
    }

    @Test(arguments: [
        "4761739001010010", "5413330089020011", "374245001751006F", "6212345678900000003F", "36070500001020",
    ])
    func `an account number in such data is never shown`(number: String) throws {
        let middle = String(number.dropFirst(4).prefix(9))
        // Instead of the unpredictable number, behind it, before everything, and in the middle.
        let head = "000000001250 000000000000 0840 0000008000 0840 260102 00"
        for data in [
            head + number, head + "A1B2C3D4" + number, number + head + "A1B2C3D4",
            "000000001250 000000000000" + number + "0840 0000008000 0840 260102 00 A1B2C3D4",
        ] {
            for text in [
                try text(command("80AE8000", data), as: "command"),
                try text(command("80A80000", "83" + [UInt8(bytes(data).count)].hexText + data), as: "command"),
            ] {
                #expect(!text.contains(middle), "\(data)\n\(text)")
                #expect(text.contains("not shown"), "\(data)\n\(text)")
            }
        }
    }

    @Test func `a stated list names every value, and masks card data by its tag`() throws {
        let list = "9F0206 5A0A 5F3401 9F3704"
        let data = "000000001250 4761739001010010FFFF 01 01020304"
        let text = try text(command("80AE8000", data), as: "command", list: list)
        #expect(text.contains("9F02  amount authorised"), "\(text)")
        #expect(text.contains("476173******0010") && !text.contains("9001010010"), "\(text)")
        #expect(text.contains("9F37  unpredictable number") && text.contains("01020304"), "\(text)")
        // DDOL of INTERNAL AUTHENTICATE, and an exchange.
        #expect(
            try self.text("008800000401020304 00", as: "command", list: "9F3704").contains(
                "9F37  unpredictable number (b, 4 bytes, terminal)  01020304"))
        #expect(
            try self.text("80A80000048302 0840 00 8004 3C00 0801 9000", as: "exchange", list: "9F1A02").contains(
                "0840 = USA"))
    }

    @Test func `a list of another length is a problem, and hides what it hid before`() throws {
        let decoding = try #require(
            EMVDecoder.decode(
                bytes(command("80AE8000", "4761739001010010")), as: .command,
                answering: try DataObjectList(bytes("9F0206"))))
        #expect(
            decoding.problem?.description
                == "the data object list asks for 6 bytes, and the command has 8, at offset 5")
        #expect(!decoding.text.contains("4761739001010010"))
    }

    // EMV Book 2 §8.2: an ARPC is a cryptogram, whatever its digits look like
    @Test func `tag 91 is shown where its layout is certain`() throws {
        let mastercard = try text("4761739001010010 0010", as: "91", brand: .mastercard)
        #expect(mastercard.contains("ARPC, method 1  4761739001010010"), "\(mastercard)")
        #expect(mastercard.contains("ARPC response code  0010") && !mastercard.contains("not shown"))
        #expect(try text("4761739001010010 3030", as: "91").contains("ARPC, method 1  4761739001010010"))
        #expect(try text("4761739001010010", as: "91", brand: .visa).contains("ARPC, method 2  47617390"))
        #expect(try text("11223344 03920000 4761739001010010", as: "91", brand: .visa).contains("not shown"))
        // Without a payment system, these bytes may be anything.
        #expect(try text("4761739001010010", as: "91").contains("not shown"))
    }
}
