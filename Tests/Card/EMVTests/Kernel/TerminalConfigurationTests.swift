import EMV
import Testing

struct TerminalConfigurationTests {
    // EMV Book 3 annex A: terminal data keep to the lengths and ranges of their data elements
    @Test func `values that do not fit their data element are rejected with the field`() {
        #expect(throws: TerminalConfigurationError.number(field: "country", maximum: 999)) {
            try TerminalConfiguration(country: 1000)
        }
        #expect(throws: TerminalConfigurationError.text(field: "terminal identification", lengths: 8...8)) {
            try TerminalConfiguration(terminalIdentification: "1234567")
        }
        #expect(throws: TerminalConfigurationError.text(field: "merchant identifier", lengths: 1...15)) {
            try TerminalConfiguration(merchantIdentifier: "Käse")
        }
        #expect(throws: TerminalConfigurationError.applications) { try TerminalConfiguration(applications: []) }
        #expect(throws: TerminalConfigurationError.applications) {
            try TerminalConfiguration(
                applications: TerminalApplication.standard + TerminalApplication.standard)
        }
        #expect(throws: TerminalConfigurationError.number(field: "acquirer", maximum: 99_999_999_999)) {
            try TerminalConfiguration(acquirer: 100_000_000_000)
        }
    }

    // EMV Book 1 §12.2.1: an application identifier has 5 to 16 bytes
    @Test func `an application needs an AID of 5 to 16 bytes, a version and readable lists`() {
        let codes = ActionCodes(denial: [], online: [], default: [])
        #expect(throws: TerminalConfigurationError.aidLength(4)) {
            try TerminalApplication(aid: bytes("A0000000"), versions: [1], actionCodes: codes)
        }
        #expect(throws: TerminalConfigurationError.noVersion(aid: bytes("A000000003"))) {
            try TerminalApplication(aid: bytes("A000000003"), versions: [], actionCodes: codes)
        }
        #expect(throws: TerminalConfigurationError.dataObjectList(.truncated(offset: 0))) {
            try TerminalApplication(
                aid: bytes("A000000003"), versions: [1], actionCodes: codes, defaultDDOL: bytes("9F37"))
        }
    }

    @Test func `a brand is found by the first five bytes of an AID`() {
        #expect(CardBrand(aid: bytes("A0000000031010")) == .visa)
        #expect(CardBrand(aid: bytes("A0000000043060")) == .mastercard)
        #expect(CardBrand(aid: bytes("A000000333010101")) == .unionPay)
        #expect(CardBrand(aid: bytes("F0000000031010")) == nil)
        #expect(CardBrand(aid: []) == nil)
        #expect(CardBrand.allCases.allSatisfy { brand in brand.rids.allSatisfy { $0.count == 5 } })
    }
}
