/// Readers whose older firmware is not to be trusted with a payment, and readers that take long to begin.
extension ReaderQuirkTable {
    private static func refused(
        _ name: String, _ vendor: UInt16, _ product: UInt16, below release: UInt16, fix: String? = nil,
        source: String = "libccid 1.8.4 src/ccid_usb.c (Bogus_firmwares)"
    ) -> ReaderQuirkRule {
        let needed = ReaderRelease(rawValue: release)
        return ReaderQuirkRule(
            name, vendorID: vendor, productID: product, firmware: ReaderRelease.below(release),
            [.refusedFirmware(fix: fix ?? "update it to \(needed) or later, or use another reader")], source: source)
    }

    static let refusedFirmware = [
        refused("SCM SCR 331", 0x04E6, 0xE001, below: 0x0516),
        refused("SCM SCR 331-DI", 0x04E6, 0x5111, below: 0x0620),
        refused(
            "SCM SCR 335", 0x04E6, 0x5115, below: 0x0514, fix: "it cannot be updated: use another reader",
            source: "libccid 1.1.0 README and src/ccid_usb.c"),
        refused("SCM SPR 532", 0x04E6, 0xE003, below: 0x0510),
        refused("SCM SCL010", 0x04E6, 0x5291, below: 0x0112),
        refused("KOBIL KAAN Base", 0x0D46, 0x3001, below: 0x0037),
        refused("KOBIL KAAN Advanced", 0x0D46, 0x3002, below: 0x0037),
        refused("ActivCard V2", 0x09C3, 0x0008, below: 0x0203),
        refused("Athena ASE IIIe USB V2", 0x0DC3, 0x1004, below: 0x0502),
        refused("Athena ASE IIIe KB USB", 0x0DC3, 0x1102, below: 0x0607),
        refused("Athena IDProtect Key v2", 0x0DC3, 0x0900, below: 0x0200),
        refused("Alcor Micro AU9520", 0x058F, 0x9520, below: 0x0102),
        refused("ACS ACR122U", 0x072F, 0x2200, below: 0x0206),
        refused("Precise Biometrics Precise 200 MC", 0x08C3, 0x0402, below: 0x5000),
        refused("Precise Biometrics Precise 250 MC", 0x08C3, 0x0401, below: 0x5000),
        refused("Todos Argos Mini II", 0x0B0C, 0x0050, below: 0x0101),
        refused("HP USB CCID Smartcard Keyboard", 0x03F0, 0x0036, below: 0x0124),
        refused("THRC Smart Card Reader", 0x062D, 0x0001, below: 0x0102),
    ]

    private static let openHack = "libccid 1.8.4 src/ccid.c (ccid_open_hack_pre)"

    /// Where a wait was measured, the row gives at least twice of it.
    static let slowStart = [
        ReaderQuirkRule(
            "id3 CL1356T", vendorID: 0x0B81, productID: 0x0200, [.startPause(.seconds(1)), .firstAnswer(.seconds(60))],
            source: openHack),
        // Up to 1 s when no tag is on it.
        ReaderQuirkRule(
            "Elatec TWN4 with CDC", vendorID: 0x09D8, productID: 0x0427, [.firstAnswer(.seconds(2))], source: openHack),
        ReaderQuirkRule(
            "Elatec TWN4", vendorID: 0x09D8, productID: 0x0428, [.firstAnswer(.seconds(2))], source: openHack),
        ReaderQuirkRule(
            "ACS ACR122U", vendorID: 0x072F, productID: 0x2200, [.firstAnswer(.seconds(2))], borne: [.emptyAnswer],
            source: openHack + "; LudovicRousseau/pyscard#18"),
        // 350 ms.
        ReaderQuirkRule(
            "SCM SCL011", vendorID: 0x04E6, productID: 0x5293, [.firstAnswer(.seconds(1))], source: openHack),
        // 728 ms in the log of the issue.
        ReaderQuirkRule(
            "Identiv uTrust 3700 F", vendorID: 0x04E6, productID: 0x5790, [.firstAnswer(.seconds(2))],
            source: openHack + "; LudovicRousseau/PCSC#66"),
        ReaderQuirkRule(
            "Identiv uTrust 3701 F", vendorID: 0x04E6, productID: 0x5791, [.firstAnswer(.seconds(2))], source: openHack),
        ReaderQuirkRule(
            "Identiv uTrust 4701 F", vendorID: 0x04E6, productID: 0x5724, [.firstAnswer(.seconds(2))], source: openHack),
    ]
}
