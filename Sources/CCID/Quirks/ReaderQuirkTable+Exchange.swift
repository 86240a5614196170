/// Readers that exchange with cards otherwise than their descriptors say.
extension ReaderQuirkTable {
    private static let post = "libccid 1.8.4 src/ccid.c (ccid_open_hack_post)"
    private static let scm = "GnuPG scd/ccid-driver.c (parse_ccid_descriptor): stuck on answers of whole packets"

    /// One chip in several products: keys that are not there, and long answers in parts.
    private static func chaining(_ name: String, _ vendor: UInt16, _ product: UInt16) -> ReaderQuirkRule {
        ReaderQuirkRule(
            name, vendorID: vendor, productID: product, [.noPINPad, .exchangeLevel(.extendedAPDU)], source: post)
    }

    /// 10 bytes of header, 48 of information and 4 of prologue and check stay below a packet of 64 bytes.
    private static func stuck(_ name: String, _ product: UInt16, below release: UInt16) -> ReaderQuirkRule {
        ReaderQuirkRule(
            name, vendorID: 0x04E6, productID: product, firmware: ReaderRelease.below(release),
            [.informationFieldSize(48)], source: scm)
    }

    static let exchange = [
        chaining("HID OMNIKEY Generic", 0x076B, 0x3A21),
        chaining("HID OMNIKEY 3x21", 0x076B, 0x3031),
        chaining("HID OMNIKEY 6121", 0x076B, 0x6632),
        chaining("Cherry Smart Terminal xx44", 0x046A, 0x00A7),
        chaining("Fujitsu Smartcard Reader D323", 0x0BF8, 0x1024),
        ReaderQuirkRule(
            "Cherry KC 1000 SC", vendorID: 0x046A, productID: 0x00A1, firmware: ReaderRelease.only(0x0100),
            [.exchangeLevel(.extendedAPDU)], source: post + ": answers in parts of 128 bytes"),
        ReaderQuirkRule(
            "Diebold Nixdorf PN7362au", vendorID: 0x2F7C, productID: 0x6007, [.exchangeLevel(.extendedAPDU)],
            source: post),
        ReaderQuirkRule(
            "KOBIL TriBank", vendorID: 0x0D46, productID: 0x3010, [.exchangeLevel(.shortAPDU)],
            source: "libccid 1.4.35 README and src/ccid.c"),
        ReaderQuirkRule(
            "Alcor Micro AU9540 and AU9560", vendorID: 0x058F, productID: 0x9540, [.maximumDataRate(200_000)],
            source: "libccid 1.5.2 README and src/ccid.c; LudovicRousseau/CCID#84"),
        ReaderQuirkRule(
            "O2 Micro OZ776", vendorID: 0x0B97, productID: 0x7762, [.maximumDataRate(9600), .noProtocolSelection],
            borne: [.lateClassDescriptor], source: "libccid 1.8.4 src/ccid.c and src/ifdhandler.c (O2MICRO_OZ776_PATCH)"
        ),
        ReaderQuirkRule(
            "O2 Micro OZ776 (7772)", vendorID: 0x0B97, productID: 0x7772,
            [.maximumDataRate(9600), .noProtocolSelection],
            source: "libccid 1.8.4 src/ccid.c and src/ifdhandler.c (O2MICRO_OZ776_PATCH)"),
        ReaderQuirkRule(
            "SafeNet eToken 5110 SC", vendorID: 0x0529, productID: 0x0620,
            firmware: ReaderRelease(rawValue: 0x0012)...ReaderRelease(rawValue: 0x0013), [.noIFSDNegotiation],
            source: post),
        stuck("SCM SCR 331", 0xE001, below: 0x0516),
        stuck("SCM SCR 331-DI", 0x5111, below: 0x0620),
        stuck("SCM SCR 335", 0x5115, below: 0x0514),
        stuck("SCM SPR 532", 0xE003, below: 0x0504),
        stuck("SCM SCR 3320", 0x5117, below: 0x0522),
        ReaderQuirkRule(
            "SCM SPR 532", vendorID: 0x04E6, productID: 0xE003, [.polled],
            source: "GnuPG scd/ccid-driver.c (ccid_require_get_status)"),
    ]
}
