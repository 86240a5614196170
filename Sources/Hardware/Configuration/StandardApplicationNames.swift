internal import EMV

/// What people call the applications of ``EMV/TerminalApplication/standard``.
enum StandardApplicationNames {
    static let byAID: [[UInt8]: String] = Dictionary(
        TerminalApplication.standard.compactMap { application in
            names.first { $0.key == application.aid.hexadecimal }.map { (application.aid, $0.value) }
        }, uniquingKeysWith: { first, _ in first })

    private static let names: KeyValuePairs = [
        "A0000000031010": "Visa credit and debit", "A0000000032010": "Visa Electron", "A0000000032020": "V PAY",
        "A0000000033010": "Visa Interlink", "A0000000041010": "Mastercard credit and debit",
        "A0000000043060": "Maestro", "A0000000042203": "US Maestro", "A00000002501": "American Express",
        "A0000000651010": "JCB", "A0000001523010": "Discover", "A0000001524010": "Discover US common debit",
        "A000000333010101": "UnionPay debit", "A000000333010102": "UnionPay credit",
        "A000000333010103": "UnionPay quasi credit", "A000000333010108": "UnionPay US debit",
        "A0000002771010": "Interac", "A00000038410": "eftpos savings", "A00000038420": "eftpos cheque and credit",
        "A0000000980840": "Visa US common debit",
    ]
}
