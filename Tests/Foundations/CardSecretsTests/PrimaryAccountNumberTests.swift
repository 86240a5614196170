import CardSecrets
import Testing

struct PrimaryAccountNumberTests {
    private func error(_ body: () throws(PrimaryAccountNumberError) -> Void) -> PrimaryAccountNumberError? {
        do {
            try body()
            return nil
        } catch { return error }
    }

    @Test func `an even number of digits fills its bytes`() throws {
        let pan = try PrimaryAccountNumber(compressedNumeric: [0x47, 0x61, 0x73, 0x90, 0x01, 0x01, 0x00, 0x10])
        #expect(pan.digitCount == 16)
        #expect(pan.lastFour == "0010")
        #expect(pan.hasValidCheckDigit == true)
        #expect(pan.masked?.description == "************0010")
        #expect(pan.withDigits { Array($0.prefix(4)) } == [4, 7, 6, 1])
    }

    @Test func `an odd number of digits is filled up with F`() throws {
        let pan = try PrimaryAccountNumber(compressedNumeric: [0x37, 0x82, 0x82, 0x24, 0x63, 0x10, 0x00, 0x5F, 0xFF])
        #expect(pan.digitCount == 15)
        #expect(pan.hasValidCheckDigit == true)
        let copy = pan.duplicate()
        #expect(copy.lastFour == "0005")
    }

    @Test func `track 2 gives the digits before the separator`() throws {
        let pan = try PrimaryAccountNumber(trackTwo: [0x54, 0x13, 0x33, 0x00, 0x89, 0x02, 0x00, 0x11, 0xD2, 0x51, 0x2F])
        #expect(pan.digitCount == 16)
        #expect(pan.lastFour == "0011")
        let odd = try PrimaryAccountNumber(trackTwo: [0x12, 0x34, 0x56, 0x78, 0x9D, 0x25])
        #expect(odd.digitCount == 9)
    }

    @Test func `a wrong digit fails the check`() throws {
        let pan = try PrimaryAccountNumber(compressedNumeric: [0x47, 0x61, 0x73, 0x90, 0x01, 0x01, 0x00, 0x11])
        #expect(pan.hasValidCheckDigit == false)
    }

    @Test func `an invalid PAN is rejected`() {
        #expect(
            error { () throws(PrimaryAccountNumberError) in _ = try PrimaryAccountNumber(compressedNumeric: []) }
                == .wrongLength(0))
        #expect(
            error { () throws(PrimaryAccountNumberError) in
                _ = try PrimaryAccountNumber(compressedNumeric: [0x12, 0x34, 0x56, 0x7F])
            } == .wrongLength(7))
        #expect(
            error { () throws(PrimaryAccountNumberError) in
                _ = try PrimaryAccountNumber(compressedNumeric: Array(repeating: 0x11, count: 10))
            } == .wrongLength(20))
        #expect(
            error { () throws(PrimaryAccountNumberError) in
                _ = try PrimaryAccountNumber(compressedNumeric: [0x12, 0x3A, 0x56, 0x78, 0x90])
            } == .notDigits)
        #expect(
            error { () throws(PrimaryAccountNumberError) in
                _ = try PrimaryAccountNumber(compressedNumeric: [0x12, 0x34, 0xF6, 0x78, 0x90])
            } == .notDigits)
        #expect(
            error { () throws(PrimaryAccountNumberError) in
                _ = try PrimaryAccountNumber(trackTwo: [0x12, 0x34, 0x56, 0x78, 0x90])
            } == .noFieldSeparator)
        #expect(
            error { () throws(PrimaryAccountNumberError) in
                _ = try PrimaryAccountNumber(trackTwo: [0x12, 0x34, 0x56, 0x78, 0xFD, 0x25])
            } == .notDigits)
    }

    @Test func `a mask shows four digits and nothing else`() {
        #expect(MaskedPAN(lastFour: "1234", digitCount: 19)?.description == "***************1234")
        #expect(MaskedPAN(lastFour: "1234", digitCount: 8)?.description == "****1234")
        for (text, count) in [("123", 16), ("12345", 16), ("12a4", 16), ("1234", 7), ("1234", 20), ("١٢٣٤", 16)] {
            #expect(MaskedPAN(lastFour: text, digitCount: count) == nil)
        }
    }
}
