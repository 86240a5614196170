import ContactlessKernel8
import EMV
import SmartCard
import Testing

struct Kernel8DataObjectTests {
    // EMV Book C-8 annex A: the names, formats, and lengths of the data objects
    @Test func `every data object has a name and can be found by its tag`() {
        #expect(Kernel8DataObject.all.count == 128)
        for object in Kernel8DataObject.all {
            #expect(!object.name.isEmpty)
            #expect(Kernel8DataObject[object.tag] == object)
        }
        #expect(Kernel8DataObject[0x9F4C] == nil)
    }

    @Test func `PAN and tracks are secret`() {
        #expect(Kernel8DataObject[0x5A]?.isSecret == true)
        #expect(Kernel8DataObject[0x57]?.isSecret == true)
        #expect(Kernel8DataObject[0x82]?.isSecret == false)
    }

    @Test func `the lengths are those of kernel 8, not those of contact cards`() {
        #expect(Kernel8DataObject[0x9F1D]?.lengths == 8...8)
        #expect(Kernel8DataObject[0x94]?.lengths == 4...248)
        #expect(Kernel8DataObject[0x9F38]?.lengths == 0...240)
        #expect(Kernel8DataObject[0x9F_8103]?.lengths == 64...132)
        #expect(Kernel8DataObject[0x9F_8108]?.lengths == 2...5)
    }

    @Test func `a card gives what is its own, in the right length, and unknown objects`() {
        for (tag, length) in [(0x5A, 8), (0x9F_8103, 64), (0x9F_8107, 1), (0xDF01, 300)] as [(BERTag, Int)] {
            #expect(throws: Never.self) { try Kernel8DataObject.checkFromCard(tag, length: length) }
        }
    }

    @Test func `a card gives no configuration, and nothing of the terminal or the kernel`() {
        for tag in [0x9F02, 0x95, 0x9F33, 0x9F37, 0x9F34, 0x9F_820B, 0x9E, 0x9F_8109, 0xBF_8102] as [BERTag] {
            #expect(throws: DataObjectError.notForTheCardToGive(tag)) {
                try Kernel8DataObject.checkFromCard(tag, length: 6)
            }
        }
    }

    @Test func `a wrong length is refused`() {
        for (tag, length) in [(0x82, 3), (0x9F_8103, 63), (0x9F_8108, 1), (0x9F_8111, 244)] as [(BERTag, Int)] {
            #expect(throws: DataObjectError.wrongLength(tag)) {
                try Kernel8DataObject.checkFromCard(tag, length: length)
            }
        }
    }

    @Test func `the card's bits of the TVR do not touch those of the mask`() {
        let own: Kernel8VerificationResults = [.kernel8, .floorLimitExceeded, .relayResistanceNotPerformed]
        let card: Kernel8VerificationResults = [.expiredApplication, .localAuthenticationFailed]
        let none = Kernel8VerificationResults(rawValue: 0)
        let all = Kernel8VerificationResults(rawValue: 0xFF_FFFF_FFFF)
        #expect(own.bytes == hex("0000008081"))
        #expect(own.merging(card: card, keeping: all) == own)
        #expect(own.merging(card: card, keeping: none) == card)
        let mask = Kernel8VerificationResults(bytes: hex("84000480CF"))
        #expect(mask.map { own.merging(card: card, keeping: $0).bytes } == hex("0040008081"))
    }
}

struct AlgorithmSuiteTests {
    // EMV Book C-8 annex A: byte 1 of the card qualifier is never 00
    @Test(arguments: ["", "0200FFFF8000", "0200FFFF80000000", "0000FFFF800000"])
    func `a card qualifier has seven bytes and a version`(bytes: String) {
        #expect(CardQualifier(hex(bytes)) == nil)
    }

    @Test(
        arguments: [
            ("0200FFFF800000", .p256AES128, true), ("02FFFF00000000", .p256AES128, false),
            ("028800FF000000", .p256AES128, false), ("0288FFFF000000", nil, false), ("02FFFFFF800000", nil, true),
        ] as [(String, SecureChannelSuite?, Bool)])
    func `the first suite that is built is chosen`(bytes: String, suite: SecureChannelSuite?, fieldOff: Bool) throws {
        let qualifier = try #require(CardQualifier(hex(bytes)))
        #expect(qualifier.chosenSuite == suite)
        #expect(qualifier.noticesFieldOff == fieldOff)
    }

    // Golden run: 9F2B in the PDOL
    @Test func `the kernel qualifier is that of the golden run`() {
        let qualifier = KernelQualifier(
            authenticatesLocally: true, channel: .p256AES128, certificates: [.p256])
        #expect(qualifier.bytes == hex("02800010FFFF0000"))
        let both = KernelQualifier(
            authenticatesLocally: false, channel: .p256AES128, certificates: [.p521, .p256])
        #expect(both.bytes == hex("0200001110FF0000"))
    }
}
