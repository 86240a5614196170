internal import SmartCard

/// Names of applications, by the bytes behind the RID.
enum KnownApplication {
    /// What a DF name or an AID stands for; nil when it is not known.
    static func words(for name: [UInt8]) -> String? {
        switch name {
        case Array("1PAY.SYS.DDF01".utf8): return "1PAY.SYS.DDF01, the payment system environment"
        case Array("2PAY.SYS.DDF01".utf8): return "2PAY.SYS.DDF01, the proximity payment system environment"
        default: break
        }
        guard let brand = CardBrand(aid: name) else { return nil }
        let product = products[brand]?.first { name.dropFirst(5).starts(with: $0.0) }?.1
        return brand.displayName + (product.map { ", " + $0 } ?? "")
    }

    private static let products: [CardBrand: [([UInt8], String)]] = [
        .visa: [
            ([0x10, 0x10], "credit or debit"), ([0x20, 0x10], "Electron"), ([0x20, 0x20], "V PAY"),
            ([0x30, 0x10], "Interlink"), ([0x80, 0x10], "Plus"),
        ],
        .mastercard: [
            ([0x10, 0x10], "credit or debit"), ([0x22, 0x03], "US Maestro"), ([0x30, 0x60], "Maestro"),
            ([0x60, 0x00], "Cirrus"),
        ],
        .discover: [([0x30, 0x10], "D-PAS"), ([0x40, 0x10], "US common debit"), ([0x10, 0x10], "Zip")],
        .unionPay: [
            ([0x01, 0x01, 0x01], "debit"), ([0x01, 0x01, 0x02], "credit"), ([0x01, 0x01, 0x03], "quasi credit"),
            ([0x01, 0x01, 0x06], "electronic cash"), ([0x01, 0x01, 0x08], "US debit"),
        ],
        .mir: [([0x10, 0x10], "credit"), ([0x20, 0x10], "debit")],
    ]
}
