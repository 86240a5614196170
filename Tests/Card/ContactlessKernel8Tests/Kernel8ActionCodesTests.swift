import ContactlessKernel8
import EMV
import Testing

/// The action codes and capabilities of kernel 8 that follow from those of a terminal.
struct Kernel8ActionCodesTests {
    private static let offlineOnly: [UInt8] = [0x13, 0x16, 0x23, 0x26, 0x36]

    private func type(_ byte: UInt8) throws -> TerminalType { try #require(TerminalType(rawValue: byte)) }

    private func terminal(
        _ byte: UInt8 = 0x22, _ capabilities: TerminalCapabilities = TerminalConfiguration.standardCapabilities
    ) throws -> TerminalConfiguration {
        try TerminalConfiguration(type: try type(byte), capabilities: capabilities)
    }

    @Test func `bits that both kinds of cards have are taken over, and no others`() {
        let all = TerminalVerificationResults(rawValue: 0xFF_FFFF_FFFF)
        #expect(Kernel8VerificationResults(contact: all).bytes == hex("84F0848000"))
        #expect(Kernel8VerificationResults(contact: []).isEmpty)
        for (contact, kernel8) in [
            ("8000000000", "8000000000"), ("4000000000", "0400000000"), ("0800000000", "0400000000"),
            ("0400000000", "0400000000"), ("0080000000", "0080000000"), ("0000800000", "0000800000"),
            ("0000040000", "0000040000"), ("0000008000", "0000008000"), ("00000000FF", "0000000000"),
            ("330F7B7F00", "0000000000"),
        ] {
            let results = TerminalVerificationResults(bytes: hex(contact))
            #expect(results.map { Kernel8VerificationResults(contact: $0).bytes } == hex(kernel8), "\(contact)")
        }
    }

    // EMV Book C-8 state 20: no results of a card may reach an approval that only an issuer could give
    @Test func `a terminal that never goes online declines what its issuer would decide`() throws {
        let codes = ActionCodes(denial: .expiredApplication, online: [], default: .serviceNotAllowed)
        for byte in Self.offlineOnly {
            let kernel8 = Kernel8ActionCodes(codes, terminalType: try type(byte))
            #expect(kernel8.denial.bytes == hex("845084800C"))
            for bit in (0..<40).map({ Kernel8VerificationResults(rawValue: 1 << $0) })
            where !bit.isDisjoint(with: Kernel8ActionCodes.issuerDecides) {
                let decision = Kernel8Decision(
                    [.kernel8, bit], denial: kernel8.denial, online: kernel8.online, terminalType: byte,
                    isOfflineCapable: true)
                #expect(decision == .decline, "\(bit)")
            }
        }
        for byte: UInt8 in [0x12, 0x21, 0x22, 0x25] {
            let kernel8 = Kernel8ActionCodes(codes, terminalType: try type(byte))
            #expect(kernel8.denial == .expiredApplication)
            #expect(kernel8.online == Kernel8ActionCodes.issuerDecides)
        }
    }

    @Test func `the online code of an application adds to what an issuer decides anyway`() throws {
        let codes = ActionCodes(denial: [], online: .expiredApplication, default: [])
        let kernel8 = Kernel8ActionCodes(codes, terminalType: try type(0x22))
        #expect(
            kernel8 == Kernel8ActionCodes(denial: [], online: [.expiredApplication, Kernel8ActionCodes.issuerDecides]))
        #expect(Kernel8ActionCodes.shop.online.bytes == hex("840084800C"))
    }

    // EMV Book C-8 annex A: 9F8206, 9F8207, and 9F8208, which become 9F33
    @Test func `a terminal offers the methods that it has`() throws {
        let full = Kernel8Capabilities(try terminal())
        #expect(full == Kernel8Capabilities(cardDataInput: 0x20, cvmRequired: 0x64, cvmNotRequired: 0x08))
        let signature = Kernel8Capabilities(try terminal(0x22, [.contactChip, .magneticStripe, .signature]))
        #expect(signature == Kernel8Capabilities(cardDataInput: 0x60, cvmRequired: 0x24, cvmNotRequired: 0x24))
        let nothing = Kernel8Capabilities(try terminal(0x22, [.contactChip, .noCVMRequired]))
        #expect(nothing == Kernel8Capabilities(cardDataInput: 0x20, cvmRequired: 0x04, cvmNotRequired: 0x08))
        for byte in Self.offlineOnly {
            #expect(Kernel8Capabilities(try terminal(byte)).cvmRequired == 0x24, "\(byte)")
        }
    }
}
