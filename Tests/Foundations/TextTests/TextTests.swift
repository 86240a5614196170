import Testing
import Text

@Suite struct HexadecimalTests {
    @Test func `bytes become two digits each, uppercase or lowercase`() {
        #expect(([0x9F, 0x02, 0x00] as [UInt8]).hexadecimal == "9F0200")
        #expect(([0x9F, 0x02, 0x00] as [UInt8]).lowercaseHexadecimal == "9f0200")
        #expect(([0xAB] as [UInt8]).lowercaseHexadecimalDigits == Array("ab".utf8))
        #expect([UInt8]().hexadecimal.isEmpty)
    }

    @Test func `a number has two digits for each byte of its type`() {
        #expect((0x4E6 as UInt16).hexadecimal == "04E6")
        #expect((0x4E6 as UInt16).lowercaseHexadecimal == "04e6")
        #expect((0x0A as UInt8).hexadecimal == "0A")
        #expect((1 as UInt32).hexadecimal == "00000001")
    }

    @Test(arguments: ["", "00", "9f02", "9F02aB"])
    func `digits are read as they were written`(text: String) {
        #expect([UInt8](hexadecimal: text)?.lowercaseHexadecimal == text.lowercased())
    }

    @Test(arguments: ["0", "9F0", "0x", "9 F0", "+1", "１２", "a\u{301}b"])
    func `an odd number of digits and other characters are refused`(text: String) {
        #expect([UInt8](hexadecimal: text) == nil)
    }
}

@Suite struct Base64Tests {
    // RFC 4648 §10.
    @Test(arguments: [
        ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="), ("fooba", "Zm9vYmE="),
        ("foobar", "Zm9vYmFy"),
    ])
    func `the test vectors of the RFC hold`(text: String, encoded: String) {
        #expect(text.utf8.base64 == encoded)
        #expect(text.utf8.base64Digits == Array(encoded.utf8))
    }

    @Test func `the last two characters of the alphabet are plus and slash`() {
        #expect(([0xFB, 0xEF, 0xBE, 0xFF, 0xFF, 0xFF] as [UInt8]).base64 == "++++////")
    }
}

@Suite struct PaddingTests {
    @Test func `zeros fill a number up, and a wide number stays`() {
        #expect(7.zeroPadded(to: 2) == "07")
        #expect(123.zeroPadded(to: 2) == "123")
        #expect(0o644.zeroPadded(to: 4, radix: 8) == "0644")
        #expect((0xAB as UInt32).zeroPadded(to: 4, radix: 16) == "00ab")
    }

    @Test func `a decimal point is inserted before the last digits`() {
        #expect(1250.decimalText(scale: 2) == "12.50")
        #expect(5.decimalText(scale: 2) == "0.05")
        #expect((-5).decimalText(scale: 3) == "-0.005")
        #expect(7.decimalText(scale: 0) == "7")
        #expect(Int64.min.decimalText(scale: 18) == "-9.223372036854775808")
    }
}

@Suite struct FixedLengthTests {
    @Test func `a field has exactly its length`() {
        #expect("AB".utf8.padded(to: 4, with: 0x20) == [0x41, 0x42, 0x20, 0x20])
        #expect([UInt8]([1, 2, 3]).padded(to: 2, with: 0) == [1, 2])
        #expect([UInt8]().padded(to: 0, with: 0).isEmpty)
    }
}

@Suite struct PercentEncodingTests {
    @Test func `everything but unreserved characters is encoded`() {
        #expect(PercentEncoding.encode("a b/ü~") == "a%20b%2F%C3%BC~")
        #expect(PercentEncoding.form([("a", "1 2"), ("b&", "=")]) == "a=1%202&b%26=%3D")
    }

    @Test func `escapes are decoded, and other text stays`() {
        #expect(PercentEncoding.decode("a%20b+c%2f") == "a b c/")
        #expect(PercentEncoding.decode("a+b", plusIsSpace: false) == "a+b")
        #expect(PercentEncoding.decode("100%, %4, %zz, %+1") == "100%, %4, %zz, % 1")
        #expect(PercentEncoding.decode("%FF") == "\u{FFFD}")
    }
}
