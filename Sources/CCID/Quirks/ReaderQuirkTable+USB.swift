/// Readers that are odd as USB devices.
extension ReaderQuirkTable {
    private static func unnamed(
        _ name: String, _ vendor: UInt16, _ product: UInt16, borne: Set<BorneFault> = []
    ) -> ReaderQuirkRule {
        ReaderQuirkRule(
            name, vendorID: vendor, productID: product, [.vendorSpecificClass], borne: borne,
            source: "libccid 1.8.4 src/92_pcscd_ccid.rules (InterfaceClass 0xFF)"
                + (borne.isEmpty ? "" : " and src/ccid_usb.c"))
    }

    /// Interfaces of class FF that are CCID. Tokens, whose card nobody can take out, are left out.
    static let otherClass = [
        unnamed("Cherry SmartTerminal ST-2xxx", 0x046A, 0x003E),
        unnamed("SCM SCR 331-DI", 0x04E6, 0x5111),
        unnamed("SCM SCR 331-DI NTTCom", 0x04E6, 0x5120),
        unnamed("SCM SCR 3310 NTTCom", 0x04E6, 0x511A),
        unnamed("SCM SDI010", 0x04E6, 0x5121),
        unnamed("SCM SDI011", 0x04E6, 0x512B),
        unnamed("SCM SDI011 (512C)", 0x04E6, 0x512C),
        unnamed("SCM SCL010", 0x04E6, 0x5291),
        unnamed("SCM SCL01x", 0x04E6, 0x5292),
        unnamed("SCM SPR 532", 0x04E6, 0xE003),
        unnamed("REINER SCT cyberJack", 0x0C4B, 0x0300, borne: [.lateClassDescriptor]),
        unnamed("OMNIKEY 5321 CLi", 0x076B, 0x532A),
        unnamed("HID OMNIKEY 5021 CL", 0x076B, 0x5340),
        unnamed("Gemplus e-Seal Pro", 0x08E6, 0x2202),
        unnamed("MySmart MySMART PAD", 0x09BE, 0x0002),
        unnamed("DUALi DE-ABCM6", 0x1DB2, 0x0600),
        unnamed("Dell SK-3106 keyboard", 0x413C, 0x2100),
    ]

    private static func twin(_ name: String, _ vendor: UInt16, _ product: UInt16) -> ReaderQuirkRule {
        ReaderQuirkRule(
            name, vendorID: vendor, productID: product, [.oneInterfaceAtATime],
            source: "libccid 1.8.4 src/ccid_usb.c (USE_COMPOSITE_AS_MULTISLOT)")
    }

    private static func suspended(_ name: String, _ vendor: UInt16, _ product: UInt16) -> ReaderQuirkRule {
        ReaderQuirkRule(
            name, vendorID: vendor, productID: product, [.noAutosuspend],
            source: "libccid 1.8.4 src/92_pcscd_ccid.rules")
    }

    static let interfaces = [
        twin("Gemalto Prox-DU", 0x08E6, 0x5503),
        twin("Gemalto Prox-SU", 0x08E6, 0x5504),
        twin("HID OMNIKEY 5422", 0x076B, 0x5422),
        twin("Feitian R502 Dual", 0x096E, 0x060D),
        twin("Alcor Link AK9567", 0x2CE3, 0x9567),
        twin("Alcor Link AK9572", 0x2CE3, 0x9573),
        twin("ACS WalletMate", 0x072F, 0x226B),
        twin("ACS ACR1251", 0x072F, 0x221A),
        twin("ACS ACR1252", 0x072F, 0x223B),
        twin("ACS ACR1252IMP", 0x072F, 0x2259),
        twin("ACS ACR1552", 0x072F, 0x2303),
        twin("ACS ACR1581", 0x072F, 0x2301),
        twin("Kapelse KAP-LINK2", 0x2947, 0x0105),
        suspended("C3PO LTC31 v1", 0x0783, 0x0003),
        suspended("Alcor Micro AU9520", 0x058F, 0x9520),
    ]

    private static let emptyPackets = "libccid 1.8.4 src/ccid.c (ENABLE_ZLP)"

    /// Readers whose faults the driver bears anyway, and the reader that QEMU emulates.
    static let emulated = [
        ReaderQuirkRule(
            "Gemalto PC Twin Reader", vendorID: 0x08E6, productID: 0x3437, firmware: ReaderRelease.only(0x0200),
            borne: [.zeroLengthPackets], source: emptyPackets),
        ReaderQuirkRule(
            "Gemalto USB Shell Token V2", vendorID: 0x08E6, productID: 0x3438, firmware: ReaderRelease.only(0x0200),
            borne: [.zeroLengthPackets], source: emptyPackets),
        ReaderQuirkRule(
            "Dell smart card reader keyboard", vendorID: 0x413C, productID: 0x2101,
            firmware: ReaderRelease.only(0x0200), borne: [.zeroLengthPackets], source: emptyPackets),
        ReaderQuirkRule(
            "BLUTRONICS BLUDRIVE II CCID", vendorID: 0x1B0E, productID: 0x1078, borne: [.lateClassDescriptor],
            source: "libccid 1.8.4 src/ccid_usb.c (O2MICRO_OZ776_PATCH)"),
        // The identifier of the Gemplus GemPC 433, whose own releases are not 0.00.
        ReaderQuirkRule(
            "QEMU USB CCID", vendorID: 0x08E6, productID: 0x4433, firmware: ReaderRelease.only(0x0000), [.noPINPad],
            borne: [
                .zeroLengthPackets, .newCardCalledActive, .doneWithoutCard, .bytesAfterFailure, .wrongMessageLength,
                .noClassRequests, .staleAnswers,
            ],
            source: "QEMU 7.2 hw/usb/dev-smartcard-reader.c, seen on the wire"),
    ]
}
