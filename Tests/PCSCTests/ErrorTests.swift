import Testing

@testable import PCSC

@Suite("Errors of PC/SC") struct ErrorTests {
    @Test func `codes have the names of PC/SC, and unknown ones their number`() {
        #expect(PCSCErrorCode.sharingViolation.description == "SCARD_E_SHARING_VIOLATION")
        #expect(PCSCErrorCode(rawValue: 0x8010_0099).description == "0x80100099")
        // pcsclite returns the same code with and without its sign.
        #expect(PCSCErrorCode(returned: 0x8010_000B) == .sharingViolation)
        #expect(PCSCErrorCode(returned: Int(Int32(bitPattern: 0x8010_000B))) == .sharingViolation)
        #expect(PCSCErrorCode(returned: 0) == nil)
    }

    @Test(arguments: 0...0x80 as ClosedRange<UInt32>)
    func `whatever fails, the text names the code`(code: UInt32) {
        let code = PCSCErrorCode(rawValue: 0x8010_0000 + code)
        #expect(PCSCError.failed(.transmit, code).description.contains("(\(code))"))
    }
}
