import EMV
import SmartCard
import Testing

/// Messages as cards and hosts send them, and the trees that come out.
struct DecodedMessageTests {
    private func tree(_ text: String, as kind: String? = nil, brand: CardBrand? = nil) throws -> String {
        let subject = try kind.map { try #require(DecodingSubject(name: $0)) }
        let decoding = try #require(EMVDecoder.decode(bytes(text), as: subject, brand: brand))
        #expect(decoding.problem == nil)
        return decoding.text
    }

    // EMV Book 1 §11.3.4: the file control information of the directory names its file
    @Test func `the payment system environment is a tree of three levels`() throws {
        #expect(
            try tree("6F1A840E315041592E5359532E4444463031A5088801025F2D02656E") == """
                6F  FCI template (b, 26 bytes, card)
                    84  DF name (b, 14 bytes, card)  315041592E5359532E4444463031 = 1PAY.SYS.DDF01, the payment system \
                environment
                    A5  FCI proprietary template (b, 8 bytes, card)
                        88  short file identifier (b, 1 byte, card)  02 = file 2
                        5F2D  language preference (an, 2 bytes, card)  656E = en

                """)
    }

    // EMV Book 1 §11.3.4: the file control information of an application has its name, label, priority and PDOL
    // EMV Book 1 §12.2.3: the priority indicator tells the order and whether the cardholder must confirm
    @Test func `an application's FCI shows its names, priority, and requested data`() throws {
        let message = """
            6F 2C 84 07 A0000000031010 A5 21 50 0B 56495341 20 435245444954 87 01 81 9F11 01 01 9F12 04 56697361 9F38 03
            9F1A02
            """
        #expect(
            try tree(message) == """
                6F  FCI template (b, 44 bytes, card)
                    84  DF name (b, 7 bytes, card)  A0000000031010 = Visa, credit or debit
                    A5  FCI proprietary template (b, 33 bytes, card)
                        50  application label (ans, 11 bytes, card)  5649534120435245444954 = "VISA CREDIT"
                        87  application priority indicator (b, 1 byte, card)  81
                            1.8  cardholder must confirm the application
                            1.4-1  priority, 1 first, 0 none: 1
                        9F11  issuer code table index (n, 1 byte, card)  01 = 01
                        9F12  application preferred name (ans, 4 bytes, card)  56697361 = "Visa"
                        9F38  PDOL (b, 3 bytes, card)  9F1A02
                            9F1A  terminal country code (n, 2 bytes, terminal)

                """)
    }

    // EMV Book 3 §6.5.8.4: AIP and AFL come one behind the other in format 1, and as data objects in format 2
    @Test func `both formats of the GET PROCESSING OPTIONS response are decoded alike`() throws {
        let parts = """
                82  application interchange profile (b, 2 bytes, card)  5C00
                    1.7  SDA supported
                    1.5  cardholder verification supported
                    1.4  terminal risk management to be performed
                    1.3  issuer authentication by EXTERNAL AUTHENTICATE supported
                94  application file locator (b, 8 bytes, card)  0801010010010301
                    file 1  08010100 = record 1
                    file 2  10010301 = records 1 to 3, 1 of them in offline data authentication
            """
        let first = try tree("80 0A 5C00 0801010010010301")
        #expect(
            first == "80  response template, format 1 (b, 10 bytes, card): answer to GET PROCESSING OPTIONS\n\(parts)\n"
        )
        let second = try tree("77 0E 8202 5C00 9408 0801010010010301")
        #expect(second == "77  response template, format 2 (b, 14 bytes, card)\n\(parts)\n")
    }

    // EMV Book 3 §6.5.5.4: format 1 holds cryptogram information, counter, cryptogram and issuer data one behind the
    // other
    @Test func `a GENERATE AC response in format 1 is decoded into its parts`() throws {
        #expect(
            try tree("80 12 80 0042 1122334455667788 06010A03A4A002 9000", as: "response") == """
                response
                    80  response template, format 1 (b, 18 bytes, card): answer to GENERATE AC
                        9F27  cryptogram information data (b, 1 byte, card)  80
                            1.8-7  ARQC: the card asks for its issuer
                            1.3-1  no reason given
                        9F36  application transaction counter (b, 2 bytes, card)  0042 = 66
                        9F26  application cryptogram (b, 8 bytes, card)  1122334455667788
                        9F10  issuer application data (b, 7 bytes, card)  06010A03A4A002 = Visa, format 0
                            derivation key index  01 = 1
                            cryptogram version number  0A = CVN 10: no session key, results in the cryptogram
                            card verification results  A4A002
                                1.8-7  second GENERATE AC not requested
                                1.6-5  first GENERATE AC or GPO returned ARQC
                                1.3  offline PIN verified
                                2.8  last online transaction not completed
                                2.6  velocity checking counters exceeded
                                3.8-5  issuer script commands processed: 0
                                3.2  DDA performed
                    status word  9000 = done

                """)
    }

    @Test func `a record shows its card data masked`() throws {
        let record = tlv(
            0x70, tlv(0x57, "4761739001010010D22122011143878044"), BERTLV.encode(0x5F20, Array("FULL FUNCTIONAL".utf8)),
            tlv(0x5A, "4761739001010010"), tlv(0x5F24, "221231"), tlv(0x8E, "00000000 00001388 4206"),
            tlv(0x9F4A, "82"))
        let text = try tree(record.hexText)
        #expect(text.contains("(b, 17 bytes, card): PAN 476173******0010, expires 2022-12, service code 201"))
        #expect(text.contains("10 discretionary digits not shown"))
        #expect(text.contains("5F20  cardholder name (ans, 15 bytes, card): F*** F*********"))
        #expect(text.contains("5A  PAN (cn, 8 bytes, card): 476173******0010\n"))
        #expect(text.contains("221231 = 2022-12-31"))
        #expect(text.contains("amount Y  00001388 = 5000 minor units"))
        #expect(
            text.contains(
                "rule 1  4206 = enciphered PIN verified online, if in the application currency and under X; "
                    + "otherwise the next rule"))
        #expect(text.contains("9F4A  SDA tag list (b, 1 byte, card)  82\n        82  application interchange profile"))
    }

    @Test func `chip data of an authorization request is shown with amounts in their currency`() throws {
        let message = """
            9F26 08 94D5A91C0C0F6A34 9F27 01 80 9F10 12 0110A00003240000000000000000000000FF 9F37 04 9A1B2C3D 9F36 02 0007
            95 05 0000008000 9A 03 260102 9C 01 00 9F02 06 000000001250 5F2A 02 0978 82 02 3900 9F1A 02 0276
            9F03 06 000000000000 9F33 03 E0F8C8 9F34 03 410302 9F35 01 22 9F1E 08 3030303030303031 84 07 A0000000041010
            9F09 02 0002 9F41 04 00000012 5F34 01 00
            """
        let text = try tree(message)
        for line in [
            "000000001250 = 12.50 EUR", "0978 = EUR, 2 decimals", "0276 = DEU", "= M/Chip 4 or M/Chip Advance",
            "cryptogram version number  10 = Mastercard session key", "4.6  offline PIN verification not performed",
            "A0000000041010 = Mastercard, credit or debit", "method  41 = plaintext PIN verified by the card",
            "result  02 = successful", "22 = attended, offline with online capability, run by the merchant",
            "\"00000001\"", "4.8  floor limit exceeded",
        ] {
            #expect(text.contains(line), "\(line)")
        }
    }

    // EMV Book 3 §6.5.10: PIN CHANGE/UNBLOCK tells in P2 what it does with the PIN
    // EMV Book 3 §6.5.2: APPLICATION UNBLOCK is instruction 18
    @Test func `a script's commands are decoded, and a PIN in one stays hidden`() throws {
        let script = tlv(
            0x71, tlv(0x9F18, "00000001"), tlv(0x86, "84240002 04 DEADBEEF"),
            tlv(0x86, "04DA9F58 08 A1B2C3D4E5F60718"), tlv(0x86, "84180000"))
        let text = try tree(script.hexText)
        #expect(text.contains("PIN CHANGE/UNBLOCK: change and unblock the PIN, secure messaging"))
        #expect(text.contains("data: not shown: PIN data"))
        #expect(!text.contains("DEADBEEF"))
        #expect(text.contains("PUT DATA: data object 9F58, secure messaging"))
        #expect(text.contains("data  A1B2C3D4E5F60718"))
        #expect(text.contains("APPLICATION UNBLOCK: secure messaging"))
    }

    // EMV Book 3 §6.5.5: P1 of GENERATE AC tells the kind of cryptogram and whether it is to be signed
    // EMV Book 3 §6.5.12: 63Cx to VERIFY says how many tries are left
    @Test func `an exchange is a command and its answer`() throws {
        let text = try tree("00A4040007A000000003101000 6F09 8407A0000000031010 9000")
        #expect(text.hasPrefix("SELECT: by name\n"))
        #expect(text.contains("name  A0000000031010 = Visa, credit or debit"))
        #expect(text.hasSuffix("status word  9000 = done\n"))
        #expect(try tree("00A4040007A000000003101000 6A82").contains("6A82 = no application of that name"))
        #expect(try tree("0020008008 241234FFFFFFFFFF 63C2").contains("verification failed, 2 tries left"))
        #expect(try !tree("0020008008 241234FFFFFFFFFF 63C2").contains("1234"))
        #expect(
            try tree("80AE9000 0A 00000000010000000000 00").contains(
                "asks for ARQC (go online), CDA signature requested"))
        #expect(try tree("0084000000 1122334455667788 9000").contains("challenge  1122334455667788"))
        #expect(try tree("00B2010C00 7004 5F340101 9000").contains("READ RECORD: record 1 of file 1"))
    }

    @Test(arguments: [
        ("9000", "done"), ("6983", "authentication method blocked"), ("6112", "18 bytes of response wait"),
        ("6C00", "wrong expected length: 256 bytes are there"), ("6285", "warning"), ("6FAA", "error"),
        ("9F10", "unknown"),
    ])
    func `a status word is put into words`(status: String, words: String) throws {
        #expect(try tree(status, as: "response") == "response\n    status word  \(status) = \(words)\n")
    }

    // EMV Book 2 §8.2: the issuer answers with an ARPC of eight bytes and a response code, or of four bytes and a
    // card status update
    @Test func `M/Chip's response code in tag 91 is two binary bytes`() throws {
        let text = try tree("3C7B92925FAA2F15 0010", as: "91")
        #expect(text.contains("ARPC, method 1  3C7B92925FAA2F15"))
        #expect(text.contains("issuer approves the online transaction"))
        #expect(!text.contains("block"))
        let other = try tree("3C7B92925FAA2F15 031F", as: "91")
        for words in ["new PIN try counter: 3", "update the PIN try counter", "go online on the next", "add this"] {
            #expect(other.contains(words))
        }
        #expect(text.contains("3C7B92925FAA2F15 = if the payment system uses method 1"))
        // Two bytes of proprietary data, which the card status update announces.
        #expect(try tree("A1B2C3D4 80820000 0010", as: "91").contains("proprietary authentication data  0010"))
    }

    @Test func `the method of ten bytes in tag 91 is marked as a guess, unless the payment system has only one`() throws
    {
        #expect(try tree("A1B2C3D4E5F60718 3030", as: "91").contains("0718 = if the payment system uses method 1"))
        #expect(try tree("A1B2C3D4 80820000 0010", as: "91").contains("A1B2C3D4 = if the payment system uses method 2"))
        #expect(try !tree("11223344 03920000", as: "91").contains("if the payment system"))
        #expect(try !tree("11223344 03920000 01", as: "91").contains("if the payment system"))
        let sure = try tree("3C7B92925FAA2F15 0010", as: "91", brand: .mastercard)
        #expect(sure.contains("ARPC, method 1") && !sure.contains("if the payment system"))
    }

    @Test func `a response to INTERNAL AUTHENTICATE is shown, whatever its digits look like`() throws {
        let signature =
            [UInt8](repeating: 0x47, count: 4) + bytes("4761739001010010") + [UInt8](repeating: 0x11, count: 116)
        let value = try #require(EMVDecoder.decode(BERTLV.encode(0x80, signature))?.values.first)
        #expect(value.meaning == "answer to INTERNAL AUTHENTICATE" && !value.isMasked)
    }

    // EMV Book 3 annex C10: the card status update holds the new PIN try counter and what the card is to do
    @Test func `issuer authentication data is decoded by method`() throws {
        let first = try tree("A1B2C3D4E5F60718 3030", as: "91")
        #expect(first.contains("ARPC, method 1  A1B2C3D4E5F60718"))
        #expect(first.contains("authorisation response code  3030 = 00: approved by the issuer"))
        let second = try tree("11223344 03920000", as: "91")
        #expect(second.contains("ARPC, method 2  11223344"))
        for line in [
            "1.4-1  new PIN try counter: 3", "2.8  issuer approves the online transaction",
            "2.5  update the PIN try counter", "2.2-1  reset the offline counters to zero",
        ] {
            #expect(second.contains(line), "\(line)")
        }
        #expect(try tree("03920000", as: "csu").contains("2.5  update the PIN try counter"))
    }

    // EMV Book 4 annex A5: each script has a result of five bytes with the number of the command that failed
    @Test func `script results are five bytes a script`() throws {
        let text = try tree("2000000001 1300000002", as: "9F5B")
        #expect(text.contains("script 1  2000000001 = successful"))
        #expect(text.contains("script 2  1300000002 = failed at command 3"))
    }

    // EMV Book 4 annex A1: terminal type 14 is an unattended online-only terminal of a financial institution
    // EMV Book 4 annex A6: Y3 is an offline approval after the issuer could not be reached
    @Test(arguments: [
        ("8A", "5933", "Y3: unable to go online, offline approved"), ("8A", "3035", "05: declined by the issuer"),
        ("9C", "20", "refund"), ("9F39", "07", "contactless chip"), ("9F21", "235959", "23:59:59"),
        ("5F30", "0221", "international, chip; authorised online; no restrictions"),
        ("9F2A", "03", "kernel 3: Visa"), ("9F4D", "0B0A", "file 11, 10 records"),
        ("9F1B", "000003E8", "1000 minor units"),
        ("5F2D", "656E6672", "en, fr"), ("9F35", "14", "unattended, online only, run by the financial institution"),
        ("9F3B", "08400978", "USD, 2 decimals; EUR, 2 decimals"),
    ])
    func `a single value is decoded with its tag`(tag: String, value: String, words: String) throws {
        #expect(try tree(value, as: tag).hasSuffix(value + " = \(words)\n"))
    }

    @Test func `a problem of a value is shown next to it`() throws {
        for (tag, value, problem) in [
            ("82", "5C", "the length is 2 by the rules"), ("9F02", "00000000125A", "not decimal digits"),
            ("9A", "260230", "not a valid date"), ("9F21", "240000", "not a valid time"),
            ("9F35", "99", "not a terminal type"), ("94", "08010101 FF010101", "entry"),
            ("5A", "4761739001010011", "check digit"),
            ("57", "4761739001010010", "no account number followed by a separator"),
        ] {
            #expect(try tree(value, as: tag).contains("\n    ! "), "\(tag)")
            #expect(try tree(value, as: tag).contains(problem), "\(problem)")
        }
    }
}
