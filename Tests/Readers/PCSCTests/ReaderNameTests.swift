import PCSC
import Testing

/// Names of readers in pcscd, and the contactless ones among them.
@Suite struct ReaderNameTests {
    private static let contact = "Identiv uTrust 4701 F Dual Reader [uTrust 4701 F Contact Reader] (123) 00 00"
    private static let field = "Identiv uTrust 4701 F Dual Reader [uTrust 4701 F CL Reader] (123) 01 00"

    @Test func `a name has a device, an interface, and two numbers`() {
        let name = PCSCReaderName(Self.field)
        #expect(name.device == "Identiv uTrust 4701 F Dual Reader (123)")
        #expect(name.interface == "uTrust 4701 F CL Reader")
        #expect(name.isContactless)
        #expect(!PCSCReaderName(Self.contact).isContactless)
        #expect(PCSCReaderName("Virtual PCD 00 01").device == "Virtual PCD")
    }

    @Test(arguments: [
        ("ACS ACR122U PICC Interface 00 00", true), ("HID OMNIKEY 5422 [5422CL Smartcard Reader] (X) 00 00", true),
        ("ACS ACR39U ICC Reader 00 00", false), ("", false), ("00 00", false), ("()", false), ("[] 00 00", false),
        ("Contactless", true), (" 00 00 00", false),
        // Names in libccid without a word of the kind.
        ("HID Global OMNIKEY 5022 Smart Card Reader [OMNIKEY 5022 Smart Card Reader] (X) 00 00", true),
        ("HID OMNIKEY 5427 CK 00 00", true), ("HID OMNIKEY 5127 CK [CCID Interface] 00 00", true),
        ("ACS ACR1281U 00 00", false), ("ACS ACR1281U 00 01", true), ("ACS ACR1281U 00 02", false),
        ("ACS ACR1281U", false), ("OMNIKEY AG CardMan 3121 00 00", false), ("HID OMNIKEY 5326 DFR 00 00", false),
    ])
    func `contactless readers are recognized by their names`(name: String, isContactless: Bool) {
        #expect(PCSCReaderName(name).isContactless == isContactless)
    }

    @Test func `the field beside a slot is found, unless two devices could have it`() {
        #expect(
            PCSCReaderName.contactlessReader(beside: Self.contact, among: [Self.contact, Self.field]) == Self.field)
        #expect(PCSCReaderName.contactlessReader(beside: Self.field, among: [Self.contact, Self.field]) == nil)
        #expect(PCSCReaderName.contactlessReader(beside: Self.contact, among: [Self.contact]) == nil)
        let slots = ["ACS ACR1281U 00 00", "ACS ACR1281U 00 01", "ACS ACR1281U 00 02"]
        #expect(PCSCReaderName.contactlessReader(beside: slots[0], among: slots) == slots[1])
        let twins = ["Reader [ICC] 00 00", "Reader [PICC] 01 00", "Reader [ICC] 02 00", "Reader [PICC] 03 00"]
        #expect(PCSCReaderName.contactlessReader(beside: twins[0], among: twins) == nil)
        #expect(PCSCReaderName.contactlessReader(beside: twins[0], among: Array(twins.prefix(2))) == twins[1])
    }
}
