/// Readers with keys that are not what they are said to be.
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
