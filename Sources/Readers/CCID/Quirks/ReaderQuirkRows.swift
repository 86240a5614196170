/// Readers whose older firmware is not safe for payments, and readers that start slowly.
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

    /// Where a wait was measured, the row gives at least twice that time.
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
            "ACS ACR122U", vendorID: 0x072F, productID: 0x2200, [.firstAnswer(.seconds(2))], tolerated: [.emptyAnswer],
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

/// Readers with faulty PIN pads.
extension ReaderQuirkTable {
    private static let leaks =
        "libccid 1.8.4 src/ccid.c (ccid_open_hack_post); martinpaljak.net 2011-03-19: the PIN also goes to the host"
    private static let secure = "libccid 1.8.4 src/commands.c (SecurePINVerify)"

    static let pinPads = [
        ReaderQuirkRule("HP USB Smart Card Keyboard", vendorID: 0x03F0, productID: 0x1024, [.noPINPad], source: leaks),
        ReaderQuirkRule(
            "HP USB CCID Smartcard Keyboard", vendorID: 0x03F0, productID: 0x0036, [.noPINPad], source: leaks),
        ReaderQuirkRule(
            "Fujitsu Siemens SmartCard Keyboard USB 2A", vendorID: 0x0BF8, productID: 0x1017, [.noPINPad],
            source: leaks),
        ReaderQuirkRule(
            "Chicony HP Skylab USB Smartcard Keyboard", vendorID: 0x04F2, productID: 0x1469, [.noPINPad],
            source: leaks),
        ReaderQuirkRule(
            "C3PO LTC31 v2", vendorID: 0x0783, productID: 0x0006, [.noPINPad],
            source: "libccid 1.4.29 README and src/ccid.c"),
        ReaderQuirkRule(
            "bit4id miniLector EVO", vendorID: 0x25DD, productID: 0x3111, [.noPINPad],
            source: "libccid 1.4.35 README and src/ccid.c"),
        ReaderQuirkRule(
            "Gemalto GemPC PinPad", vendorID: 0x08E6, productID: 0x3478, [.pinMessages(1)], source: secure),
        ReaderQuirkRule("Covadis Vega-Alpha", vendorID: 0x0982, productID: 0x0008, [.pinMessages(1)], source: secure),
        ReaderQuirkRule(
            "Dell smart card reader keyboard", vendorID: 0x413C, productID: 0x2101, [.pinMessages(0)], source: secure),
        ReaderQuirkRule(
            "Dell SK-3106 keyboard", vendorID: 0x413C, productID: 0x2100, [.pinMessages(0), .swappedPINDigits],
            source: secure),
    ]
}

/// Readers that exchange data with cards differently than their descriptors say.
extension ReaderQuirkTable {
    private static let post = "libccid 1.8.4 src/ccid.c (ccid_open_hack_post)"
    private static let scm = "GnuPG scd/ccid-driver.c (parse_ccid_descriptor): stuck on answers of whole packets"

    /// One chip in several products: claimed keys that do not exist, and long answers in parts.
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
            tolerated: [.lateClassDescriptor],
            source: "libccid 1.8.4 src/ccid.c and src/ifdhandler.c (O2MICRO_OZ776_PATCH)"
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

/// Readers with unusual USB interfaces.
extension ReaderQuirkTable {
    private static func unnamed(
        _ name: String, _ vendor: UInt16, _ product: UInt16, tolerated: Set<ToleratedFault> = []
    ) -> ReaderQuirkRule {
        ReaderQuirkRule(
            name, vendorID: vendor, productID: product, [.vendorSpecificClass], tolerated: tolerated,
            source: "libccid 1.8.4 src/92_pcscd_ccid.rules (InterfaceClass 0xFF)"
                + (tolerated.isEmpty ? "" : " and src/ccid_usb.c"))
    }

    /// Interfaces of class FF that are CCID. Tokens with a fixed card are left out.
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
        unnamed("REINER SCT cyberJack", 0x0C4B, 0x0300, tolerated: [.lateClassDescriptor]),
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

    /// Readers with tolerated faults, and the reader that QEMU emulates.
    static let emulated = [
        ReaderQuirkRule(
            "Gemalto PC Twin Reader", vendorID: 0x08E6, productID: 0x3437, firmware: ReaderRelease.only(0x0200),
            tolerated: [.zeroLengthPackets], source: emptyPackets),
        ReaderQuirkRule(
            "Gemalto USB Shell Token V2", vendorID: 0x08E6, productID: 0x3438, firmware: ReaderRelease.only(0x0200),
            tolerated: [.zeroLengthPackets], source: emptyPackets),
        ReaderQuirkRule(
            "Dell smart card reader keyboard", vendorID: 0x413C, productID: 0x2101,
            firmware: ReaderRelease.only(0x0200), tolerated: [.zeroLengthPackets], source: emptyPackets),
        ReaderQuirkRule(
            "BLUTRONICS BLUDRIVE II CCID", vendorID: 0x1B0E, productID: 0x1078, tolerated: [.lateClassDescriptor],
            source: "libccid 1.8.4 src/ccid_usb.c (O2MICRO_OZ776_PATCH)"),
        // The identifier of the Gemplus GemPC 433, whose own releases are not 0.00.
        ReaderQuirkRule(
            "QEMU USB CCID", vendorID: 0x08E6, productID: 0x4433, firmware: ReaderRelease.only(0x0000), [.noPINPad],
            tolerated: [
                .zeroLengthPackets, .newCardCalledActive, .doneWithoutCard, .bytesAfterFailure, .wrongMessageLength,
                .noClassRequests, .staleAnswers,
            ],
            source: "QEMU 7.2 hw/usb/dev-smartcard-reader.c, seen on the wire"),
    ]
}
